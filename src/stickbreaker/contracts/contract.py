"""What a model and a move of its shape are, to the rooms that run them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.table_view import TableView
from stickbreaker.core.edits import Edit, Grow
from stickbreaker.core.records import Array, Record, Stats, TruncatedCounts
from stickbreaker.corpus.shards import SHARD, Bags, Index, Shard

Summary = Mapping[str, Array]  # sums over the rows of the table that are not linear in its counts
Counts = (
    Array | TruncatedCounts
)  # a table or some of its rows (rows × columns), or a truncated table, which is whole
View = Any  # what a model makes of the rows that a shard reads; only that model looks inside
Local = Record  # what a document keeps between passes, its first axis named "documents"


MOST_COLUMNS = 1_000_000  # of a table: a prior has a number for each
MOST_CHAINS = 256  # of a sampler: each holds the state of all tokens


class Step(NamedTuple):
    """Where a run is: step number from 0, rate rho, scale D / |S|, documents seen before this step.

    `growth`: D over the one of the step before, where D is what has been seen. Sums become (1 - rate) growth
    times what they were, plus rate scale times the new ones.
    """

    number: int
    rate: float
    scale: float
    seen: float
    growth: float = 1.0


class Score(NamedTuple):
    """A value in nats and the tokens it is of.

    `kind` is "bound" (of log p(w), exact), "estimate" (of the bound) or "joint" (log p(w, z) of a sample).
    """

    nats: float
    tokens: float
    kind: str = "bound"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change of shape under test: its statistics come back as `Stats.trial[name]`.

    `change` is what its model makes of it; edits apply to it as to every record.
    """

    name: str
    change: Record
    round: int = 0


class Accepted(NamedTuple):
    """An edit that a proposal earned, and by how many nats; None where no bound judged it."""

    plan: str
    edit: Edit
    gain: float | None


