"""BLEU of single sentences (smoothed) and of whole texts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

HIGHEST_ORDER = 4  # length of the longest n-grams of BLEU


class NgramMatches(NamedTuple):
    """Counts from which BLEU is computed, by order from 1 to 4: how many n-grams a translation has, and how
    many of these match its reference."""

    matches: tuple[int, ...]  # n-grams also in the reference, each at most as often as there
    totals: tuple[int, ...]  # n-grams of the translation


class Reference(NamedTuple):
    """A reference translation with its n-gram counts."""

    length: int  # number of words
    ngrams: "tuple[Counter[tuple[str, ...]], ...]"  # of 1 to 4 words

    @classmethod
    def of(cls, words: Sequence[str]) -> "Reference":
        """A reference translation with these words."""
        return cls(
            len(words), tuple(Counter(_each_ngram(words, order)) for order in range(1, HIGHEST_ORDER + 1))
        )


def ngram_matches(words: Sequence[str], reference: Reference) -> NgramMatches:
    """The n-gram counts of a translation (its `words`) against a reference.

    >>> ngram_matches(["a", "b", "c"], Reference.of(["a", "b"]))
    NgramMatches(matches=(2, 1, 0, 0), totals=(3, 2, 1, 0))
    """
    return NgramMatches(
        tuple(_matches(words, order, wanted) for order, wanted in enumerate(reference.ngrams, 1)),
        tuple(max(0, len(words) - order) for order in range(HIGHEST_ORDER)),
    )


def _matches(words: Sequence[str], order: int, wanted: "Counter[tuple[str, ...]]") -> int:
    """How many n-grams of `order` words are also in `wanted`, each at most as often as there."""
    own = Counter(ngram for ngram in _each_ngram(words, order) if ngram in wanted)
    return sum(min(n, wanted[ngram]) for ngram, n in own.items())


def _each_ngram(words: Sequence[str], order: int) -> Iterator[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(order)), strict=False)


def sentence_bleu(words: Sequence[str], reference: Reference) -> float:
    """BLEU+1 of a translation, from 0 to 1 (Lin and Och 2004): one is added to matches and totals of n-grams
    of two words and more. 0.0 if it has no words, or none of them is in the reference.

    The brevity penalty is not smoothed: smoothing (Nakov et al. 2012) would favour translations that are one
    word longer than the reference.
    """
    if not words:
        return 0.0
    log_precisions = 0.0
    for order, (matches, total) in enumerate(zip(*ngram_matches(words, reference), strict=True), 1):
        added = int(order > 1)
        if matches + added == 0:
            return 0.0
        log_precisions += np.log((matches + added) / (total + added))
    brevity = min(0.0, 1.0 - reference.length / len(words))
    return float(np.exp(log_precisions / HIGHEST_ORDER + brevity))


def corpus_bleu(translations: Sequence[Sequence[str]], references: Sequence[Reference]) -> float:
    """BLEU of all sentences together, from 0 to 1 (Papineni et al. 2002): n-grams of 1 to 4 words, one
    reference for each sentence, not smoothed. 0.0 if no n-grams of some length match.

    >>> corpus_bleu([["a", "b", "c", "d"]], [Reference.of(["a", "b", "c", "d"])])
    1.0
    """
    pairs = zip(translations, references, strict=True)
    counts = np.array([ngram_matches(words, reference) for words, reference in pairs]).reshape(-1, 2, 4)
    matches, totals = counts.sum(axis=0)
    if not matches.all():
        return 0.0
    length, wanted_length = sum(map(len, translations)), sum(one.length for one in references)
    brevity = min(0.0, 1.0 - wanted_length / length)
    return float(np.exp(np.log(matches / totals).mean() + brevity))
