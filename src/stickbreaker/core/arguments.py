"""Checks of arguments at public doors: what has another class than it should is one line, not a traceback."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cache
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import NoneType
from typing import Any, cast, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import LONGEST_SHOWN, UserError, is_whole, shortened

# what a field of a type may hold, and its name in messages
_HELD: dict[Any, tuple[Any, str]] = {
    int: (Integral, "a whole number"),
    float: (Real, "a number"),
    bool: ((bool, np.bool_), "True or False"),
    str: (str, "a string"),
    tuple: (Iterable, "a tuple"),
    NoneType: (NoneType, "None"),
}


def refuse_other_number(name: str, value: object, least: int = 1) -> None:
    """Raise UserError unless the value of an argument is a whole number of at least `least`.

    >>> refuse_other_number("window", 0)
    Traceback (most recent call last):
    stickbreaker.core.errors.UserError: window=0; window is a whole number from 1
    """
    if not is_whole(value, least):
        raise UserError(
            f"{name}={shortened(repr(value), LONGEST_SHOWN)}", remedy=f"{name} is a whole number from {least}"
        )


def refuse_other_class(name: str, value: object, *kinds: type, remedy: str = "") -> None:
    """Raise UserError unless the value of an argument is None or an object of one of these classes.

    >>> refuse_other_class("words", 3, dict, list)
    Traceback (most recent call last):
    stickbreaker.core.errors.UserError: words is of the class int; give a dict or list
    """
    if value is not None and not isinstance(value, kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise UserError(f"{name} is {_class_of(value)}", remedy=remedy or f"give a {wanted}")


def refuse_no(name: str, value: object, kind: type, remedy: str) -> None:
    """Raise UserError unless the value of an argument is an object of a class; remedy: what to give.

    >>> refuse_no("bags", 3, dict, "corpus.bags(block)")
    Traceback (most recent call last):
    stickbreaker.core.errors.UserError: bags is of the class int; give corpus.bags(block)
    """
    if not isinstance(value, kind):
        raise UserError(f"{name} is {_class_of(value)}", remedy=f"give {remedy}")


def refuse_no_list(name: str, value: object) -> None:
    """Raise UserError unless the value of an argument can be iterated over, and is not a string.

    >>> refuse_no_list("ids", 3)
    Traceback (most recent call last):
    stickbreaker.core.errors.UserError: ids is of the class int, not a list
    """
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise UserError(f"{name} is {_class_of(value)}, not a list")


def path_in(name: str, value: object, of: str) -> Path:
    """The path that an argument has as its value. Raises UserError for anything else; of: of what it should
    be.

    >>> path_in("path", None, "a saved model")
    Traceback (most recent call last):
    stickbreaker.core.errors.UserError: path is of the class NoneType; give the path of a saved model
    """
    if not isinstance(value, str | PathLike):
        raise UserError(f"{name} is {_class_of(value)}", remedy=f"give the path of {of}")
    return Path(cast("str | PathLike[str]", value))


def numbers_in(name: str, value: object, of: str) -> NDArray[np.float64]:
    """The value of an argument as an array of numbers. Raises UserError for anything else; of: what it has.

    >>> numbers_in("shares", [0.5, 0.5], "a number for each topic").tolist()
    [0.5, 0.5]
    """
    try:
        return np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise UserError(f"{name} is {_class_of(value)}", remedy=f"give numbers: {of}") from None


def rows_in(name: str, value: object, of: str) -> list[list[Any]]:
    """The value of an argument as a list of lists. Raises UserError for anything else; of: what these have.

    >>> rows_in("top_words", "river", "the words of each topic")
    Traceback (most recent call last):
    stickbreaker.core.errors.UserError: top_words is not a list of lists; give the words of each topic
    """
    rows = list(cast("Iterable[object]", value)) if _is_list(value) else [value]
    if not all(_is_list(one) for one in rows):
        raise UserError(f"{name} is not a list of lists", remedy=f"give {of}")
    return [list(cast("Iterable[Any]", one)) for one in rows]


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def refuse_other_fields(record: Any) -> None:
    """Raise UserError if a field of a dataclass has a value of another type than it declares.

    Only fields of whole numbers, numbers, truth values, strings, tuples and None are looked at.
    """
    types = _types_of(type(record))
    for field in fields(record):
        declared = types[field.name]
        kinds = [get_origin(one) or one for one in get_args(declared) or (declared,)]
        kinds = [tuple] if get_origin(declared) is tuple else kinds
        value = getattr(record, field.name)
        if all(kind in _HELD for kind in kinds) and not any(_holds(kind, value) for kind in kinds):
            wanted = " or ".join(_HELD[kind][1] for kind in kinds)
            raise UserError(
                f"{field.name}={shortened(repr(value), LONGEST_SHOWN)}", remedy=f"{field.name} is {wanted}"
            )


@cache
def _types_of(kind: type) -> dict[str, Any]:
    """The types of a dataclass's fields, also if its annotations are strings."""
    return get_type_hints(kind)


def _holds(kind: Any, value: object) -> bool:
    """Whether a field declared as `kind` may hold a value: also NumPy's numbers, and lists for tuples."""
    if kind in (int, float) and isinstance(value, bool):
        return False
    return isinstance(value, _HELD[kind][0]) and not (kind is tuple and isinstance(value, str | bytes))


def _class_of(value: object) -> str:
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return f"of the class {type(value).__name__}"
