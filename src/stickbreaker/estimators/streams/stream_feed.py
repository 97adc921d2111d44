"""Reads the documents of a stream as it arrives: one minibatch at a time, as lists of tokens."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import NamedTuple

from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus import Analysis, ReadingOptions
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers import Problems, date_format_of, read_inputs
from stickbreaker.corpus.text.dates import iso_date


@dataclass(frozen=True)
class StreamSettings:
    """The input of a stream, how it is read, and how often its model is saved.

    `inputs` are files of text, or "-" for standard input. `date_field` names the field with a document's
    date, if there is one; `date_format`, `separator` and `quotes` are those of `ReadingOptions`. A snapshot
    is due when the number of documents passes a multiple of `snapshot_documents`, and `snapshot_seconds`
    after the last one. `largest_text` bounds a line, in bytes.

    >>> StreamSettings.from_json(StreamSettings(("-",)).to_json()).date_field
    'date'
    """

    inputs: tuple[str, ...]
    format: str | None = None
    text_field: str = "text"
    id_field: str | None = None
    on_error: str = "fail"
    date_field: str = "date"
    snapshot_documents: int = 10_000
    snapshot_seconds: float = 60.0
    largest_text: int = ReadingOptions.largest_text
    date_format: str | None = None
    separator: str | None = None
    quotes: str = "double"

    def reading(self) -> ReadingOptions:
        """The options for the readers. Raises UserError for a field for each language."""
        if "=" in self.text_field:
            raise UserError("a stream has one language", remedy="name one text field")
        names = ("format", "text_field", "id_field", "on_error", "largest_text", "separator", "quotes")
        given = {name: getattr(self, name) for name in names}
        return ReadingOptions(**given, date_format=self._date_format)

    @property
    def _date_format(self) -> str | None:
        """The format of dates as readers take it: for the field of dates, unless the format names another."""
        if self.date_format is None or date_format_of(self.date_format)[0] is not None:
            return self.date_format
        return f"{self.date_field}={self.date_format}"

    def to_json(self) -> JsonObject:
        """Plain values for a manifest."""
        return {**asdict(self), "inputs": list(self.inputs)}

    @classmethod
    def from_json(cls, values: JsonObject) -> "StreamSettings":
        """The settings from the values of `to_json`, as a manifest has them."""
        return cls(**{**values, "inputs": tuple(values["inputs"])})


class Stopped(Exception):
    """Raised in a stream that was asked to stop while it waited for documents."""


class Stop:
    """Asks a stream to stop: after the current step, or immediately if it waits for documents.

    >>> stop = Stop()
    >>> stop.request()
    >>> stop.requested
    True
    """

    def __init__(self) -> None:
        self.requested = False
        self.waiting = False

    def request(self) -> None:
        """Ask the stream to stop (called by a signal handler). If it is waiting, it raises Stopped."""
        self.requested = True
        if self.waiting:
            raise Stopped


class ArrivedDocuments(NamedTuple):
    """Some documents of a stream: the words of each, how many have none, and the last date (or None)."""

    tokens: list[list[str]]
    empty: int
    date: str | None


class Feed:
    """Minibatches of `size` documents of a stream, the last with the rest; nothing else is held in memory.

    Words that are not eligible for a vocabulary (stop words, short ones) are left out. Ids are ignored: in an
    endless stream repeats cannot be found. `documents` is the number handed out or skipped, `digest`
    identifies them.
    """

    def __init__(self, settings: StreamSettings, size: int, analysis: Analysis, stop: Stop) -> None:
        self.settings, self.size, self.analysis, self.stop = settings, size, analysis, stop
        self.problems = Problems(skip=settings.on_error == "skip")
        self.documents = 0
        self._digest = hashlib.blake2b(digest_size=16)
        self._read, kind, _ = read_inputs(settings.inputs, settings.reading(), self.problems)
        if kind != "text":
            remedy = "build a corpus of them, and fit that"
            raise UserError("bags of words are not a stream", where=settings.inputs[0], remedy=remedy)

    @property
    def digest(self) -> str:
        """The digest of the texts of all `documents`, in order."""
        return self._digest.hexdigest()

    def close(self) -> None:
        """Stop reading."""
        self._read = iter(())

    def skip(self, documents: int, digest: str) -> None:
        """Skip the first documents, learned from before. Raises UserError if they differ."""
        for document in self._waited_for():
            self._count(document)
            if self.documents == documents:
                break
        if self.documents < documents:
            shortfall = f"ends after {self.documents:,} documents, and the run had learned from {documents:,}"
            raise UserError(f"the stream {shortfall}", remedy="give the stream from its beginning")
        if self.digest != digest:
            problem = f"the first {documents:,} documents are not those that the run learned from"
            raise UserError(problem, remedy="give the same stream from its beginning")

    def minibatches(self) -> Iterator[ArrivedDocuments]:
        """The rest of the stream, as minibatches.

        Raises UserError for a document that cannot be read, and Stopped if asked to stop.
        """
        held: list[Document] = []
        for document in self._waited_for():
            held.append(document)
            if len(held) == self.size:
                yield self._minibatch(held)
                held = []
        if held:
            yield self._minibatch(held)

    def _waited_for(self) -> Iterator[Document]:
        """The documents of the stream. While it waits for one, the stream can be stopped."""
        while True:
            self.stop.waiting = True
            try:
                document = next(self._read, None)
            except UserError as error:
                error.__context__ = None  # its frames would hold the input open
                raise error.with_traceback(None) from None
            finally:
                self.stop.waiting = False
            if document is None:
                return
            yield document

    def _minibatch(self, documents: list[Document]) -> ArrivedDocuments:
        for document in documents:
            self._count(document)
        texts = [self._tokens(document) for document in documents]
        found = list(dict.fromkeys(token for tokens in texts for token in tokens))
        known = dict(zip(found, self.analysis.eligible(found).tolist(), strict=True))
        kept = [[token for token in tokens if known[token]] for tokens in texts]
        dates = [document.metadata.get(self.settings.date_field) for document in documents]
        last = next((date for date in reversed(dates) if date is not None), None)
        date = None if last is None else iso_date(last) or str(last)
        return ArrivedDocuments(kept, sum(not tokens for tokens in kept), date)

    def _count(self, document: Document) -> None:
        content = document.tokens if document.text is None else document.text
        self._digest.update(json.dumps(content).encode())
        self.documents += 1

    def _tokens(self, document: Document) -> list[str]:
        if document.text is not None:
            return self.analysis.analyse(document.text).words
        return [self.analysis.form(token) for token in document.tokens or ()]
