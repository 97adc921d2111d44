"""Recognises documents that repeat earlier ones, to count them or leave them out."""

import importlib
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, Self

from stickbreaker.core.errors import UserError, counted, shown
from stickbreaker.core.files import atomic_file
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.metadata import storable
from stickbreaker.corpus.readers.problems import Problems

ALIKE = 0.8  # near repeats: the share of runs of words in both documents among those in either
RUN = 3  # words
SHORT = 100  # characters; shorter documents repeat each other naturally, as lines of talk do, and are kept
KIND = "repeated document"  # the kind of problem that left-out documents are counted under


class RepeatsWarning(UserWarning):
    """Warns that documents repeat the text of others: how many, the first one, and the one that it repeats.

    >>> print(RepeatsWarning(2, "b", "a"))
    2 documents have the same text as others, for example 'b' and 'a'; drop_repeats="exact" leaves them out
    """

    def __init__(self, number: int, first: str, of: str) -> None:
        documents = f"{counted(number, 'document')} {'has' if number == 1 else 'have'}"
        self.problem = f"{documents} the same text as others, for example {shown(first)} and {shown(of)}"
        super().__init__(f'{self.problem}; drop_repeats="exact" leaves them out')


class Dropped(NamedTuple):
    """Which repeated documents are left out: those with equal texts (`near` None), or also near repeats.

    Two texts are near repeats if, of all runs of three words in either, at least the share `near` are in both
    (Jaccard similarity).
    """

    near: float | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse "exact", "near" or "near:0.9". Raises UserError for other texts, or a share outside [0.1, 1].

        >>> Dropped.parse("near"), Dropped.parse("near:0.9").near, Dropped.parse("exact").near
        (Dropped(near=0.8), 0.9, None)
        """
        kind, colon, share = text.partition(":")
        if text == "exact":
            return cls()
        try:
            near = float(share) if colon else ALIKE
        except ValueError:
            near = 0.0
        if kind != "near" or not 0.1 <= near <= 1.0:
            raise UserError(f"unknown drop_repeats {text!r}", remedy="give exact, near or near:0.9")
        return cls(near)


class Repeats:
    """Recognises documents that repeat earlier ones, to leave them out or, without `dropped`, to warn.

    Documents of less than 100 characters repeat none. `words_of` finds the words of near repeats; `listed_in`
    is a file to write, with a line "id TAB id that it repeats" for each repeat, left out or not.
    """

    def __init__(
        self,
        dropped: Dropped | None,
        problems: Problems,
        words_of: Callable[[str], Sequence[str]] | None = None,
        listed_in: Path | None = None,
        overwrite: bool = False,
    ) -> None:
        if listed_in is not None and listed_in.exists() and not overwrite:
            raise UserError("exists already", where=listed_in, remedy="give another file, or --overwrite")
        self.dropped, self.problems = dropped, problems
        self.listed_in, self.pairs = listed_in, list[tuple[str, str]]()
        self.number, self.first = 0, ("", "")  # repeats that are not left out; the first, and what it repeats
        self._names: dict[bytes, str] = {}  # by digest of the content
        near = None if dropped is None else dropped.near
        self._near = None if near is None else _NearRepeats(near, words_of or _spaced_words)

    def look_at(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents, without those to be left out, which are counted as problems, never raised.

        If repeats are not left out, warns of them at the end.
        """
        for number, document in enumerate(documents):
            name = str(number) if document.id is None else document.id
            of = self._repeated(name, document)
            if of is not None and self.listed_in is not None:
                self.pairs.append((name, of))
            if of is None:
                yield document
            elif self.dropped is None:
                self.number += 1
                self.first = self.first if self.number > 1 else (name, of)
                yield document
            else:
                self.problems.counts[KIND] += 1
                self.problems.first.setdefault(KIND, f"{shown(name)} repeats {shown(of)}")
        if self.listed_in is not None:
            with atomic_file(self.listed_in, overwrite=True) as partial:
                rows = ["id\trepeats\n", *(f"{_cell(name)}\t{_cell(of)}\n" for name, of in self.pairs)]
                partial.write_text("".join(rows), "utf-8", newline="\n")
        if self.number:
            warnings.warn(RepeatsWarning(self.number, *self.first), stacklevel=2)

    def _repeated(self, name: str, document: Document) -> str | None:
        """The name of an earlier document with the same content; otherwise None, and this one is remembered.

        An empty or short document repeats none. Near repeats count if they are to be left out.
        """
        content = document.text
        if content is None:
            held: Any = document.tokens or document.texts or (document.words, document.weights)
            content = repr(held) if any(held) else ""
        content = content.strip()
        if len(content) < SHORT:
            return None
        key = blake2b(content.encode("utf-8", "surrogatepass"), digest_size=12).digest()
        of: str | None = self._names.setdefault(key, name)
        if of == name and self._near is not None and document.text is not None:
            of = self._near.repeated(name, content)
        return None if of == name else of


def _spaced_words(text: str) -> list[str]:
    return text.lower().split()


def _cell(text: str) -> str:
    """A document's name in a line of a table: without tabs and line breaks."""
    return " ".join(storable(text).split("\t")).replace("\n", " ").replace("\r", " ")


class _NearRepeats:
    """An index of texts that finds near repeats by MinHash (Broder 1997), with the package `datasketch`.

    Raises UserError if that is not installed.
    """

    def __init__(self, near: float, words_of: Callable[[str], Sequence[str]]) -> None:
        self.words_of = words_of
        try:
            self.package = importlib.import_module("datasketch")
        except ModuleNotFoundError:
            remedy = "pip install 'stickbreaker[repeats]', or drop exact repeats alone"
            raise UserError("near repeats need the package datasketch", remedy=remedy) from None
        threshold = min(near, 0.95)  # above this it has too few bands; candidates are compared anyway
        self.near, self.index = near, self.package.MinHashLSH(threshold=threshold, num_perm=128)
        self.names: list[str] = []  # of the texts added, by the number that the index has for each
        self.hashes: list[Any] = []

    def repeated(self, name: str, text: str) -> str | None:
        """The name of the first earlier text that this one nearly repeats; else None, and it is added."""
        words = self.words_of(text)
        runs = {" ".join(words[i : i + RUN]).encode("utf-8", "replace") for i in range(len(words))}
        hashed = self.package.MinHash(num_perm=128)
        hashed.update_batch(runs)
        candidates: list[int] = self.index.query(hashed)
        alike = [number for number in candidates if hashed.jaccard(self.hashes[number]) >= self.near]
        if alike:
            return self.names[min(alike)]
        self.index.insert(len(self.names), hashed)
        self.names.append(name)
        self.hashes.append(hashed)
        return None
