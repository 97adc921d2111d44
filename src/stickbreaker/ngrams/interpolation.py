"""Two language models interpolated: p(word) = weight p1(word) + (1 - weight) p2(word) in each context.

Jelinek and Mercer 1980.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.ngrams.sentence_scores import Scores, parts_of
from stickbreaker.ngrams.word_numbers import Base

MOST_STEPS = 1_000  # of EM
TOLERANCE = 1e-7  # EM stops when the weight changes less than this


class WordScorer(Protocol):
    """Anything that computes log p of words: what a model has learned, an ARPA file, or two interpolated."""

    @property
    def analysis(self) -> AnyAnalysis: ...

    @property
    def vocabulary(self) -> Vocabulary: ...

    @property
    def base(self) -> Base: ...

    @property
    def has_topics(self) -> bool: ...

    def scores(self, corpus: Corpus) -> Iterator[Scores]: ...

    def scores_of_sentences(self, corpus: Corpus, seen: Corpus | None = None) -> Iterator[Scores]: ...

    def empty_sentence_scores(self) -> Scores: ...


def scorer_of(model: Any) -> WordScorer:
    """The scorer of a language model: what it has learned, if it is a fitted estimator, or else itself."""
    return getattr(model, "learned_", model)


@dataclass(frozen=True, eq=False)
class Interpolated:
    """Two language models interpolated over the union of their vocabularies. Texts are read as for the first.

    The models may be fitted estimators. Each treats words that only the other knows as unknown. The
    probability that it gives to `<unk>` is divided evenly among these words and `<unk>` itself, so that
    probabilities over the union, `<unk>` and `</s>` sum to 1. Raises UserError if a model scores unknown
    words by their letters, and so has no `<unk>`.
    """

    first: WordScorer
    second: WordScorer
    weight: float  # of the first model

    def __post_init__(self) -> None:
        for name in ("first", "second"):
            object.__setattr__(self, name, scorer_of(getattr(self, name)))
        if self.first.base.numbers.spelled or self.second.base.numbers.spelled:
            problem = "a model that spells unknown words has no <unk> and cannot be interpolated"
            raise UserError(problem, remedy="learn it with --unknown symbol")

    @property
    def analysis(self) -> AnyAnalysis:
        return self.first.analysis

    @property
    def vocabulary(self) -> Vocabulary:
        return self.first.vocabulary

    @property
    def base(self) -> Base:
        return self.first.base

    @property
    def has_topics(self) -> bool:
        return self.first.has_topics or self.second.has_topics

    def scores(self, corpus: Corpus) -> Iterator[Scores]:
        """log p of every word and every end of a sentence of a corpus, block by block."""
        return starmap(self._mixed, self._pairs(corpus))

    def scores_of_sentences(self, corpus: Corpus, seen: Corpus | None = None) -> Iterator[Scores]:
        """Like `scores`, but each sentence is scored on its own; models with topics score it as if it
        followed the documents `seen`, others ignore them."""
        own, before = (
            None if one is None else one.with_vocabulary(self.second.vocabulary) for one in (corpus, seen)
        )
        assert own is not None
        pairs = self.first.scores_of_sentences(corpus, seen), self.second.scores_of_sentences(own, before)
        return map(self._mixed, *pairs)

    def empty_sentence_scores(self) -> Scores:
        """log p of the end of a sentence without words."""
        return self._mixed(self.first.empty_sentence_scores(), self.second.empty_sentence_scores())

    def parts(self, corpus: Corpus) -> dict[str, tuple[float, float]]:
        """For several parts of a corpus, the sum of log p (nats), and the number of words and ends of
        sentences.

        "all": all words; "known": those that one of the models knows; "first_alone", "second_alone": all
        words, by one model without the other, over the union of the two vocabularies.
        """
        alone, mixtures = np.zeros(2), list[Scores]()
        for first, second in self._pairs(corpus):
            alone += [nats.sum() for nats in self._over_all_words(first, second)]
            mixtures.append(self._mixed(first, second))
        parts = parts_of(iter(mixtures))
        n = parts["all"][1]
        return {**parts, "first_alone": (float(alone[0]), n), "second_alone": (float(alone[1]), n)}

    def _pairs(self, corpus: Corpus) -> Iterator[tuple[Scores, Scores]]:
        """Scores of a corpus by the first and by the second model, block by block; the corpus has the first
        model's vocabulary."""
        own = corpus.with_vocabulary(self.second.vocabulary)
        return zip(self.first.scores(corpus), self.second.scores(own), strict=True)

    def _mixed(self, first: Scores, second: Scores) -> Scores:
        nats = mixed(*self._over_all_words(first, second), self.weight)
        return first._replace(known=first.known | second.known, nats=nats)

    def _over_all_words(self, first: Scores, second: Scores) -> tuple[Array, Array]:
        """log p (nats) of words by each of the two models, over the union of their vocabularies."""
        of_first, of_second = self._unshared
        return _over_more_words(first, of_second), _over_more_words(second, of_first)

    @cached_property
    def _unshared(self) -> tuple[int, int]:
        """How many words only the first model knows, and how many only the second one."""
        first, second = (set(model.base.numbers.known) for model in (self.first, self.second))
        return len(first - second), len(second - first)

    def with_learned_weight(self, corpus: Corpus) -> "Interpolated":
        """The same two models with the weight under which a corpus is most probable.

        The corpus has the first model's vocabulary, and neither model should have learned from it. Raises
        UserError if it has no words.
        """
        log_p = starmap(self._over_all_words, self._pairs(corpus))
        return Interpolated(self.first, self.second, learned_weight(log_p))


def _over_more_words(scores: Scores, n: int) -> Array:
    """log p (nats) of words if a model's probability of `<unk>` is divided evenly between `<unk>` and `n`
    further words that the model does not know."""
    return np.where(scores.known, scores.nats, scores.nats - np.log1p(n))


def mixed(first: Array, second: Array, weight: float) -> Array:
    """log (weight exp(first) + (1 - weight) exp(second)), elementwise, for log p by two models.

    With a weight of 1 or 0 only the first or the second counts.
    """
    with np.errstate(divide="ignore"):
        return np.logaddexp(np.log(weight) + first, np.log1p(-weight) + second)


def learned_weight(log_p: Iterable[tuple[Array, Array]]) -> float:
    """The weight of the first of two models that makes words most probable, by EM from 1/2.

    `log_p`: blocks of log p (words) by each model. Raises UserError if there are no words.

    >>> round(learned_weight([(np.log([0.5, 0.1]), np.log([0.1, 0.5]))]), 3)
    0.5
    """
    ratios = [second - first for first, second in log_p]
    ratio: NDArray[np.float64] = np.exp(np.clip(np.concatenate(ratios or [np.empty(0)]), -700.0, 700.0))
    if not len(ratio):
        raise UserError("there is nothing to learn the weight from", remedy="give documents with words")
    weight = 0.5
    for _ in range(MOST_STEPS):
        before, weight = weight, float((weight / (weight + (1.0 - weight) * ratio)).mean())
        if abs(weight - before) < TOLERANCE:
            break
    return weight
