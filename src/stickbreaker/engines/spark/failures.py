"""Failures in Spark: a task's UserError reaches the driver; other failures are stated in one line."""

import functools
import gc
import itertools
import json
import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from stickbreaker.core.errors import UserError

MARK = "stickbreaker failed: "
TRACED = "Traceback (most recent call last):"
# around a task's message
WRAPPED = r"^.*(: Lost task .*? executor \w+\): |terminated with exception: )(?=\S)"
SHARED = "give a path that the driver and all executors have mounted"


class SparkFailure(UserError):
    """A failure of Spark that no user can correct. The command writes its cause's trace to a file."""


def refuse_unseen_folder(folder: Path, what: str = "directory", where: Path | None = None) -> None:
    """Raise UserError in a task if its executor cannot see the driver's `folder`.

    The message calls the folder `what`, and names `where` (None: the folder) as its place.
    """
    if not folder.is_dir():
        raise UserError(f"an executor cannot see the {what}", where=where or folder, remedy=SHARED)


@contextmanager
def sending_user_errors() -> Generator[None]:
    """A context in a task that lets UserErrors reach the driver.

    They are raised as RuntimeErrors, which `of_task` turns into UserErrors again on the driver.
    """
    try:
        yield
    except UserError as error:
        raise RuntimeError(MARK + json.dumps(error.fields())) from None


@functools.cache
def freeze_gc(kind: str) -> None:
    """Exclude all that a worker process has loaded from garbage collection, once for each `kind` of task.

    PySpark collects garbage after every task: with this library loaded, that takes a tenth of a second each
    time.
    """
    gc.collect()
    gc.freeze()


def of_task(error: Exception) -> UserError | None:
    """The UserError that a task raised, read from the text of Spark's error; None if it was another error."""
    found = re.search(re.escape(MARK) + r"(\{.*?\})\s*$", str(error), re.MULTILINE)
    return None if found is None else UserError(**json.loads(found[1]))


def reason_of(text: str) -> str:
    """The line of a Spark error that states the reason: the last of Python's traceback, or Java's first.

    >>> reason_of("An exception was thrown:\\nTraceback (most recent call last):\\n  x\\nValueError: no")
    'ValueError: no'
    >>> reason_of(": Aborted: Lost task 0.0 in stage 2.0 (TID 2) (host executor 1): IOException: no")
    'IOException: no'
    """
    _, traced, after = text.partition(TRACED)
    if traced:
        lines = itertools.takewhile(
            lambda line: not line.startswith(("\tat ", "JVM stack")), after.splitlines()
        )
        reasons = [line for line in lines if line.strip() and not line[0].isspace()]
    else:
        lines = [line for line in text.splitlines() if line.strip()]
        reasons = [line.partition(": ")[2] for line in lines if line.startswith((": ", "Caused by: "))][:1]
        reasons = reasons or lines[:1]
    reason = re.sub(f"{WRAPPED}| SQLSTATE: \\w+$", "", (reasons or ["no reason given"])[-1])
    return reason.partition("stickbreaker.core.errors.UserError: ")[2] or reason[:300]
