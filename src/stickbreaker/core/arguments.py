"""Checks of arguments at public doors: what has another class than it should is one line, not a traceback."""

from collections.abc import Iterable
from dataclasses import fields
from numbers import Integral, Real
from types import NoneType
from typing import Any, get_args, get_origin

import numpy as np

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


def refuse_no_list(name: str, value: object) -> None:
    """Raise UserError unless the value of an argument can be iterated over, and is not a string.

    >>> refuse_no_list("ids", 3)
    Traceback (most recent call last):
    stickbreaker.core.errors.UserError: ids is of the class int, not a list
    """
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise UserError(f"{name} is {_class_of(value)}, not a list")


def refuse_other_fields(record: Any) -> None:
    """Raise UserError if a field of a dataclass has a value of another type than it declares.

    Only fields of whole numbers, numbers, truth values, strings, tuples and None are looked at.
    """
    for field in fields(record):
        kinds = [get_origin(one) or one for one in get_args(field.type) or (field.type,)]
        kinds = [tuple] if get_origin(field.type) is tuple else kinds
        value = getattr(record, field.name)
        if all(kind in _HELD for kind in kinds) and not any(_holds(kind, value) for kind in kinds):
            wanted = " or ".join(_HELD[kind][1] for kind in kinds)
            raise UserError(
                f"{field.name}={shortened(repr(value), LONGEST_SHOWN)}", remedy=f"{field.name} is {wanted}"
            )


def _holds(kind: Any, value: object) -> bool:
    """Whether a field declared as `kind` may hold a value: also NumPy's numbers, and lists for tuples."""
    if kind in (int, float) and isinstance(value, bool):
        return False
    return isinstance(value, _HELD[kind][0]) and not (kind is tuple and isinstance(value, str | bytes))


def _class_of(value: object) -> str:
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return f"of the class {type(value).__name__}"
