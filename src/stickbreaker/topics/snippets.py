"""Excerpts: the beginning of a document on one line, with the words of the vocabulary marked."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.blocks import Entries
from stickbreaker.corpus.document import Scalar
from stickbreaker.corpus.metadata import metadata_from
from stickbreaker.corpus.store import REBUILD
from stickbreaker.corpus.text.polylingual import PolylingualAnalysis
from stickbreaker.corpus.vocabulary import language_of, untagged

SNIPPET = 600  # characters of an excerpt
SPACES = np.array([chr(code).isspace() for code in range(0x3002)])  # by code; later ones are none


class Excerpt(NamedTuple):
    """The beginning of a document, and the words of the vocabulary in it: their positions (`starts`) and
    lengths in characters, and their rows in the vocabulary.
    """

    text: str
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    words: NDArray[np.int64]


class Excerpts:
    """Reads the documents of a block: the beginning of each, for display, and its metadata."""

    def __init__(self, corpus: Corpus, block: int, entries: Entries) -> None:
        self.corpus = corpus
        self.entries = entries
        self.words = entries.words()  # distinct words of the block
        self.rows = corpus.vocabulary.lookup(entries.spelled)
        table = corpus.source.read(block)
        self._metadata: list[str | None] = table.column("metadata").to_pylist()
        ordered = corpus.kind == "text"
        self.texts = table.column("text") if ordered else None
        self.starts = table.column("starts") if ordered else None

    def metadata(self, i: int) -> dict[str, Scalar]:
        """The metadata fields of document i."""
        with making_sense_of(self.corpus.path, REBUILD):
            return metadata_from(self._metadata[i])

    def excerpt(self, i: int) -> Excerpt:
        """The beginning of document i, at most `SNIPPET` characters: of its text, if the corpus has texts;
        otherwise its first words, or its most frequent ones if word order is not known. In a polylingual
        corpus, the text has a line for each language.
        """
        codes = self.entries.codes[self.entries.offsets[i] : self.entries.offsets[i + 1]]
        if self.texts is not None and self.starts is not None:
            text, starts = self.texts[i].as_py(), self.starts[i].values
            if text is not None and starts is not None:
                return self._of_text(text, np.asarray(starts, np.int64), codes)
        if self.entries.weights is not None:
            weights = self.entries.weights[self.entries.offsets[i] : self.entries.offsets[i + 1]]
            codes = codes[np.argsort(-weights, kind="stable")]
        first: list[int] = codes[:SNIPPET].tolist()
        words = [self.words[code] for code in first]
        if self.corpus.vocabulary.languages:
            words = [untagged(word) for word in words]
        return _joined(words, self.rows[codes[:SNIPPET]])

    def _of_text(self, text: str, starts: NDArray[np.int64], codes: NDArray[np.int32]) -> Excerpt:
        if not self.corpus.vocabulary.languages:
            return self._part(text, starts, codes, SNIPPET)
        every: list[int] = codes.tolist()
        languages = [language_of(self.words[code]) for code in every]
        firsts = [i for i, code in enumerate(languages) if i == 0 or code != languages[i - 1]]
        parts: list[Excerpt] = []
        for first, last in pairwise([*firsts, len(codes)]):  # the text has one language after the other
            begin, end = int(starts[first]), int(starts[last]) if last < len(codes) else len(text)
            limit = SNIPPET // len(firsts)
            parts.append(self._part(text[begin:end], starts[first:last] - begin, codes[first:last], limit))
        return _lined_up(parts)

    def _part(self, text: str, starts: NDArray[np.int64], codes: NDArray[np.int32], limit: int) -> Excerpt:
        """The beginning of a text in one language, on one line, cut to `limit` characters.

        starts: the positions of its tokens; codes: the numbers of their words in the block.
        """
        raw = text[: 2 * limit]
        near = int(np.searchsorted(starts, len(raw)))
        rows = self.rows[codes[:near]].astype(np.int64)
        short, moved = _on_one_line(raw, starts[:near])
        shown = (rows >= 0) & (moved >= 0) & (moved < limit)
        begin, rows = starts[:near][shown], rows[shown]
        words = [self.corpus.vocabulary.words[row] for row in rows.tolist()]
        ends = _ends(self.corpus.analysis, raw, begin, words)
        return _cut_off(short, moved[shown], ends - begin, rows, limit)


def _ends(
    analysis: Analysis | PolylingualAnalysis | None, text: str, starts: NDArray[np.int64], words: list[str]
) -> NDArray[np.int64]:
    """The positions (exclusive) where the words that begin at the positions `starts` of a text end.

    words: their spellings in the vocabulary, from whose lengths the ends follow if there is no analysis.
    """
    if analysis is None:
        return starts + np.array([len(word) for word in words], np.int64)
    if isinstance(analysis, PolylingualAnalysis):
        return np.array(analysis.ends(text, starts.tolist(), words), np.int64)
    return np.array(analysis.ends(text, starts.tolist()), np.int64)


def _lined_up(parts: Sequence[Excerpt]) -> Excerpt:
    """Join the excerpts of a document's languages into one, each on its own line, with shifted positions.
    Without any, the excerpt is an empty text.
    """
    if not parts:
        return Excerpt("", *(np.zeros(0, np.int64) for _ in range(3)))
    before = np.cumsum([0] + [len(part.text) + 1 for part in parts]).tolist()
    starts = [part.starts + shift for part, shift in zip(parts, before, strict=False)]
    return Excerpt(
        "\n".join(part.text for part in parts),
        np.concatenate(starts),
        np.concatenate([part.lengths for part in parts]),
        np.concatenate([part.words for part in parts]),
    )


def _on_one_line(text: str, places: NDArray[np.int64]) -> tuple[str, NDArray[np.int64]]:
    """A text on one line, each run of white space replaced by a space, and the new positions of the
    characters that were at `places`.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    space = SPACES[np.minimum(codes, len(SPACES) - 1)]
    stays = ~space  # and the first of a run of white space that follows something
    stays[1:] |= ~space[:-1]
    moved = (np.cumsum(stays) - 1)[places] if len(places) else places
    return " ".join(text.split()), moved


def _cut_off(
    text: str,
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    words: NDArray[np.int64],
    limit: int = SNIPPET,
) -> Excerpt:
    """Cut a text to at most `limit` characters, and drop the marked words that are no longer complete."""
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    whole = (starts + lengths <= len(text) - text.endswith("…")) & (lengths > 0)
    return Excerpt(text, starts[whole], lengths[whole], words[whole])


def _joined(words: Sequence[str], rows: NDArray[np.int32]) -> Excerpt:
    """Words joined by spaces, as an excerpt for a document without a text.

    rows: each word's row in the vocabulary, -1 if it is not there; only words that are there are marked.
    """
    lengths = np.array([len(word) for word in words], np.int64)
    starts = np.cumsum(lengths + 1) - lengths - 1
    known = rows >= 0
    return _cut_off(" ".join(words), starts[known], lengths[known], rows[known].astype(np.int64))
