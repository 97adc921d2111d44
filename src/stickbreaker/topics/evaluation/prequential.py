"""Prequential scores: how well the next minibatch of a stream is predicted before it is learned from.

Every document of a stream is held out until it is learned from (Dawid 1984), so a stream needs no test set:
topics are inferred from half of each document's tokens, and the other half is predicted. The baseline is a
unigram model of the same stream in which older counts lose weight ("fading"). Five rates of fading are tried,
and the one with the best predictions so far is reported.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from stickbreaker.core.random_streams import derived_seed, stream
from stickbreaker.core.records import Array, Record
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.corpus.shards import Bags
from stickbreaker.corpus.source import Shards, Source
from stickbreaker.corpus.vocabulary import language_of
from stickbreaker.engines import Engine, LocalEngine
from stickbreaker.learning.fading_counts import FADING, FadingCounts
from stickbreaker.topics import purposes
from stickbreaker.topics.evaluation.completion import completion_score, split_halves
from stickbreaker.topics.evaluation.held_out import infer_shares
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.model.slots import TopicVocabulary
from stickbreaker.topics.model.vocabularies.open import LEAST_SPELLING

MOST = 100  # scored documents per minibatch


class Prequential(NamedTuple):
    """How well a minibatch was predicted before it was learned from: mean log probability (nats) per word
    under the topics (`score`) and under the baseline (`unigram`), on the same `tokens`.

    The baseline is a unigram model of the stream whose older counts fade; of five rates, `fading` is the one
    that predicted earlier minibatches best. `unseen`: tokens of unknown words, which are spelled and included
    in `tokens` if the vocabulary is open, and left out if it is closed. `documents`: how many were scored. In
    the trace, a step has this as "prequential".
    """

    score: float
    unigram: float
    tokens: float
    unseen: float
    documents: int
    fading: float


def prequential_score(
    engine: Engine,
    model: TopicModel,
    params: Record,
    shards: Shards,
    seed: int,
    step: int,
    fading: FadingCounts,
) -> Prequential | None:
    """Predict half of each document of a minibatch with the current topics, before they learn from it; None
    if there is no word to predict.

    If a minibatch has more than `MOST` documents, `MOST` are scored, drawn by the run's seed and the step's
    number. `fading`: word counts of earlier minibatches, one set per rate of fading, for the baseline. It is
    changed in place: the log probability of the predicted words is added to its `nats`, by which later calls
    choose the best rate; the words are not (see `count_words`).
    """
    numbers = shards.numbers()
    places = np.arange(len(numbers))
    if len(places) > MOST:
        places = np.sort(stream(seed, purposes.PREQUENTIAL, step).choice(places, MOST, replace=False))
    seed = derived_seed(seed, purposes.PREQUENTIAL, step)
    work = DocumentScore(shards.source, model, params, numbers[places], seed)
    found = engine.map_items(work, [places])[0]
    if found is None:
        return None
    corpus, words = shards.source.corpus, found.words
    assert isinstance(corpus, Corpus)
    if words is None:
        words = [corpus.vocabulary.words[row] for row in found.rows.tolist()]
    base = unigram_base(model.words, params, corpus.vocabulary, words)
    nats, best = unigram_nats(fading, words, found.counts, base), fading.best()
    fading.nats += nats
    unigram = float(nats[best] / found.tokens)
    return Prequential(found.score, unigram, found.tokens, found.unseen, len(places), FADING[best])


class UnigramBase(NamedTuple):
    """Pseudo-counts that smooth a unigram model of some words, so that unseen words get a probability. There
    is one unigram model per language.

    counts (words): the pseudo-count of each of these words; totals (words): the sum of pseudo-counts over all
    words of the vocabulary in that word's language; languages: empty if there is only one.
    """

    languages: tuple[str, ...]
    counts: Array  # of the given words
    totals: Array  # of all words in the language of each


def unigram_base(
    slot: TopicVocabulary, params: Record, vocabulary: Vocabulary, words: Sequence[str]
) -> UnigramBase:
    """Pseudo-counts for a unigram model of these words: 1/2 for each word of a closed vocabulary; in an open
    one, the topics' concentration times G0, the probability of the word's spelling.

    slot: the part of the model that concerns words; params: the model's global parameters.
    """
    if slot.grows:
        concentration = slot.hyperparameter(params)[1]
        logs = np.maximum(slot.log_spelling(params, words), LEAST_SPELLING)
        return UnigramBase((), concentration * np.exp(logs), np.full(len(words), concentration))
    halves = np.full(len(words), 0.5)
    if not vocabulary.languages:
        return UnigramBase((), halves, np.full(len(words), 0.5 * len(vocabulary)))
    sizes = {code: 0.5 * (part.stop - part.start) for code, part in vocabulary.ranges.items()}
    return UnigramBase(vocabulary.languages, halves, np.array([sizes[language_of(word)] for word in words]))


def unigram_nats(fading: FadingCounts, words: Sequence[str], tokens: Array, base: UnigramBase) -> Array:
    """(rates,) Log probability in nats of a minibatch's words under the baseline, for each rate of fading.

    words: distinct, each occurring `tokens` times. A word's probability is its share of the faded counts plus
    the pseudo-counts `base`, within its language.
    """
    totals = fading.totals(base.languages)
    own = totals[[base.languages.index(language_of(word)) for word in words]] if base.languages else totals
    shares = (fading.of(words) + base.counts[:, None]) / (own + base.totals[:, None])
    return np.asarray(tokens @ np.log(shares))


class Predicted(NamedTuple):
    """The result of predicting halves of documents: the mean log probability (nats) per word under the
    topics, and which words were predicted.

    tokens: how many were predicted; unseen: tokens of unknown words; words: the distinct words predicted, if
    the vocabulary is open (otherwise None); rows: these words by row of the vocabulary, if it is closed;
    counts: the tokens of each.
    """

    score: float
    tokens: float
    unseen: float
    rows: NDArray[np.int64]
    words: list[str] | None
    counts: Array


@dataclass(frozen=True)
class DocumentScore:
    """A task that an engine runs: predict half of each of some documents from the other half. Its result is
    a `Predicted`, or None if there is no word to predict.

    numbers: those of the documents in the source. The task is called with an engine and the documents' places
    in the minibatch, which are the keys of their random draws.
    """

    source: Source
    model: TopicModel
    params: Record
    numbers: NDArray[np.int64]
    seed: int

    def __call__(self, engine: LocalEngine, places: NDArray[np.int64]) -> Predicted | None:
        bags, words = self.source.read(self.numbers), self.source.words
        n_words = self.source.n_words
        if words is not None:
            bags, words = by_spelling(bags, words)
            n_words = len(words)
        observed, rest = split_halves(bags, words=words)
        if rest.counts.sum() == 0:
            return None
        theta = infer_shares(engine, self.model, self.params, places, observed, (n_words, words), self.seed)
        rows, renumbered = np.unique(rest.words, return_inverse=True)
        near = rest._replace(words=renumbered.astype(np.int32))
        slot, table = self.model.words, engine.table
        topic_word = np.ascontiguousarray(slot.predictions(self.params, table, words)(rows))
        scored = completion_score(near, theta, topic_word)
        counts = np.asarray(np.bincount(near.words, near.counts, len(rows)), np.float64)
        unseen = float(rest.unseen.sum(dtype=np.float64))
        if words is not None:
            words = [words[row] for row in rows.tolist()]
            unseen = float(counts[table.positions(words) < 0].sum())
        return Predicted(scored.nats_per_word, scored.tokens, unseen, rows.astype(np.int64), words, counts)


def count_words(fading: FadingCounts, shards: Shards) -> None:
    """Add a minibatch's words to the counts of the unigram baseline, in place. To be called after the
    minibatch has been predicted, and not before.
    """
    source, corpus = shards.source, shards.source.corpus
    assert isinstance(corpus, Corpus)
    bags = source.read(shards.numbers())
    rows, places = np.unique(bags.words, return_inverse=True)
    spelled = corpus.vocabulary.words
    tokens = np.asarray(np.bincount(places, bags.counts, len(rows)), np.float64)
    fading.add([spelled[row] for row in rows.tolist()], tokens)


def by_spelling(bags: Bags, words: Sequence[str]) -> tuple[Bags, list[str]]:
    """The same documents with their words renumbered by spelling, and the list of these words, sorted.

    This makes the numbers, and so the split into halves, depend only on the documents, not on the vocabulary.
    """
    rows = np.unique(bags.words)
    spelled = [words[int(row)] for row in rows]
    order = np.array(sorted(range(len(rows)), key=spelled.__getitem__), np.int64)
    place = np.empty(len(rows), np.int32)
    place[order] = np.arange(len(rows))
    columns = place[np.searchsorted(rows, bags.words)]
    matrix = csr_array(
        (bags.counts, columns, bags.offsets), shape=(len(bags.unseen), max(1, len(rows))), copy=True
    )
    matrix.sort_indices()
    content = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data.astype(np.float32)
    return Bags(*content, bags.unseen), [spelled[i] for i in order.tolist()]
