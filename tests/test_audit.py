"""The audit of faults: a seeded sample of every part holds, and the audit sees what does not.

`make audit` makes many more tries. Kills of Spark's processes are in tests/spark.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from audit import processes, programs
from audit.materials import LEXICONS, LINES, MODELS, command_of, subject
from audit.results import (
    HANG,
    LEFT,
    LONGEST,
    LOST,
    REFUSED,
    SAME,
    SILENT,
    SLOW,
    TRACEBACK,
    UNCLEAR,
    Done,
    Result,
    refusal,
)
from audit.run import PARTS, Audit
from audit.sealing import change_array

from stickbreaker.estimators.kinds import kind_at, kinds, systems
from tests.tiers import EXHAUSTIVE

pytestmark = [pytest.mark.faults, pytest.mark.slow]
ROOT = Path(__file__).parents[1]
SEED = 1


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    with Audit(SEED, jobs=2, place=tmp_path_factory.mktemp("audit")) as made:
        yield made


def failures(results: list[Result]) -> str:
    """What did not hold, and how to try it again."""
    failed = [one for one in results if one.failed]
    return "\n".join(f"{one.outcome}: {one.message}\n  {one.repeat}" for one in failed)


@pytest.mark.parametrize("part", [name for name in PARTS if name != "spark"])
def test_a_sample_holds(audit, part):
    tries = audit.part(part).sample // (1 if EXHAUSTIVE else 4)
    results = audit.run(part, sample=tries)
    assert len(results) == tries
    assert not failures(results), failures(results)


def test_every_registered_kind_is_tried(audit):
    """A new kind of model, or of lexicon, needs a material; its commands and its faults then follow."""
    of = {
        kind: kind_at(audit.materials.of(kind) / subject(kind), "evaluate") for kind in (*MODELS, *LEXICONS)
    }
    systems_of_files = {system.name for system in systems() if system.marker is not None}
    assert {saved.name for saved in of.values()} == {*kinds(), *systems_of_files}
    for kind, saved in of.items():
        tried = {line.split()[0] for line in audit.materials.verbs(kind)}
        of_one_language = {"compare"} if "en=" in command_of(kind) else set()
        assert tried >= ({*saved.verbs} & {*LINES}) - of_one_language, kind
        for part, words in (("flips", ""), ("foreign", "tensor of "), ("processes", "fork of ")):
            assert f"{words}{kind}" in audit.part(part).kinds(), part


# the audit can fail


def blind() -> None:
    """In a child: models are read without a look at their sums."""
    from stickbreaker.saved import ModelDirectory

    ModelDirectory._verify = lambda self, name, told: None


def careless(lines: int) -> None:
    """In a child: a user's mistake is told in so many lines."""
    from stickbreaker.console import console

    def fail(line: str) -> None:
        print("\n".join(["stickbreaker: something"] * lines), file=sys.stderr)
        sys.exit(1)

    console.fail = fail


def test_sums_that_nobody_checks_are_seen(audit, monkeypatch, tmp_path):
    comparison = audit.part("flips").comparison
    comparison.known("lda")
    place = audit.materials.copy("lda", tmp_path / "place")
    change_array(place / "model" / "state.safetensors", "counts", lambda counts: counts[::-1])
    assert {one.outcome for one in comparison.judge("lda", place, ("model/",))} <= {REFUSED, SAME}
    monkeypatch.setattr(programs, "always", [(blind,)])
    assert SILENT in {one.outcome for one in comparison.judge("lda", place, ("model/",))}


def test_a_refusal_without_a_file_is_seen(audit, monkeypatch):
    audit.part("flips").comparison.known("lda")
    monkeypatch.setattr(programs, "always", [(careless, 1)])
    tries = (audit.run("flips", kinds=["lda"], number=number)[0] for number in range(10))
    assert any(result.outcome == UNCLEAR for result in tries)


def by_path_alone() -> None:
    """In a child: nobody asks whether a directory is still the one that was locked."""
    from stickbreaker.core.locks.directory_claims import DirectoryClaim

    DirectoryClaim.refuse_another = lambda self: None


def all_at_once() -> None:
    """In a child: nobody takes turns, with an estimator or with names."""
    from stickbreaker.estimators import scikit_learn
    from stickbreaker.topics.names import names_file

    scikit_learn.alone_with = names_file.turn_at = contextlib.nullcontext
    read = names_file.read_names

    def read_and_wait(directory):
        found = read(directory)
        time.sleep(0.5)  # the others read in between, however many cores there are
        return found

    names_file.read_names = read_and_wait


def for_everybody() -> None:
    """In a child: files are made for everybody."""
    from stickbreaker.core import files

    files._set_mode = lambda path, mode: path.chmod(0o755 if path.is_dir() else 0o644)


