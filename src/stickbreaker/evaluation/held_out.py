"""Document completion of held-out documents while a model is learning."""

import numpy as np

from stickbreaker.core.records import Record
from stickbreaker.engines.contract import Engine
from stickbreaker.evaluation.completion import completion_score, split_halves
from stickbreaker.learning.source import Source
from stickbreaker.models.topics import TopicModel


class HeldOut:
    """Scores a source's held-out documents, in nats a token: half of each is observed, the rest predicted."""

    def __init__(self, source: Source, seed: int) -> None:
        self.source = source
        self.seed = seed
        self.observed, self.rest = split_halves(source.held_out())
        self.tokens = float(self.rest.counts.sum(dtype=np.float64))

    def __call__(self, engine: Engine, model: TopicModel, small: Record) -> float:
        numbers = np.arange(len(self.observed.offsets) - 1)
        shards = self.source.shards(numbers, self.observed)
        gamma = np.concatenate([local["gamma"].values for local in engine.infer(small, shards, self.seed)])
        theta = gamma / gamma.sum(axis=1, keepdims=True)
        topic_word = np.ascontiguousarray(model.words.topic_words(small, engine.rows().values).T)
        return completion_score(self.rest, theta, topic_word).nats_per_word
