"""What could not be read again is not saved, and the last state that can be read stays."""

import json

import numpy as np
import pytest
from tests.running import A_MANIFEST, A_RUN, SMALL, planted_documents, write_lines, write_trace

from stickbreaker import LDA, AdaptorGrammar, Online, UserError, Vocabulary
from stickbreaker.learning.observers import Observer
from stickbreaker.learning.trace import line_of, record_of
from stickbreaker.saved import ModelDirectory, Snapshot

LINES = ["thedogran", "acatsat", "thecatran", "adogsat"] * 5
RULES = "{0} 1 S --> W\n{0} 1 S --> W S\nW --> C\n1 1 C --> L\n1 1 C --> L C\n" + "".join(
    f"1 1 L --> {letter}\n" for letter in sorted(set("".join(LINES)))
)


def snapshot(step=1, *, arrays=None, keys=None, **run):
    manifest = {**A_MANIFEST, "status": "running", "run": A_RUN | {"step": step, "passes": step} | run}
    return Snapshot(manifest, {"counts": np.ones((2, 2))} if arrays is None else arrays, keys)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"scores": [float("nan")]}, "scores is"),
        ({"held_out": [float("-inf")]}, "held_out is"),
        ({"seen": float("inf")}, "seen is inf"),
        ({"passes": 3}, "more passes than steps"),
        ({"arrays": {"counts": np.array([1.0, np.nan])}}, "'counts' has values that are not finite"),
        ({"arrays": {"counts": np.array([True])}}, "'counts' does not hold numbers"),
        ({"keys": ["a", "a"]}, "lists a word twice"),
        ({"keys": ["a", ""]}, "is not a list of words"),
    ],
)
def test_what_read_would_refuse_is_not_written(tmp_path, change, told):
    directory = ModelDirectory(tmp_path)
    directory.write_vocabulary(Vocabulary.of(["a", "b"]))
    write_trace(tmp_path, 1)
    directory.write(snapshot(1))
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(UserError, match=told) as refused:
        directory.write(snapshot(2, **change))
    assert refused.value.where == tmp_path
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    assert ModelDirectory(tmp_path).read().manifest["run"]["step"] == 1


def test_lines_that_could_not_be_read_are_not_written():
    for record in ({"step": 1, "score": float("nan")}, {"step": -1}, {"step": 1, "pass": 0.5}):
        with pytest.raises(UserError, match="gave no numbers"):
            line_of(record)
    record = {"step": 1, "score": -1.5}
    assert record_of(line_of(record).encode()) == record


@pytest.mark.parametrize(
    "extreme",
    [("--schedule", "online", "--batch-size", 20, "--total", "1e80", "--iterations", 3)],
)
def test_a_run_without_numbers_ends_in_one_line(planted, cli, tmp_path, extreme):
    out = tmp_path / "m"
    done = cli("fit", "lda", planted, "--out", out, *SMALL, *extreme, "--checkpoint-every", 0, code=1)
    assert done.stdout == ""
    assert "Next:" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"stickbreaker: {out}: step ")
    assert "gave no numbers (score is" in last
    cli("topics", out)  # as its last step with numbers left it
    assert np.isfinite(ModelDirectory(out).read().manifest["run"]["scores"]).all()


def test_weights_too_small_for_sums_end_in_one_line(cli, tmp_path):
    (tmp_path / "rules").write_text(RULES.format("1e-310"))  # refused before anything is written
    (tmp_path / "lines.txt").write_text("\n".join(LINES))
    line = ("fit", "grammar", tmp_path / "lines.txt", "--out", tmp_path / "m", "--iterations", 3)
    done = cli(*line, "--grammar", tmp_path / "rules", code=1)
    assert "a weight of 1e-310; weights are from 1e-300" in done.stderr.splitlines()[-1]
    assert not (tmp_path / "m").exists()
    with pytest.raises(UserError, match="a weight of 1e-310"):
        AdaptorGrammar(RULES.format("1e-310"), max_iter=3, random_state=0).fit(LINES)
    for weight in ("1", "1e-300", "1e300"):
        model = AdaptorGrammar(RULES.format(weight), max_iter=3, random_state=0).fit(LINES)
        assert np.isfinite(model.bound_)


def test_a_stream_without_numbers_keeps_what_was_saved(cli, tmp_path):
    texts = write_lines(tmp_path / "s.jsonl", planted_documents(60))
    line = ("fit", "lda", texts, "--stream", "--out", tmp_path / "m", "--words", "open", "--topics", 3)
    done = cli(*line, "--batch-size", 10, "--total", "1e80", "--snapshot-documents", 10, code=1)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("stickbreaker: ")
    assert "gave no numbers" in last
    assert "Next:" not in done.stdout


def test_a_step_without_numbers_leaves_the_estimator_as_it_was(texts, tmp_path):
    lda = LDA(3, schedule=Online(total=40.0), point_topics=False, random_state=0, n_jobs=1).partial_fit(texts)
    learned = lda.components_.copy()
    lda.set_params(schedule=Online(total=1e80)).partial_fit(texts)  # the bound of the step is of before it
    for _ in range(3):
        with pytest.raises(UserError, match="step 3 gave no numbers"):
            lda.partial_fit(texts)
    assert lda.n_steps_ == len(lda.trace_) == 2
    assert not np.array_equal(lda.components_, learned)
    lda.save(tmp_path / "m")
    assert LDA.load(tmp_path / "m").n_steps_ == 2


class Spoiling(Observer):
    """Makes a state that a step leaves unreadable."""

    def step(self, job, state, record) -> bool:
        if state.step == 2:
            state.scores[-1] = float("nan")
        return False


def test_the_last_good_state_goes_on(planted, cli, tmp_path, monkeypatch):
    out, whole = tmp_path / "m", tmp_path / "whole"
    line = ("fit", "lda", planted, *SMALL, "--checkpoint-every", 0, "--out")
    with monkeypatch.context() as patch:
        patch.setattr("stickbreaker.console.running.watcher", Spoiling)
        done = cli(*line, out, code=1)
    assert f"stickbreaker: {out}: is not saved, since it could not be read again" in done.stderr
    cli("resume", out)
    cli(*line, whole)
    assert json.loads((out / "model.json").read_text())["run"]["passes"] > 1
    assert np.array_equal(LDA.load(out).components_, LDA.load(whole).components_)
