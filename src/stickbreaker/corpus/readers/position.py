"""How far files have been read, for a bar of progress."""

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO


class Position:
    """How far some files, read one after another, have been read, by bytes as they lie on disk.

    >>> Position().share is None  # of nothing
    True
    """

    def __init__(self) -> None:
        self._places: dict[Path, tuple[int, int]] = {}  # of each file: bytes before it, and to its end
        self._total = 0
        self._place = 0, 0
        self._file: BinaryIO | None = None

    def expect(self, files: Sequence[Path | None]) -> None:
        """These will be read, in this order. None, and what is no plain file, has no length to tell."""
        self._places, self._total = {}, 0
        if any(file is None or not file.is_file() for file in files):
            return
        for file in files:
            assert file is not None
            start, self._total = self._total, self._total + file.stat().st_size
            self._places[file] = start, self._total

    def reads(self, path: Path | None, file: BinaryIO) -> None:
        """A file was opened. Others than those expected, as of words, do not count."""
        if path in self._places:
            self._place, self._file = self._places[path], file

    @property
    def share(self) -> float | None:
        """The share of all bytes up to where the file that was opened last is read; None where there is no
        telling. Where files are read twice, it begins again."""
        if not self._total or self._file is None:
            return None
        start, end = self._place
        return (end if self._file.closed else min(start + self._file.tell(), end)) / self._total
