"""Named tensors and the words of a growing table, in files of a model's directory."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import atomic_file
from stickbreaker.core.json_checks import is_text, list_of
from stickbreaker.saved.manifest import RESTORE


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays by name as safetensors, whole or not at all."""
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    with atomic_file(path) as partial:
        try:
            save_file({name: np.asarray(values, order="C") for name, values in arrays.items()}, partial)
        except SafetensorError as error:
            remedy = "free some space, then resume"
            raise UserError(f"cannot be written ({error})", where=path, remedy=remedy) from None


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read what `write_arrays` wrote. Raises UserError for another file, or values that are not finite."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        arrays = load_file(path)
    except (SafetensorError, ValueError, TypeError, KeyError, OverflowError) as error:
        problem = f"cannot be read as arrays ({type(error).__name__}: {str(error)[:200]})"
        raise UserError(problem, where=path, remedy=RESTORE) from None
    for name, values in arrays.items():
        if values.dtype.kind not in "fiu":
            raise UserError(f"the array {name[:100]!r} holds no numbers", where=path, remedy=RESTORE)
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            problem = f"the array {name[:100]!r} has values that are not finite"
            raise UserError(problem, where=path, remedy=RESTORE)
    return arrays


def read_keys(path: Path) -> list[str]:
    """The words of a table's rows. Raises UserError for anything but a list of distinct words."""
    try:
        keys: Any = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        keys = None
    if not list_of(is_text)(keys) or not all(keys):
        raise UserError("is not a list of words", where=path, remedy=RESTORE)
    if len(set(keys)) < len(keys):
        raise UserError("lists a word twice", where=path, remedy=RESTORE)
    return keys
