"""Predicates for values read from JSON, and checks of whole records by them.

The functions that begin with `is_` are predicates; others such as `list_of` make them.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeGuard, cast

from stickbreaker.core.errors import is_whole

Kind = Callable[[object], bool]
# of isinstance: what has passed it is Any to a type checker, not a list of unknown items
Classes = tuple[type[Any], ...]
JsonObject = dict[str, Any]  # an object of JSON: plain values by name


def is_text(value: object) -> TypeGuard[str]:
    """Whether a value is a string that can be written as UTF-8 (half a surrogate pair cannot)."""
    return isinstance(value, str) and value.encode("utf-8", "replace").decode("utf-8") == value


def is_flag(value: object) -> TypeGuard[bool]:
    """Whether a value is true or false."""
    return isinstance(value, bool)


def is_count(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number from 0 to 2^53, which every JSON program can represent."""
    return is_whole(value, 0) and value <= 1 << 53


def is_positive(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number from 1 to 2^53."""
    return is_count(value) and value > 0


def is_record(value: object) -> TypeGuard[dict[str, object]]:
    """Whether a value is a JSON object, with any fields."""
    return isinstance(value, dict)


def is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Whether a value is a mapping."""
    return isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether a value is a list or tuple."""
    return isinstance(value, list | tuple)


def is_nothing(value: object) -> bool:
    """Whether a value is null."""
    return value is None


def is_whole_number(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number of any size and sign."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a finite number that fits a float."""
    return isinstance(value, int | float) and not is_flag(value) and abs(value) <= sys.float_info.max


def is_amount(value: object) -> TypeGuard[float]:
    """Whether a value is a finite number of at least zero."""
    return is_number(value) and value >= 0


def is_finite(value: object) -> bool:
    """Whether a value is JSON and all numbers in it, at any depth, are finite.

    >>> is_finite({"scores": [1.5, None]}), is_finite({"scores": [float("nan")]})
    (True, False)
    """
    if isinstance(value, dict):
        return all(map(is_finite, cast("JsonObject", value).values()))
    if isinstance(value, list | tuple):
        return all(map(is_finite, cast("list[object]", value)))
    return value is None or isinstance(value, str | bool) or is_number(value)


def list_of(kind: Kind) -> Callable[[object], TypeGuard[list[Any]]]:
    """A predicate: is the value a list whose items all satisfy `kind`?

    >>> list_of(is_count)([1, 2]), list_of(is_count)([1, None])
    (True, False)
    """

    def check(value: object) -> TypeGuard[list[Any]]:
        return isinstance(value, list | tuple) and all(map(kind, cast("list[object]", value)))

    return check


def mapping_of(kind: Kind) -> Kind:
    """A predicate: is the value an object whose keys are text and whose values all satisfy `kind`?"""

    def check(value: object) -> bool:
        held = cast("dict[object, object]", value)
        return isinstance(value, dict) and all(map(is_text, held)) and all(map(kind, held.values()))

    return check


def record_with(kinds: Mapping[str, Kind]) -> Callable[[object], TypeGuard[JsonObject]]:
    """A predicate: is the value an object with all fields of `kinds`, each satisfying its predicate?

    >>> record_with({"step": is_count})({"step": 1}), record_with({"step": is_count})({})
    (True, False)
    """

    def check(value: object) -> TypeGuard[JsonObject]:
        if not isinstance(value, dict):
            return False
        held = cast("JsonObject", value)
        return all(name in held and kind(held[name]) for name, kind in kinds.items())

    return check


def one_of(*texts: str) -> Kind:
    """A predicate: is the value one of these texts?"""
    return lambda value: isinstance(value, str) and value in texts


def spelled(pattern: str) -> Kind:
    """A predicate: is the value a text that the regular expression matches as a whole?

    >>> spelled("[0-9a-f]+")("c0ffee"), spelled("[0-9a-f]+")("coffee")
    (True, False)
    """
    compiled = re.compile(pattern)
    return lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None


def optional(kind: Kind) -> Kind:
    """A predicate: is the value null, or does it satisfy `kind`?"""
    return lambda value: value is None or kind(value)


def refuse_other_kinds(record: object, kinds: Mapping[str, Kind], *, needed: bool = True) -> None:
    """Raise ValueError naming a field that does not satisfy its predicate or, if `needed`, is missing.

    >>> refuse_other_kinds({"step": -1}, {"step": is_count})
    Traceback (most recent call last):
    ValueError: step is -1
    """
    if not isinstance(record, Mapping):
        raise ValueError("it is not a record")
    held = cast("JsonObject", record)
    for name, kind in kinds.items():
        if name not in held:
            if needed:
                raise ValueError(f"no {name!r}")
        elif not kind(held[name]):
            raise ValueError(f"{name} is {str(held[name])[:100]}")
