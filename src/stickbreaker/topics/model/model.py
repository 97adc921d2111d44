"""The topic model, composed of three exchangeable parts (slots): a prior of documents, a vocabulary and a
solver.

The code that learns eta is imported on use, so that models load without scipy.special.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import (
    Counts,
    Index,
    Local,
    Model,
    Move,
    Proposals,
    Score,
    Step,
    Summary,
    TableSpec,
    View,
)
from stickbreaker.core.edits import Edit
from stickbreaker.core.records import Array, Field, Record, Stats
from stickbreaker.corpus.shards import Bags, Shard
from stickbreaker.topics.model.slots import LocalSolver, TopicPrior, TopicView, TopicVocabulary
from stickbreaker.topics.model.solvers.mean_field import prior_score
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary

if TYPE_CHECKING:
    from stickbreaker.topics.formula_coding import Coding


@dataclass(frozen=True, slots=True)
class TopicModel(Model):
    """A topic model: documents are mixtures of topics, and topics are distributions over words (Zhai 2014,
    section 2.3).

    It combines a prior of documents, a vocabulary and a local solver, each of which can be exchanged.
    `moves`: objects that change the set of topics during a run, such as by splits and merges; `births`:
    whether topics of a stream open and close.
    """

    documents: TopicPrior
    words: TopicVocabulary
    solver: LocalSolver
    moves: tuple[Move, ...] = ()
    births: bool = False  # whether topics of a stream open and close (`topics/runs/stream_births.py`)

    def n_columns(self, params: Record) -> int:
        return self.documents.count(params)

    @property
    def covariates(self) -> "Coding | None":
        return self.documents.covariates

    @property
    def table(self) -> TableSpec:  # type: ignore[override]
        return self.words.table

    def start(self) -> dict[str, Field]:
        params = {**self.documents.start(), **self.words.start()}
        for move in self.moves:
            params |= move.start(self.documents.count(params))
        return params

    def seed(self, keys: Sequence[str], tokens: float, seed: int) -> Array:
        return self.words.seed(keys, self.documents.n_topics, tokens, seed)

    def prepare(self, params: Record, counts: Counts) -> Record:
        return self.words.prepare(params, counts)

    def reads(self, shard: Shard[Bags], index: Index) -> NDArray[np.int64]:
        return self.words.reads(shard.rows) if shard.keys is None else index(shard.keys)

    def expectations(
        self, params: Record, counts: Counts, totals: Array, rows: NDArray[np.int64] | None
    ) -> View:
        return self.solver.expectations(self.documents, self.words, params, counts, totals, rows)

    def local_step(
        self, view: View, shard: Shard[Bags], local: Local | None, seed: int
    ) -> tuple[Local, Stats]:
        return self.solver.infer(view, shard, local, seed)

    def evaluate_proposals(
        self, view: TopicView, shard: Shard[Bags], local: Local, seed: int, proposals: Proposals
    ) -> tuple[Local, Mapping[str, Stats]]:
        from stickbreaker.topics.model.moves.trials import evaluate_proposals

        return evaluate_proposals(view, shard, local, proposals)

    def refuse_proposal(self, change: Record) -> None:
        from stickbreaker.topics.model.moves.trials import refuse_proposal

        refuse_proposal(change)

    def summary(self, params: Record, counts: Counts, first: int) -> Summary:
        return self.words.summary(params, counts, first)

    def needs_summary(self, step: Step) -> bool:
        return self.words.learned

    def global_step(
        self, params: Record, stats: Stats, totals: Array, summary: Summary | None, step: Step
    ) -> dict[str, Field]:
        updated = self.documents.update(params, stats.usage, stats.documents, step)
        if self.words.learned and summary is not None:
            n_topics = self.documents.count(params)
            updated |= self.words.update(params, totals, summary, n_topics, step.rate)
        return {**params, **updated}

    def admit(self, params: Record, new_rows: Mapping[str, Array], step: Step) -> tuple[Edit, Record]:
        return self.words.admit(params, new_rows, step)

    def reorder(self, params: Record, counts: Counts, step: Step) -> Edit:
        return self.words.reorder(params, counts, step)

    def score(self, params: Record, stats: Stats, totals: Array, summary: Summary) -> Score:
        """The lower bound on log p of the documents (Zhai 2014, eq. 2.4), in nats, from their local steps and
        the lambda that these used.

        It is exact for mean-field documents; for sampled ones it is an estimate, on average below the bound.
        With an open vocabulary, if documents have words that a topic lacks, it is an estimate that may exceed
        log p(w).
        """
        exact = not self.solver.draws and self.words.bounds(params, summary, stats.new_rows)
        kind = "bound" if exact else "estimate"
        nats = stats.score + self.documents.score(params) + self.words.score(params, totals, summary)
        return Score(nats, stats.tokens, kind)

    def memoized_score(self, params: Record, stats: Stats, totals: Array, summary: Summary) -> Score:
        """The bound of eq. 2.4, in nats, if lambda is eta plus the expected counts of all documents, as after
        a pass of the memoised schedule; `stats` are the sums over all documents.

        Then E[log p(w | z)] and the topics' terms add up to log B(lambda) - log B(eta). If `stats` lacks the
        sums for this ("own"), it is `score`.
        """
        if "own" not in stats.usage:
            return self.score(params, stats, totals, summary)
        documents = self.documents
        assert isinstance(self.words, ClosedVocabulary)
        nats = float(stats.usage["own"].values) + documents.score(params)
        nats += prior_score(documents.prior(params), documents.rest(params), stats.usage, stats.documents)
        nats += float(self.words.evidence(params, totals, summary).sum())
        return Score(nats, stats.tokens)

    def restored(self, params: Record) -> "TopicModel":
        """The same model, with what its prior of documents saves among the params. Raises ValueError if that
        is invalid.
        """
        return replace(self, documents=self.documents.restored(params))

    def in_use(self, totals: Array) -> NDArray[np.int64]:
        return self.documents.in_use(totals)

    def is_settled(self, params: Record, totals: Array) -> bool:
        """Whether a run may end when its score stops changing: False while moves have something to try, or
        a learned prior still changes.
        """
        settled = self.words.is_settled(params) and self.documents.is_settled(params)
        return Model.is_settled(self, params, totals) and settled

    def figures(self, params: Record, totals: Array) -> dict[str, int]:
        return self.documents.figures(totals.sum(axis=0))


def topic_model(model: Model) -> TopicModel:
    """The same model, typed as TopicModel, for code that runs and engines call with a `Model`. Raises
    TypeError if it is not a topic model.
    """
    if not isinstance(model, TopicModel):
        raise TypeError(f"{type(model).__name__} is not a topic model")
    return model
