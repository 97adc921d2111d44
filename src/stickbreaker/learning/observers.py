"""Observers of a run: progress, the trace, callbacks. The observer for checkpoints is in `saved`."""

import logging
import math
import sys
import time
from abc import ABC
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from stickbreaker.core.file_errors import naming_file
from stickbreaker.core.files import open_to_append
from stickbreaker.core.system_calls import peak_memory
from stickbreaker.learning.run import SCORES, Run, RunState, ScoreNames
from stickbreaker.learning.trace import TraceRecord, line_of, refuse_unreadable

LOGGER = logging.getLogger("stickbreaker")


class Observer(ABC):  # noqa: B024 - every method has a default
    """Receives the events of a run; methods that a subclass does not define do nothing."""

    def begin(self, job: Run, state: RunState) -> None:
        """Called when a run, or its resumption, begins."""
        return

    def step(self, job: Run, state: RunState, record: TraceRecord) -> bool:
        """Called after each step; returns True to stop the run."""
        return False

    def interrupted(self, job: Run, state: RunState) -> None:
        """Called instead of `end` if a run was interrupted; `state` is that after the last complete step."""
        return

    def end(self, job: Run, state: RunState) -> None:
        """Called when the run is over: converged, out of passes, or stopped by an observer."""
        return


class Callback(Observer):
    """Passes each step's trace record to a user's function, as a copy; the run ends if that returns True."""

    def __init__(self, function: Callable[[TraceRecord], object]) -> None:
        self.function = function

    def step(self, job: Run, state: RunState, record: TraceRecord) -> bool:
        return self.function(dict(record)) is True


class Clock(Observer):
    """Adds the seconds since the run's start, and the peak memory in MiB (if known), to trace records.

    Records are changed in place, so it must be the first observer for others to see this. before: the seconds
    that earlier parts of a resumed run took.
    """

    def __init__(self, before: float = 0.0) -> None:
        self.before = before

    def begin(self, job: Run, state: RunState) -> None:
        self.started = time.perf_counter()

    def seconds(self) -> float:
        return self.before + time.perf_counter() - self.started

    def step(self, job: Run, state: RunState, record: TraceRecord) -> bool:
        record["seconds"] = round(self.seconds(), 3)
        peak = peak_memory()
        if peak is not None:
            record["memory_mb"] = round(peak, 1)
        return False


class Trace(Observer):
    """Collects the trace records of a run and, if it has a path, appends each to a file, as a line.

    Raises UserError for a step with results that are not finite, after which the run is of no use.
    """

    def __init__(self, path: Path | None = None, records: list[TraceRecord] | None = None) -> None:
        self.path = path
        self.records = records or []

    def begin(self, job: Run, state: RunState) -> None:
        self.file = None if self.path is None else open_to_append(self.path)

    def step(self, job: Run, state: RunState, record: TraceRecord) -> bool:
        refuse_unreadable(record)
        self.records.append(record)
        if self.file is not None and self.path is not None:
            with naming_file(self.path):
                self.file.write(line_of(record))
                self.file.flush()
        return False

    def interrupted(self, job: Run, state: RunState) -> None:
        self.end(job, state)

    def end(self, job: Run, state: RunState) -> None:
        if self.file is not None:
            self.file.close()


class Lines(Observer):
    """Prints progress as plain lines, for logs and pipes: at most one in `every` seconds, one at the end."""

    def __init__(self, out: TextIO, every: float = 5.0) -> None:
        self.out = out
        self.every = every

    def begin(self, job: Run, state: RunState) -> None:
        self.last = time.perf_counter()
        self.pace = Pace()
        self.record: TraceRecord | None = None
        self.said: TraceRecord | None = None

    def step(self, job: Run, state: RunState, record: TraceRecord) -> bool:
        self.record = record
        self.pace.step(state.seen)
        if time.perf_counter() - self.last >= self.every:
            self._say(job, state)
        return False

    def end(self, job: Run, state: RunState) -> None:
        if self.record is not self.said:
            self._say(job, state, over=True)

    def _say(self, job: Run, state: RunState, over: bool = False) -> None:
        assert self.record is not None
        self.last = time.perf_counter()
        self.said = self.record
        left = math.nan if over else job.limits.max_iter * job.n_documents - state.seen
        line = [describe(self.record, job.scores), *self.pace.words(state.seen, left)]
        self.write(", ".join(line))

    def write(self, line: str) -> None:
        """Print a line of progress."""
        print(line, file=self.out, flush=True)


class LoggedLines(Lines):
    """Sends progress lines to the logger "stickbreaker" at level INFO, for fits in Python.

    With `passes`, there is a line after each pass instead of one in `every` seconds.
    """

    def __init__(self, every: float = 5.0, *, passes: bool = False) -> None:
        super().__init__(sys.stderr, every)
        self.passes = passes

    @staticmethod
    def wanted() -> bool:
        """Whether the logger is on for level INFO."""
        return LOGGER.isEnabledFor(logging.INFO)

    def begin(self, job: Run, state: RunState) -> None:
        super().begin(job, state)
        self.passed = state.passes

    def step(self, job: Run, state: RunState, record: TraceRecord) -> bool:
        if not self.passes:
            return super().step(job, state, record)
        self.record = record
        self.pace.step(state.seen)
        if state.passes > self.passed:
            self.passed = state.passes
            self._say(job, state)
        return False

    def write(self, line: str) -> None:
        LOGGER.info(line)


@contextmanager
def logged_to_stderr() -> Generator[None]:
    """A context in which the logger "stickbreaker" prints messages of level INFO to standard error.

    Does nothing if they reach a handler already.
    """
    if LOGGER.isEnabledFor(logging.INFO) and LOGGER.hasHandlers():
        yield
        return
    handler, level = logging.StreamHandler(sys.stderr), LOGGER.level
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)
        LOGGER.setLevel(level)


def describe(record: TraceRecord, scores: ScoreNames = SCORES) -> str:
    """The progress in a trace record, as a line of text.

    >>> describe({"pass": 2, "step": 7, "score": -7.5, "kind": "bound"})
    'pass 2, step 7, bound -7.5000 nats/word'
    """
    text = f"pass {record['pass']}, step {record['step']}"
    if "score" in record:
        text += f", {scores.of(record['kind'], record['score'])}"
    text += f", held-out {record['held_out']:.4f}" if "held_out" in record else ""
    return text + scores.figures(record)


class Pace:
    """Measures the speed of a run, in documents per second.

    The time begins at the end of the first step, which compiles kernels.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.clock = clock
        self.started: float | None = None
        self.first = 0.0  # documents seen when the clock was started

    def step(self, seen: float) -> None:
        """Record that a step is complete; `seen`: documents read so far."""
        if self.started is None:
            self.started, self.first = self.clock(), seen

    def words(self, seen: float, left: float = math.nan) -> list[str]:
        """The documents read per second and, if known, the time for `left` more documents, as pieces of text.

        Empty before the second step is complete.

        >>> times = iter([10.0, 12.0])
        >>> pace = Pace(lambda: next(times))
        >>> pace.step(500.0)
        >>> pace.words(2_500.0, left=70_000.0)
        ['1,000 documents/s', 'at most 1:10 left']
        """
        if self.started is None or seen <= self.first:
            return []
        rate = (seen - self.first) / max(1e-9, self.clock() - self.started)
        words = [f"{rate:,.0f} documents/s"]
        if not math.isnan(left):
            seconds = round(max(0.0, left) / rate)
            words.append(f"at most {seconds // 60}:{seconds % 60:02d} left")
        return words
