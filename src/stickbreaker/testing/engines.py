"""The laws that every engine obeys, as tests with a small model that splits its components.

For an engine whose table may grow, the model also adds and drops rows.
"""

from collections.abc import Iterator
from copy import deepcopy
from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np
import pytest

from stickbreaker.core.edits import Drop, Grow, Merge, Permute, Split, apply, dropped
from stickbreaker.core.errors import Interrupted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.records import Array, Field, Record, Rows
from stickbreaker.corpus.shards import Shard
from stickbreaker.learning.variational import advance
from stickbreaker.testing.runs import ClosedRuns, GrowingRuns, Runs
from stickbreaker.testing.unigram_mixture import ClosedMixture, GrowingMixture


class Whole(NamedTuple):
    """The results of a complete run, for tests to compare.

    `params`, `counts` and `totals`: of the model and the table at the end; `records`: the trace; `words`,
    `columns`: after each step, the words of the table's rows and the number of its columns.
    """

    params: Record
    records: list[JsonObject]
    words: list[list[str]]  # those of the table's rows, after each step
    columns: list[int]  # number of the table's columns, after each step
    counts: Array
    totals: Array

    @property
    def proposals(self) -> list[str]:
        """The names of the proposals that were accepted."""
        return [edit["plan"] for record in self.records for edit in record.get("edits", [])]


class RunTests(Runs):
    """Tests that hold for any model's run on any engine. Subclass and implement the methods of `Runs`.

    A run of `steps` steps preserves the table's totals, is the same for any number of workers, continues from
    a snapshot exactly as before, and is unchanged by a step that is interrupted.
    """

    _whole: ClassVar[dict[type, Whole]] = {}

    @property
    def middle(self) -> int:
        """The number of steps after which tests interrupt a run."""
        return 2 * self.steps // 3

    def made(self, n_jobs: int) -> Whole:
        """Make a complete run with `n_jobs` workers."""
        job, state, records, words, columns = self.history(n_jobs)
        return Whole(
            state.params,
            records,
            words,
            columns,
            job.engine.table.counts(slice(None)).copy(),
            job.engine.table.totals().copy(),
        )

    def whole(self) -> Whole:
        """A complete run with one worker, made once for all tests of a class; do not change it."""
        if type(self) not in self._whole:
            self._whole[type(self)] = self.made(1)
        return self._whole[type(self)]

    def test_totals_are_sums_of_the_table(self) -> None:
        assert self.whole().totals.sum(0) == pytest.approx(self.whole().counts.sum(0), rel=1e-9)

    def test_same_bytes_for_any_number_of_workers(self) -> None:
        first = self.whole()
        for n_jobs in self.workers:
            other = self.made(n_jobs)
            assert other.words == first.words
            assert other.records == first.records
            assert other.counts.tobytes() == first.counts.tobytes()

    def test_a_snapshot_goes_on_like_the_run_it_is_of(self) -> None:
        """A run restored from a snapshot continues exactly as the run that was saved.

        This holds even if that run has continued without a new snapshot: the files of the last one stay.
        """
        job, state = self.after(self.middle)
        arrays, keys = deepcopy(job.engine.snapshot())
        copy = deepcopy(state)
        last = range(self.middle, self.steps)
        records = [advance(job, state, self.minibatch(number)) for number in last]
        after = job.engine.table.counts(slice(None)).tobytes()
        other, _ = self.start_run()
        other.engine.restore(other.model, arrays, keys)
        assert [advance(other, copy, self.minibatch(number)) for number in last] == records
        assert other.engine.table.counts(slice(None)).tobytes() == after

    def test_an_interrupted_step_changes_nothing(self) -> None:
        job, state = self.after(self.middle)
        before, params = job.engine.table.counts(slice(None)).tobytes(), state.params

        def interrupted() -> Iterator[Shard]:
            yield from self.shards(self.middle)[:3]
            job.engine.stop()
            yield from self.shards(self.middle)[3:]

        whole = self.minibatch(self.middle)
        with pytest.raises(Interrupted):
            job.engine.map(state.params, interrupted(), whole.n_shards, job.seed)
        with pytest.raises(Interrupted):
            advance(job, state, whole)
        assert job.engine.table.counts(slice(None)).tobytes() == before
        assert state.params is params
        assert state.step == self.middle


