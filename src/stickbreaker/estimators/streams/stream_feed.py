"""Reads the documents of a stream as they arrive, one minibatch at a time, as lists of tokens."""

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
    """What a stream is, how it is read, and how often the model is saved.

    `inputs`: files of text, or "-" for standard input. `date_field`: the metadata field with the date, if
    any. The model is saved when the number of documents passes a multiple of `snapshot_documents`, and
    `snapshot_seconds` after the last time. `largest_text`: most bytes of a line. Other fields are those of
    `ReadingOptions`.

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
        """The options for the readers. Raises UserError for texts in several languages."""
        if "=" in self.text_field:
            raise UserError("a stream has one language", remedy="name one text field")
        names = ("format", "text_field", "id_field", "on_error", "largest_text", "separator", "quotes")
        given = {name: getattr(self, name) for name in names}
        return ReadingOptions(**given, date_format=self._date_format)

    @property
    def _date_format(self) -> str | None:
        """`date_format` for the readers, with "date_field=" in front unless it names a field itself.

        None if it is not set.
        """
        if self.date_format is None or date_format_of(self.date_format)[0] is not None:
            return self.date_format
        return f"{self.date_field}={self.date_format}"

    def to_json(self) -> JsonObject:
        """The settings as JSON values, for a manifest."""
        return {**asdict(self), "inputs": list(self.inputs)}

    @classmethod
    def from_json(cls, values: JsonObject) -> "StreamSettings":
        """The settings from the values of `to_json`, as a manifest has them."""
        given = dict(values)
        given["inputs"] = tuple(given["inputs"])
        return cls(**given)


class Stopped(Exception):
    """Raised in a stream that was asked to stop while it waited for documents."""


class Stop:
    """A request to stop a stream: after the current step, or at once if it waits for documents.

    >>> stop = Stop()
    >>> stop.request()
    >>> stop.requested
    True
    """

    def __init__(self) -> None:
        self.requested = False
        self.waiting = False

    def request(self) -> None:
        """Ask the stream to stop; called by a signal handler. Raises Stopped if it waits for documents."""
        self.requested = True
        if self.waiting:
            raise Stopped


class ArrivedDocuments(NamedTuple):
    """A minibatch: each document's eligible words, and how many documents have none.

    `date`: that of the last document with one, in ISO 8601, or as it was written if invalid; else None.
    """

    tokens: list[list[str]]
    empty: int
    date: str | None


class Feed:
    """Reads a stream in minibatches of `size` documents (fewer at its end), of which one is in memory.

    Only words that are eligible for a vocabulary are kept. Ids are ignored, since repeats cannot be found in
    an endless stream. `documents`: the number read so far. Raises UserError for inputs of bags of words.
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
        """A digest of the texts of all documents read so far, in order."""
        return self._digest.hexdigest()

    def close(self) -> None:
        """Read no more."""
        self._read = iter(())

    def skip(self, documents: int, digest: str) -> None:
        """Skip the first `documents` documents, which the run has already learned from.

        Raises UserError if the stream has fewer, or if their digest is not `digest`.
        """
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
        """The rest of the stream in minibatches.

        Raises UserError for a document that cannot be read, and Stopped if asked to stop while waiting.
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
        """The documents of the stream; while it waits for the next one, `Stop.request` can end it."""
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
