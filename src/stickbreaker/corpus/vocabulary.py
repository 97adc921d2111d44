"""The words that a model knows, with their counts."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from stickbreaker.core.arguments import refuse_no_list, refuse_other_fields
from stickbreaker.core.errors import UserError, shown
from stickbreaker.core.files import atomic_file
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.untrusted import refuse_negative
from stickbreaker.corpus.arrow_arrays import (
    ArrowArray,
    arrow_numbers,
    arrow_strings,
    field_of,
    parquet_file,
    strings_in,
)
from stickbreaker.corpus.hashing import MOST_ROWS, digests_of, hashed_rows
from stickbreaker.corpus.string_bytes import string_bytes

LONGEST_WORD = 100  # characters of a word that a text adds to a vocabulary
LONGEST_LISTED = 1_000  # characters of a word in a list, a matrix or a dictionary
FEW_TOKENS = 20_000  # of a corpus for each document in which a word must occur by default
HALF = 500  # tokens per document up to which a word may occur in half of the documents


def tagged(language: str, word: str) -> str:
    """A word with its language, as words of polylingual corpora are written.

    >>> tagged("de", "haus")
    'de:haus'
    """
    return f"{language}:{word}"


def language_of(word: str) -> str:
    """The language code of a tagged word: "de" for "de:haus". An untagged word is returned whole."""
    return word.partition(":")[0]


def untagged(word: str) -> str:
    """A tagged word without its language: "haus" for "de:haus". An untagged word becomes ""."""
    return word.partition(":")[2]


def refuse_long_words(words: Sequence[str]) -> None:
    """Raise UserError if a word of a list has more than 1,000 characters."""
    long = next((word for word in words if len(word) > LONGEST_LISTED), None)
    if long is not None:
        problem = f"the word {shown(long)} has {len(long):,} characters"
        raise UserError(problem, remedy=f"words have at most {LONGEST_LISTED:,}; shorten it")


@dataclass(frozen=True)
class VocabularyRule:
    """Which words a vocabulary contains, of those that the analysis admits ("eligible").

    A word must occur in at least `min_documents` documents; None means 1 + n // 500 for n documents, at most
    5, and in short texts 1 for each 20,000 tokens of the corpus, at least 2, so that few of them lose all
    their words. It must not occur in more than the share `max_share` of the documents; None means 0.5 if
    documents have a mean of at most 500 tokens, 1 - 250 / tokens if they have more (0.75 for 1,000, 0.95 for
    5,000), and never drops a word that occurs in ten documents or fewer. Of the remaining words, the `size`
    most frequent are chosen (None: all), the most frequent first, ties by spelling.

    If `words` is given, these are chosen instead, in their order. With `hashed`, the other eligible words
    share the rows of the chosen ones (see `Vocabulary`).

    >>> VocabularyRule().bounds(2000)
    (5, 1000)
    """

    min_documents: int | None = None
    max_share: float | None = None
    size: int | None = None
    words: tuple[str, ...] | None = None
    hashed: bool = False

    def __post_init__(self) -> None:
        refuse_other_fields(self)
        if self.min_documents is not None and self.min_documents < 1:
            raise UserError(
                f"the minimum number of documents is {self.min_documents}", remedy="it is at least 1"
            )
        if self.max_share is not None and not 0 < self.max_share <= 1:
            raise UserError(f"the maximum share is {self.max_share}", remedy="it is above 0 and at most 1")
        if self.size is not None and self.size < 1:
            raise UserError(f"the vocabulary size is {self.size}", remedy="it is at least 1")
        if self.words is not None:
            object.__setattr__(self, "words", tuple(self.words))
            refuse_long_words(self.words)

    def bounds(self, n_documents: int, mean_length: float = 0.0) -> tuple[int, int]:
        """The smallest and the largest number (inclusive) of documents in which a chosen word may occur.

        n_documents: the size of the corpus; mean_length: the mean number of tokens in its documents (0:
        unknown; then they are not short).

        >>> VocabularyRule().bounds(2000, 5000.0), VocabularyRule().bounds(2000, 5.0)
        ((5, 1900), (2, 1000))
        """
        fewest = self.min_documents
        if fewest is None:
            fewest = min(5, 1 + n_documents // 500)
            if mean_length > 0.0:
                fewest = min(fewest, max(2, int(mean_length * n_documents) // FEW_TOKENS))
        if self.max_share is None:
            lacking = 0.5 * min(1.0, HALF / max(mean_length, 1.0))  # share of documents without the word
            return fewest, max(10, int((1.0 - lacking) * n_documents + 1e-9))
        return fewest, int(self.max_share * n_documents + 1e-9)

    def choose(
        self,
        counts: Vocabulary,
        eligible: NDArray[np.bool_],
        n_documents: int,
        mean_length: float | None = None,
    ) -> Vocabulary:
        """Choose a vocabulary from all words found (`counts`). Raises UserError if no word is left.

        `eligible` (words): whether the analysis admits each; `mean_length`: tokens per document (None:
        computed from `counts`).

        >>> found = Vocabulary(("b", "a"), np.array([1, 1]), np.array([2.0, 3.0]))
        >>> VocabularyRule().choose(found, np.array([True, True]), 1).words
        ('a', 'b')
        """
        chosen = self._chosen(counts, eligible, n_documents, mean_length)
        return chosen.hashing(counts, eligible, n_documents) if self.hashed and len(chosen) else chosen

    def _chosen(
        self, counts: Vocabulary, eligible: NDArray[np.bool_], n_documents: int, mean_length: float | None
    ) -> Vocabulary:
        if self.words is not None:
            return counts.select(self.words)
        length = counts.mean_length(n_documents) if mean_length is None else mean_length
        fewest, most = self.bounds(n_documents, length)
        kept = eligible & (counts.documents >= fewest) & (counts.documents <= most)
        if not kept.any():
            raise UserError(self._nothing_left(counts, eligible, fewest, most))
        places = np.flatnonzero(kept).tolist()
        totals = counts.tokens.tolist()
        places.sort(key=lambda place: (-totals[place], counts.words[place]))
        return counts.at(places[: self.size])

    @staticmethod
    def _nothing_left(counts: Vocabulary, eligible: NDArray[np.bool_], fewest: int, most: int) -> str:
        if not len(counts):
            return (
                "the vocabulary is empty: no document contains a word; "
                "check the token pattern and the text field"
            )
        if not eligible.any():
            return (
                f"the vocabulary is empty: all {len(counts)} distinct words are stop words or too short; "
                "give --stop-words none or a smaller --min-length"
            )
        return (
            f"the vocabulary is empty: of {int(eligible.sum())} distinct words none occurs in "
            f"{fewest} to {most} documents; lower --min-documents or raise --max-share"
        )

    def to_dict(self) -> JsonObject:
        """The rule as JSON values. A list of words becomes its length, since the vocabulary has the words."""
        given = None if self.words is None else len(self.words)
        return {
            "min_documents": self.min_documents,
            "max_share": self.max_share,
            "size": self.size,
            "given": given,
            "hashed": self.hashed,
        }


@dataclass(frozen=True)
class Vocabulary:
    """Words in order, each with the number of documents that have it (int64) and of its tokens (float64).

    In place of tokens, there may be total weights. If words were not counted (`is_counted`), documents are
    all zero; tokens are then zero, or the expectations of a model with an open vocabulary.

    In a polylingual vocabulary `languages` (codes, ascending) is not empty. Words then carry their language,
    as "de:haus", and those of a language stand together, in the order of `languages`.

    With `hashed`, no word that the analysis admits is unknown: a word that is not listed shares the row of a
    listed word, chosen by a stable hash of its spelling.

    >>> vocabulary = Vocabulary.of(["river", "bank"])
    >>> vocabulary.lookup(["bank", "money"]).tolist()
    [1, -1]
    """

    words: tuple[str, ...]
    documents: NDArray[np.int64]
    tokens: NDArray[np.float64]
    languages: tuple[str, ...] = ()
    hashed: bool = False

    @classmethod
    def of(cls, words: Sequence[str]) -> Vocabulary:
        """A vocabulary without counts. Raises UserError for a word that is listed twice."""
        refuse_no_list("words", words)
        vocabulary = cls(tuple(words), np.zeros(len(words), np.int64), np.zeros(len(words)))
        if len(vocabulary.index) != len(words):
            seen: set[str] = set()
            twice = next(word for word in words if word in seen or seen.add(word))
            raise UserError(f"the vocabulary lists {shown(twice)} twice", remedy="list every word once")
        return vocabulary

    @classmethod
    def buckets(cls, n: int) -> Vocabulary:
        """A vocabulary of `n` rows "#0", "#1", …, on which all words are placed by a hash.

        Raises UserError if `n` is not from 1 to 2²⁴.

        >>> Vocabulary.buckets(3).words
        ('#0', '#1', '#2')
        """
        if not 1 <= n <= MOST_ROWS:
            raise UserError(f"{n} rows to hash words into", remedy=f"take 1 to {MOST_ROWS}")
        return replace(cls.of([f"#{row}" for row in range(n)]), hashed=True)

    def __len__(self) -> int:
        return len(self.words)

    @property
    def is_counted(self) -> bool:
        """Whether documents and tokens of the words were counted."""
        return bool(self.documents.any())

    def mean_length(self, n_documents: int) -> float:
        """The mean number of tokens of these words per document, in a corpus of `n_documents`."""
        return float(self.tokens.sum()) / max(n_documents, 1)

    @classmethod
    def joined(cls, parts: Mapping[str, Vocabulary]) -> Vocabulary:
        """Join vocabularies of single languages (by code) into one; their words carry their language already.

        Raises UserError for a language without words (a topic would be a distribution over an empty set), and
        for hashed words.

        >>> both = {code: Vocabulary.of([code + ":radio"]) for code in ("en", "de")}
        >>> Vocabulary.joined(both).ranges
        {'de': slice(0, 1, None), 'en': slice(1, 2, None)}
        """
        languages = tuple(sorted(parts))
        if any(part.hashed for part in parts.values()):
            raise UserError("words of several languages cannot be hashed", remedy="leave the hashing out")
        for code in languages:
            if not len(parts[code]):
                raise UserError(
                    f"the vocabulary has no word of the language {code}", remedy="leave the language out"
                )
        return cls(
            tuple(word for code in languages for word in parts[code].words),
            np.concatenate([parts[code].documents for code in languages]),
            np.concatenate([parts[code].tokens for code in languages]),
            languages,
        )

    @functools.cached_property
    def ranges(self) -> dict[str, slice]:
        """The rows of each language, by code. Empty unless the vocabulary is polylingual."""
        if not self.languages:
            return {}
        sizes = Counter(language_of(word) for word in self.words)
        ends = np.cumsum([0] + [sizes[code] for code in self.languages]).tolist()
        return {code: slice(*ends[i : i + 2]) for i, code in enumerate(self.languages)}

    @functools.cached_property
    def documents_per_token(self) -> NDArray[np.float64]:
        """For each word, its number of documents divided by its tokens (words,); 1 if it was not counted.

        >>> Vocabulary(("a", "b"), np.array([1, 0]), np.array([4.0, 0.0])).documents_per_token.tolist()
        [0.25, 1.0]
        """
        counted = (self.tokens > 0.0) & (self.documents > 0)
        return np.divide(self.documents, self.tokens, out=np.ones(len(self)), where=counted)

    @property
    def parts(self) -> tuple[slice, ...]:
        """The slices of rows over which a topic's probabilities sum to one: of each language, or all rows.

        >>> Vocabulary.of(["river", "bank"]).parts
        (slice(0, 2, None),)
        """
        return tuple(self.ranges.values()) or (slice(0, len(self)),)

    @functools.cached_property
    def spelled(self) -> tuple[str, ...]:
        """The words without their languages."""
        return tuple(map(untagged, self.words)) if self.languages else self.words

    @functools.cached_property
    def index(self) -> dict[str, int]:
        """The row number of each word."""
        return {word: row for row, word in enumerate(self.words)}

    @functools.cached_property
    def digests(self) -> NDArray[np.uint64]:
        """A number for each word by its spelling: random draws for documents are keyed by it, not by rows."""
        return digests_of(self.words)

    @functools.cached_property
    def slots(self) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int32]]:
        """A hash table to find words by their bytes, for `kernels/string_hash.py`.

        Returns (the words in UTF-8, one after another; their offsets, words + 1; the table of row numbers, -1
        in free slots).
        """
        from stickbreaker.kernels.string_hash import fill_slots

        spellings = [word.encode("utf-8", "surrogatepass") for word in self.words]
        offsets = np.concatenate([[0], np.cumsum([len(one) for one in spellings])]).astype(np.int64)
        slots = np.full(1 << (2 * len(spellings)).bit_length(), -1, np.int32)
        # writable, like other arrays: one compiled kernel
        content = np.frombuffer(bytearray().join(spellings), np.uint8)
        fill_slots(content, offsets, slots)
        return content, offsets, slots

    def lookup(self, words: Sequence[str] | ArrowArray) -> NDArray[np.int32]:
        """The row number of each word (int32); -1 if it is not listed, even if the vocabulary is hashed.

        An Arrow array of words is looked up several times faster, since no strings are made.
        """
        if isinstance(words, pa.Array):
            return self._lookup_spelled(words)
        index = self.index
        return np.fromiter(map(index.get, words, repeat(-1)), np.int32, len(words))

    def __getstate__(self) -> dict[str, Any]:
        """The fields for pickling, without values that are computed on first use."""
        return {name: value for name, value in vars(self).items() if name in self.__dataclass_fields__}

    def _lookup_spelled(self, array: ArrowArray) -> NDArray[np.int32]:
        from stickbreaker.kernels.string_hash import find_words

        words = array.cast(pa.string())
        rows = np.full(len(words), -1, np.int32)
        if len(words) and len(self.words):
            find_words(*self.slots, *string_bytes(words), rows)
            if words.null_count:
                rows[words.is_null().to_numpy(zero_copy_only=False)] = -1
        return rows

    def hashing(self, counts: Vocabulary, eligible: NDArray[np.bool_], n_documents: int) -> Vocabulary:
        """A hashed vocabulary: the eligible words of `counts` not listed here share these rows by hash.

        Their counts are added to those of the rows. eligible (words of `counts`): whether the analysis admits
        each. The tokens of a row are exact. Its documents are the sum over its words, at most `n_documents`,
        since a document with two of them counts twice.
        """
        others = np.flatnonzero(eligible & (self.lookup(counts.words) < 0))
        rows = hashed_rows((counts.words[place] for place in others.tolist()), len(self))
        documents = self.documents + np.bincount(rows, counts.documents[others], len(self)).astype(np.int64)
        tokens = self.tokens + np.bincount(rows, counts.tokens[others], len(self))
        return replace(self, documents=np.minimum(documents, n_documents), tokens=tokens, hashed=True)

    def counted(self, documents: NDArray[np.int64], tokens: NDArray[np.float64]) -> Vocabulary:
        """The same words with other counts; the tables for looking words up are shared."""
        other = replace(self, documents=documents, tokens=tokens)
        vars(other).update({name: vars(self)[name] for name in ("index", "slots") if name in vars(self)})
        return other

    def at(self, rows: Sequence[int]) -> Vocabulary:
        """A vocabulary of some rows, in the given order; it is not marked as hashed or polylingual."""
        places = np.asarray(rows, np.int64)
        return Vocabulary(tuple(self.words[row] for row in rows), self.documents[places], self.tokens[places])

    def by_language(self) -> dict[str, Vocabulary]:
        """The vocabulary of each language, by code. Words must carry their language, as "de:haus"."""
        rows: dict[str, list[int]] = {}
        for row, word in enumerate(self.words):
            rows.setdefault(language_of(word), []).append(row)
        return {code: self.at(places) for code, places in rows.items()}

    def select(self, words: Sequence[str]) -> Vocabulary:
        """A vocabulary of these words in this order, with their counts here; unknown ones have zero.

        It is not marked as hashed or polylingual. Raises UserError for repeated words.
        """
        chosen = Vocabulary.of(words)
        rows = self.lookup(chosen.words)
        known = rows >= 0
        chosen.documents[known] = self.documents[rows[known]]
        chosen.tokens[known] = self.tokens[rows[known]]
        return chosen

    def write(self, path: Path) -> None:
        """Write the vocabulary as a Parquet file; equal vocabularies give equal bytes."""
        columns = {
            "word": arrow_strings(self.words),
            "documents": arrow_numbers(self.documents),
            "tokens": arrow_numbers(self.tokens),
        }
        if self.languages:
            columns["language"] = arrow_strings([language_of(word) for word in self.words])
        table = pa.table(columns, metadata={"hashed": "yes"} if self.hashed else None)
        with atomic_file(Path(path)) as partial:
            pq.write_table(  # pyright: ignore[reportUnknownMemberType]
                table, partial, compression="zstd", use_dictionary=False
            )

    @classmethod
    def read(cls, path: Path) -> Vocabulary:
        """Read what `write` wrote. Raises UserError for a file that is missing, damaged or foreign."""
        try:
            with parquet_file(path) as file:
                names = ["word", "documents", "tokens"]
                names += ["language"] if "language" in file.schema_arrow.names else []
                types = [field_of(file.schema_arrow, name).type for name in names]
                if types != [pa.string(), pa.int64(), pa.float64(), pa.string()][: len(names)]:
                    raise ValueError("columns of other types")
                hashed = b"hashed" in (file.schema_arrow.metadata or {})
                table: pa.Table = file.read(names, use_threads=False)
            languages = strings_in(table.column("language")) if len(names) == 4 else []
            words = tuple(strings_in(table.column("word")))
            # by lists: to_numpy imports pandas if it is installed, which takes half a second
            documents = np.array(table.column("documents").to_pylist(), np.int64)
            tokens = np.array(table.column("tokens").to_pylist(), np.float64)
            if table.column("word").null_count or len(set(words)) < len(words):
                raise ValueError("a word is missing, or occurs twice")
            refuse_negative(documents, "documents")
            if documents.max(initial=0) > 1 << 53:
                raise ValueError("more documents than possible")
            refuse_negative(tokens, "tokens")
            if languages and [language_of(word) for word in words] != languages:
                raise ValueError("words of other languages than they say")
            return cls(words, documents, tokens, tuple(dict.fromkeys(languages)), hashed)
        except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
            reason = (
                "is missing" if isinstance(error, FileNotFoundError) else "cannot be read as a vocabulary"
            )
            raise UserError(f"the file {reason}", where=path, remedy="build or save it again") from None