class EngineLaws(RunTests):
    """Tests of an engine with any table. Subclass `ClosedEngineTests` or `EngineTests` instead."""

    def test_trials_are_accepted_and_refused(self) -> None:
        whole = self.whole()
        tried = self.steps - 2
        assert whole.proposals.count("split-largest") >= 1
        assert whole.proposals.count("split-smallest") + whole.proposals.count("split-largest") < 2 * tried
        assert len(whole.params["use"].values) == whole.totals.shape[1] >= 2
        assert whole.columns[self.middle - 1] >= 2, "there are splits before a cut"

    def test_split_components_part_the_two_kinds(self) -> None:
        whole = self.whole()
        sea = whole.counts[[word.startswith("sea") for word in whole.words[-1]]].sum(0)
        law = whole.counts[[word.startswith("law") for word in whole.words[-1]]].sum(0)
        purity = np.maximum(sea, law).sum() / (sea + law).sum()
        assert purity > 0.95

    def test_a_report_that_becomes_the_table_adds_up_and_decays(self) -> None:
        """After a first step with rate one, the table is that step's statistics.

        A `blend` then decays its counts and adds new ones; totals follow.
        """
        job, _ = self.after(1)
        before = job.engine.table.counts(slice(None)).copy()
        assert before.any()
        assert job.engine.table.totals()[0] == pytest.approx(before.sum(0), rel=1e-9)
        job.engine.blend(Rows(np.array([1]), before[:1]), 0.5, 2.0)
        after = 0.5 * before
        after[1] += 2.0 * before[0]
        assert job.engine.table.counts(slice(None)) == pytest.approx(after, rel=1e-12)
        assert job.engine.table.totals()[0] == pytest.approx(after.sum(0), rel=1e-9)

    def test_edits_of_columns_keep_totals_but_for_what_they_drop(self) -> None:
        """Law 4: an edit of columns changes totals only by the counts that it drops.

        It has the same effect on the table as on a record of the same counts.
        """
        job, state = self.after(self.middle)
        counts = Field(job.engine.table.counts(slice(None)).copy(), ("words", "components"))
        n = counts.values.shape[1]
        edit = (
            Grow("components", 1),
            Split("components", 0, 0.25),
            Permute("components", tuple(reversed(range(n + 2)))),
            Merge("components", 1, 2),
            Drop("components", (0,)),
        )
        job.engine.edit(edit)
        after = apply(edit, {**state.params, "counts": counts})
        table, totals = job.engine.table.counts(slice(None)), job.engine.table.totals()
        assert table == pytest.approx(after["counts"].values, rel=1e-12)
        assert totals[0] == pytest.approx(table.sum(0), rel=1e-9)
        assert dropped(counts, edit) > 0.0
        assert totals.sum() == pytest.approx(counts.values.sum() - dropped(counts, edit))
        assert len(after["use"].values) == table.shape[1] == n

    def test_a_report_follows_an_edit_as_the_table_does(self) -> None:
        """An edit leads to the same table whether a step's statistics become the table before or after it."""
        edit = (Grow("components", 1), Split("components", 0, 0.25), Permute("components", (1, 2, 0)))
        tables: list[Array] = []
        for edit_first in (False, True):
            job, state = self.after(1)
            engine, shards = job.engine, self.shards(1)
            stats = engine.map(state.params, shards, len(shards), job.seed)
            if edit_first:
                edited = engine.edit(edit, stats)
                assert edited is not None
                engine.blend(edited.rows, 0.0, 1.0)
            else:
                engine.blend(stats.rows, 0.0, 1.0)
                assert engine.edit(edit) is None
            tables.append(engine.table.counts(slice(None)).copy())
            assert engine.table.totals()[0] == pytest.approx(tables[-1].sum(0), rel=1e-9)
        assert tables[0].any()
        assert tables[1] == pytest.approx(tables[0], rel=1e-12)

    def test_blend_decays_everything_and_adds_a_few_rows(self) -> None:
        job, _ = self.after(self.middle)
        before, totals = job.engine.table.counts(slice(None)).copy(), job.engine.table.totals().copy()
        fresh = Rows(np.array([1, 3]), np.arange(2.0 * before.shape[1]).reshape(2, -1))
        for _ in range(40):  # past any threshold at which values are multiplied by the decay factor
            job.engine.blend(fresh, 0.6, 2.0)
            before = before * 0.6
            before[[1, 3]] += 2.0 * fresh.values
            totals = 0.6 * totals + 2.0 * fresh.values.sum(0)
        assert job.engine.table.counts(slice(None)) == pytest.approx(before, rel=1e-12)
        assert job.engine.table.totals() == pytest.approx(totals, rel=1e-12)
        job.engine.blend(fresh, 0.0, 1.0)
        assert job.engine.table.totals()[0] == pytest.approx(fresh.values.sum(0))


class ClosedEngineTests(ClosedRuns, EngineLaws):
    """Tests of an engine with fixed rows (closed vocabulary). Subclass and implement `engine(n_jobs)`."""

    model, steps = ClosedMixture, 6


class EngineTests(GrowingRuns, EngineLaws):
    """Tests of an engine whose rows have keys, and are added and dropped.

    Subclass and implement `engine(n_jobs)`.
    """

    model, steps = GrowingMixture, 14

    def test_rows_are_found_refused_and_forgotten(self) -> None:
        """Frequent new words get rows, words that occur once do not, and rows of faded words are dropped."""
        whole = self.whole()
        assert "sea0" in whole.words[-1]
        assert not any(key.startswith("once") for key in whole.words[-1])
        assert any(set(a) - set(b) for a, b in pairwise(whole.words)), "no row was ever dropped"
        assert "drop" in whole.proposals

    def test_edits_keep_totals_but_for_what_they_drop(self) -> None:
        """Law 4: an edit of rows and columns changes totals only by the counts that it drops."""
        job, state = self.after(self.middle)
        engine, keys = job.engine, self.words(job.engine)
        values: Array = engine.table.counts(slice(None)).copy()
        n, columns = values.shape
        edit = (
            Permute("words", tuple(reversed(range(n)))),
            Merge("components", 0, 1),
            Grow("components", 1),
            Split("components", 0, 0.25),
            Drop("words", (0, 2)),
            Grow("words", 1, ("late",)),
        )
        engine.edit(edit)
        after = engine.table.counts(slice(None))
        lost = values[[n - 1, n - 3]].sum()
        assert after.shape == (n - 1, columns + 1)
        assert engine.table.totals().sum() == pytest.approx(values.sum() - lost)
        assert after.sum() == pytest.approx(values.sum() - lost)
        assert engine.table.positions(["late", keys[0], keys[n - 1]]).tolist() == [n - 2, n - 3, -1]
        params = apply(edit, state.params)
        assert params["use"].values.sum() == pytest.approx(state.params["use"].values.sum())
