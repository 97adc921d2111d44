"""Prequential scores: how well the next minibatch of a stream is predicted before it is learned from.

Every document of a stream is held out until it is learned from (Dawid 1984), so a stream needs no test set:
half of each document's tokens tell its topics, the other half is predicted. Beside it stands a unigram whose
counts fade: the model with a single topic, learned from the same minibatches at the same rates. Its counts
are sums over the topics of the table, which fades as a whole, so that they are kept nowhere else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from stickbreaker.core import purposes
from stickbreaker.core.random_streams import derived_seed, stream
from stickbreaker.core.records import Record
from stickbreaker.corpus.shards import Bags
from stickbreaker.corpus.source import Shards, Source
from stickbreaker.engines import Engine, LocalEngine
from stickbreaker.evaluation.completion import completion_score, split_halves, unigram_score
from stickbreaker.evaluation.held_out import infer_shares
from stickbreaker.models.topics import TopicModel

MOST = 100  # documents of a minibatch that are scored


class Prequential(NamedTuple):
    """Nats a word of the topics (`score`) and of the fading `unigram`, both of the same `tokens`.

    `unseen` tokens are of words that the model does not know: where the vocabulary is open they are among the
    tokens, spelled; where it is closed they are left out. In the trace a step has this as "prequential".
    """

    score: float
    unigram: float
    tokens: float
    unseen: float
    documents: int


def prequential_score(
    engine: Engine, model: TopicModel, params: Record, shards: Shards, seed: int, step: int
) -> Prequential | None:
    """The score of a minibatch by the table as it is; None where no word is left to predict.

    Of more than `MOST` documents so many, drawn by the run's seed and the step's number, are scored.
    """
    numbers = shards.numbers()
    places = np.arange(len(numbers))
    if len(places) > MOST:
        places = np.sort(stream(seed, purposes.PREQUENTIAL, step).choice(places, MOST, replace=False))
    seed = derived_seed(seed, purposes.PREQUENTIAL, step)
    work = DocumentScore(shards.source, model, params, numbers[places], seed)
    return engine.map_items(work, [places])[0]


@dataclass(frozen=True)
class DocumentScore:
    """The score of some documents, wherever an engine reads them; `places` are theirs in the minibatch."""

    source: Source
    model: TopicModel
    params: Record
    numbers: NDArray[np.int64]
    seed: int

    def __call__(self, engine: LocalEngine, places: NDArray[np.int64]) -> Prequential | None:
        bags, words = self.source.read(self.numbers), self.source.words
        n_words = self.source.n_words
        if words is not None:
            bags, words = _by_spelling(bags, words)
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
        beside = unigram_score(near, slot.unigram(self.params, table, words)(rows))
        unseen = float(rest.unseen.sum(dtype=np.float64))
        if words is not None:
            unknown = table.positions([words[row] for row in rows.tolist()]) < 0
            unseen = float(near.counts[unknown[near.words]].sum(dtype=np.float64))
        return Prequential(scored.nats_per_word, beside.nats_per_word, scored.tokens, unseen, len(places))


def _by_spelling(bags: Bags, words: Sequence[str]) -> tuple[Bags, list[str]]:
    """The same documents over their own words, ascending by spelling, so that how they are cut in two depends
    on nothing else."""
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
