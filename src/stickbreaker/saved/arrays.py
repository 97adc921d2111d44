"""Reads and writes named arrays, and the words of a growing table, in files of a model's directory."""

# pyright: standard
# since safetensors has no types

import json
from pathlib import Path
from typing import Any

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import atomic_file
from stickbreaker.core.json_checks import is_text, list_of
from stickbreaker.core.records import AnyArray
from stickbreaker.core.serialize import Arrays
from stickbreaker.saved.manifest import RESTORE


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write arrays by name as a safetensors file, whole or not at all. Raises UserError if that fails."""
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    with atomic_file(path) as partial:
        try:
            save_file({name: np.asarray(values, order="C") for name, values in arrays.items()}, partial)
        except SafetensorError as error:
            remedy = "free some space, then resume"
            raise UserError(f"cannot be written ({error})", where=path, remedy=remedy) from None


def read_arrays(path: Path) -> dict[str, AnyArray]:
    """Read what `write_arrays` wrote. UserError for a file of another form, or values that are not finite."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        arrays = load_file(path)
    except (SafetensorError, ValueError, TypeError, KeyError, OverflowError) as error:
        problem = f"cannot be read as arrays ({type(error).__name__}: {str(error)[:200]})"
        raise UserError(problem, where=path, remedy=RESTORE) from None
    try:
        refuse_other_arrays(arrays)
    except ValueError as error:
        raise UserError(str(error), where=path, remedy=RESTORE, in_file=True) from None
    return arrays


def refuse_other_arrays(arrays: Arrays) -> None:
    """Raise ValueError naming an array that is not numeric or has values that are not finite."""
    for name, given in arrays.items():
        values = np.asarray(given)  # reads arrays that are in files
        if values.dtype.kind not in "fiu":
            raise ValueError(f"the array {name[:100]!r} does not hold numbers")
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise ValueError(f"the array {name[:100]!r} has values that are not finite")


def read_keys(path: Path) -> list[str]:
    """The keys (words) of a table's rows, from a JSON file. UserError unless they are distinct words."""
    try:
        keys: Any = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        keys = None
    try:
        refuse_other_keys(keys)
    except ValueError as error:
        raise UserError(str(error), where=path, remedy=RESTORE, in_file=True) from None
    return keys


def refuse_other_keys(keys: object) -> None:
    """Raise ValueError for anything but a list of distinct words."""
    if not list_of(is_text)(keys) or not all(keys):
        raise ValueError("is not a list of words")
    if len(set(keys)) < len(keys):
        raise ValueError("lists a word twice")
