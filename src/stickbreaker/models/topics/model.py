"""The topic model: three slots filled.

What learns eta is imported on use: a model is loaded without scipy.special.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.edits import Edit
from stickbreaker.core.records import Array, Field, Record, Stats
from stickbreaker.corpus.shards import Bags, Shard
from stickbreaker.models.contract import (
    Counts,
    Local,
    Model,
    Move,
    Plan,
    Score,
    Step,
    Summary,
    TableSpec,
    View,
)
from stickbreaker.models.topics.mean_field import prior_score
from stickbreaker.models.topics.slots import LocalSolver, TopicPrior, TopicView, TopicVocabulary
from stickbreaker.models.topics.words import ClosedVocabulary


@dataclass(frozen=True, slots=True)
class TopicModel(Model):
    """Documents are mixtures of topics, topics are distributions over words (Zhai 2014, section 2.3)."""

    documents: TopicPrior
    words: TopicVocabulary[Any]
    solver: LocalSolver
    moves: tuple[Move, ...] = ()

    def n_columns(self, small: Record) -> int:
        return self.documents.count(small)

    @property
    def table(self) -> TableSpec:  # type: ignore[override]
        return self.words.table

    def start(self) -> dict[str, Field]:
        small = {**self.documents.start(), **self.words.start()}
        for move in self.moves:
            small |= move.start(self.documents.count(small))
        return small

    def seed(self, keys: Sequence[str], tokens: float, seed: int) -> Array:
        return self.words.seed(keys, self.documents.n_topics, tokens, seed)

    def prepare(self, small: Record, counts: Counts) -> Record:
        return self.words.prepare(small, counts)

    def view(self, small: Record, counts: Counts, totals: Array, rows: NDArray[np.int64] | None) -> View:
        return self.solver.view(self.documents, self.words, small, counts, totals, rows)

    def local_step(
        self, view: View, shard: Shard[Bags], local: Local | None, seed: int
    ) -> tuple[Local, Stats]:
        return self.solver.infer(view, shard, local, seed)

    def try_out(
        self, view: TopicView, shard: Shard[Bags], local: Local, seed: int, plans: Sequence[Plan]
    ) -> tuple[Local, Mapping[str, Stats]]:
        from stickbreaker.models.topics.trials import try_out

        return try_out(view, shard, local, plans)

    def refuse_plan(self, change: Record) -> None:
        from stickbreaker.models.topics.trials import refuse_plan

        refuse_plan(change)

    def summary(self, small: Record, counts: Counts, first: int) -> Summary:
        return self.words.summary(small, counts, first)

    def needs_summary(self) -> bool:
        return self.words.learned

    def global_step(
        self, small: Record, stats: Stats, totals: Array, summary: Summary | None, step: Step
    ) -> dict[str, Field]:
        updated = self.documents.update(small, stats.usage, stats.documents, step.rate, step.scale)
        if self.words.learned and summary is not None:
            n_topics = self.documents.count(small)
            updated |= self.words.update(small, totals, summary, n_topics, step.rate)
        return {**small, **updated}

    def admit(self, small: Record, found: Mapping[str, Array], step: Step) -> tuple[Edit, Record]:
        return self.words.admit(small, found, step)

    def reorder(self, small: Record, counts: Counts, step: Step) -> Edit:
        return self.words.reorder(small, counts, step)

    def score(self, small: Record, stats: Stats, totals: Array, summary: Summary) -> Score:
        """The bound of eq. 2.4 at what the local steps found and the lambda that they saw.

        Exact for mean-field documents; for sampled ones an estimate, on average below it.
        """
        kind = "estimate" if self.solver.draws else "bound"
        nats = stats.score + self.documents.score(small) + self.words.score(small, totals, summary)
        return Score(nats, stats.tokens, kind)

    def kept_score(self, small: Record, stats: Stats, totals: Array, summary: Summary) -> Score:
        """The bound of eq. 2.4 at the present lambda, which is eta plus the counts of all documents.

        There E[log p(w | z)] and the topics' terms come to log B(lambda) - log B(eta).
        """
        if "own" not in stats.usage:
            return self.score(small, stats, totals, summary)
        documents = self.documents
        assert isinstance(self.words, ClosedVocabulary)
        nats = float(stats.usage["own"].values) + documents.score(small)
        nats += prior_score(documents.prior(small), documents.rest(small), stats.usage, stats.documents)
        nats += float(self.words.evidence(small, totals, summary).sum())
        return Score(nats, stats.tokens)

    def in_use(self, totals: Array) -> NDArray[np.int64]:
        return self.documents.in_use(totals)

    def figures(self, small: Record, totals: Array) -> dict[str, int]:
        return self.documents.figures(totals.sum(axis=0))


def topic_model(model: Model) -> TopicModel:
    """The model of a run that an estimator of topics began: runs and engines know no more than `Model`."""
    if not isinstance(model, TopicModel):
        raise TypeError(f"{type(model).__name__} is no topic model")
    return model