def after_a_signal() -> None:
    """In a child: Ctrl-C is a traceback, as in a program that does not know it."""
    from stickbreaker.console import running

    def ended(*_: object) -> None:
        print("Traceback (most recent call last):", file=sys.stderr, flush=True)
        os._exit(1)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ended)
    running.stop_signals = lambda *_, **__: contextlib.nullcontext()


def forgets() -> None:
    """In a child: what is copied to another process has learned something else."""
    processes.copied = lambda way, estimator: type(estimator).load("other")


def for_root() -> None:
    """In a child: a folder that may only be read is written all the same."""
    from audit import paths

    paths.keep_to_permissions = lambda: None
    for path in (Path.cwd(), *Path.cwd().rglob("*")):
        path.chmod(0o755)


@pytest.mark.parametrize(
    ("part", "kind", "fault", "outcome"),
    [
        ("meanwhile", "exchanged during hdp memoised", by_path_alone, LOST),
        ("threads", "lda", all_at_once, SILENT),
        ("meanwhile", "names at once", all_at_once, LOST),
        ("permissions", "lda batch", for_everybody, LOST),
        ("signals", "lda batch", after_a_signal, TRACEBACK),
        ("processes", "pickle of lda", forgets, SILENT),
        ("paths", "read-only place of lda batch", for_root, SILENT),
    ],
)
def test_what_is_lost_or_open_is_seen(audit, monkeypatch, part, kind, fault, outcome):
    if part == "meanwhile":
        audit.materials.other()
    if "during" in kind or part in ("permissions", "signals"):
        audit.part(part).works.whole(kind.removeprefix("exchanged during "))
    if part in ("processes", "paths"):
        audit.run(part, kinds=[kind], number=0)  # which makes what is needed
    monkeypatch.setattr(programs, "always", [(fault,)])
    tries = (audit.run(part, kinds=[kind], number=number)[0] for number in range(24))
    assert any(result.outcome == outcome for result in tries)


def compute() -> None:
    """In a child: never end."""
    while True:
        pass


def test_what_computes_is_slow_and_what_waits_hangs(monkeypatch, tmp_path):
    """The audit's own limit is no fault of the library's, unless a command computes for much longer."""
    (tmp_path / "place").mkdir()
    monkeypatch.setattr(programs, "IDLE", 1.0)

    def outcome(long: float, before: tuple[object, ...], *, patient: bool) -> str:
        monkeypatch.setattr(programs, "LONG", long)
        run = programs.run
        return refusal(
            run("--version", tmp_path / "place", before=before, limit=2.0, patient=patient)
        ).outcome

    assert outcome(100.0, (compute,), patient=False) == SLOW
    assert outcome(0.05, (compute,), patient=True) == HANG
    assert outcome(100.0, (time.sleep, 60.0), patient=True) == HANG
    result = Result("flips", "lda", 3, SEED, SLOW)
    assert not result.held
    assert not result.failed


def test_what_a_refusal_is():
    def outcome(code: int | None, err: str, *names: str) -> str:
        return refusal(Done(("topics",), code, "", err), names).outcome

    assert outcome(1, "pass 1\nstickbreaker: model/x: is damaged\n", "model/") == REFUSED
    assert outcome(2, "stickbreaker: No such option: --x (stickbreaker topics --help)\n") == REFUSED
    assert outcome(1, "stickbreaker: it is damaged\n", "model/") == UNCLEAR
    assert outcome(1, "stickbreaker: model/x: a\nstickbreaker: model/x: b\n", "model/") == UNCLEAR
    assert outcome(1, f"stickbreaker: {'x' * LONGEST}\n") == UNCLEAR
    assert outcome(1, 'Traceback (most recent call last):\n  File "a"\nKeyError: 1\n') == TRACEBACK
    assert outcome(-11, "") == TRACEBACK
    assert outcome(None, "") == HANG


def test_two_refusals_of_one_try_are_one_result(audit):
    """The worst of a try's verdicts is its outcome, and it says how to try it again."""
    result = Result("flips", "lda", 3, SEED, LEFT, "x")
    assert not result.held
    assert result.repeat == "python -m audit --seed 1 --parts flips --kinds 'lda' --number 3"


def test_the_command(tmp_path):
    words = [sys.executable, "-m", "audit", "--parts", "flips", "--kinds", "bag corpus", "--number", "0"]
    done = subprocess.run([*words, "--place", tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 tries, seed 0; 0 failed, 0 too slow" in done.stdout
    unknown = subprocess.run([*words[:4], "dreams"], cwd=ROOT, capture_output=True, text=True)
    assert unknown.returncode == 2
    assert "there are no parts dreams" in unknown.stderr
