"""What a reader is."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.readers.sources import Source


@dataclass(frozen=True)
class ReadingOptions:
    """How inputs are read.

    `format` is the name of a reader, or None to go by file names. `text_field` and `id_field` are fields of
    JSON Lines; without an `id_field` the field "id" is used where it is present. `vocab` is the file of words
    that belongs to LDA-C. `on_error` is "fail" or "skip".
    """

    format: str | None = None
    text_field: str = "text"
    id_field: str | None = None
    vocab: str | None = None
    on_error: str = "fail"
    words: tuple[str, ...] = ()  # the words of `vocab`, filled in when reading begins

    def __post_init__(self) -> None:
        if self.on_error not in ("fail", "skip"):
            raise UserError(f"unknown on_error {self.on_error!r}", remedy="take fail or skip")


@dataclass(frozen=True)
class Reader:
    """A format: its name, what it is in a few words, the endings of its files (without .gz or .zst).

    `kind` tells whether it yields "text" or "bag" documents; `read` yields those of a source in order.
    """

    name: str
    about: str
    endings: tuple[str, ...]
    kind: str
    read: Callable[[Source, ReadingOptions, Problems], Iterator[Document]]
