"""Processes that tests start, find and kill, and a disk that is soon full."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.running import PROGRAM
from tests.spark.class_archive import java_options
from tests.spark.running_on_spark import LIGHT


def start(*arguments: object, settings: dict[str, str] | None = None) -> "subprocess.Popen[str]":
    """The program of runs on Spark, in a process of its own."""
    words = [sys.executable, "-W", "ignore", "-m", "tests.spark.running_on_spark", *map(str, arguments)]
    environment = {**os.environ, "SETTINGS": json.dumps(settings or {})}
    root = Path(__file__).parents[2]
    return subprocess.Popen(words, stdout=subprocess.PIPE, cwd=root, env=environment, text=True)


@contextmanager
def standalone(folder: Path) -> Iterator[str]:
    """A master and two workers, each of them a process, on two addresses of this machine."""
    import pyspark

    home = Path(pyspark.__file__).parent
    java = {
        "SPARK_DAEMON_JAVA_OPTS": f"{LIGHT} {java_options()}",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_HOME": str(home),
    }
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    master = f"spark://127.0.0.1:{port}"
    commands: list[tuple[str, ...]] = [
        ("master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
    ]
    for number in (1, 2):
        place = ("--host", f"127.0.0.{number}", "--webui-port", "0", "--work-dir", str(folder / str(number)))
        commands.append(("worker.Worker", *place, "--cores", "1", "--memory", "600m", master))
    log = (folder / "cluster.log").open("w")
    started = [
        subprocess.Popen(
            [home / "bin" / "spark-class", f"org.apache.spark.deploy.{main}", *rest],
            env={**os.environ, **java},
            stdout=log,
            stderr=log,
        )
        for main, *rest in commands
    ]
    try:
        yield master
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait()
        log.close()


def below(pid: int) -> dict[int, str]:
    """Command lines of the processes that a process has started, and those started by them."""
    commands, parents = dict[int, str](), dict[int, int]()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit():
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                commands[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (FileNotFoundError, ProcessLookupError):
            continue
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return {child: commands[child] for child in found - {pid} if child in commands}


def executors(pid: int) -> list[int]:
    """The executors of a cluster that a process has started."""
    return sorted(child for child, told in below(pid).items() if "CoarseGrainedExecutorBackend" in told)


def workers(executor: int) -> list[int]:
    """An executor's Python processes that run tasks, without the one that forks them."""
    found = sorted(child for child, told in below(executor).items() if "pyspark.daemon" in told)
    return found[1:]


def until(program: "subprocess.Popen[str]", wanted: str) -> list[str]:
    """Wait for a line of a program; gives those that come before it."""
    assert program.stdout is not None
    lines: list[str] = []
    for line in program.stdout:
        if line.strip() == wanted:
            return lines
        lines.append(line)
    raise AssertionError(f"the program ended without {wanted!r}")


@contextmanager
def small_disk(place: Path, size: str = "1m") -> Iterator[Path]:
    """A file system of a megabyte."""
    place.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], capture_output=True
    )
    if mount.returncode:
        pytest.skip("only root can make a small file system")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def java(pid: int) -> list[int]:
    """The Java machine of a driver's that a process has started.

    The shell that it replaces, and the short-lived machine that works out its command, name it too.
    """
    return [
        child
        for child, told in below(pid).items()
        if "SparkSubmit" in told and "/java " in told and "launcher.Main" not in told
    ]


def killed_when(ready: Callable[[int], object], *arguments: object, **environment: str) -> tuple[int, str]:
    """Exit status and standard error of `stickbreaker` whose Java machine is killed once `ready(pid)`."""
    words = [PROGRAM, *map(str, arguments)]
    with subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
    ) as program:
        deadline = time.monotonic() + 120
        while not ready(program.pid):
            assert program.poll() is None, program.communicate()[1]
            assert time.monotonic() < deadline
            time.sleep(0.01)
        for machine in java(program.pid):
            os.kill(machine, signal.SIGKILL)
        try:
            _, told = program.communicate(timeout=60)
        finally:
            program.kill()
    return program.returncode, told
