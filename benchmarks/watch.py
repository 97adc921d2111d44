"""The clock and the memory of a program's run."""

import contextlib
import resource
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FROM_STEP = 5  # earlier steps are not part of the time per step: the first are unlike the rest
PATIENCE, GAIN = (
    2,
    0.002,
)  # a score is flat if its last PATIENCE points are not GAIN nats better than those before
MEGABYTE = 1 << 20

Score = Callable[[NDArray[np.float64]], float]


class Watch:
    """Notes CPU and wall seconds after each step, and scores the topics after the steps `at`.

    The clock is stopped while topics are exported and scored. The peak of memory is read before the first
    score, so that it is the program's and not the scorer's. `judge` is another score: the run is over once it
    is flat.
    """

    def __init__(self, at: Iterable[int], score: Score, judge: Score | None = None) -> None:
        self.at = sorted(at)
        self.judge = judge
        self.judged: list[float] = []
        self.facts: dict[str, Any] = {}  # other figures of the program
        self.points: list[dict[str, float]] = []
        self.cpu: list[float] = []
        self.wall: list[float] = []
        self.peak: float | None = None
        self._score = score

    @property
    def last(self) -> int:
        """The number of steps to make."""
        return self.at[-1]

    @property
    def over(self) -> bool:
        """Whether all steps are made, or the judge's score is flat."""
        recent, before = self.judged[-PATIENCE:], self.judged[:-PATIENCE]
        return len(self.cpu) >= self.last or (bool(before) and max(recent) < max(before) + GAIN)

    def start(self) -> None:
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def step(self, topics: Callable[[], NDArray[np.float64]], steps: int = 1) -> None:
        """Note that another step is done (or `steps` steps, which share their time)."""
        cpu, wall = time.process_time() - self._cpu, time.perf_counter() - self._wall
        self.add(cpu, wall, steps)
        if len(self.cpu) in self.at:
            self.point(len(self.cpu), topics())
        self.start()

    def add(self, cpu: float, wall: float, steps: int = 1) -> None:
        """Note the time of a step, or of some steps that share it."""
        self.cpu += [cpu / steps] * steps
        self.wall += [wall / steps] * steps

    def whole_run(self, steps: int, cpu: float, wall: float, topics: NDArray[np.float64]) -> None:
        """Note the time of a whole run; the steps that the run before did not have share the difference."""
        self.read_peak()
        more = steps - len(self.cpu)
        self.add(cpu - sum(self.cpu), wall - sum(self.wall), more)
        self.point(steps, topics)

    def point(self, step: int, topics: NDArray[np.float64]) -> None:
        """Score the topics as they were after `step` steps."""
        self.read_peak()
        cpu, wall = float(sum(self.cpu[:step])), float(sum(self.wall[:step]))
        point = {"step": step, "cpu_s": cpu, "wall_s": wall, "topics": len(topics)}
        self.points.append({**point, "score": self._score(topics)})
        if self.judge is not None:
            self.judged.append(self.judge(topics))

    def read_peak(self) -> None:
        """Note the peak, once."""
        if self.peak is None:
            self.peak = peak_megabytes()

    def a_step(self, seconds: list[float]) -> float:
        """Median seconds of a step from the fifth on; those of the last step if there are fewer."""
        return float(np.median(seconds[FROM_STEP - 1 :] or seconds[-1:]))


def peak_megabytes() -> float:
    """This process's peak of resident memory. Linux's ru_maxrss would count the parent's, VmHWM does not."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / MEGABYTE
    return megabytes_of(resource.getrusage(resource.RUSAGE_SELF))


def reset_peak() -> None:
    """Forget the peak so far, if the system can: on Linux, unless a container forbids it."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def megabytes_of(usage: resource.struct_rusage) -> float:
    """ru_maxrss is in kilobytes on Linux and in bytes on macOS."""
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / MEGABYTE
