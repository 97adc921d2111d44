"""A small model that grows, splits and forgets, to test what engines must support besides LDA.

A mixture of unigrams over an open vocabulary: rows are spellings, columns components. The vocabulary grows
when a step has enough tokens of new words, faded rows are dropped, a component is split if that explains its
documents better.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from stickbreaker.contracts.contract import (
    Accepted,
    Counts,
    Decision,
    Local,
    Model,
    Move,
    Proposal,
    Proposals,
    Score,
    Step,
    Summary,
    TableSpec,
)
from stickbreaker.contracts.table_view import ReportRows, RowBlock, RowQuery, TableView
from stickbreaker.core.edits import Drop, Edit, Grow, Split
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array, Field, Record, Rows, Stats, no_rows
from stickbreaker.corpus.shards import Bags, Shard
from stickbreaker.topics import purposes


class Components(NamedTuple):
    """What a local step reads of the model: log weights of components, and log probabilities of words.

    `log_words` is for the table's rows with numbers `rows`; `log_unknown` (components) for any other word.
    """

    log_weights: Array
    log_words: Array  # rows × components
    log_unknown: Array
    rows: NDArray[np.int64]


@dataclass(frozen=True)
class GrowingMixture(Model):
    """A mixture of unigrams, for tests, whose vocabulary grows and whose components are split.

    It begins with `start_components` components. A word gets a row if it has `least` tokens in a step, and is
    dropped when its count is below `faded`.
    """

    start_components: int = 1
    eta: float = 0.5
    least: float = 2.0
    faded: float = 2.0
    table = TableSpec(columns="components", keyed=True)

    @property
    def moves(self) -> tuple[Move, ...]:  # type: ignore[override]
        return (SplitLargest(self.eta), SplitSmallest(self.eta), DropFaded(self.faded))

    def n_columns(self, params: Record) -> int:
        return len(params["use"].values)

    def start(self) -> Record:
        return {"use": Field(np.full(self.start_components, 1.0), ("components",))}

    def seed(self, keys: Sequence[str], tokens: float, seed: int) -> Array:
        return np.zeros((len(keys), self.start_components))

    def expectations(
        self, params: Record, counts: Counts, totals: Array, rows: NDArray[np.int64] | None
    ) -> Components:
        assert isinstance(counts, np.ndarray)
        use = params["use"].values
        size = totals[0] + self.eta * 1000.0
        places = np.arange(len(counts)) if rows is None else rows
        words = np.log((counts + self.eta) / size)
        return Components(np.log((use + 1.0) / (use + 1.0).sum()), words, np.log(self.eta / size), places)

    def local_step(
        self, view: Components, shard: Shard[Bags], local: Local | None, seed: int
    ) -> tuple[Local, Stats]:
        n = len(view.log_weights)
        words = np.where(shard.rows[:, None] >= 0, _picked(view, shard.rows), view.log_unknown)
        logs = np.stack([view.log_weights + t.counts @ words[t.codes] for t in _texts(shard)])
        evidence = np.asarray(logsumexp(logs, axis=1))
        shares = np.exp(logs - evidence[:, None])
        stats = replace(_collect(shard, shares, n), score=float(evidence.sum()))
        return {"shares": Field(shares, ("documents", "components"))}, stats

    def evaluate_proposals(
        self, view: Components, shard: Shard[Bags], local: Local, seed: int, proposals: Proposals
    ) -> tuple[Local, Mapping[str, Stats]]:
        shares = local["shares"].values
        trials = [plan for plan in proposals if "component" in plan.change]
        return {}, {plan.name: _try_split(shard, shares[:, _component(plan)], plan, seed) for plan in trials}

    def summary(self, params: Record, counts: Counts, first: int) -> Summary:
        assert isinstance(counts, np.ndarray)
        return {"squares": (counts**2).sum(axis=0)}

    def admit(self, params: Record, new_rows: Mapping[str, Array], step: Step) -> tuple[Edit, Record]:
        keys = tuple(sorted(key for key, row in new_rows.items() if row.sum() >= self.least))
        return ((Grow(self.table.rows, len(keys), keys),) if keys else ()), {}

    def global_step(
        self, params: Record, stats: Stats, totals: Array, summary: Summary | None, step: Step
    ) -> Record:
        use = params["use"]
        fresh = stats.usage["use"].values * step.scale
        return {**params, "use": use._replace(values=(1.0 - step.rate) * use.values + step.rate * fresh)}

    def score(self, params: Record, stats: Stats, totals: Array, summary: Summary) -> Score:
        return Score(stats.score, stats.tokens, "estimate")


@dataclass(frozen=True)
class ClosedMixture(GrowingMixture):
    """A mixture of unigrams, for tests, with a closed vocabulary, whose components are split."""

    table = TableSpec(columns="components")

    @property
    def moves(self) -> tuple[Move, ...]:  # type: ignore[override]
        return (SplitLargest(self.eta), SplitSmallest(self.eta))


@dataclass(frozen=True)
class SplitLargest(Move):
    """A move that splits the component with most documents, if that raises the marginal likelihood.

    A trial has three rounds. In the first, the component's documents are divided between two halves at
    random, then twice by the halves' words. A proposal's `change` marks the component ("component": 1, others
    0) and, after the first round, has the halves' counts by word ("halves") and numbers of tokens ("tokens").
    """

    eta: float
    name = "split-largest"

    def choose(self, use: Array) -> int:
        return int(use.argmax())

    def propose(
        self, params: Record, latest: Stats | None, table: TableView, step: Step, seed: int
    ) -> list[Proposal]:
        use = params["use"].values
        if step.number < 2:
            return []
        mark = (np.arange(len(use)) == self.choose(use)).astype(np.float64)
        return [Proposal(self.name, {"component": Field(mark, ("components",), additive=False)})]

    def refine(
        self, params: Record, stats: Stats, proposals: Proposals, table: TableView, step: Step
    ) -> Decision:
        fitting = [plan for plan in proposals if plan.round < 2]
        halves = table.fields(
            {plan.name: RowQuery(trial_halves, {"trial": ReportRows(plan.name)}) for plan in fitting}
        )
        again: list[Proposal] = []
        for plan in fitting:
            counts = {
                "halves": Field(halves[plan.name]["halves"], ("words", "halves")),
                "tokens": stats.trial[plan.name].usage["tokens"],
            }
            again.append(replace(plan, change={**plan.change, **counts}, round=plan.round + 1))
        return Decision(retry=tuple(again))

    def decide(
        self, params: Record, stats: Stats, proposals: Proposals, table: TableView, step: Step
    ) -> Decision:
        terms = partial(halves_terms, eta=self.eta)
        sums = table.add({plan.name: RowQuery(terms, {"trial": ReportRows(plan.name)}) for plan in proposals})
        gains = {name: self._gain(stats.trial[name], each) for name, each in sums.items()}
        earned = {plan.name: _component(plan) for plan in proposals if gains[plan.name] > 0.0}
        share = {name: float(sums[name]["tokens"][1] / sums[name]["tokens"][2]) for name in earned}
        queries = {
            name: RowQuery(partial(second_share, share=share[name]), {"trial": ReportRows(name)})
            for name in earned
        }
        along = table.fields(queries)
        edits = {
            name: Split("components", component, share[name], along[name])
            for name, component in earned.items()
        }
        return Decision(tuple(Accepted(name, (edit,), gains[name]) for name, edit in edits.items()))

    def _gain(self, trial: Stats, sums: Mapping[str, Array]) -> float:
        """The gain of a split in nats: log marginal likelihood of both halves, minus that of the whole."""
        size = 1000.0 * self.eta
        first, second, whole = gammaln(size) - gammaln(size + sums["tokens"]) + sums["terms"]
        return float(first + second - trial.documents * np.log(2.0) - whole)


@dataclass(frozen=True)
class SplitSmallest(SplitLargest):
    """As `SplitLargest`, for the component with the fewest documents.

    That one soon has documents of one theme only, so that tests also see splits refused.
    """

    name = "split-smallest"

    def choose(self, use: Array) -> int:
        return int(use.argmin())


@dataclass(frozen=True)
class DropFaded(Move):
    """A move that drops the rows (words) whose counts have decayed below `least`."""

    least: float

    def propose(
        self, params: Record, latest: Stats | None, table: TableView, step: Step, seed: int
    ) -> list[Proposal]:
        return [Proposal("drop", {})]

    def decide(
        self, params: Record, stats: Stats, proposals: Proposals, table: TableView, step: Step
    ) -> Decision:
        tokens = table.fields({"rows": RowQuery(row_tokens)})["rows"]["tokens"]  # rows have keys: an ndarray
        gone = tuple(np.flatnonzero(tokens < self.least).tolist())
        return Decision((Accepted("drop", (Drop("words", gone),), 0.0),) if gone else ())


def _component(plan: Proposal) -> int:
    """The index of the component that a proposal marks."""
    return int(plan.change["component"].values.argmax())


class Text(NamedTuple):
    codes: NDArray[np.int32]
    counts: Array


def _texts(shard: Shard[Bags]) -> list[Text]:
    bags = shard.content
    bounds = zip(bags.offsets[:-1], bags.offsets[1:], strict=True)
    return [Text(bags.words[a:b], bags.counts[a:b].astype(np.float64)) for a, b in bounds]


def _picked(view: Components, rows: NDArray[np.int64]) -> Array:
    if not len(view.rows):
        return np.zeros((len(rows), len(view.log_weights)))
    places = np.clip(np.searchsorted(view.rows, rows), 0, len(view.rows) - 1)
    return view.log_words[places]


def _collect(shard: Shard[Bags], shares: Array, n: int) -> Stats:
    """The statistics of a shard by component: counts of known and of new words, and numbers of documents.

    shares (documents × n): the component shares of each document.
    """
    counts = np.zeros((len(shard.rows), n))
    for text, share in zip(_texts(shard), shares, strict=True):
        counts[text.codes] += text.counts[:, None] * share
    known = np.flatnonzero(shard.rows >= 0)
    order = known[np.argsort(shard.rows[known])]
    keys = shard.keys or ()
    return Stats(
        rows=Rows(shard.rows[order], counts[order]) if len(order) else no_rows(n),
        new_rows={keys[int(i)]: counts[i] for i in np.flatnonzero(shard.rows < 0)},
        usage={"use": Field(shares.sum(axis=0), ("components",))},
        documents=float(shard.n_documents),
        tokens=float(shard.content.counts.sum()),
    )


def _try_split(shard: Shard[Bags], share: Array, plan: Proposal, seed: int) -> Stats:
    """The statistics of a trial split, for one shard: a component's documents, divided between two halves.

    share (documents): how much of each document belongs to the component. In the first round documents are
    divided at random, later by the halves' words in the round before. New words are left out.
    """
    texts = _texts(shard)
    first = np.empty(len(texts))
    for d, text in enumerate(texts):
        if "halves" not in plan.change:
            first[d] = stream(seed, purposes.HALVES, 0, int(shard.documents[d])).random()
        else:
            halves, tokens = plan.change["halves"].values, plan.change["tokens"].values
            rows = np.where(shard.rows[text.codes, None] >= 0, halves[shard.rows[text.codes]], 0.0) + 0.5
            logs = text.counts @ np.log(rows / (tokens + 500.0))
            first[d] = 1.0 / (1.0 + np.exp(np.clip(logs[1] - logs[0], -50, 50)))
    stats = _collect(shard, np.stack([first * share, (1.0 - first) * share], axis=1), 2)
    usage = {"tokens": Field(stats.rows.rows().values.sum(axis=0), ("halves",))}
    return replace(stats, new_rows={}, usage=usage, documents=float(share.sum()))


def trial_halves(part: RowBlock) -> Mapping[str, Array]:
    """For a block of table rows: their counts in the two halves of a trial (rows × 2), as "halves"."""
    return {"halves": part.held["trial"]}


def halves_terms(part: RowBlock, eta: float) -> Mapping[str, Array]:
    """For a block of table rows: sums over them, for a trial's first half, its second half, and both.

    "tokens": counts; "terms": log Γ(eta + count) - log Γ(eta), for the log marginal likelihood. eta: the
    Dirichlet prior of words.
    """
    columns = np.column_stack([part.held["trial"], part.held["trial"].sum(axis=1)])
    return {"tokens": columns.sum(axis=0), "terms": (gammaln(eta + columns) - gammaln(eta)).sum(axis=0)}


def second_share(part: RowBlock, share: float) -> Mapping[str, Array]:
    """For a block of table rows: the second half's share of each row's counts in a trial, as "words".

    Rows without counts get `share`.
    """
    tokens = part.held["trial"].sum(axis=1)
    second = part.held["trial"][:, 1] / np.maximum(tokens, 1e-12)
    return {"words": np.where(tokens > 0.0, second, share)}


def row_tokens(part: RowBlock) -> Mapping[str, Array]:
    """For a block of table rows: the total count of each row, as "tokens"."""
    return {"tokens": part.counts.sum(axis=1)}
