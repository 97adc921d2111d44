"""Directories that this process writes into for a long time, and checks that they are still at their path.

A path can come to lead to another directory. So a process that writes there repeatedly keeps a file of the
directory open (its lock, by `claim`, or the directory itself, by `watched`), and checks before every write
that the path still leads to it.
"""

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stickbreaker.core.errors import UserError
from stickbreaker.core.locks.path_locks import LOCK, lock_file

_CLAIMS: set["DirectoryClaim"] = set()  # of this process
_CHANGING = threading.RLock()  # held while claims are read, added or removed


@dataclass(eq=False)
class DirectoryClaim:
    """A directory that this process watches, and may have locked, until `release`.

    `descriptor` holds its entry `name` open: the lock, or "." for the directory itself. Windows cannot open
    directories: there `descriptor` is None for ".".
    """

    directory: Path  # as the caller named it, for messages
    name: str
    descriptor: int | None

    def __post_init__(self) -> None:
        self.place = self.directory.absolute()
        self.identity = os.stat(self.place if self.descriptor is None else self.descriptor)

    def is_in_place(self) -> bool:
        """Whether the path still leads to the directory that was claimed."""
        try:
            found = os.stat(self.place / self.name, follow_symlinks=self.name == ".")
        except OSError:
            return False
        return os.path.samestat(found, self.identity)

    def refuse_another(self) -> None:
        """Raise UserError if the directory was moved, removed or replaced by another one."""
        if not self.is_in_place():
            problem = (
                "was moved, removed or replaced while a command was writing it; nothing more was written"
            )
            remedy = "what it saved is where it was moved to, and can be resumed there"
            raise UserError(problem, where=self.directory, remedy=remedy)

    def move(self, directory: Path) -> None:
        """Record that this process itself renamed the directory, to `directory`."""
        self.directory, self.place = directory, directory.absolute()

    def release(self) -> None:
        """Stop watching the directory and unlock it, so that other processes can claim it.

        The lock's empty file stays: removing it could free another process's claim.
        """
        with _CHANGING:
            if self in _CLAIMS:
                _CLAIMS.discard(self)
                if self.descriptor is not None:
                    os.close(self.descriptor)


def claim(directory: Path) -> DirectoryClaim | None:
    """Lock and watch a directory until the claim is released; None if any process has locked it already.

    Raises OSError if its lock file cannot be made.
    """
    descriptor = lock_file(directory / LOCK, create=True)
    return None if descriptor is None else _noted(directory, LOCK, descriptor)


@contextmanager
def watched(directory: Path) -> Generator[DirectoryClaim]:
    """A context in which `refuse_exchanged` raises an error if the directory is replaced. Takes no lock."""
    made = _noted(directory, ".", os.open(directory, os.O_RDONLY) if os.name != "nt" else None)
    try:
        yield made
    finally:
        made.release()


def _noted(directory: Path, name: str, descriptor: int | None) -> DirectoryClaim:
    made = DirectoryClaim(directory, name, descriptor)
    with _CHANGING:
        _CLAIMS.add(made)
    return made


def refuse_exchanged(path: Path) -> None:
    """Raise UserError if `path` is in a directory that this process watches and that was replaced."""
    place = path.absolute()
    with _CHANGING:
        for made in _CLAIMS:
            if place.is_relative_to(made.place):
                made.refuse_another()
