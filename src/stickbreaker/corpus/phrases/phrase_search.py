"""Finds phrases: pairs of words that stand together much more often than by chance.

A round reads all blocks of a corpus once. Memory is bounded by the distinct words and by `MOST_PAIRS` pairs:
beyond that, the rarest pairs so far are forgotten (Goyal et al. 2012; word2vec and gensim do the same).
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.arguments import refuse_other_fields
from stickbreaker.core.errors import UserError
from stickbreaker.corpus.phrases.joining import Round
from stickbreaker.corpus.phrases.phrase_blocks import TokenBlock
from stickbreaker.corpus.vocabulary import Vocabulary

SURPRISE = 30.0  # a probability of less than one in ten million
MOST_PAIRS = 4_000_000
ROUNDS = 2

Blocks = Callable[[tuple[Round, ...]], Iterator[TokenBlock]]
Join = Callable[[str, str], str]


@dataclass(frozen=True)
class PhraseRule:
    """Which pairs of words become a phrase.

    A pair a b must meet three conditions. It occurs in at least `min_documents` documents (None: one in 500
    documents, but from 5 to 10). It occurs more often than by chance: its log-likelihood ratio is at least 30
    (Dunning 1993). Its normalised pointwise mutual information is at least `min_score` (Bouma 2009): ln(p(ab)
    / p(a) p(b)) / -ln p(ab), which is 0 for words that stand together by chance, 1 for words that only occur
    together. A word repeated is not a phrase.

    >>> PhraseRule().score(10, 10, 10, 1000)
    1.0
    """

    min_documents: int | None = None
    min_score: float = 0.5

    def __post_init__(self) -> None:
        refuse_other_fields(self)
        if self.min_documents is not None and self.min_documents < 1:
            raise UserError(f"min_documents={self.min_documents}", remedy="min_documents is at least 1")
        if not 0 < self.min_score <= 1:
            raise UserError(f"min_score={self.min_score}", remedy="min_score is above 0 and at most 1")

    def fewest(self, n_documents: int) -> int:
        """The number of documents that a phrase must be in, for a corpus of this many documents."""
        return min(10, max(5, n_documents // 500)) if self.min_documents is None else self.min_documents

    def score(self, together: float, first: float, second: float, total: float) -> float:
        """The normalised pointwise mutual information of a pair of words.

        together, first, second: how often the pair and its two words occur among `total` tokens.
        """
        if together >= total:
            return 1.0
        return math.log(together * total / (first * second)) / math.log(total / together)

    def chosen(self, pairs: "PairCounts", words: list[str], fewest: int, join: Join) -> Round:
        """The pairs that become phrases, each with the word that `join` makes of it.

        They are pairs of two different words in at least `fewest` documents whose score is high enough, and
        that are more frequent than chance would have them. words: the spelling of each number in `pairs`.
        """
        keys, tokens, documents = pairs.counted()
        total, found = float(pairs.total), dict[tuple[str, str], str]()
        often = documents >= fewest
        some: list[int] = keys[often].tolist()
        for key, n in zip(some, tokens[often].tolist(), strict=True):
            first, second = divmod(key, pairs.n_words)
            if first == second:
                continue
            counts = (n, float(pairs.words[first]), float(pairs.words[second]), total)
            if self.score(*counts) >= self.min_score - 1e-12 and _surprise(*counts) >= SURPRISE:
                found[words[first], words[second]] = join(words[first], words[second])
        return found


def _surprise(together: float, first: float, second: float, total: float) -> float:
    """The log-likelihood ratio of a pair of words (Dunning 1993), large if it is not together by chance.

    Arguments are counts: of the pair (n), its first and its second word, and all tokens. With the count
    expected by chance, e = first · second / total, it is 2 (n ln(n / e) - (n - e)).
    """
    expected = first * second / total
    return 2.0 * (together * math.log(together / expected) - (together - expected))


class PairCounts:
    """Counts of words and of pairs of adjacent words, added up over the blocks of a corpus.

    If there are more than four million pairs (`MOST_PAIRS`), the rarest are forgotten.
    """

    def __init__(self, n_words: int) -> None:
        self.n_words = n_words
        self.words = np.zeros(n_words)
        self.total = 0
        self._least = 1  # pairs with smaller counts were forgotten
        self._held = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))
        self._waiting: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []
        self._n_waiting = 0

    def add(self, rows: NDArray[np.int32], breaks: NDArray[np.bool_], owners: NDArray[np.int64]) -> None:
        """Count the words and pairs of a block.

        rows (tokens): number of each token's word (-1: it cannot be in a phrase); breaks (tokens): no pair
        ends with this token; owners (tokens): number of its document.
        """
        from stickbreaker.kernels.document_frequencies import count_documents  # imports numba

        self.total += len(rows)
        self.words += np.bincount(rows[rows >= 0], minlength=self.n_words)
        at = np.flatnonzero((rows[:-1] >= 0) & (rows[1:] >= 0) & ~breaks[1:])
        keys = rows[at].astype(np.int64) * self.n_words + rows[at + 1]
        distinct, codes, tokens = np.unique(keys, return_inverse=True, return_counts=True)
        documents, n_documents = np.zeros(len(distinct), np.int64), int(owners[-1]) + 1
        count_documents(
            codes.astype(np.int32), np.searchsorted(owners[at], np.arange(n_documents + 1)), documents
        )
        self._waiting.append((distinct, tokens, documents))
        self._n_waiting += len(distinct)
        if self._n_waiting > MOST_PAIRS:
            self._merge()

    def counted(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """All pairs as arrays: keys (first word's row × number of words + second's), tokens, documents."""
        self._merge()
        return self._held

    def _merge(self) -> None:
        parts = [self._held, *self._waiting]
        keys, codes = np.unique(np.concatenate([part[0] for part in parts]), return_inverse=True)
        tokens, documents = (
            np.bincount(codes, np.concatenate([part[i] for part in parts]), len(keys)).astype(np.int64)
            for i in (1, 2)
        )
        while len(keys) > MOST_PAIRS:
            self._least += 1
            kept = tokens >= self._least
            keys, tokens, documents = keys[kept], tokens[kept], documents[kept]
        self._held, self._waiting, self._n_waiting = (keys, tokens, documents), [], 0


def find_phrases(
    blocks: Blocks,
    counts: Vocabulary,
    eligible: Callable[[str], bool],
    join: Join,
    rule: PhraseRule,
    n_documents: int,
) -> tuple[Round, ...]:
    """Find the phrases of a corpus; returns rounds, each a mapping from word pairs to the words they become.

    A pair may contain a joined word of an earlier round. Returns () if there are no phrases. `blocks(rounds)`
    yields the tokens of every block, with these rounds' phrases joined; `counts` has all words of the corpus;
    only `eligible` words become part of a phrase; `join` makes the word of a pair.
    """
    fewest = rule.fewest(n_documents)
    words = [
        word
        for word, n in zip(counts.words, counts.documents.tolist(), strict=True)
        if n >= fewest and eligible(word) and " " not in word
    ]
    rounds: tuple[Round, ...] = ()
    for _ in range(ROUNDS):
        known, pairs = Vocabulary.of(words), PairCounts(len(words))
        for block in blocks(rounds):
            if len(block.codes):
                pairs.add(known.lookup(block.words)[block.codes], block.breaks, block.owners)
        found = rule.chosen(pairs, words, fewest, join)
        if not found:
            break
        rounds = (*rounds, found)
        words = list(dict.fromkeys([*words, *found.values()]))
    return rounds