class Decision(NamedTuple):
    """What a move makes of trials: edits to make, proposals to map once more, params that it changes, and
    names of proposals to give up."""

    accepted: tuple[Accepted, ...] = ()
    retry: tuple[Proposal, ...] = ()
    params: Record = MappingProxyType({})
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class TableSpec:
    """What a model's table of counts is: all that an engine knows of it.

    `rows` and `columns` name the axes (words, topics). `keyed`: a row is known by a key (a spelling), and
    local steps may report rows that the table does not have yet; else rows are known by number, and stay.
    `truncated`: counts are sparse, each column keeps an order of its cells, and has no place for a cell
    beyond its truncation (`TruncatedCounts`); else the table is dense. `groups` (rows, int32): the group
    (language, tree node) of each row that a run starts from; totals are by group. None: there is one.
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
        """The names of both axes."""
        return self.rows, self.columns

    @property
    def column(self) -> str:
        """What one column is called in the trace, where the axis is a plural.

        >>> TableSpec().column
        'topic'
        """
        return self.columns.removesuffix("s")


class CountTable(Protocol):
    """A table of counts on this machine, to be looked at."""

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def keys(self) -> Sequence[str] | None:
        """The keys of the rows, of a keyed table."""
        ...

    def totals(self) -> Array:
        """Sums over the rows of each group (groups × columns)."""
        ...

    def whole(self) -> Counts:
        """All of it, as `Model.expectations` takes it; void after the next change."""
        ...

    def counts(self, rows: NDArray[np.int64] | slice, /) -> Array:
        """Some rows (rows × columns)."""
        ...

    def positions(self, keys: Sequence[str]) -> NDArray[np.int64]:
        """Rows of keys, -1 where there is none."""
        ...


class Model(ABC):
    """Frozen settings and pure functions, of a table of expected counts and params.

    The table has rows (words, rules) in groups and columns (topics, nonterminals) and is owned by the
    engine; `params` is everything else. Priors never enter the table.

    `unit` is what the model reads of documents, the type of its shards' content (`Bags`, `Sequences`,
    `Trees`); `shard_size` how many documents a shard has at most.
    """

    unit: type[Any] = Bags
    shard_size: int = SHARD
    table: TableSpec = TableSpec()
    moves: "tuple[Move, ...]" = ()

    @abstractmethod
    def n_columns(self, params: Record) -> int:
        """Columns of the table now."""

    @abstractmethod
    def start(self) -> Record:
        """The params before the first step."""

    @abstractmethod
    def seed(self, keys: Sequence[str], tokens: float, seed: int) -> Array:
        """Counts (rows × columns) that break the symmetry, drawn by a row's content.

        `tokens` is the size of what will be learned from. The first local steps see them, and they decay like
        counts; they are never a prior.
        """

    def reads(self, shard: Shard[Any], index: Index) -> NDArray[np.int64]:
        """Positions in the table of the rows that the local step needs of a shard, -1 where it lacks one.

        Called by engines before a shard's rows are fetched; what it gives are the shard's `rows`
        in the local step, in this order. `index` gives the positions of keys, in a table that is keyed. By
        default they are those of the shard's distinct words, in turn.
        """
        return shard.rows if shard.keys is None else index(shard.keys)

    def prepare(self, params: Record, counts: Counts) -> Record:
        """The params with what is worked out once a step from a truncated table, before `expectations`."""
        return params

    @abstractmethod
    def expectations(
        self, params: Record, counts: Counts, totals: Array, rows: NDArray[np.int64] | None
    ) -> View:
        """What the local step needs of some rows: `counts` (rows × columns), of table positions `rows`.

        `totals` (groups × columns) are sums over the whole table; `rows` None means all rows in order. Of a
        truncated table `counts` is the whole, and `rows` are what `reads` gave for a shard, -1 where it has
        none.
        """

    @abstractmethod
    def local_step(
        self, view: View, shard: Shard[Any], local: Local | None, seed: int
    ) -> tuple[Local, Stats]:
        """Infer a shard's documents and report their statistics: the map."""

    def evaluate_proposals(
        self, view: View, shard: Shard[Any], local: Local, seed: int, proposals: Sequence[Proposal]
    ) -> tuple[Local, Mapping[str, Stats]]:
        """Each proposal's statistics of a shard, by name: what it would be with the proposal's change.

        `local` are the documents' records of this step's `local_step`.

        Columns of a trial are its proposal's own. An edit that names the trial puts its sums in the place of
        those of the same name in `Stats.usage`. The first value are records of documents that such an edit
        needs.
        """
        raise NotImplementedError(f"{type(self).__name__} has no moves")

    def refuse_proposal(self, change: Record) -> None:
        """Raise ValueError where a proposal of a checkpoint lacks what `evaluate_proposals` needs."""
        return

    @abstractmethod
    def summary(self, params: Record, counts: Counts, first: int) -> Summary:
        """Sums over the rows from `first` on that the score and the global step need, not plain totals."""

    @abstractmethod
    def global_step(
        self, params: Record, stats: Stats, totals: Array, summary: Summary | None, step: Step
    ) -> Record:
        """The params after a step; `summary` is of the table after it, if `needs_summary` asks for it."""

    @abstractmethod
    def score(self, params: Record, stats: Stats, totals: Array, summary: Summary) -> Score:
        """The objective of the state that the local steps saw: their terms and the table's."""

    def memoized_score(self, params: Record, stats: Stats, totals: Array, summary: Summary) -> Score:
        """The objective where `stats` sums each document's last report, and the table those reports' rows."""
        return self.score(params, stats, totals, summary)

    def figures(self, params: Record, totals: Array) -> dict[str, int]:
        """What every record of the trace tells of the state besides its score: how much of it there is."""
        return {}

    def is_settled(self, params: Record, totals: Array) -> bool:
        """Whether a score that no longer changes may end a run: no, while moves have something untried."""
        return all(move.is_settled(params, totals.sum(axis=0)) for move in self.moves)

    def in_use(self, totals: Array) -> NDArray[np.int64]:
        """Which columns to show to users, given the total of each (columns): all."""
        return np.arange(len(totals))

    def needs_summary(self, step: Step) -> bool:
        """Whether a global step needs a summary of the table (where a prior of the words is learned, all
        do)."""
        return False

    def admit(self, params: Record, new_rows: Mapping[str, Array], step: Step) -> tuple[Edit, Record]:
        """Which new rows enter: all, in order of their keys, unless a model knows better.

        A model whose rows are in groups must know better: its `Grow` has the group of each new row.
        With it params that this changes, as they are after the edit. A row of `new_rows` has its counts by
        column first; what follows them is the model's own.
        """
        return ((Grow(self.table.rows, len(new_rows), tuple(sorted(new_rows))),) if new_rows else ()), {}

    def reorder(self, params: Record, counts: Counts, step: Step) -> Edit:
        """Of a truncated table, after the global step: what its order becomes, and which rows leave."""
        return ()

    def finish(self, params: Record, counts: Counts) -> Edit:
        """The same at the end of a run, so that a finished model keeps the limits that it was given."""
        return ()


