"""The interfaces of a model, a sampler and a move, which the code that runs them relies on."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.table_view import TableView
from stickbreaker.core.edits import Edit, Grow
from stickbreaker.core.records import AnyArray, Array, Record, Stats, TruncatedCounts
from stickbreaker.core.serialize import Arrays
from stickbreaker.corpus.shards import SHARD, Bags, Index, Shard

if TYPE_CHECKING:
    from stickbreaker.corpus.source import Covariates

Summary = Mapping[str, Array]  # sums over the rows of the table that are not linear in its counts
Counts = Array | TruncatedCounts  # a table, or some of its rows (rows × columns), or a whole truncated table
View = Any  # what a model computes from the rows that a shard reads; only that model looks inside
Local = Record  # what is stored for each document between passes; its first axis is "documents"


class Step(NamedTuple):
    """Where in a run a step is, and how it blends the sums of its documents into those learned before.

    number: of the step, from 0; rate: rho, the weight of the new sums; scale: D / |S|, all documents divided
    by the step's documents; seen: documents read before the step; growth: if D is the number of documents
    seen so far, D divided by its value at the step before, otherwise 1. A sum becomes (1 - rate) · growth ·
    old + rate · scale · new.
    """

    number: int
    rate: float
    scale: float
    seen: float
    growth: float = 1.0


class Score(NamedTuple):
    """A score in nats, and the number of tokens that it covers.

    `kind` is "bound" (the lower bound on log p(w), computed exactly), "estimate" (of that bound) or "joint"
    (log p(w, z) of a sample).
    """

    nats: float
    tokens: float
    kind: str = "bound"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change of a model's shape that is being tried, such as a split of a topic.

    Local steps report statistics for it as `Stats.trial[name]`. `change` is a record that only its model
    understands; edits apply to it as to every record. `round`: how often it was refined and tried again.
    """

    name: str
    change: Record
    round: int = 0


Proposals = Sequence[Proposal]


class Accepted(NamedTuple):
    """An edit to make because the proposal named `plan` was accepted.

    `gain`: by how much it raises the bound, in nats; None if it was not judged by a bound.
    """

    plan: str
    edit: Edit
    gain: float | None


class Decision(NamedTuple):
    """What a move decides after its proposals were tried.

    accepted: edits to make; retry: proposals to try again on the same shards; params: new values of fields of
    the params; dropped: names of proposals to give up.
    """

    accepted: tuple[Accepted, ...] = ()
    retry: tuple[Proposal, ...] = ()
    params: Record = MappingProxyType({})
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class TableSpec:
    """The form of a model's table of counts: all that an engine knows about it.

    `rows` and `columns` name the axes (words, topics).

    `keyed`: rows have keys (spellings), and local steps may report rows that the table does not have yet;
    otherwise rows are fixed, and known by number. `truncated`: counts are sparse, and each column has an
    order of its cells and a limit to their number (`TruncatedCounts`); otherwise the table is dense.

    `groups` (rows, int32): the group of each row (its language or tree node) at the start of a run; totals
    are computed for each group. None: one group.
    """

    rows: str = "words"
    columns: str = "topics"
    keyed: bool = False
    truncated: bool = False
    groups: NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        if self.truncated and (self.groups is not None or not self.keyed):
            raise ValueError("a truncated table has rows with keys, in one group")

    @property
    def axes(self) -> tuple[str, str]:
        """The names of the row axis and the column axis."""
        return self.rows, self.columns

    @property
    def column(self) -> str:
        """The name of one column in the trace: the singular of the axis.

        >>> TableSpec().column
        'topic'
        """
        return self.columns.removesuffix("s")


class CountTable(Protocol):
    """Read access to a table of counts that is on this machine."""

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def keys(self) -> Sequence[str] | None:
        """The keys of the rows of a keyed table; None for other tables."""
        ...

    def totals(self) -> Array:
        """Sums over the rows (groups × columns): one row of sums for each group of rows."""
        ...

    def whole(self) -> Counts:
        """The whole table, in the form for `Model.expectations`; invalid after the next change."""
        ...

    def counts(self, rows: NDArray[np.int64] | slice, /) -> Array:
        """The counts of some rows (rows × columns)."""
        ...

    def positions(self, keys: Sequence[str]) -> NDArray[np.int64]:
        """The row number of each key, -1 for keys that are not in the table."""
        ...


