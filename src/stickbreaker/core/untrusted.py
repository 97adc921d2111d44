"""Reads files that others may have written: limits their size, and turns errors into one line."""

import stat
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.serialize import Arrays

_SLACK = 1e-6  # relative to the largest value: what subtracting a report may leave below zero
_TROUBLE = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    NotImplementedError,
    RecursionError,
)
MEGABYTE = 1 << 20


@contextmanager
def making_sense_of(where: object, remedy: str) -> Generator[None]:
    """A context for interpreting a file's content: errors become a UserError with the file and `remedy`.

    Saved files have digests, so invalid content was written by another program or on purpose. A UserError
    that names a place passes unchanged, and so does an OSError of the system. Any other UserError gets
    `where`, and `remedy` if it has none. Names of fields in the message are not translated to options, unless
    the error says that the mistake is not in a file (`in_file=False`).

    >>> with making_sense_of("model", "fit again"):
    ...     {}["alpha"]
    Traceback (most recent call last):
    stickbreaker.core.errors.UserError: model: makes no sense (KeyError: 'alpha'); fit again
    """
    try:
        yield
    except UserError as error:
        if error.where is not None:
            raise
        in_file = error.in_file is not False
        raise error.replace(where=where, remedy=error.remedy or remedy, in_file=in_file) from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise UserError(f"cannot be read ({str(error)[:200]})", where=where, remedy=remedy) from error
    except _TROUBLE as error:
        reason = f"{type(error).__name__}: {str(error)[:200]}"
        raise UserError(f"makes no sense ({reason})", where=where, remedy=remedy, in_file=True) from error


def refuse_whole_numbers(arrays: Arrays, names: Iterable[str]) -> None:
    """Raise ValueError if one of the named arrays exists and does not have a floating-point type."""
    for name in names:
        if name in arrays and arrays[name].dtype.kind != "f":
            raise ValueError(f"{name} that are not real numbers")


def refuse_negative(values: NDArray[np.number], what: str) -> None:
    """Raise ValueError if counts (called `what`) are not finite, or below zero by more than rounding.

    >>> refuse_negative(np.array([1.0, -1.0]), "counts")
    Traceback (most recent call last):
    ValueError: counts below zero
    """
    if not values.size:
        return
    least, most = float(values.min()), float(values.max())
    if not -np.inf < least <= most < np.inf:  # NaN is neither
        raise ValueError(f"{what} that are not finite")
    if least < -_SLACK * max(1.0, most):
        raise ValueError(f"{what} below zero")


def read_given_file(path: Path, most: int, remedy: str) -> bytes:
    """The content of a file or pipe that a user has named, which may have at most `most` bytes.

    Raises UserError with `remedy` if it is larger (reading stops after one byte more), a directory or a
    device, and OSError if it cannot be opened.
    """
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise UserError("is a directory", where=path, remedy=remedy)
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
        raise UserError("is not a file", where=path, remedy=remedy)
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        size = f"{most // MEGABYTE:,} MB" if most >= MEGABYTE else f"{most:,} bytes"
        raise UserError(f"has more than {size}", where=path, remedy=remedy)
    return content


def read_given_text(path: Path, most: int, remedy: str) -> str:
    """The text of a UTF-8 file of at most `most` bytes, without its byte order mark.

    Raises UserError if it is not UTF-8, and as `read_given_file`.
    """
    content = read_given_file(path, most, remedy)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UserError("is not UTF-8", where=path, line=line, remedy=remedy) from None