class Fitted(NamedTuple):
    """What a chain has learned: the params, and of a model with a table its counts (rows × columns).

    `columns` are lasting numbers of the columns, ascending, where these come and go; None: they stay.
    """

    params: Record
    counts: Array | None = None
    columns: NDArray[np.int64] | None = None


class Sampler(ABC):
    """A Markov chain over the latent variables of a whole corpus, which owns and changes its state.

    Its randomness is keyed by its seed and the sweep's number, so that a restored chain goes on as it would
    have, with any number of threads. It needs no engine, and no table.
    """

    @abstractmethod
    def sweep(self, number: int, threads: int) -> None:
        """Visit every latent variable once."""

    @abstractmethod
    def learn(self) -> None:
        """Move the hyperparameters that are learned, given the present state."""

    @abstractmethod
    def score(self) -> Score:
        """The log joint probability of the data and the present state."""

    def keep(self) -> None:
        """Take the present state as a sample of the posterior, for what `fitted` gives."""
        return

    def figures(self) -> Mapping[str, float]:
        """What every record of the trace tells of the state besides its score."""
        return {}

    @abstractmethod
    def fitted(self) -> Fitted:
        """What is learned so far: a mean over the samples where one has a meaning, or the last state."""

    def pooled(self, others: "Sequence[Sampler]") -> Fitted:
        """What several chains learned, of which this one has the best score: what this one did, unless
        predictions are means over samples, whichever chain they come from."""
        return self.fitted()

    @abstractmethod
    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Arrays from which `restore` makes the same chain, byte for byte, the samples included."""

    @abstractmethod
    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take the state of a snapshot. Raises ValueError for one of another chain."""


class Move(ABC):
    """A way of changing the model's shape, beside its model.

    A move sees sums over shards and never a shard, sums over parts of the table's rows and never the table:
    what it needs of rows it asks of `table`, which also has the rows of the report. Its memory, if any,
    are fields of the params.
    """

    def start(self, n_columns: int) -> Record:
        """The fields of the params that are the move's."""
        return {}

    def is_settled(self, params: Record, totals: Array) -> bool:
        """Whether there is nothing left untried; `totals` (columns) are the table's."""
        return True

    @abstractmethod
    def propose(
        self, params: Record, latest: Stats | None, table: TableView, step: Step, seed: int
    ) -> Sequence[Proposal]:
        """Before the map, from the last sums (without rows) and the table: what to try."""

    def refine(
        self, params: Record, stats: Stats, proposals: Sequence[Proposal], table: TableView, step: Step
    ) -> Decision:
        """After the map, the table not yet changed: what to try again over the same shards, and edits to make
        before the step's statistics enter the table."""
        return Decision()

    @abstractmethod
    def decide(
        self, params: Record, stats: Stats, proposals: Sequence[Proposal], table: TableView, step: Step
    ) -> Decision:
        """After the global step, given the table as it is then: the edits that proposals have earned.

        `stats.trial` has the proposals' statistics, as last mapped; under a schedule that keeps reports,
        those of every document.
        Edits are made in order; each must be right in the shape that those before it leave.
        """
