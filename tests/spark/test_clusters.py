"""Every master gives the same bytes, whichever of its processes are killed or hang."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from tests.spark.processes import executors, standalone, start, until, workers
from tests.spark.running_on_spark import begun, digest, fitted, reaching, resumed, same, tidy
from tests.tiers import sampled

from stickbreaker.engines.spark import SparkEngine
from stickbreaker.saved import ModelDirectory

ACROSS = ("carried records", "online", "hybrid")  # runs that are compared between masters
KILLS = (("job", 5), ("checkpoint", 2), ("tidy", 3))


@pytest.fixture(scope="module")
def digests(spark, corpora) -> dict[str, str]:
    """Of tables that two threads of a master of this process made."""
    engine = SparkEngine(spark, portion=128, blocks=3)
    return {run: digest(fitted(run, corpora, engine).components_) for run in ACROSS}


def begins(master: str, corpora: Path, *words: object, settings=None) -> "subprocess.Popen[str]":
    """A program that tells digests of what it learns with a master, and then does what the words say."""
    return start(master, "digests", corpora, *ACROSS, "then", *words, settings=settings)


def in_lines(lines: list[str]) -> dict[str, str]:
    """The digests that a program told."""
    return dict(line.strip().split("\t") for line in lines if "\t" in line)


def test_a_cluster_whose_executors_and_workers_are_killed(spark, corpora, digests, whole, tmp_path):
    path = begun("memoised", corpora, tmp_path / "model", spark)
    program = begins("local-cluster[2,1,600]", corpora, "resume", path)
    assert in_lines(until(program, "step 1")) == digests
    killed = executors(program.pid)[0]
    os.kill(killed, signal.SIGKILL)
    until(program, "step 3")
    hit = [worker for executor in executors(program.pid) for worker in workers(executor)]
    for worker in hit:
        os.kill(worker, signal.SIGKILL)
    program.communicate(timeout=300)
    assert program.returncode == 0
    assert hit
    assert same(path, whole("memoised"))


def test_a_standalone_cluster_on_which_a_task_hangs(spark, corpora, digests, whole, tmp_path):
    """Another executor does it."""
    settings = {
        "spark.speculation": "true",
        "spark.speculation.interval": "50ms",
        "spark.speculation.quantile": "0.1",
        "spark.speculation.minTaskRuntime": "500ms",
        "spark.python.task.killTimeout": "100ms",
    }
    path = begun("carried records", corpora, tmp_path / "model", spark)
    with standalone(tmp_path) as master:
        program = begins(master, corpora, "resume", path, settings=settings)
        told = in_lines(until(program, "step 1"))
        hanging = workers(executors(os.getpid())[0])
        for worker in hanging:
            os.kill(worker, signal.SIGSTOP)
        try:
            program.communicate(timeout=300)
        finally:
            program.kill()
    assert told == digests
    assert hanging
    assert program.returncode == 0
    assert same(path, whole("carried records"))


def killed(path: Path, corpora: Path, digests: dict[str, str], place: str, number: int) -> Path:
    """A run's directory after its driver was killed in a place."""
    program = begins("local[1]", corpora, "resume", path, place, number)
    lines, _ = program.communicate(timeout=300)
    assert program.returncode == -signal.SIGKILL
    assert in_lines(lines.splitlines()) == digests
    return path


class Died(BaseException):
    """A driver's end."""


def copied(path: Path, spark, place: str, number: int) -> Path:
    """A copy of a run's directory as a driver leaves it that is killed in a place."""
    copy = path.with_name(f"{path.name} {place}")

    def leave() -> None:
        shutil.copytree(path, copy)
        raise Died

    with pytest.raises(Died), reaching(place, number, leave):
        resumed(path, spark)
    return copy


@pytest.mark.parametrize("kills", [KILLS[:1], *sampled([KILLS], 0)])
def test_a_driver_that_dies_thrice(spark, corpora, digests, whole, tmp_path, kills):
    """Killed with its tasks in the midst of a job, and between the files of a checkpoint."""
    path, steps = begun("memoised", corpora, tmp_path / "model", spark), [0]
    for place, number in KILLS:
        if (place, number) in kills:
            path = killed(path, corpora, digests, place, number)
        else:
            path = copied(path, spark, place, number)
        steps.append(ModelDirectory(path).read().manifest["run"]["step"])
    assert steps == sorted(steps)
    assert 0 < steps[-1] < 6
    assert not resumed(path, spark)
    assert same(path, whole("memoised"))
    assert tidy(path)
