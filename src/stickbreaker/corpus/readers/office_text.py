"""What is extracted from web pages, PDF and Word files, and the bound on it."""

from collections import Counter
from typing import Any, NamedTuple

from stickbreaker.corpus.readers.limits import bytes_allowed, too_large

REMEDY = "save its text as a .txt file, or --on-error skip"


class Extract(NamedTuple):
    """What was found in a file: its text; title, author and date, as far as known; what was left out.

    `remarks`: how often something happened that the user should know, by a short description.
    """

    text: str
    about: dict[str, Any]
    remarks: Counter[str]


class TextPieces:
    """Counts the text that is extracted from a file, and what is remarked about it.

    >>> pieces = TextPieces(4)
    >>> pieces.count("abc")
    >>> pieces.size
    3
    """

    def __init__(self, largest: int | None) -> None:
        self.size = 0  # characters
        self.remarks: Counter[str] = Counter()
        self._largest, self._most = largest, bytes_allowed(largest)

    def count(self, text: str) -> None:
        """Count some text. Raises Bad if there are more than `largest` characters now."""
        self.check(len(text))
        self.size += len(text)

    def check(self, further: int) -> None:
        """Raise Bad if `further` characters would be too many."""
        if self.size + further > self._most:
            raise too_large("the text in the file", self._largest)

    def remark(self, what: str, number: int = 1) -> None:
        """Record that something happened `number` times."""
        self.remarks[what] += number
