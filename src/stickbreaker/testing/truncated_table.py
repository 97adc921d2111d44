"""The laws of an engine's truncated table, as tests with a small model that keeps the most frequent words."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Counts, Move, Step, Summary, TableSpec
from stickbreaker.core.edits import Drop, Edit, Grow, Permute, Reorder, apply
from stickbreaker.core.records import Array, Field, Record, Rows, TruncatedCounts
from stickbreaker.learning.variational import advance
from stickbreaker.testing.engines import RunTests
from stickbreaker.testing.runs import GrowingRuns
from stickbreaker.testing.unigram_mixture import Components, GrowingMixture

STEPS = 8  # a run is cut after five, between two orders
RANK = "rank"  # in the prepared params: the position of each cell in its column, from 1


@dataclass(frozen=True)
class OrderedMixture(GrowingMixture):
    """A mixture of unigrams with two components and a truncated table, for tests.

    In every other step, only the `most` words with the largest counts stay in each component. A word's weight
    depends on its rank there.
    """

    start_components: int = 2
    most: int = 12
    table = TableSpec(columns="components", keyed=True, truncated=True)

    @property
    def moves(self) -> tuple[Move, ...]:  # type: ignore[override]
        return ()

    def start(self) -> Record:
        sizes = Field(np.zeros(0), ("words",), additive=False)  # number of letters of each word of the table
        # values that only an edit gives to a word
        marks = Field(np.zeros(0), ("words",), additive=False, fresh=1.0)
        return {**super().start(), "letters": sizes, "marks": marks}

    def prepare(self, params: Record, counts: Counts) -> Record:
        assert isinstance(counts, TruncatedCounts)
        places = np.where(counts.inside, np.cumsum(counts.inside, axis=1), 0)
        return {**params, RANK: Field(places.astype(np.float64))}

    def expectations(
        self, params: Record, counts: Counts, totals: Array, rows: NDArray[np.int64] | None
    ) -> Components:
        assert isinstance(counts, TruncatedCounts)
        assert rows is not None
        use, size = params["use"].values, totals[0] + self.eta * 1000.0
        places = np.sort(rows[rows >= 0])
        words = np.full((len(places), len(use)), self.eta)
        words[:, 1] += np.arange(len(places)) % 3  # or the two components would stay equal
        numbers = {row: i for i, row in enumerate(places.tolist())}
        for place in np.argwhere(counts.live()).tolist():
            i, place = numbers.get(int(counts.rows[*place]), -1), tuple(place)
            if i >= 0:
                rank = params[RANK].values[place]
                words[i, place[0]] += counts.scale * counts.values[place] + (1.0 / rank if rank else 0.0)
        log_weights = np.log((use + 1.0) / (use + 1.0).sum())
        return Components(log_weights, np.log(words / size), np.log(self.eta / size), places)

    def summary(self, params: Record, counts: Counts, first: int) -> Summary:
        return {"inside": (params[RANK].values > 0).sum(axis=1).astype(np.float64)}

    def admit(self, params: Record, new_rows: Mapping[str, Array], step: Step) -> tuple[Edit, Record]:
        edit, _ = super().admit(params, new_rows, step)
        keys = [key for change in edit if isinstance(change, Grow) for key in change.keys]
        sizes = np.concatenate([params["letters"].values, [float(len(key)) for key in keys]])
        return edit, {"letters": params["letters"]._replace(values=sizes)}

    def reorder(self, params: Record, counts: Counts, step: Step) -> Edit:
        assert isinstance(counts, TruncatedCounts)
        if step.number % 2 == 0:
            return ()
        orders = tuple(
            counts.rows[k, :size].astype(np.int64)[np.argsort(-counts.values[k, :size], kind="stable")][
                : self.most
            ]
            for k, size in enumerate(counts.sizes.tolist())
        )
        left = np.setdiff1d(np.arange(len(counts.keys)), np.concatenate(orders))
        change = Reorder("words", "components", orders, tuple(map(len, orders)))
        return (change, Drop("words", tuple(left.tolist())))


class OrderedEngineTests(GrowingRuns, RunTests):
    """Tests of an engine with a truncated table. Subclass and implement `engine(n_jobs)`."""

    model, steps = OrderedMixture, STEPS

    def test_words_enter_and_leave(self) -> None:
        """The trace's numbers of added and dropped words are right, and params by word follow the table."""
        job, state = self.start_run()
        size, moved = 0, [0, 0]  # number of words that entered after the first step, and that were dropped
        for number in range(STEPS):
            vocabulary = advance(job, state, self.minibatch(number))["vocabulary"]
            size += vocabulary["entered"] - vocabulary["left"]
            moved = [moved[0] + vocabulary["entered"] * (number > 0), moved[1] + vocabulary["left"]]
            keys = job.engine.snapshot()[1]
            assert keys is not None
            assert vocabulary["size"] == size == len(keys) == job.engine.table.shape[0]
            assert state.params["letters"].values.tolist() == [len(key) for key in keys]
            assert state.params["marks"].values.tolist() == [1.0] * len(keys)
            assert vocabulary["left"] == 0 or number % 2
            if number % 2:
                assert job.engine.summary(state.params)["inside"].tolist() == [12.0, 12.0]
                assert (job.engine.table.counts(slice(None)) > 0).any(axis=1).all(), (
                    "a row without a cell stayed"
                )
        assert min(moved) > 0

    def test_the_order_is_by_the_counts_of_the_last_reorder(self) -> None:
        job, state = self.after(6)
        whole = job.engine.table.whole()
        assert isinstance(whole, TruncatedCounts)
        for k, size in enumerate(whole.sizes.tolist()):
            assert size == 12
            assert (np.diff(whole.values[k, :size]) <= 0).all()
        first = [whole.rows[k, :12].tolist() for k in (0, 1)]
        advance(job, state, self.minibatch(6))
        whole = job.engine.table.whole()
        assert isinstance(whole, TruncatedCounts)
        assert [whole.rows[k, :12].tolist() for k in (0, 1)] == first, "new cells come after those there are"
        assert whole.sizes.max() > 12

    def test_edits_keep_totals_but_for_what_they_drop(self) -> None:
        job, state = self.after(self.steps)
        engine, n = job.engine, job.engine.table.shape[0]
        values = engine.table.counts(slice(None)).copy()
        few = (np.arange(2), np.arange(n))
        edit = (
            Grow("words", 1, ("late",)),
            Reorder("words", "components", few, (1, n)),
            Permute("words", (n, *range(n))),
            Drop("words", (1,)),
        )
        engine.edit(edit)
        after = np.zeros((n, 2))
        after[1:] = values[1:]
        after[2:, 0] = 0.0
        assert engine.table.counts(slice(None)) == pytest.approx(after)
        assert engine.table.totals()[0] == pytest.approx(after.sum(axis=0))
        assert engine.table.positions(["late"]).tolist() == [0]
        assert apply(edit, state.params)["letters"].values.shape == (n,)

    def test_blend_decays_everything_and_adds_a_few_cells(self) -> None:
        job, _ = self.after(self.steps)
        before = job.engine.table.counts(slice(None)).copy()
        fresh = Rows(np.array([1, 3]), np.array([[2.0, 0.0], [0.0, 1.0]]))
        for _ in range(40):  # past any threshold at which values are multiplied by the decay factor
            job.engine.blend(fresh, 0.6, 2.0)
            before = before * 0.6
            before[[1, 3]] += 2.0 * fresh.values
        assert job.engine.table.counts(slice(None)) == pytest.approx(before, rel=1e-12)
        job.engine.blend(fresh, 0.0, 1.0)
        assert job.engine.table.totals()[0] == pytest.approx(fresh.values.sum(axis=0))
