"""Document completion of held-out documents while a model is learning."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array, Record
from stickbreaker.corpus.shards import Bags
from stickbreaker.corpus.source import Source, cut_shards
from stickbreaker.engines import Engine, LocalEngine
from stickbreaker.topics.evaluation.completion import completion_of_rest, split_halves
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.model.slots import WordTopics


class HeldOut:
    """Scores a model while it learns, by document completion of its source's held-out documents. Called with
    an engine, the model and its params, it returns the mean log probability (nats) of a predicted token.
    It must not be called if `is_empty`.

    The engine reads documents block by block, so that their number is not bounded by memory.
    """

    def __init__(self, source: Source, seed: int) -> None:
        self.source = source
        self.seed = seed

    @cached_property
    def is_empty(self) -> bool:
        """Whether no held-out document has a word to predict."""
        return not any(document_halves(self.source, block) for block in range(self.source.n_blocks))

    def __call__(self, engine: Engine, model: TopicModel, params: Record) -> float:
        score = BlockScore(self.source, model, params, self.seed)
        scored = engine.map_items(score, self.source.parts())
        nats, tokens = np.sum(scored, axis=0).tolist()
        return nats / tokens


@dataclass
class BlockScore:
    """A task that an engine runs on some blocks: it predicts halves of their held-out documents, and returns
    the sum of log probabilities (nats) and the number of tokens predicted.
    """

    source: Source
    model: TopicModel
    params: Record
    seed: int
    topic_words: WordTopics | None = None  # set from the engine's table by the first block with words

    def __call__(self, engine: LocalEngine, blocks: range) -> tuple[float, float]:
        nats = tokens = 0.0
        for block in blocks:
            found = document_halves(self.source, block)
            if found is not None:
                rows = self.source.rows_of(self.source.numbers(block, held_out=True))
                more = self._scored(engine, *found, rows)
                nats, tokens = nats + more[0], tokens + more[1]
        return nats, tokens

    def _scored(
        self, engine: LocalEngine, observed: Bags, rest: Bags, covariates: Array | None
    ) -> tuple[float, float]:
        self.topic_words = self.topic_words or self._topic_words(engine)
        numbers, words = np.arange(len(observed.unseen)), (self.source.n_words, self.source.words)
        theta = infer_shares(engine, self.model, self.params, numbers, observed, words, self.seed, covariates)
        scored = completion_of_rest(rest, theta, self.topic_words)
        return scored.nats, scored.tokens

    def _topic_words(self, engine: LocalEngine) -> WordTopics:
        """A function that reads the engine's table: from ascending word numbers to the expected probabilities
        of these words, E[beta] (topics × words).
        """
        return self.model.words.predictions(self.params, engine.table, self.source.words)


def infer_shares(
    engine: LocalEngine,
    model: TopicModel,
    params: Record,
    numbers: NDArray[np.int64],
    bags: Bags,
    words: tuple[int, Sequence[str] | None],
    seed: int,
    covariates: Array | None = None,
) -> NDArray[np.floating]:
    """Topic shares of documents (documents × topics), inferred with an engine's current table.

    `params`: the model's global parameters; `numbers`: the documents' keys for random draws; `words`: the
    size of the vocabulary that `bags` refer to, and its words, ascending, if the table's rows have keys (else
    None); `covariates` (documents × columns): of their priors, None for the mean prior. Topics not in use
    have shares too.
    """
    shards = cut_shards(numbers, bags, *words, model.shard_size, covariates)
    gamma = np.concatenate([local["gamma"].values for local in engine.infer(params, shards, seed)])
    return gamma / gamma.sum(axis=1, keepdims=True)


def document_halves(source: Source, block: int) -> tuple[Bags, Bags] | None:
    """The halves of a block's held-out documents: the tokens that are observed, and those to be predicted.
    None if there is no word to predict.
    """
    observed, rest = split_halves(source.block(block, held_out=True)[1])
    return (observed, rest) if rest.counts.sum() > 0 else None
