"""Collects what Spark prints in a file instead of on standard error, to be saved if Spark fails."""

import io
import logging
import os
import shutil
import socketserver
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import IO

import click

from stickbreaker.core.errors import UserError
from stickbreaker.core.system_calls import append_only

OF_CLICK = (click.ClickException, click.Abort, click.exceptions.Exit)


class SparkLog:
    """A file that collects the output of Java, py4j's loggers and failing threads while Spark is used.

    It is a temporary file without a name, which vanishes at the end unless `save` copies it.
    """

    def __init__(self) -> None:
        self.file: IO[bytes] = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        append_only(self.file)  # Java writes there too
        self.text = io.TextIOWrapper(self.file, "utf-8", "backslashreplace", write_through=True)
        self.undo = ExitStack()

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """A context in which Python's logs, and traces of errors in other threads, go into this file."""
        handler, root = _Handler(self.text), logging.getLogger()
        with self.undo:
            root.addHandler(handler)
            self.undo.callback(root.removeHandler, handler)
            self._take(threading, "excepthook")
            # of PySpark's accumulators, when Java is gone
            self._take(socketserver.BaseServer, "handle_error")
            yield

    def _take(self, owner: object, name: str) -> None:
        """Redirect a function that prints an error's trace: until `undo`, the trace is written to this file.

        owner: the module or class that has the function; name: its name there.
        """
        self.undo.callback(setattr, owner, name, getattr(owner, name))
        setattr(owner, name, lambda *_: self.write_trace())

    @contextmanager
    def launching(self) -> Iterator[None]:
        """A context to start a Java process in: its output, and that of its children, goes to this file."""
        sys.stdout.flush()
        sys.stderr.flush()
        with ExitStack() as stack:
            for number in (1, 2):
                with suppress(OSError):  # it may be closed
                    stack.callback(_put_back, os.dup(number), number)
                    os.dup2(self.file.fileno(), number)
            yield
        from pyspark import util
        from pyspark.core import broadcast

        self._take(util, "print_exec")  # for values that cannot be pickled, or without disk space
        self._take(broadcast, "print_exec")

    def write_trace(self, error: BaseException | None = None) -> None:
        """Write the trace of an error (None: the one being handled) to this file."""
        with suppress(OSError):  # the disk may be full
            traceback.print_exception(error or sys.exception(), file=self.text)

    def save(self) -> str | None:
        """Copy the file to a new temporary file; returns the name of the copy, or None if that fails."""
        try:
            descriptor, name = tempfile.mkstemp(prefix="stickbreaker-spark-", suffix=".log")
        except OSError:
            return None
        try:
            with open(descriptor, "wb") as copy:
                self.file.seek(0)
                shutil.copyfileobj(self.file, copy)
        except OSError:
            with suppress(OSError):
                os.unlink(name)
            return None
        return name


class _Handler(logging.StreamHandler[IO[str]]):
    def handleError(self, record: logging.LogRecord) -> None:
        """Do nothing: the disk is full."""


def _put_back(copy: int, number: int) -> None:
    """Restore file descriptor `number` from its duplicate `copy`, which is closed."""
    os.dup2(copy, number)
    os.close(copy)


@contextmanager
def reporting_spark_failures(remedy: Callable[[], str]) -> Iterator[SparkLog]:
    """A context in which a failure of Spark becomes a UserError that names a file with the traces.

    `remedy()` returns what the user should do then. Users' mistakes, and errors of this library, pass
    unchanged.
    """
    log = SparkLog()
    with log.collecting():
        try:
            yield log
        except OF_CLICK:
            raise
        except Exception as error:
            from stickbreaker.estimators.engine_choice import spark_problem

            problem = spark_problem(error)
            if problem is None:
                raise
            log.write_trace(error)
            name = log.save()
            failure = UserError(problem, remedy=remedy())
            if name is not None:
                failure.end_with(f"the trace is in {name}")
            raise failure from error
