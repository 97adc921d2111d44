"""The Java machine is killed, or its disk full: the command says so in one line, a file has the traces."""

import errno
import json
import re
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.running import SMALL, planted_documents, write_lines
from tests.spark.processes import java, killed_when, small_disk
from tests.spark.streaming_on_spark import GIVEN, SPARK, put_all

from stickbreaker.core.errors import UserError
from stickbreaker.engines.spark import session
from stickbreaker.engines.spark.failures import SparkFailure
from stickbreaker.engines.spark.jobs import Cluster
from stickbreaker.engines.spark.session import in_one_line, problem_of
from stickbreaker.estimators.model_files import load
from stickbreaker.spark import partition_tasks

FIT = (*SMALL, "--iterations", 6, "--tol", 0, "--checkpoint-every", 0, *SPARK)
KILLED = r"^stickbreaker: Spark's Java process was killed \(SIGKILL\); (.*); the trace is in (\S+)$"


@pytest.fixture(scope="module")
def corpus(cli, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    cli("corpus", "build", write_lines(folder / "a.jsonl", planted_documents(200)), "--out", folder / "c")
    return folder / "c"


@pytest.fixture
def temporary(tmp_path) -> Path:
    """Where the command's temporary files go."""
    (tmp_path / "tmp").mkdir()
    return tmp_path / "tmp"


def logs(folder: Path) -> list[Path]:
    return list(folder.glob("stickbreaker-*"))


def named_in(line: str, temporary: Path) -> str:
    """The remedy that a line tells, after a look at the log that it names."""
    found = re.match(KILLED, line)
    assert found is not None, line
    assert logs(temporary) == [Path(found[2])]
    assert Path(found[2]).stat().st_mode & 0o777 == 0o600
    assert "Traceback (most recent call last):" in Path(found[2]).read_text()
    return found[1]


def steps(model: Path) -> int:
    """The steps in a model's last checkpoint."""
    try:
        return json.loads((model / "model.json").read_text())["run"]["step"]
    except (OSError, ValueError):
        return 0


def test_a_killed_fit_is_one_line_and_goes_on(spark, cli, corpus, tmp_path, temporary):
    path = tmp_path / "model"
    code, told = killed_when(
        lambda _: steps(path) >= 2, "fit", "lda", corpus, "--out", path, *FIT, TMPDIR=str(temporary)
    )
    first, *progress, last = told.splitlines()
    assert (code, first) == (1, "starting Spark")
    assert [line for line in progress if not (line.startswith("pass ") or "compiling" in line)] == []
    assert f"continue with: stickbreaker resume {path} --engine spark" in named_in(last, temporary)
    cli("fit", "lda", corpus, "--out", tmp_path / "whole", *FIT)
    cli("resume", path, *SPARK)
    assert load(path).components.tobytes() == load(tmp_path / "whole").components.tobytes()
    assert (path / "documents.parquet").read_bytes() == (tmp_path / "whole/documents.parquet").read_bytes()


def test_killed_while_it_starts(spark, corpus, tmp_path, temporary):
    path = tmp_path / "model"
    code, told = killed_when(java, "fit", "lda", corpus, "--out", path, *FIT, TMPDIR=str(temporary))
    first, last = told.splitlines()
    assert (code, first) == (1, "starting Spark")
    assert "nothing was saved; give the command again; the trace is in" in last
    assert len(logs(temporary)) == 1
    assert not path.exists()


def test_a_killed_stream_is_one_line_and_goes_on(spark, cli, tmp_path, temporary):
    incoming, path = put_all(tmp_path / "incoming"), tmp_path / "model"
    command = ("stream", "lda", incoming, *SPARK, *GIVEN, "--seed", 1)
    code, told = killed_when(lambda _: steps(path) >= 2, *command, "--out", path, TMPDIR=str(temporary))
    first, *progress, last = told.splitlines()
    assert (code, first) == (1, "starting Spark")
    assert all("documents, step" in line or "compiling" in line for line in progress), progress
    assert named_in(last, temporary) == "what was learned is saved; give the command again to continue"
    cli(*command, "--once", "--out", path)
    cli(*command, "--once", "--out", tmp_path / "whole")
    assert load(path).components.tobytes() == load(tmp_path / "whole").components.tobytes()


def test_a_full_disk_of_sparks_is_one_line(spark, program, corpus, tmp_path):
    with small_disk(tmp_path / "disk", "8k") as disk, pytest.MonkeyPatch.context() as patched:
        patched.setenv("SPARK_LOCAL_DIRS", str(disk))
        done = program("fit", "lda", corpus, "--out", tmp_path / "model", *FIT, code=1)
    first, last = done.stderr.splitlines()
    assert first == "starting Spark"
    assert "No space left on device" in last
    assert re.search(r"; the trace is in \S+$", last)
    Path(last.rpartition(" ")[2]).unlink()


def test_a_command_that_succeeds_leaves_no_log(spark, cli, corpus, tmp_path, temporary, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    cli("fit", "lda", corpus, "--out", tmp_path / "model", *FIT, "--iterations", 1)
    cli("fit", "lda", corpus, "--out", tmp_path / "model", *FIT, code=1)  # it exists
    assert logs(temporary) == []


def test_what_is_a_failure_of_sparks(spark, monkeypatch):
    monkeypatch.setattr(session, "end_of_java", lambda: None)  # it waits
    assert problem_of(SparkFailure("no", where="here")) == "here: no"
    assert problem_of(OSError(errno.ENOSPC, "No space left on device", "x")) == "x: No space left on device"
    assert problem_of(ConnectionRefusedError("no")) == "Spark failed (no)"
    for error in (UserError("a mistake"), BrokenPipeError(), PermissionError("x"), TypeError("a bug")):
        assert problem_of(error) is None


def test_a_trace_of_accumulators_is_shown_only_while_java_runs(spark, monkeypatch, capsys):
    """Whether their server notices the end of Java before this process ends is a matter of chance."""
    for end, told in ("was killed (SIGKILL)", False), (None, True):
        monkeypatch.setattr(session, "end_of_java", lambda end=end: end)
        try:
            raise EOFError
        except EOFError:
            spark.sparkContext._accumulatorServer.handle_error(None, "a client")
        assert ("Traceback" in capsys.readouterr().err) == told


def test_results_that_do_not_all_come_are_a_failure(spark, monkeypatch):
    """PySpark takes a connection that is lost while results come for their end."""
    rdd: Any = SimpleNamespace(collect=lambda: [1, 2], getNumPartitions=lambda: 3)
    with pytest.raises(SparkFailure, match=r"a Spark job failed \(2 of 3 results arrived\)"):
        Cluster(spark).collect(rdd)
    monkeypatch.setattr(partition_tasks, "collect_results", lambda *_: [{}])
    with pytest.raises(SparkFailure, match=r"1 of 2 results arrived"):
        partition_tasks.run_tasks(spark, 2, lambda _: {})


def test_a_lost_connection_is_a_failure_of_sparks():
    with pytest.raises(SparkFailure, match=r"^here: Spark failed \(refused\)$"), in_one_line(where="here"):
        raise ConnectionRefusedError("refused")
