"""A language model rescaled by the topics of LDA, sample by sample, and how long that takes."""

import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from reproduce.ngram_runs import single_samples
from reproduce.topic_ngram_texts import Text

from stickbreaker import LDA, NgramModel
from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.core.records import Array
from stickbreaker.ngrams import purposes
from stickbreaker.ngrams.kernels.particles import Particles
from stickbreaker.ngrams.model.contexts import Integers
from stickbreaker.ngrams.model.language_model import text_before
from stickbreaker.ngrams.sentence_scores import all_scores
from stickbreaker.ngrams.unigram_rescaling import UnigramRescaling, rescaled_scores

EXPONENT = 0.7  # the paper's, tuned on Brown
SEED = 0


class Rescaled(NamedTuple):
    """log p of words and ends: own (samples × words), mean (words) of the samples' probabilities; CPU seconds
    to predict, and to learn what a language model does not have; naive: see `naive_seconds`."""

    own: Array
    mean: Array
    seconds: float
    learning: float
    naive: float | None


@dataclass(frozen=True, eq=False)
class BySample(UnigramRescaling):
    """A rescaling that keeps each sample's sums: of all words in order, arrays of samples × some words."""

    singles: tuple[UnigramRescaling, ...] = ()
    kept: list[Array] = field(default_factory=list)

    def sums(self, text: Integers, places: Integers, excess: Array, steps: Integers) -> Array:
        self.kept.append(np.stack([one.sums(text, places, excess, steps) for one in self.singles]))
        return self.kept[-1].mean(axis=0)


def rescaled(model: NgramModel, text: Text, topics: int, sweeps: int, naive: int) -> Rescaled:
    """A fitted language model, rescaled by as many topics of LDA, learned from the same text by Gibbs
    sampling."""
    start = time.process_time()
    lda = LDA(
        topics,
        inference="gibbs",
        alpha="learned",
        eta="learned",
        max_iter=sweeps,
        random_state=SEED,
        n_jobs=1,
    ).fit(text.train)
    learning = time.process_time() - start
    test = text.test.with_vocabulary(model.vocabulary_)
    rescaling = model.learned_.rescaling(lda, EXPONENT)
    start = time.process_time()
    mean = [scores.nats for scores in rescaled_scores(test, rescaling, SEED, Particles())]
    seconds = time.process_time() - start
    own = nats_by_sample(rescaling, test)
    slow = naive_seconds(rescaling, test, naive) if naive else None
    return Rescaled(own, np.concatenate(mean), seconds, learning, slow)


def nats_by_sample(rescaling: UnigramRescaling, corpus: Any) -> Array:
    """Samples × words and ends: log p by each sample of the language model alone, in nats."""
    held = rescaling.model, rescaling.base, rescaling.ratios
    samples = tuple(single_samples(rescaling.model))
    each = BySample(*held, tuple(UnigramRescaling(one, *held[1:]) for one in samples))
    plain, nats = [], []
    for scores in rescaled_scores(corpus, each, SEED, Particles()):
        plain.append(scores.plain.nats)
        nats.append(scores.nats)
    sums = np.log1p(np.concatenate(each.kept, axis=1))
    ratios = (
        np.concatenate(nats) - np.concatenate(plain) + np.log1p(np.concatenate(each.kept, axis=1).mean(0))
    )
    own = [np.concatenate([s.nats for s in all_scores(corpus, one, rescaling.base)]) for one in samples]
    return np.stack(own) + ratios - sums


def naive_seconds(rescaling: UnigramRescaling, corpus: Any, words: int) -> float:
    """CPU seconds to sum all words at every word of a corpus by the probability of each, from the first
    `words` words of its first document. Without the topics and ratios, which both ways need."""
    scores = next(iter(all_scores(corpus, rescaling.model, rescaling.base)))
    first = int(np.searchsorted(scores.documents, 0, side="right"))  # sentences of the first document
    events = scores.words[: min(words, int((scores.sentences < first).sum()))]
    ends = np.concatenate([[0], np.flatnonzero(scores.ends[: len(events)]) + 1])
    positions = np.arange(len(events)) - ends[scores.sentences[: len(events)]]
    key = numbered_keys(SEED, purposes.NGRAM_RESCALING, 0, np.zeros(1, np.int64))[0]
    path = rescaling.topic_path(events, key, Particles())
    excess = rescaling.ratios.excess(path.shares, rescaling.model.contexts.n_words)
    places = text_before(events, positions, rescaling.model.end)
    start = time.process_time()
    rescaling.sums_over_all_words(*places, excess, path.steps)
    every = sum(len(each.words) for each in all_scores(corpus, rescaling.model, rescaling.base))
    return (time.process_time() - start) * every / len(events)
