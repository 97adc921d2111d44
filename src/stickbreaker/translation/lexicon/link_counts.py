"""Counts of links between words of two languages, by document."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.translation.alignment.aligned_words import Links, Sentences

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class LinkedWords(NamedTuple):
    """The links of a bitext, each with its two words, their positions in the text, and the document.

    In counts and probabilities, f is the source word and e the target word; `reversed` exchanges them.
    """

    source: NDArray[np.int64]  # (links,) numbers of words, -1: not known
    target: NDArray[np.int64]  # (links,)
    document: NDArray[np.int64]  # (links,)
    pair: NDArray[np.int64]  # (links,) the pair of sentences
    source_place: NDArray[np.int64]  # (links,) position of the source word among all source words
    target_place: NDArray[np.int64]  # (links,) position of the target word among all target words

    @classmethod
    def of(
        cls, sides: tuple[Sentences, Sentences], links: Links, document_of: NDArray[np.int64]
    ) -> "LinkedWords":
        """The links of a bitext's sentence pairs, with the words that they connect; document_of (pairs): each
        pair's document."""
        pair = np.repeat(np.arange(len(links.offsets) - 1), np.diff(links.offsets))
        source_place = sides[0].offsets[pair] + links.source
        target_place = sides[1].offsets[pair] + links.target
        return cls(
            sides[0].words[source_place].astype(np.int64),
            sides[1].words[target_place].astype(np.int64),
            document_of[pair],
            pair,
            source_place,
            target_place,
        )

    def take(self, chosen: NDArray[np.bool_]) -> "LinkedWords":
        """The links for which `chosen` (links,) is true."""
        return LinkedWords(*(column[chosen] for column in self))

    def reversed(self) -> "LinkedWords":
        """The same links for the other direction, with source and target exchanged."""
        return LinkedWords(
            self.target, self.source, self.document, self.pair, self.target_place, self.source_place
        )


@dataclass(frozen=True, eq=False)
class LinkCounts:
    """c_d(f, e): how often a word f of one language is linked with a word e of the other in document d.

    The pairs of words are sorted by (f, e).
    """

    words: NDArray[np.int64]  # (pairs,) f
    translations: NDArray[np.int64]  # (pairs,) e
    by_document: "csr_matrix"  # pairs × documents
    offsets: NDArray[np.int64]  # (words + 1,) the pairs of each word f
    n_translations: int  # words of the other language

    @classmethod
    def of(cls, linked: LinkedWords, sizes: tuple[int, int], n_documents: int) -> "LinkCounts":
        """Count the links of source words f with target words e, by document; only linked pairs get a row.

        Links of unknown words (-1) are left out. sizes: the numbers of different source and target words.

        >>> one = np.array([1, 1, 0])
        >>> linked = LinkedWords(one, np.array([0, 0, 2]), np.array([0, 1, 1]), one, one, one)
        >>> counts = LinkCounts.of(linked, (2, 3), 2)
        >>> counts.translations.tolist(), counts.by_document.toarray().tolist()
        ([2, 0], [[0.0, 1.0], [1.0, 1.0]])
        """
        from scipy.sparse import csr_matrix

        known = (linked.source >= 0) & (linked.target >= 0)
        keys = linked.source[known] * sizes[1] + linked.target[known]
        distinct, rows = np.unique(keys, return_inverse=True)
        shape = (len(distinct), n_documents)
        by_document = csr_matrix((np.ones(len(rows)), (rows, linked.document[known])), shape)
        by_document.sum_duplicates()
        words, translations = np.divmod(distinct, max(sizes[1], 1))
        offsets = np.searchsorted(words, np.arange(sizes[0] + 1))
        return cls(words, translations, by_document, offsets, sizes[1])

    @cached_property
    def _keys(self) -> NDArray[np.int64]:
        """A number for each pair of words, ascending, by which `rows_of` looks pairs up (pairs)."""
        return self.words * self.n_translations + self.translations

    def rows_of(self, words: NDArray[np.int64], translations: NDArray[np.int64]) -> NDArray[np.int64]:
        """The row of each pair of a word f and a translation e in the counts; -1 if they were never linked,
        or one is unknown (-1)."""
        keys = self._keys
        wanted = words * self.n_translations + translations
        places = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        if not len(keys):
            return np.full(len(wanted), -1, np.int64)
        found = (keys[places] == wanted) & (words >= 0) & (translations >= 0)
        return np.where(found, places, -1)
