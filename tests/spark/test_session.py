"""What is told where Spark cannot run, and how paths and errors of Spark's are read."""

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from stickbreaker.core.errors import UserError
from stickbreaker.engines.spark.failures import reason_of
from stickbreaker.engines.spark.jobs import Cluster
from stickbreaker.engines.spark.session import (
    check_spark,
    in_one_line,
    java_version,
    local_path,
    scratch,
    start_session,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def java_home(folder: Path, first_line: str) -> Path:
    """A JAVA_HOME whose java tells a version as Java does, to standard error."""
    (folder / "bin").mkdir(parents=True)
    java = folder / "bin" / "java"
    java.write_text(f"#!/bin/sh\necho '{first_line}' >&2\n")
    java.chmod(java.stat().st_mode | stat.S_IXUSR)
    return folder


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_402"', 8),
        ('openjdk version "21" 2023-09-19', 21),
        ("no Java at all", None),
    ],
)
def test_versions_of_java(tmp_path: Path, line: str, version: int | None) -> None:
    assert java_version(java_home(tmp_path / "home", line) / "bin" / "java") == version


def test_an_old_java_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.setenv("JAVA_HOME", str(java_home(tmp_path / "old", 'java version "1.8.0_402"')))
    with pytest.raises(UserError, match=r"Java 17 or later, this is Java 8; .*openjdk-17-jre-headless"):
        check_spark()


def test_no_java_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match=r"which is not installed; .*openjdk-17-jre-headless"):
        check_spark()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))
    with pytest.raises(UserError, match=r"gone/bin/java: Spark needs Java"):
        check_spark()


def ran(code: str) -> "subprocess.CompletedProcess[str]":
    """What a process of its own prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)


def test_no_pyspark_is_one_line() -> None:
    code = (
        "import importlib.util as u, sys\n"
        "find = u.find_spec\n"
        "u.find_spec = lambda name, package=None: None if name == 'pyspark' else find(name, package)\n"
        "import stickbreaker.spark as s\n"
        "assert 'pyspark' not in sys.modules\n"
        "try:\n    s.start_session('local[1]')\nexcept ValueError as error:\n    print(error)\n"
    )
    done = ran(code)
    assert done.stdout == "Spark needs the package pyspark; pip install 'stickbreaker[spark]'\n"


def test_executors_run_this_python_unless_told(
    spark: "SparkSession", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON")
    check_spark()
    assert os.environ["PYSPARK_PYTHON"] == sys.executable
    monkeypatch.setenv("PYSPARK_PYTHON", "another")
    check_spark()
    assert os.environ["PYSPARK_PYTHON"] == "another"


def test_a_session_is_quiet() -> None:
    """In a process of its own: nothing of Spark's is printed but what the Java machine says itself."""
    pytest.importorskip("pyspark")
    try:
        check_spark()
    except UserError as error:
        pytest.skip(str(error))
    code = (
        "from stickbreaker.spark import start_session\n"
        "from stickbreaker.engines.spark.session import LOCAL_SOCKETS, ONLY_LEARNING\n"
        "session = start_session('local[1]', 'quiet', ONLY_LEARNING)\n"
        "context = session.sparkContext\n"
        "print(context.appName, context.uiWebUrl, context.getConf().get('spark.shuffle.compress'))\n"
        "java = context._jvm.java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments()\n"
        "print('-XX:TieredStopAtLevel=1' in java, any('log4j2' in each for each in java))\n"
        "print(context.parallelize([1, 2]).map(lambda one: one + 1).sum())\n"
        "print(*map(context.getConf().get, LOCAL_SOCKETS))\n"
    )
    done = ran(code)
    assert done.stdout == "quiet None false\nTrue True\n5\ntrue\n"
    assert [line for line in done.stderr.splitlines() if "incubator" not in line] == []


@pytest.mark.parametrize("master", ["nowhere", "local[", "spark:/host", ""])
def test_a_wrong_master_is_one_line(master: str) -> None:
    with pytest.raises(UserError, match=r"; take local\[2\], ") as caught:
        start_session(master)
    assert str(caught.value).startswith(f"there is no master {master!r}; ")


def test_reasons() -> None:
    traced = "An exception was thrown:\nTraceback (most recent call last):\n  File x\n"
    error = "stickbreaker.core.errors.UserError: row 3: the text is null\n"
    assert reason_of(traced + error + "\n\nJVM stacktrace:\nat java") == "row 3: the text is null"
    java = "An error occurred while calling x.\n: org.apache.spark.SparkException: no master\n\tat org.x\n"
    assert reason_of(java) == "org.apache.spark.SparkException: no master"
    assert reason_of("") == "no reason given"


def test_what_a_task_could_not_do_is_told(spark: "SparkSession") -> None:
    def work(_: object) -> list[int]:
        import no_such_package  # noqa: F401  # pyright: ignore[reportMissingImports]

        return []

    with pytest.raises(UserError, match=r"failed \(ModuleNotFoundError: No module named 'no_such_package'\)"):
        Cluster(spark).each([1], work)


def test_an_error_of_spark_becomes_one_line(spark: "SparkSession") -> None:
    with (
        pytest.raises(UserError, match=r"^here: Spark failed \(.*no_such") as caught,
        in_one_line(where="here"),
    ):
        spark.sql("select no_such from range(1)").collect()
    assert "\n" not in str(caught.value)


def test_paths() -> None:
    assert local_path("a b/c%20") == Path("a b/c%20")
    assert local_path("file:/x/y") == local_path("file:///x/y") == Path("/x/y")
    with pytest.raises(UserError, match=r"hdfs://host/x: cannot read or write hdfs:; "):
        local_path("hdfs://host/x")


@pytest.mark.parametrize("begin", ["", "file:", "file://"])
def test_scratch_lies_in_the_checkpoint_directory(
    spark: "SparkSession", tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begin: str
) -> None:
    assert tmp_path not in scratch(spark).parents
    told = f"{begin}{tmp_path}"
    monkeypatch.setattr(type(spark.sparkContext), "getCheckpointDir", lambda _: told)
    assert scratch(spark).parent == tmp_path


def test_start_session_takes_the_one_that_runs(spark: "SparkSession") -> None:
    assert start_session(None, "another") is spark
