"""Folders of files that are written once: their names, and which of them to keep."""

import shutil
import uuid
from collections.abc import Set
from pathlib import Path

from stickbreaker.core.locks.directory_claims import refuse_exchanged


class Versions:
    """The folders of one kind in a run's folder.

    Names are unique, also among other runs: a process may still read older files. Folders named in a snapshot
    stay until the next snapshot but one.
    """

    def __init__(self, folder: Path, kind: str) -> None:
        self.folder, self.kind = folder, kind
        self.run, self.count = uuid.uuid4().hex[:8], 0
        self.pinned: list[set[str]] = []  # those of the last two snapshots

    def new(self) -> str:
        """The next name. Raises UserError if the run's folder has been replaced."""
        refuse_exchanged(self.folder)
        self.count += 1
        return f"{self.kind}-{self.count:06d}-{self.run}"

    def pin(self, in_use: Set[str]) -> None:
        """Keep the folders that a snapshot names."""
        self.pinned = [*self.pinned[-1:], set(in_use)]

    def tidy(self, in_use: Set[str]) -> None:
        """Remove folders that are neither in use nor needed for a snapshot, and in the other folders partial
        files that killed tasks left.
        """
        refuse_exchanged(self.folder)
        wanted = set(in_use).union(*self.pinned)
        for path in self.folder.glob(f"{self.kind}-*"):
            if path.name not in wanted:
                shutil.rmtree(path, ignore_errors=True)
        for version in wanted:
            for partial in (self.folder / version).glob(".*.partial-*"):
                partial.unlink(missing_ok=True)
