"""Document completion of held-out documents while a model is learning."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array, Record
from stickbreaker.corpus.shards import Bags
from stickbreaker.corpus.source import Source, cut_shards
from stickbreaker.engines import Engine, LocalEngine
from stickbreaker.evaluation.completion import completion_score, split_halves
from stickbreaker.models.topics import OpenWords, TopicModel

TOGETHER = 1  # blocks that are scored as one piece of work


class HeldOut:
    """Scores a source's held-out documents, in nats a token: half of each is observed, the rest predicted.

    Read block by block, wherever the engine reads them, so that their number is not bounded by memory.
    """

    def __init__(self, source: Source, seed: int) -> None:
        self.source = source
        self.seed = seed

    @cached_property
    def is_empty(self) -> bool:
        """Whether no held-out document has a word to predict."""
        return not any(rest.counts.sum() > 0 for _, rest in halves(self.source, range(self.source.n_blocks)))

    def __call__(self, engine: Engine, model: TopicModel, small: Record) -> float:
        blocks = range(self.source.n_blocks)
        parts = [blocks[start : start + TOGETHER] for start in blocks[::TOGETHER]]
        scored = engine.each(BlockScore(self.source, model, small, self.seed), parts)
        nats, tokens = np.sum(scored, axis=0).tolist()
        return nats / tokens


@dataclass(frozen=True)
class BlockScore:
    """Nats and tokens of the held-out documents of some blocks."""

    source: Source
    model: TopicModel
    small: Record
    seed: int

    def __call__(self, engine: LocalEngine, blocks: range) -> tuple[float, float]:
        nats = tokens = 0.0
        topic_words = self._topic_words(engine)
        for observed, rest in halves(self.source, blocks):
            numbers = np.arange(len(observed.unseen))
            shards = cut_shards(numbers, observed, self.source.n_words, self.source.words)
            inferred = engine.infer(self.small, shards, self.seed)
            gamma = np.concatenate([local["gamma"].values for local in inferred])
            rows, places = np.unique(rest.words, return_inverse=True)
            topic_word = np.ascontiguousarray(topic_words(rows).T)
            rest = rest._replace(words=places.astype(np.int32))
            scored = completion_score(rest, gamma / gamma.sum(axis=1, keepdims=True), topic_word)
            nats, tokens = nats + scored.nats, tokens + scored.tokens
        return nats, tokens

    def _topic_words(self, engine: LocalEngine) -> Callable[[NDArray[np.integer[Any]]], Array]:
        """Gives E[beta] of some of the corpus's words, by ascending number (words × topics)."""
        words, small = self.model.words, self.small
        if not isinstance(words, OpenWords):
            totals, counts = engine.totals(), engine.table.counts
            return lambda rows: words.topic_words_of(small, counts(rows.astype(np.int64)), totals, rows)
        spelling, whole = self.source.words, engine.whole()
        assert spelling is not None
        found = np.vstack([words.topic_words(small, whole), np.zeros((1, len(whole.sizes)))])
        rests = words.rests(small, whole)

        def of(rows: NDArray[np.integer[Any]]) -> Array:
            spelled = [spelling[int(row)] for row in rows]
            outside = np.exp(words.log_spelling(small, spelled))[:, None] * rests
            return found[engine.positions(spelled)] + outside  # -1, of a word that has no row, is the last

        return of


def halves(source: Source, blocks: range) -> Iterator[tuple[Bags, Bags]]:
    """Observed and predicted halves of each block that has held-out words."""
    for number in blocks:
        observed, rest = split_halves(source.block(number, held_out=True)[1])
        if rest.counts.sum() > 0:
            yield observed, rest
