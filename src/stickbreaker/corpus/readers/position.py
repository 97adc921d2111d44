"""How far files have been read, for a progress bar."""

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO


class Position:
    """How far a sequence of files has been read, in bytes on disk, for a progress bar.

    >>> Position().share is None  # of nothing
    True
    """

    def __init__(self) -> None:
        self._places: dict[Path, tuple[int, int]] = {}  # for each file: bytes before it, and up to its end
        self._total = 0
        self._place = 0, 0
        self._file: BinaryIO | None = None

    def expect(self, files: Sequence[Path | None]) -> None:
        """Announce the files to be read, in order; `share` is unknown if one is not a regular file."""
        self._places, self._total = {}, 0
        if any(file is None or not file.is_file() for file in files):
            return
        for file in files:
            assert file is not None
            start, self._total = self._total, self._total + file.stat().st_size
            self._places[file] = start, self._total

    def reads(self, path: Path | None, file: BinaryIO) -> None:
        """Record that a file was opened. Files outside the sequence, such as lists of words, are ignored."""
        if path in self._places:
            self._place, self._file = self._places[path], file

    @property
    def share(self) -> float | None:
        """The share of all announced bytes that has been read, up to the place in the file opened last.

        None if it is unknown. If files are read twice, it starts again.
        """
        if not self._total or self._file is None:
            return None
        start, end = self._place
        return (end if self._file.closed else min(start + self._file.tell(), end)) / self._total
