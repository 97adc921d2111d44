"""Starts Spark sessions, after a check of what they need, and states Spark's errors in one line."""

import atexit
import errno
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from socket import socket
from socketserver import BaseServer
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from stickbreaker.core.errors import UserError
from stickbreaker.engines.spark.failures import SparkFailure, reason_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OLDEST_JAVA = 17
GET_JAVA = "install Java 17, on Debian: apt-get install openjdk-17-jre-headless; or set JAVA_HOME"
GET_PYSPARK = "pip install 'stickbreaker[spark]'"
MASTERS = r"(local(-cluster)?(\[.+\])?|yarn)$|(spark|k8s)://."
QUIET = Path(__file__).with_name("log4j2.properties")
# options that a user gives, extraJavaOptions, come after these
JAVA_OPTIONS = "spark.driver.defaultJavaOptions"
FULL = (errno.ENOSPC, errno.EDQUOT)
END_OF_JAVA = 2.0  # seconds
LIGHT_JAVA = "-XX:TieredStopAtLevel=1"  # compiled once and not again: Java moves bytes, and computes nothing
ONLY_LEARNING = {
    "spark.shuffle.compress": "false",  # dense reports hardly get smaller, drawn ones by half
    JAVA_OPTIONS: LIGHT_JAVA,
    "spark.executor.defaultJavaOptions": LIGHT_JAVA,
}
# over TCP, the end of what a worker sends waits for Java to acknowledge what came before: 40 ms in most tasks
LOCAL_SOCKETS = {"spark.python.unix.domain.socket.enabled": "true"} if os.name == "posix" else {}


def check_spark() -> None:
    """Raise UserError if PySpark, pandas or Java (17 or later) is missing; make executors use this Python.

    It sets PYSPARK_PYTHON, which Spark reads when a session starts, unless it is set already.
    """
    for package in (
        "pyspark",
        "pandas",
    ):  # Spark's Arrow functions import pandas, though they do not use it here
        if importlib.util.find_spec(package) is None:
            raise UserError(f"Spark needs the package {package}", remedy=GET_PYSPARK)
    java = _java()
    found = None if java is None else java_version(java)
    if java is None or found is None:
        raise UserError("Spark needs Java, which is not installed", where=java, remedy=GET_JAVA)
    if found < OLDEST_JAVA:
        raise UserError(f"Spark needs Java 17 or later, this is Java {found}", where=java, remedy=GET_JAVA)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def start_session(
    master: str | None = None, name: str = "stickbreaker", settings: Mapping[str, str] | None = None
) -> "SparkSession":
    """A Spark session that prints no logs.

    `master`: such as local[2]; None: that of spark-submit or of Spark's settings. `settings` are Spark's, by
    name; under spark-submit they are ignored. Raises UserError if Spark or the master is not available.
    """
    if master is not None and re.match(MASTERS, master) is None:
        remedy = "take local[2], local-cluster[2,1,1024], spark://HOST:PORT, yarn or k8s://…"
        raise UserError(f"there is no master {master!r}", remedy=remedy)
    check_spark()
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(name)
    builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    if master is not None:
        builder = builder.master(master)
    if "PYSPARK_GATEWAY_PORT" not in os.environ:  # not under spark-submit: the JVM starts with these
        given = {**LOCAL_SOCKETS, **(settings or {})}
        given[JAVA_OPTIONS] = f'"-Dlog4j2.configurationFile={QUIET}" {given.get(JAVA_OPTIONS, "")}'.strip()
        for key, value in given.items():
            builder = builder.config(key, value)
    with in_one_line(where=master):
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    _say_nothing_of_a_lost_java(session)
    return session


def _say_nothing_of_a_lost_java(session: "SparkSession") -> None:
    """Stop PySpark from printing a trace when its Java process has ended, which is reported elsewhere.

    The trace comes from PySpark's accumulator server.
    """
    server: BaseServer = vars(session.sparkContext)["_accumulatorServer"]

    def handle_error(request: socket | tuple[bytes, socket], client_address: object) -> None:
        if end_of_java() is None:
            BaseServer.handle_error(server, request, client_address)  # not this function: sessions are reused

    server.handle_error = handle_error


