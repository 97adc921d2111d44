"""The laws that every engine obeys, shown with a model that grows."""

from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pytest

from stickbreaker.core.edits import Drop, Grow, Merge, Permute, Split, apply
from stickbreaker.core.randomness import stream
from stickbreaker.core.records import Array, Rows
from stickbreaker.corpus.shards import Shard
from stickbreaker.engines.contract import Engine, Interrupted
from stickbreaker.learning.loop import Limits, Run, RunState, advance
from stickbreaker.learning.schedules import Minibatch, Online
from stickbreaker.testing.growing import GrowingMixture

STEPS = 14
ROUTE = Online(batch_size=24, kappa=0.5, tau0=1.0)


def documents(step: int) -> list[list[str]]:
    """24 documents of two kinds, with words of their time and words seen once."""
    generator = stream(5, "documents", step)
    out: list[list[str]] = []
    for d in range(24):
        theme = "sea" if d % 2 else "law"
        out.append(
            [f"{theme}{generator.integers(6)}" for _ in range(8)]
            + [f"{theme}{step // 3}new{generator.integers(2)}" for _ in range(2)]
            + [f"once{step}x{d}"]
        )
    return out


def shards_of(texts: list[list[str]], first: int, size: int = 5) -> list[Shard]:
    """Shards with spelled words; their rows are for the engine to find."""
    shards: list[Shard] = []
    for start in range(0, len(texts), size):
        part = texts[start : start + size]
        keys = sorted({word for text in part for word in text})
        place = {key: i for i, key in enumerate(keys)}
        bags = [np.unique([place[w] for w in text], return_counts=True) for text in part]
        shards.append(
            Shard(
                documents=np.arange(first + start, first + start + len(part)),
                offsets=np.cumsum([0] + [len(codes) for codes, _ in bags]).astype(np.int64),
                codes=np.concatenate([codes for codes, _ in bags]).astype(np.int32),
                counts=np.concatenate([counts for _, counts in bags]).astype(np.float32),
                rows=np.full(len(keys), -1, np.int64),
                keys=keys,
            )
        )
    return shards


class GrowingRuns:
    """Runs of a model whose table has no row at first; subclass and give `engine(n_jobs)`."""

    model: ClassVar[type[GrowingMixture]]
    steps: ClassVar[int]

    def engine(self, n_jobs: int) -> Engine:
        raise NotImplementedError

    def begun(self, n_jobs: int = 1) -> tuple[Run, RunState]:
        """A run of the model at its start."""
        model, engine = self.model(), self.engine(n_jobs)
        engine.start(model, np.empty((0, model.start_components)), [])
        job = Run(model, engine, ROUTE, None, 3, Limits())  # type: ignore[arg-type]
        return job, RunState(model.start())

    def minibatch(self, number: int) -> Minibatch:
        shards = shards_of(documents(number), 24 * number)
        step, keep, add = ROUTE.step_for(number, 24.0 * number, 24, 240.0)
        return Minibatch(shards, len(shards), 24, step, keep, add, ends_pass=False)

    def history(self, n_jobs: int = 1) -> tuple[Run, RunState, list[dict[str, Any]], list[list[str]]]:
        """A whole run: its end, its trace, and the table's keys after each step."""
        job, state = self.begun(n_jobs)
        records, keys = [], []
        for number in range(self.steps):
            records.append(advance(job, state, self.minibatch(number)))
            keys.append(list(job.engine.snapshot()[1] or []))
        return job, state, records, keys


