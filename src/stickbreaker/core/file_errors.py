"""Contexts that correct the paths in errors about temporary files, to those at which they will end up."""

import errno
import os
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from stickbreaker.core.errors import UserError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # errors of a write on a full disk


@contextmanager
def named_as(path: Path, partial: Path) -> Generator[None]:
    """A context whose errors name `path` instead of `partial`, the temporary path that will replace it.

    If the disk is full and the error names no file, it gets `path`.
    """
    try:
        yield
    except UserError as error:
        place = None if error.where is None else _in_place(Path(str(error.where)), path, partial)
        if place is None:
            raise
        raise error.replace(where=place) from error.__cause__
    except OSError as error:
        if error.filename is None:
            place = path if error.errno in _FULL else None
        else:
            place = _in_place(Path(os.fsdecode(error.filename)), path, partial)
        if place is None:
            raise
        reason = os.strerror(error.errno) if error.errno in _FULL else error.strerror or str(error)
        raise OSError(error.errno, reason, str(place)) from None


def _in_place(found: Path, path: Path, partial: Path) -> Path | None:
    """Where the file `found` will be when the temporary `partial` is renamed to `path`; None if elsewhere.

    A file next to `partial` whose name only begins like it (a writer's own temporary file) counts as `path`.
    """
    for start in (partial, partial.absolute()):
        if found.is_relative_to(start):
            return path / found.relative_to(start)
        if str(found).startswith(str(start)):
            return path
    return None


def naming_file(path: Path) -> AbstractContextManager[None]:
    """A context in which the error of a full disk names the file that is being written.

    >>> with naming_file(Path("model/trace.jsonl")):
    ...     raise OSError(28, "No space left on device")
    Traceback (most recent call last):
    OSError: [Errno 28] No space left on device: 'model/trace.jsonl'
    """
    return named_as(path, path)


@contextmanager
def naming_parent(path: Path) -> Generator[None]:
    """A context whose OSErrors name the parent directory of `path`, in which a file could not be created.

    If the disk is full, they name `path` itself.
    """
    try:
        yield
    except OSError as error:
        where = path if error.errno in _FULL else path.parent
        raise OSError(error.errno, error.strerror, str(where)) from None