def java_version(java: Path) -> int | None:
    """The version of a Java program, such as 17; None if it does not run or does not say.

    >>> java_version(Path("no-such-java")) is None
    True
    """
    try:
        process = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', process.stderr + process.stdout)
    return None if match is None else int(match[1])


def _java() -> Path | None:
    """The Java program that Spark would use; None if none is found."""
    home = os.environ.get("JAVA_HOME")
    found = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    return None if found is None else Path(found)


@contextmanager
def in_one_line(where: object = None) -> Generator[None]:
    """A context in which Spark's exceptions become a SparkFailure with the reason in one line."""
    try:
        yield
    except spark_errors() as error:
        if isinstance(error, BrokenPipeError) and end_of_java() is None:  # of standard output
            raise
        raise SparkFailure(f"Spark failed ({reason_of(str(error))})", where=where) from error


def spark_errors() -> tuple[type[Exception], ...]:
    """The exceptions that PySpark raises if Spark fails or the connection to it is lost."""
    from py4j.protocol import Py4JError  # pyright: ignore[reportMissingTypeStubs]
    from pyspark.errors import PySparkException

    return PySparkException, Py4JError, ConnectionError, EOFError


def end_of_java(seconds: float = END_OF_JAVA) -> str | None:
    """How the Java process of this program's session has ended, such as "was killed (SIGKILL)".

    None if it still runs after some `seconds`, or spark-submit started it. Called when Spark has failed: a
    connection may be lost a moment before the process is gone.
    """
    from pyspark import SparkContext

    machine = vars(SparkContext)["_gateway"]
    process: subprocess.Popen[bytes] | None = None if machine is None else machine.proc
    if process is None:
        return None
    try:
        status = process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    return f"was killed ({signal.Signals(-status).name})" if status < 0 else f"ended with status {status}"


def scratch(session: "SparkSession") -> Path:
    """Make a new folder for data that executors must see; it is removed when this process ends.

    It is in the session's checkpoint directory if that is a path of the file system, otherwise among the
    temporary files.
    """
    checkpoint_dir = session.sparkContext.getCheckpointDir()
    parent = (
        local_path(checkpoint_dir)
        if checkpoint_dir and urlsplit(checkpoint_dir).scheme in ("", "file")
        else None
    )
    folder = Path(tempfile.mkdtemp(prefix="stickbreaker-", dir=parent))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def local_path(path: str | Path) -> Path:
    """A path of the file system, given as a path or as Spark's file:…; UserError for others, such as hdfs:.

    >>> local_path("file:///models/a b").as_posix()
    '/models/a b'
    """
    parts = urlsplit(str(path))
    if parts.scheme == "file":
        return Path(str(path).removeprefix("file://").removeprefix("file:"))
    if len(parts.scheme) > 1:  # one letter is a Windows drive
        remedy = "give a path that the driver and all executors have mounted"
        raise UserError(f"cannot read or write {parts.scheme}:", where=path, remedy=remedy)
    return Path(path)


def problem_of(error: Exception) -> str | None:
    """One line about an error if Spark has failed or a disk is full; None for other errors."""
    if isinstance(error, UserError) and not isinstance(error, SparkFailure):
        return None
    ended = end_of_java()
    if ended is not None:
        return f"Spark's Java process {ended}"
    if isinstance(error, SparkFailure):
        return error.problem if error.where is None else f"{error.where}: {error.problem}"
    full = full_disk_of(error)
    if full is not None:
        return f"{full.filename or 'input or output'}: {full.strerror}"
    if isinstance(error, spark_errors()) and not isinstance(error, BrokenPipeError):  # of standard output
        return f"Spark failed ({reason_of(str(error))})"
    return None


def full_disk_of(error: BaseException | None) -> OSError | None:
    """The error that says that a disk or quota is full, among an error and its causes; None if there is none.

    >>> full_disk_of(OSError(errno.ENOSPC, "No space left on device", "x")).filename
    'x'
    """
    while error is not None:
        if isinstance(error, OSError) and error.errno in FULL:
            return error
        error = error.__cause__ or error.__context__
    return None
