"""What a run's lines of progress say."""

import io
from types import SimpleNamespace

from stickbreaker.learning import observers
from stickbreaker.learning.observers import Lines
from stickbreaker.learning.run import SCORES


def lines_of_steps(monkeypatch, seconds, max_iter=10):
    """The lines of a run of 1,000 documents a step, whose steps take so many seconds."""
    now = 0.0
    monkeypatch.setattr(observers.time, "perf_counter", lambda: now)
    monkeypatch.setattr(observers.Pace.__init__, "__defaults__", (lambda: now,))
    job = SimpleNamespace(limits=SimpleNamespace(max_iter=max_iter), n_documents=1_000, scores=SCORES)
    out, state = io.StringIO(), SimpleNamespace(seen=0.0)
    lines = Lines(out, every=0.0)
    lines.begin(job, state)
    for number, taken in enumerate(seconds, 1):
        now += taken
        state.seen += 1_000
        lines.step(job, state, {"pass": number, "step": number})
    lines.end(job, state)
    return out.getvalue().splitlines()


def test_the_first_step_which_compiles_is_out_of_the_rate(monkeypatch):
    first, second, third = lines_of_steps(monkeypatch, [60.0, 2.0, 2.0])
    assert first == "pass 1, step 1"
    assert second == "pass 2, step 2, 500 documents/s, at most 0:16 left"
    assert third == "pass 3, step 3, 500 documents/s, at most 0:14 left"


def test_a_run_of_one_step_has_no_rate(monkeypatch):
    assert lines_of_steps(monkeypatch, [60.0], max_iter=1) == ["pass 1, step 1"]
