"""Converts values for pages: text that HTML can show, finite numbers, fewer points, safe JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import TypeVar

from stickbreaker.corpus.document import Scalar

T = TypeVar("T")

MOST_POINTS = 600  # points of a curve
_LONGEST_LINE = 60  # characters of a word or another short text
_UNSHOWABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_MARKUP = {c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def clean(value: Scalar) -> str:
    """A value as text that HTML can contain: control characters and lone surrogates become U+FFFD.

    Tabs and newlines stay; floats get six significant digits.
    """
    if isinstance(value, float):
        value = f"{value:.6g}"
    return _UNSHOWABLE.sub("\ufffd", str(value).replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """A text on one line of at most 60 characters, without control characters; U+FFFD if it is empty.

    >>> one_line("a\\n  b"), one_line(" ")
    ('a b', '�')
    """
    return cut_short(" ".join(clean(text).split()) or "\ufffd", _LONGEST_LINE)


def cut_short(text: str, most: int) -> str:
    """The text or, if it is longer than `most` characters, its beginning with an ellipsis.

    >>> cut_short("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= most else text[: max(most - 1, 0)] + "…"


def rounded(value: float | None, digits: int = 4) -> float | None:
    """A number rounded to `digits` significant digits; None if it is None or not finite.

    >>> rounded(0.123456), rounded(float("nan"))
    (0.1235, None)
    """
    if value is None or not math.isfinite(value):
        return None
    return float(f"{float(value):.{digits}g}")


def percent(share: float) -> str:
    """A share as a percentage: without decimals from 10 %, with one decimal below.

    >>> percent(0.123), percent(0.0123)
    ('12%', '1.2%')
    """
    return f"{100.0 * share:.{0 if share >= 0.0995 else 1}f}%"


def number_text(value: float) -> str:
    """A number with three digits or more: "0.123", "12.3", "1,235".

    >>> number_text(0.1234), number_text(12.34), number_text(1234.5)
    ('0.123', '12.3', '1,234')
    """
    digits = 0 if value >= 100.0 else 1 if value >= 10.0 else 2 if value >= 1.0 else 3
    return f"{value:,.{digits}f}"


def thinned(points: Sequence[T]) -> list[T]:
    """The points of a curve; of more than 600, at most 600 that are evenly spaced, and the last one."""
    stride = -(-len(points) // MOST_POINTS)
    return [point for i, point in enumerate(points) if i % stride == 0 or i == len(points) - 1]


def script_json(data: object) -> str:
    """Data as JSON that is safe inside an HTML script element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character, escape in _MARKUP.items():  # str.translate would take a fifth of a second per megabyte
        text = text.replace(character, escape)
    return text