class EngineTests(GrowingRuns):
    """Subclass and give `engine(n_jobs)`."""

    model, steps = GrowingMixture, STEPS

    def test_the_model_grows_splits_refuses_and_forgets(self) -> None:
        """A row found, one refused admission, one trial accepted, one refused, a row dropped."""
        job, state, records, keys = self.history()
        made = [edit["plan"] for record in records for edit in record.get("edits", [])]
        assert "sea0" in keys[-1]
        assert not any(key.startswith("once") for key in keys[-1])
        assert made.count("split-largest") >= 1
        tried = STEPS - 2
        assert made.count("split-smallest") + made.count("split-largest") < 2 * tried
        assert any(set(a) - set(b) for a, b in pairwise(keys)), "no row was ever dropped"
        assert "drop" in made
        assert len(state.small["use"].values) == job.engine.totals().shape[1] >= 2

    def test_split_components_part_the_two_kinds(self) -> None:
        job, _state, _, keys = self.history()
        counts = job.engine.rows().values
        sea = counts[[k.startswith("sea") for k in keys[-1]]].sum(0)
        law = counts[[k.startswith("law") for k in keys[-1]]].sum(0)
        purity = np.maximum(sea, law).sum() / (sea + law).sum()
        assert purity > 0.95

    def test_totals_are_sums_of_the_table(self) -> None:
        job, *_ = self.history()
        assert job.engine.totals()[0] == pytest.approx(job.engine.rows().values.sum(0), rel=1e-9)

    def test_same_bytes_for_any_number_of_workers(self) -> None:
        first = self.history(1)
        for n_jobs in (2, 3):
            other = self.history(n_jobs)
            assert other[3] == first[3]
            assert other[2] == first[2]
            assert other[0].engine.rows().values.tobytes() == first[0].engine.rows().values.tobytes()

    def test_a_snapshot_goes_on_like_the_run_it_is_of(self) -> None:
        job, state = self.begun()
        for number in range(6):
            advance(job, state, self.minibatch(number))
        arrays, keys = job.engine.snapshot()
        arrays = {name: values.copy() for name, values in arrays.items()}
        other, copy = self.begun()
        other.engine.restore(other.model, arrays, keys)
        copy.small, copy.step = dict(state.small), state.step
        copy.latest, copy.columns = state.latest, state.columns
        for number in range(6, STEPS):
            assert advance(job, state, self.minibatch(number)) == advance(
                other, copy, self.minibatch(number)
            ) | {"documents": state.seen}
        assert other.engine.rows().values.tobytes() == job.engine.rows().values.tobytes()

    def test_an_interrupted_step_changes_nothing(self) -> None:
        job, state = self.begun()
        for number in range(5):
            advance(job, state, self.minibatch(number))
        before, small = job.engine.rows().values.tobytes(), state.small

        def interrupted() -> Any:
            yield from shards_of(documents(5), 120)[:3]
            job.engine.stop()
            yield from shards_of(documents(5), 120)[3:]

        whole = self.minibatch(5)
        with pytest.raises(Interrupted):
            job.engine.map(state.small, interrupted(), whole.n_shards, job.seed)
        with pytest.raises(Interrupted):
            advance(job, state, whole)
        assert job.engine.rows().values.tobytes() == before
        assert state.small is small
        assert state.step == 5

    def test_edits_keep_totals_but_for_what_they_drop(self) -> None:
        """Law 4, for a table and the record beside it."""
        job, state, _, keys = self.history()
        engine, n = job.engine, len(keys[-1])
        values: Array = engine.rows().values.copy()
        columns = values.shape[1]
        edit = (
            Permute("words", tuple(reversed(range(n)))),
            Merge("components", 0, 1),
            Grow("components", 1),
            Split("components", 0, 0.25),
            Drop("words", (0, 2)),
            Grow("words", 1, ("late",)),
        )
        engine.edit(edit)
        after = engine.rows().values
        lost = values[[n - 1, n - 3]].sum()
        assert after.shape == (n - 1, columns + 1)
        assert engine.totals().sum() == pytest.approx(values.sum() - lost)
        assert after.sum() == pytest.approx(values.sum() - lost)
        assert engine.positions(["late", keys[-1][0], keys[-1][n - 1]]).tolist() == [n - 2, n - 3, -1]
        small = apply(edit, state.small)
        assert small["use"].values.sum() == pytest.approx(state.small["use"].values.sum())

    def test_blend_decays_everything_and_adds_a_few_rows(self) -> None:
        job, *_ = self.history()
        before, totals = job.engine.rows().values.copy(), job.engine.totals().copy()
        fresh = Rows(np.array([1, 3]), np.arange(2.0 * before.shape[1]).reshape(2, -1))
        for _ in range(40):  # past any threshold at which the decay factor is multiplied out
            job.engine.blend(fresh, 0.6, 2.0)
            before = before * 0.6
            before[[1, 3]] += 2.0 * fresh.values
            totals = 0.6 * totals + 2.0 * fresh.values.sum(0)
        assert job.engine.rows().values == pytest.approx(before, rel=1e-12)
        assert job.engine.totals() == pytest.approx(totals, rel=1e-12)
        job.engine.blend(fresh, 0.0, 1.0)
        assert job.engine.totals()[0] == pytest.approx(fresh.values.sum(0))