class Model(ABC):
    """The mathematics of a model: frozen settings, and pure functions of a table of counts and `params`.

    The engine owns the table, whose rows (words, rules) are in groups and whose columns are topics or
    nonterminals; `params` is all else that is learned. Priors are never in the table. `unit`: the type of a
    shard's content (`Bags`, `Sequences`, `Trees`); `shard_size`: most documents in a shard; `table`: the form
    of the table; `moves`: what changes the model's shape during a run, such as splits of topics.
    """

    unit: type = Bags
    shard_size: int = SHARD
    table: TableSpec = TableSpec()
    moves: "tuple[Move, ...]" = ()

    @property
    def covariates(self) -> "Covariates | None":
        """What reads the numbers by which documents' priors differ; None, as by default, if they do not."""
        return None

    @abstractmethod
    def n_columns(self, params: Record) -> int:
        """The number of columns of the table."""

    @abstractmethod
    def start(self) -> Record:
        """The params before the first step."""

    @abstractmethod
    def seed(self, keys: Sequence[str], tokens: float, seed: int) -> Array:
        """Initial counts (rows × columns) that differ by column, at random by each row's key and `seed`.

        `tokens` is the size of the data to learn from. The first local steps see these counts, which then
        decay like all counts; they are not a prior.
        """

    def reads(self, shard: Shard, index: Index) -> NDArray[np.int64]:
        """The numbers of the table's rows that the local step needs for a shard, -1 for missing rows.

        Engines call it before they fetch a shard's rows; the result becomes `shard.rows` in the local step,
        in this order. `index` returns the row numbers of keys, if the table is keyed. By default: the rows of
        the shard's distinct words, in order.
        """
        return shard.rows if shard.keys is None else index(shard.keys)

    def prepare(self, params: Record, counts: Counts) -> Record:
        """Return the params with values added that are computed from a truncated table, once per step.

        Called before `expectations`, for truncated tables only. By default the params are unchanged.
        """
        return params

    @abstractmethod
    def expectations(
        self, params: Record, counts: Counts, totals: Array, rows: NDArray[np.int64] | None
    ) -> View:
        """What the local step needs of the rows numbered `rows`, whose counts are `counts` (rows × columns).

        `totals` (groups × columns) are sums over the whole table; `rows` None: all rows in order. For a
        truncated table, `counts` is the whole table, and `rows` is what `reads` returned for a shard.
        """

    @abstractmethod
    def local_step(self, view: View, shard: Shard, local: Local | None, seed: int) -> tuple[Local, Stats]:
        """Infer the latent variables of a shard's documents; returns their records, and statistics.

        view: from `expectations`; local: the documents' records from their previous visit, or None.
        """

    def evaluate_proposals(
        self, view: View, shard: Shard, local: Local, seed: int, proposals: Proposals
    ) -> tuple[Local, Mapping[str, Stats]]:
        """Try proposals on a shard: returns further records of its documents, and statistics by proposal.

        local: the documents' records from this step's `local_step`. The records returned are added to them,
        for edits to use. Statistics are by the proposal's name, and their columns are the proposal's own. If
        an edit names the proposal as its trial, their sums replace or correct those of the same name in
        `Stats.usage`. By default raises NotImplementedError.
        """
        raise NotImplementedError(f"{type(self).__name__} has no moves")

    def refuse_proposal(self, change: Record) -> None:
        """Raise ValueError if a proposal from a checkpoint lacks what `evaluate_proposals` needs."""
        return

    @abstractmethod
    def summary(self, params: Record, counts: Counts, first: int) -> Summary:
        """Sums over some rows of the table, beyond column totals, that the score and the global step need.

        counts: those of the rows from number `first` on. The engine adds up the results of all blocks of
        rows.
        """

    @abstractmethod
    def global_step(
        self, params: Record, stats: Stats, totals: Array, summary: Summary | None, step: Step
    ) -> Record:
        """Update the global parameters: the params after a step, from its statistics.

        totals, summary: of the table after the step (summary None: see `needs_summary`).
        """

    @abstractmethod
    def score(self, params: Record, stats: Stats, totals: Array, summary: Summary) -> Score:
        """The objective (terms of the documents and of the table) for the state that the local steps used."""

    def memoized_score(self, params: Record, stats: Stats, totals: Array, summary: Summary) -> Score:
        """The objective if the table is the sum of all documents' latest reports, and `stats` is their sum.

        By default `score`.
        """
        return self.score(params, stats, totals, summary)

    def figures(self, params: Record, totals: Array) -> dict[str, int]:
        """Sizes, such as the number of topics, that are added to each trace record. By default none."""
        return {}

    def is_settled(self, params: Record, totals: Array) -> bool:
        """Whether a run may end when its score stops changing; False while moves have something to try."""
        return all(move.is_settled(params, totals.sum(axis=0)) for move in self.moves)

    def in_use(self, totals: Array) -> NDArray[np.int64]:
        """The numbers of the columns to show to users, given each column's total; by default all."""
        return np.arange(len(totals))

    def needs_summary(self, step: Step) -> bool:
        """Whether `global_step` uses the table's `summary` at this step; by default not."""
        return False

    def admit(self, params: Record, new_rows: Mapping[str, Array], step: Step) -> tuple[Edit, Record]:
        """The edit that adds new rows to the table, and the fields of the params that this changes.

        `new_rows` maps a key to an array that begins with the row's count in each column; what follows is the
        model's own. By default all are added, in order of their keys. A model with groups must override this:
        its `Grow` has the group of each new row.
        """
        return ((Grow(self.table.rows, len(new_rows), tuple(sorted(new_rows))),) if new_rows else ()), {}

    def reorder(self, params: Record, counts: Counts, step: Step) -> Edit:
        """The edit of a truncated table after a global step: new orders of cells, rows to drop; may be ()."""
        return ()

    def finish(self, params: Record, counts: Counts) -> Edit:
        """The edit that brings a truncated table within the model's limits at the end of a run; may be ()."""
        return ()


