"""A sampler of its own, no topics and no table: its runs have all that the loop gives."""

import subprocess
import sys

import numpy as np
import pytest
from tests.running import A_MANIFEST, StopAfter

from stickbreaker.contracts.contract import Fitted, Sampler, Score
from stickbreaker.core.errors import Interrupted
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Field
from stickbreaker.corpus import Vocabulary
from stickbreaker.learning.chains import Chains
from stickbreaker.learning.loop import run
from stickbreaker.learning.observers import Callback, Clock, Trace
from stickbreaker.learning.run import Limits
from stickbreaker.learning.sampling import SamplingRun, SamplingState
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.checkpoints import (
    Checkpoints,
    fitted_of,
    params_from,
    sampling_state_of,
    snapshot_of,
)
from stickbreaker.saved.directory import new_model_directory
from stickbreaker.testing.estimators import contents

GUESTS = 30
SWEEPS = 12
FIXED = A_MANIFEST


class Restaurant(Sampler):
    """A Chinese restaurant whose guests leave and come back, and sit at the table they draw.

    Its state is the tables with their guests, in order: a guest draws by tables' order, so that the same
    seating in another order goes on in another way.
    """

    def __init__(self, seed):
        self.seed, self.tables, self.strength = seed, [list(range(GUESTS))], 1.0

    def sweep(self, number, threads):
        draw = stream(self.seed, "restaurant", number)
        for guest in range(GUESTS):
            self.tables = [rest for table in self.tables if (rest := [g for g in table if g != guest])]
            sizes = np.array([*map(len, self.tables), self.strength])
            chosen = int(draw.choice(len(sizes), p=sizes / sizes.sum()))
            if chosen == len(self.tables):
                self.tables.insert(0, [guest])
            else:
                self.tables[chosen].append(guest)

    def learn(self):
        self.strength = 0.5 * self.strength + 0.1 * len(self.tables)

    def score(self):
        sizes = np.array([len(table) for table in self.tables])
        return Score(float(np.log(sizes).sum() + len(sizes) * np.log(self.strength)), GUESTS, "joint")

    def figures(self):
        return {"tables": len(self.tables)}

    def fitted(self):
        sizes = np.array([len(table) for table in self.tables], float)
        return Fitted({"sizes": Field(sizes, ("tables",)), "strength": Field(np.array(self.strength))})

    def snapshot(self):
        return {
            "guests": np.array([guest for table in self.tables for guest in table]),
            "sizes": np.array([len(table) for table in self.tables]),
            "strength": np.array(self.strength),
        }

    def restore(self, arrays):
        if arrays["sizes"].sum() != GUESTS:
            raise ValueError("another restaurant")
        seated = np.split(arrays["guests"], np.cumsum(arrays["sizes"])[:-1])
        self.tables, self.strength = [table.tolist() for table in seated], float(arrays["strength"])


def job(evaluate=None):
    return SamplingRun(GUESTS, evaluate, seed=4, limits=Limits(SWEEPS, 0.0))


def chains():
    return Chains([Restaurant(4), Restaurant(5)], burn_in=4, every=3, threads=2)


def begin(path):
    """A directory with a run at its start."""
    with new_model_directory(path, overwrite=False) as directory:
        directory.write_vocabulary(Vocabulary.of(("a", "guest")))
        directory.write(snapshot_of(job(), SamplingState(chains()), FIXED))
    return path


def go_on(path, *watch, every=0.0):
    """The run from its last checkpoint on, as one resumes in a new process."""
    directory = ModelDirectory(path)
    snapshot = directory.read()
    state = sampling_state_of(snapshot, chains())
    directory.truncate_trace(snapshot.manifest)
    trace = Trace(directory.trace_path, snapshot.trace)
    checkpoints = Checkpoints(directory, FIXED, every, lambda: fitted_of(state.chains.fitted(), state, FIXED))
    run(job(), state, [Clock(), trace, *watch, checkpoints])
    return state


@pytest.mark.parametrize("every", [0.0, 60.0])
def test_an_interrupted_run_goes_on_byte_for_byte(tmp_path, every):
    whole, path = begin(tmp_path / "whole"), begin(tmp_path / "model")
    go_on(whole)
    for steps in (2, 5):
        with pytest.raises(Interrupted):
            go_on(path, StopAfter(steps), every=every)
    assert ModelDirectory(path).manifest()["run"]["step"] == 7
    go_on(path, every=every)
    assert contents(path) == contents(whole)


def test_a_checkpoint_holds_the_chains_once_and_a_finished_model_what_they_fitted(tmp_path):
    path = begin(tmp_path / "model")
    with pytest.raises(Interrupted):
        go_on(path, StopAfter(3))
    own = {f"chain/{number}/{name}" for number in (0, 1) for name in ("guests", "sizes", "strength")}
    assert set(ModelDirectory(path).read().arrays) == {"chain/scores", "chain/taken"} | own
    state = go_on(path)
    snapshot = ModelDirectory(path).read()
    params = params_from(snapshot)
    assert set(snapshot.arrays) == {"small/sizes", "small/strength"}
    assert params["sizes"].axes == ("tables",)
    assert params["sizes"].values.tolist() == state.chains.fitted().params["sizes"].values.tolist()
    assert snapshot.manifest["run"]["passes"] == SWEEPS


def test_the_trace_tells_of_every_sweep_and_scores_those_that_are_due(tmp_path):
    path, told = begin(tmp_path / "model"), []
    state = go_on(path, Callback(told.append))
    records = ModelDirectory(path).read().trace
    assert [record["pass"] for record in records] == list(range(1, SWEEPS + 1))
    assert [record["step"] for record in told] == [record["step"] for record in records]
    assert [record["pass"] for record in records if "score" in record] == [1, 3, 6, 9, 12]
    assert [record["score"] for record in records if "score" in record] == state.scores
    assert all(record["tables"] > 0 and record["documents"] == GUESTS * record["pass"] for record in records)
    assert records[-1]["chains"] == state.chains.scores[:, -1].tolist()


def test_a_callback_ends_a_run_which_is_scored_then():
    state = run(job(), SamplingState(chains()), [Callback(lambda record: record["pass"] == 5)])
    assert (state.passes, state.stopped, state.kind) == (5, True, "joint")
    assert len(state.scores) == 3, "of sweeps 1 and 3, and of the end"
    assert state.chains.taken == 1


def test_held_out_documents_are_scored_by_what_was_fitted():
    seen = []

    def evaluate(fitted):
        seen.append(fitted.params["sizes"].values.sum())
        return -float(len(seen))

    state = run(job(evaluate), SamplingState(chains()))
    assert seen == [GUESTS] * 5
    assert state.held_out == [-1.0, -2.0, -3.0, -4.0, -5.0]


def test_another_runs_chains_are_refused(tmp_path):
    snapshot = snapshot_of(job(), SamplingState(chains()), FIXED)
    with pytest.raises(ValueError, match="other chains"):
        sampling_state_of(snapshot, Chains([Restaurant(4)], 4, 3, 1))


def test_runs_by_sampling_know_no_engine_and_no_model_of_topics():
    look = "import sys, stickbreaker.learning.sampling; print(*sys.modules)"
    names = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True).stdout
    for room in ("stickbreaker.engines", "stickbreaker.topics.model", "stickbreaker.learning.schedules"):
        assert room not in names
