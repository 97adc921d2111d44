"""Lists of small numbers as short text, and the size of a value as JSON."""

from __future__ import annotations

from collections.abc import Iterable

from stickbreaker.pages.text_values import script_json

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_PAIRS = [first + second for first in _DIGITS for second in _DIGITS]
MOST_PAIR = len(_PAIRS) - 1


def base36_pairs(numbers: Iterable[int]) -> str:
    """Write whole numbers compactly: each as two digits of base 36, without separators. Numbers below 0
    become 0, those above 1295 become 1295.

    >>> base36_pairs([0, 35, 36, 99999])
    '000z10zz'
    """
    return "".join([_PAIRS[n if 0 <= n <= MOST_PAIR else min(max(n, 0), MOST_PAIR)] for n in numbers])


def size_of(value: object) -> int:
    return len(script_json(value).encode("utf-8"))