class Fitted(NamedTuple):
    """What a sampler has learned: params, and a table of counts (rows × columns), if there is one.

    `columns`: lasting numbers of the columns, ascending, if columns are added and removed during the run;
    None if they are fixed.
    """

    params: Record
    counts: Array | None = None
    columns: NDArray[np.int64] | None = None


class Sampler(ABC):
    """A Markov chain over the latent variables of a whole corpus, which owns and changes its state.

    Its randomness depends only on its seed and the sweep's number, so that a restored chain continues exactly
    as before, with any number of threads. It needs no engine and no table.
    """

    @abstractmethod
    def sweep(self, number: int, threads: int) -> None:
        """Resample every latent variable once, with that many threads. number: of the sweep, from 0."""

    @abstractmethod
    def learn(self) -> None:
        """Update the hyperparameters that are learned, given the current state."""

    @abstractmethod
    def score(self) -> Score:
        """The log joint probability of the data and the current state, in nats."""

    def keep(self) -> None:
        """Record the current state as a sample of the posterior, for `fitted`. By default does nothing."""
        return

    def figures(self) -> Mapping[str, float]:
        """Numbers that are added to every record of the trace, next to the score."""
        return {}

    @abstractmethod
    def fitted(self) -> Fitted:
        """What was learned: the mean over the samples if that is a valid model, otherwise the last state."""

    def pooled(self, others: "Sequence[Sampler]") -> Fitted:
        """The model learned by several chains together; called on the chain with the best score.

        By default it is that chain's result. Samplers whose predictions are means over samples return the
        samples of all chains.
        """
        return self.fitted()

    @abstractmethod
    def snapshot(self) -> dict[str, AnyArray]:
        """Arrays from which `restore` rebuilds the same chain exactly, including the samples."""

    @abstractmethod
    def restore(self, arrays: Arrays) -> None:
        """Restore the state of a snapshot. Raises ValueError if it does not fit this chain."""


class Move(ABC):
    """A way of changing the model's shape, such as splitting topics: proposes changes and decides on them.

    A move sees sums over shards, but no single shard. It does not have the table either, but can query its
    rows, and those of a report, by `table`. What it has to remember is in fields of the params.
    """

    def start(self, n_columns: int) -> Record:
        """The fields that the move adds to the params, at the start of a run."""
        return {}

    def is_settled(self, params: Record, totals: Array) -> bool:
        """Whether the move has nothing left to try. totals (columns): of the table."""
        return True

    @abstractmethod
    def propose(
        self, params: Record, latest: Stats | None, table: TableView, step: Step, seed: int
    ) -> Proposals:
        """The changes to try in a step, chosen before its documents are mapped.

        latest: the sums of the previous step's report, without rows; None at the first step.
        """

    def refine(
        self, params: Record, stats: Stats, proposals: Proposals, table: TableView, step: Step
    ) -> Decision:
        """Decide after the documents are mapped, before the table changes.

        Returns which proposals to try again on the same shards, and which edits to make before the step's
        statistics are added to the table. By default nothing.
        """
        return Decision()

    @abstractmethod
    def decide(
        self, params: Record, stats: Stats, proposals: Proposals, table: TableView, step: Step
    ) -> Decision:
        """Decide after the global step, with the table as it is then: the edits that proposals have earned.

        `stats.trial` has the proposals' latest statistics: of the step's documents or, if the schedule stores
        reports, of all. Edits are made in order; each must be valid for the shape that those before it leave.
        """
