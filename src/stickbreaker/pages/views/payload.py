"""Views as JSON values, as the scripts of a page take them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any

import numpy as np

from stickbreaker.pages.text_values import clean, rounded
from stickbreaker.pages.views.pieces import Piece

EMPTY = ("", 0, None)  # values of pieces that are not written


def as_json(value: Any) -> Any:
    """A view, or what it consists of, as a JSON value.

    Records are objects with their class's name as "view", without fields that have their default; strings are
    cleaned, numbers have four significant digits, and those that are not finite are null. The lists that
    named tuples make end before the fields with defaults.
    """
    kind = type(value)  # what is most frequent comes first
    if kind is float:
        return _number(value)
    if kind is int or value is None:
        return value
    if kind is list or kind is tuple:
        return [as_json(one) for one in value]
    if isinstance(value, str):
        return value if value.isprintable() else clean(value)
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return _number(float(value))
    if isinstance(value, Piece):
        first, *others = value.held().items()
        return {name: as_json(held) for name, held in (first, *((k, v) for k, v in others if v not in EMPTY))}
    if is_dataclass(value):
        held = {one.name: as_json(getattr(value, one.name)) for one in fields(value) if _written(value, one)}
        return {"view": type(value).__name__, **held}
    if isinstance(value, np.ndarray):
        return as_json(value.tolist())
    if isinstance(value, Mapping):
        return {clean(key): as_json(held) for key, held in value.items()}
    if isinstance(value, Sequence):
        return [as_json(one) for one in _trimmed(value)]
    raise TypeError(f"no view has a {type(value).__name__}")


def _number(value: float) -> float | int | None:
    """Floats at most four digits long, as whole numbers where they are: 3.0 is written as 3."""
    short = rounded(value) if abs(value) < 1e4 else value
    if short is None or not math.isfinite(short):
        return None
    return int(short) if short == int(short) and abs(short) < 1e15 else short


def _written(value: Any, field: Field[Any]) -> bool:
    return field.default is MISSING or getattr(value, field.name) != field.default


def _trimmed(value: Sequence[Any]) -> Sequence[Any]:
    """A named tuple without the defaults at its end."""
    defaults: dict[str, Any] = getattr(value, "_field_defaults", {})
    names: Sequence[str] = getattr(value, "_fields", ())
    n = len(value)
    while n and n <= len(names) and names[n - 1] in defaults and value[n - 1] == defaults[names[n - 1]]:
        n -= 1
    return value[:n]
