"""Folders of files that are written once (versions of a table): their names, and which of them to keep."""

import shutil
import uuid
from collections.abc import Set
from pathlib import Path

from stickbreaker.core.locks.directory_claims import refuse_exchanged


class Versions:
    """The folders of one kind, such as "rows", in a run's folder: names new ones and removes old ones.

    A version is a folder of files that are written once. Names are never used again, also not by other runs,
    since a process may still read old files. Folders named in a snapshot stay until two more snapshots were
    taken.
    """

    def __init__(self, folder: Path, kind: str) -> None:
        self.folder, self.kind = folder, kind
        self.run, self.count = uuid.uuid4().hex[:8], 0
        self.pinned: list[set[str]] = []  # those of the last two snapshots

    def new(self) -> str:
        """A name for a new folder. Raises UserError if the run's folder has been moved or replaced."""
        refuse_exchanged(self.folder)
        self.count += 1
        return f"{self.kind}-{self.count:06d}-{self.run}"

    def pin(self, in_use: Set[str]) -> None:
        """Protect the folders that a new snapshot refers to (`in_use`) from removal.

        Those of the snapshot before it stay protected, those of older ones do not.
        """
        self.pinned = [*self.pinned[-1:], set(in_use)]

    def tidy(self, in_use: Set[str]) -> None:
        """Remove folders that are neither in use nor protected, and half-written files in the others."""
        refuse_exchanged(self.folder)
        wanted = set(in_use).union(*self.pinned)
        for path in self.folder.glob(f"{self.kind}-*"):
            if path.name not in wanted:
                shutil.rmtree(path, ignore_errors=True)
        for version in wanted:
            for partial in (self.folder / version).glob(".*.partial-*"):
                partial.unlink(missing_ok=True)
