"""The progress bar of a run."""

import time

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from stickbreaker.learning.observers import Observer, Pace, TraceRecord, describe
from stickbreaker.learning.run import Run, RunState

INTERVAL = 0.25  # seconds between refreshes, driven by the loop


class Bar(Observer):
    """An observer that draws a progress bar in the terminal: passes, score, documents per second, time."""

    def begin(self, job: Run, state: RunState) -> None:
        self.pace = Pace()
        self.last = 0.0
        self.live = Live(console=Console(stderr=True), auto_refresh=False, transient=False)
        self.live.start()
        self.live.update(Text("first step …"), refresh=True)

    def step(self, job: Run, state: RunState, record: TraceRecord) -> bool:
        self.pace.step(state.seen)
        now = time.perf_counter()
        if now - self.last >= INTERVAL or state.converged:
            self.last = now
            self._draw(job, state, record)
        return False

    def interrupted(self, job: Run, state: RunState) -> None:
        self.live.stop()

    def end(self, job: Run, state: RunState) -> None:
        self.live.stop()

    def _draw(self, job: Run, state: RunState, record: TraceRecord) -> None:
        table = Table.grid(padding=(0, 2))
        total = job.limits.max_iter * max(1, job.n_documents)
        words = Text(
            "  ".join([describe(record, job.scores), *self.pace.words(state.seen, total - state.seen)])
        )
        table.add_row(ProgressBar(total=total, completed=min(total, state.seen), width=24), words)
        self.live.update(table, refresh=True)
