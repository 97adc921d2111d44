"""Document completion of held-out documents while a model is learning."""

from collections.abc import Iterator

import numpy as np

from stickbreaker.core.records import Array, Record
from stickbreaker.corpus.shards import Bags
from stickbreaker.engines.contract import Engine
from stickbreaker.evaluation.completion import completion_score, split_halves
from stickbreaker.learning.source import Source
from stickbreaker.models.topics import OpenWords, TopicModel


class HeldOut:
    """Scores a source's held-out documents, in nats a token: half of each is observed, the rest predicted.

    Reads them block by block, so that their number is not bounded by memory. `tokens`: words to predict.
    """

    def __init__(self, source: Source, seed: int) -> None:
        self.source = source
        self.seed = seed
        self.tokens = sum(float(rest.counts.sum(dtype=np.float64)) for _, rest in self._halves())

    def __call__(self, engine: Engine, model: TopicModel, small: Record) -> float:
        topic_word = self._topic_word(engine, model, small)
        nats = 0.0
        for observed, rest in self._halves():
            shards = self.source.shards(np.arange(len(observed.unseen)), observed)
            gamma = np.concatenate(
                [local["gamma"].values for local in engine.infer(small, shards, self.seed)]
            )
            nats += completion_score(rest, gamma / gamma.sum(axis=1, keepdims=True), topic_word).nats
        return nats / self.tokens

    def _topic_word(self, engine: Engine, model: TopicModel, small: Record) -> Array:
        """E[beta] (topics × the corpus's words)."""
        words, whole = model.words, engine.whole()
        found = words.topic_words(small, whole)
        if isinstance(words, OpenWords):
            assert self.source.words is not None
            rows = engine.positions(self.source.words)
            spelled = np.exp(words.log_spelling(small, self.source.words))[:, None] * words.rests(
                small, whole
            )
            found = np.where((rows >= 0)[:, None], found[rows], 0.0) + spelled
        return np.ascontiguousarray(found.T)

    def _halves(self) -> Iterator[tuple[Bags, Bags]]:
        """Observed and predicted halves of each block that has held-out words."""
        for number in range(self.source.n_blocks):
            observed, rest = split_halves(self.source.block(number, held_out=True)[1])
            if rest.counts.sum() > 0:
                yield observed, rest
