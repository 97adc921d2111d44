"""Ids and metadata in the form in which they are stored with documents' texts."""

import json
import math
from collections.abc import Mapping, MutableMapping, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any, TypeGuard, cast
from uuid import UUID

import numpy as np
import regex

from stickbreaker.core.arguments import refuse_no_list
from stickbreaker.core.errors import UserError, shown
from stickbreaker.core.records import python_scalar
from stickbreaker.corpus.document import Scalar

LONGEST_VALUE = 1 << 18  # characters of a value of metadata: a longer value is a text
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_LONE_SURROGATES = regex.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD, so that UTF-8 can hold it.

    >>> storable("a\\ud800") == "a\\ufffd"
    True
    """
    return text if text.isascii() else _LONE_SURROGATES.sub("\ufffd", text)


def storable_all(texts: Sequence[str]) -> list[str]:
    """`storable` applied to several texts; fast if none has a lone surrogate.

    >>> storable_all(["a", "b\\ud800"]) == ["a", "b\\ufffd"]
    True
    """
    joined = "".join(texts)
    if joined.isascii() or _LONE_SURROGATES.search(joined) is None:
        return list(texts)
    return [storable(text) for text in texts]


def scalars_of(
    values: Mapping[Any, Any], left_out: MutableMapping[str, int] | None = None
) -> dict[str, Scalar]:
    """Those fields of a record that can be metadata: scalars, and lists of strings.

    Dates and times become ISO 8601, durations seconds, decimals the number that they are (those with more
    digits than a float has, text), numbers that are not finite None. Other lists, objects and values of more
    than 262,144 characters are left out, and counted by field in `left_out`.

    >>> scalars_of({"date": date(1988, 2, 12), "tags": ["a", "b"], "places": [1, 2]})
    {'date': '1988-02-12', 'tags': ['a', 'b']}
    """
    kept: dict[str, Scalar] = {}
    for name, value in values.items():
        if type(value) is str and len(value) <= LONGEST_VALUE:  # most values
            kept[storable(str(name))] = storable(value)
            continue
        value = plain_value(value)
        if characters_of(value) <= LONGEST_VALUE:
            if isinstance(value, str):
                kept[storable(str(name))] = storable(value)
                continue
            if isinstance(value, float):
                kept[storable(str(name))] = value if math.isfinite(value) else None
                continue
            if value is None or isinstance(value, bool | int):
                kept[storable(str(name))] = value
                continue
            if is_strings(value):
                kept[storable(str(name))] = [storable(item) for item in value]
                continue
        if left_out is not None:
            left_out[storable(str(name))] = left_out.get(storable(str(name)), 0) + 1
    return kept


def plain_value(value: Any) -> Any:
    """A value of Python, NumPy or pandas as a string, number, truth value, list or None, if it can be one.

    Dates, times and periods become ISO 8601, durations seconds; other values are unchanged.

    >>> plain_value(timedelta(minutes=2)), plain_value(Decimal("1.50")), plain_value(np.datetime64("NaT"))
    (120, 1.5, None)
    """
    given: Any = value
    if isinstance(value, np.datetime64 | np.timedelta64):
        unit = "timedelta64[us]" if isinstance(value, np.timedelta64) else "datetime64[us]"
        value = None if str(given) == "NaT" else given.astype(unit).item()
    value = python_scalar(value)
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        seconds = value.total_seconds()
        return int(seconds) if seconds.is_integer() else seconds
    if isinstance(value, Decimal):
        return _of_decimal(value)
    if isinstance(value, UUID) or type(value).__name__ in ("Period", "Interval"):  # of pandas
        return str(value)
    return list(cast("tuple[object, ...]", value)) if type(value) is tuple else value


def _of_decimal(value: Decimal) -> int | float | str | None:
    """A decimal as the equal whole number or float; as text if no float shows the same digits."""
    if not value.is_finite():
        return None
    if abs(value.adjusted()) > 300:
        return str(value)
    if value == value.to_integral_value():
        return int(value)
    return float(value) if Decimal(repr(float(value))) == value else str(value)


def is_strings(value: object) -> TypeGuard[list[str]]:
    """Whether a value is a list of strings."""
    return isinstance(value, list) and all(isinstance(item, str) for item in cast("list[object]", value))


def characters_of(value: object) -> int:
    """The number of characters of a string, or of all strings in a list; 0 for other values.

    >>> characters_of("abc"), characters_of(["ab", "c", 1]), characters_of(5)
    (3, 3, 0)
    """
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list):
        return sum(len(item) for item in cast("list[object]", value) if isinstance(item, str))
    return 0


def metadata_text(values: Mapping[str, Scalar]) -> str | None:
    """Metadata as one line of JSON, with the fields in their order; None if there are no fields."""
    return _ENCODER.encode(values) if values else None


def metadata_from(text: str | None) -> dict[str, Scalar]:
    """Parse the fields that `metadata_text` wrote; None: no fields. Raises UserError for any other text."""
    if text is None:
        return {}
    try:
        fields = json.loads(text)
        if isinstance(fields, dict):
            return cast("dict[str, Scalar]", fields)
    except (ValueError, RecursionError):
        pass
    raise UserError("a document's metadata are not fields", remedy="build the corpus again")


def checked_ids(ids: Sequence[str], n_documents: int) -> list[str]:
    """Ids as storable strings. Raises UserError if their number is not `n_documents`, or one repeats."""
    refuse_no_list("ids", ids)
    known = [storable(str(one)) for one in ids]
    if len(known) != n_documents:
        raise UserError(f"{len(known)} ids for {n_documents} documents", remedy="give one per document")
    if len(set(known)) != len(known):
        seen: set[str] = set()
        twice = next(one for one in known if one in seen or seen.add(one))
        raise UserError(f"the id {shown(twice)} was used before", remedy="ids must differ")
    return known
