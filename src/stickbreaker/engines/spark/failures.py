"""A task's failure told to the driver in one line."""

import functools
import gc
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

from stickbreaker.core.errors import UserError

MARK = "stickbreaker failed: "


@contextmanager
def told() -> Iterator[None]:
    """Let an error that a user can mend be known by the driver for what it is."""
    try:
        yield
    except UserError as error:
        told = {"problem": error.problem, "where": str(error.where or ""), "remedy": error.remedy}
        raise RuntimeError(MARK + json.dumps(told)) from None


@functools.cache
def settle(kind: str) -> None:
    """Keep the collector from what a worker has loaded, once a process and kind of task.

    PySpark collects garbage after every task: with this library loaded, a tenth of a second each time.
    """
    gc.collect()
    gc.freeze()


def of_task(error: Exception) -> UserError | None:
    """What a task told, from the error that Spark makes of it; None where it told nothing."""
    found = re.search(re.escape(MARK) + r"(\{.*?\})\s*$", str(error), re.MULTILINE)
    if found is None:
        return None
    fields = json.loads(found[1])
    return UserError(fields["problem"], where=fields["where"] or None, remedy=fields["remedy"])
