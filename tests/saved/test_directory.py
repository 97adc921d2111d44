"""The directory of a model: what is refused, and what a death between two file operations leaves."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
from tests.running import A_MANIFEST, A_RUN, write_trace

from stickbreaker import LDA, UserError, Vocabulary
from stickbreaker.core.locks import path_locks
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.directory import new_model_directory
from stickbreaker.testing.estimators import contents


@pytest.fixture
def copy(model, tmp_path):
    return shutil.copytree(model, tmp_path / "copy")


def test_the_same_run_gives_the_same_files(model, planted, cli, tmp_path):
    again = tmp_path / "model"
    cli("fit", "lda", planted, "--out", again, "--topics", 3, "--threads", 2, "--seed", 1)
    assert contents(again) == contents(model)
    assert sorted(contents(again)) == [
        "documents.parquet",
        "lock",
        "metadata-sums.parquet",
        "model.json",
        "state.safetensors",
        "trace.jsonl",
        "vocabulary.parquet",
    ]
    assert [entry.name for entry in tmp_path.iterdir()] == ["model"]


def test_a_loaded_model_goes_on_learning(texts, tmp_path):
    whole = LDA(n_topics=3, random_state=1, n_jobs=1).partial_fit(texts)
    whole.save(tmp_path / "model")
    loaded = LDA.load(tmp_path / "model").partial_fit(texts[:9])
    whole.partial_fit(texts[:9])
    assert np.array_equal(loaded.components_, whole.components_)
    assert (loaded.n_iter_, loaded.bound_) == (whole.n_iter_, whole.bound_) == (2, whole.trace_[-1]["score"])


FILES = (
    "state.safetensors",
    "vocabulary.parquet",
    "documents.parquet",
    "metadata-sums.parquet",
    "model.json",
)


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(copy, name):
    (copy / name).unlink()
    where = copy if name == "model.json" else copy / name
    with pytest.raises(UserError) as told:
        LDA.load(copy)
    assert told.value.where == where
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("cut", [0, 1, 0.5])
def test_a_truncated_file_is_named(copy, name, cut):
    content = (copy / name).read_bytes()
    (copy / name).write_bytes(content[: int(cut * len(content)) if cut < 1 else -2])
    with pytest.raises(UserError, match=r"damaged|truncated") as told:
        LDA.load(copy)
    assert told.value.where == copy / name


@pytest.mark.parametrize("name", FILES)
def test_an_altered_file_is_named(copy, name):
    content = bytearray((copy / name).read_bytes())
    middle = content.index(b"mean-field") if name == "model.json" else len(content) // 2
    content[middle] ^= 1
    (copy / name).write_bytes(content)
    with pytest.raises(UserError, match="was altered") as told:
        LDA.load(copy)
    assert told.value.where == copy / name


def test_a_damaged_trace_is_named(copy):
    (copy / "trace.jsonl").write_text('{"step": 1')
    with pytest.raises(UserError, match=r"trace.jsonl: is damaged or altered; restore it"):
        LDA.load(copy)
    (copy / "trace.jsonl").unlink()
    with pytest.raises(UserError, match=r"trace.jsonl: is missing"):
        LDA.load(copy)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"schema": 2}, "schema 2, this one reads 1"),
        ({"schema": 1}, "was altered"),
        ({}, "is damaged"),
        ([], "is damaged"),
        ("text", "is damaged"),
    ],
)
def test_other_manifests_are_refused(copy, content, told):
    (copy / "model.json").write_text(json.dumps(content))
    with pytest.raises(UserError, match=told):
        LDA.load(copy)


def test_what_is_not_a_model_is_refused(tmp_path, planted):
    for path, told in ((tmp_path / "none", "no such"), (tmp_path, "not a saved"), (planted, "not a saved")):
        with pytest.raises(UserError, match=told):
            LDA.load(path)


def test_an_existing_path_is_refused(copy, texts, tmp_path):
    lda = LDA(n_topics=2, max_iter=1, tol=0, n_jobs=1, random_state=0).fit(texts)
    before = contents(copy)
    with pytest.raises(UserError, match="already exists"):
        lda.save(copy)
    assert contents(copy) == before
    lda.save(copy, overwrite=True)
    assert len(LDA.load(copy).alpha_) == 2
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    (tmp_path / "file").write_text("dear")
    for other in ("mine", "file"):
        with pytest.raises(UserError, match="replaces models only"):
            lda.save(tmp_path / other, overwrite=True)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["copy", "file", "mine"]


def test_a_model_in_use_is_not_replaced(copy, texts):
    lda = LDA(n_topics=2, max_iter=1, tol=0, n_jobs=1, random_state=0).fit(texts)
    running = ModelDirectory(copy)
    running.lock()
    with pytest.raises(UserError, match="another run is writing"):
        lda.save(copy, overwrite=True)
    running.unlock()
    lda.save(copy, overwrite=True)


def test_a_name_taken_meanwhile_is_not_replaced(tmp_path):
    path = tmp_path / "model"

    def make():
        with new_model_directory(path, overwrite=False):
            path.mkdir()
            (path / "other").touch()

    with pytest.raises(UserError, match="already exists"):
        make()
    assert [str(entry.relative_to(tmp_path)) for entry in tmp_path.rglob("*")] == ["model", "model/other"]


def test_what_killed_runs_left_is_removed(tmp_path):
    names = [
        ".model.partial-deaddead",
        ".model.partial-livelive",
        ".model.partial-foreign_",
        ".other.partial-deaddead",
    ]
    for name in names:
        (tmp_path / name / "corpus").mkdir(parents=True)
        if "foreign" not in name:
            (tmp_path / name / "lock").touch()
    live = ModelDirectory(tmp_path / ".model.partial-livelive")
    live.lock()
    with (
        pytest.raises(UserError, match="model: another process is writing this"),
        new_model_directory(tmp_path / "model", overwrite=False),
    ):
        pass
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted(names[1:])
    live.unlock()
    with new_model_directory(tmp_path / "model", overwrite=False):
        pass
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted([*names[2:], "model"])


# Death between any two file operations


class Killed(BaseException):
    """The process is no more."""


class Life:
    """Lets `left` file operations happen, and none after: not even those that would tidy up."""

    def __init__(self, monkeypatch, left: int) -> None:
        self.left = left
        for owner, name in (
            (Path, "unlink"),
            (Path, "replace"),
            (Path, "chmod"),
            (Path, "write_bytes"),
            (path_locks, "new_file"),
            (safetensors.numpy, "save_file"),
        ):
            monkeypatch.setattr(owner, name, self.mortal(getattr(owner, name), name))

    def mortal(self, real, name):
        def operation(*arguments, **options):
            if self.left > 0:
                self.left -= 1
                return real(*arguments, **options)
            if self.left == 0 and name in ("write_bytes", "save_file"):  # dies half-way through a file
                target = arguments[0] if name == "write_bytes" else arguments[1]
                with open(target, "wb") as file:
                    file.write(b"half")
            self.left = -1
            raise Killed

        return operation


def snapshot(step: int, status: str = "running") -> Snapshot:
    run = A_RUN | {"step": step, "passes": step}
    return Snapshot(
        {**A_MANIFEST, "status": status, "run": run},
        {"counts": np.full((4, 2), float(step))},
        ["a", f"b{step}"],
    )


@pytest.mark.parametrize("status", ["running", "done"])
def test_death_at_any_moment_leaves_a_whole_state(tmp_path, monkeypatch, status):
    for left in range(100):
        path = tmp_path / str(left)
        path.mkdir()
        directory = ModelDirectory(path)
        directory.write_vocabulary(Vocabulary.of(["a", "b"]))
        write_trace(path, 1)
        directory.write(snapshot(1))
        write_trace(path, 2)
        survived = True
        with monkeypatch.context() as patched:
            life = Life(patched, left)
            try:
                directory.write(snapshot(2, status))
            except Killed:
                survived = False
        held = ModelDirectory(path).read()
        step = held.manifest["run"]["step"]
        assert held.arrays["counts"].tolist() == np.full((4, 2), float(step)).tolist()
        assert (step, held.keys) in ((1, ["a", "b1"]), (2, ["a", "b2"]))
        assert step == 2 or not survived
        write_trace(path, 3)
        ModelDirectory(path).write(snapshot(3))
        assert sorted(file.name for file in path.iterdir()) == [
            "keys-000003.json",
            "model.json",
            "state-000003.safetensors",
            "trace.jsonl",
            "vocabulary.parquet",
        ]
        if survived:
            assert life.left >= 0
            break
    assert 10 < left < 99


def test_reading_goes_on_to_a_newer_checkpoint(tmp_path, monkeypatch):
    """A run replaces its checkpoint between a reader's look at model.json and at the files it names."""
    directory = ModelDirectory(tmp_path)
    directory.write_vocabulary(Vocabulary.of(["a", "b"]))
    write_trace(tmp_path, 1)
    directory.write(snapshot(1))
    write_trace(tmp_path, 2)
    real, calls = ModelDirectory._verify, []

    def slow(self, name, facts):
        if not calls:
            calls.append(name)
            directory.write(snapshot(2))
        real(self, name, facts)

    monkeypatch.setattr(ModelDirectory, "_verify", slow)
    assert ModelDirectory(tmp_path).read().manifest["run"]["step"] == 2
