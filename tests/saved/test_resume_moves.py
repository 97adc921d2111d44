"""Runs with moves that are interrupted, while plans are under way too, end byte for byte as others do."""

import pytest
from tests.running import StopAfter
from tests.tiers import sampled

from stickbreaker import HDP, Corpus, Memoised, SplitMerge
from stickbreaker.engines import Interrupted, LocalEngine
from stickbreaker.estimators import model_runs
from stickbreaker.saved import ModelDirectory
from stickbreaker.testing import plant_topics
from stickbreaker.testing.estimators import begin, contents

GOING = {
    "mean-field": {"n_topics": 7},  # topics merge, so that numbers are not those of the columns
    "hybrid": {"inference": "hybrid"},
    "learned eta": {"eta": "learned", "moves": SplitMerge(splits=3, merges=2)},
    "batch": {"schedule": "batch", "max_iter": 12},
}


def begun(path, case):
    """A run in a directory at step 0: four minibatches a pass, three passes of moves, splits and merges."""
    settings = {"n_topics": 3, "schedule": Memoised(batch_size=30), "max_iter": 6, "tol": 0.0, **GOING[case]}
    corpus = Corpus.from_matrix(plant_topics(n_documents=120, length=30, seed=2).counts)
    corpus = corpus.write(path.parent / f"corpus of {path.name}")
    begin(HDP(random_state=1, **settings), corpus, path, corpus_inside=True)
    return path


def went_on(path, watch):
    with pytest.raises(Interrupted):
        model_runs.resume(path, every=0.0, threads=2, watch=watch)
    snapshot = ModelDirectory(path).read()
    return snapshot.manifest["run"]["step"], any(name.startswith("plan/") for name in snapshot.arrays)


@pytest.mark.parametrize("case", sampled(GOING, 1))
def test_an_interrupted_run_goes_on_alike(tmp_path, case):
    """Stopped after every few steps: before moves, again and again while plans are under way, after edits."""
    whole = begun(tmp_path / "whole", case)
    model_runs.resume(whole, every=60.0, threads=1)
    assert any("edits" in record for record in contents(whole)["trace.jsonl"])
    path, seen = begun(tmp_path / "model", case), {}
    for steps in (1, 3, 4, 1, 1, 1, *((3, 1, 2) if case != "batch" else ())):
        at, under_way = went_on(path, [StopAfter(steps)])
        seen[at] = under_way
    if case != "batch":
        assert seen == {1: False, 4: False, 8: False} | dict.fromkeys([9, 10, 11], True) | {
            14: seen[14],
            15: seen[15],
            17: seen[17],
        }
        n_topics = GOING[case].get("n_topics", 3)
        numbers, given = ModelDirectory(path).manifest()["columns"]
        assert (numbers, given) != (list(range(n_topics)), n_topics), "an edit was made by then"
    model_runs.resume(path, every=60.0, threads=3)
    assert contents(path) == contents(whole)


def test_a_stop_while_proposals_are_fitted_leaves_the_last_step(tmp_path, monkeypatch):
    """In the third round of mapping a minibatch again: nothing of that step is in the checkpoint."""
    whole = begun(tmp_path / "whole", "mean-field")
    model_runs.resume(whole, every=60.0, threads=1)
    path, calls, real = begun(tmp_path / "model", "mean-field"), [], LocalEngine.retry

    def again(self, params, shards, seed, proposals):
        calls.append(len(proposals))
        if len(calls) == 3:
            self.stop()
        return real(self, params, shards, seed, proposals)

    with monkeypatch.context() as patched:
        patched.setattr(LocalEngine, "retry", again)
        assert went_on(path, []) == (8, False)
    assert len(calls) == 3
    model_runs.resume(path, every=0.0, threads=2)
    assert contents(path) == contents(whole)
