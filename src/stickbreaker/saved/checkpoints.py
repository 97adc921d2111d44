"""Checkpoints of a run, as an observer of the loop; and the way back."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.flat import flat_stats, stats_from
from stickbreaker.core.records import Field
from stickbreaker.engines import Engine
from stickbreaker.engines.local import of_run
from stickbreaker.learning.loop import Run, RunState, settle
from stickbreaker.learning.moves import Columns, flat_plans, plans_from
from stickbreaker.learning.observers import Observer, TraceRecord
from stickbreaker.saved.directory import ModelDirectory, Snapshot

LATEST = "latest/"  # of the arrays: the last step's sums
PROGRESS = (  # of RunState, kept in the manifest
    "step",
    "passes",
    "in_pass",
    "seen",
    "at_pass_start",
    "pass_nats",
    "pass_tokens",
    "scores",
    "held_out",
    "converged",
    "stopped",
    "kind",
)


def snapshot_of(job: Run, state: RunState, fixed: dict[str, Any], status: str) -> Snapshot:
    """All that a run's continuation needs. `fixed` is what does not change in a run."""
    settle(job, state)
    snapshot = model_of(job.engine, state, fixed, status)
    if status == "running" and job.chains is not None:
        snapshot.arrays = {**snapshot.arrays, **job.chains.snapshot()}
    return snapshot


def model_of(engine: Engine, state: RunState, fixed: dict[str, Any], status: str) -> Snapshot:
    """A model; a finished one leaves out the documents' records, which serve the run alone."""
    arrays, keys = engine.snapshot()
    if status == "done":
        arrays = {name: values for name, values in arrays.items() if not of_run(name)}
    else:
        arrays = {**arrays, **flat_plans(state.plans), **latest_of(state)}
    fields: dict[str, Any] = {}
    for name, item in state.small.items():
        arrays[f"small/{name}"] = item.values
        fields[name] = {"axes": list(item.axes), "additive": item.additive, "fresh": item.fresh}
    progress = {name: getattr(state, name) for name in PROGRESS}
    manifest = {**fixed, "status": status, "small": fields, "run": progress}
    if state.columns is not None:
        manifest["columns"] = [list(state.columns.numbers), state.columns.given]
    return Snapshot(manifest, arrays, keys, engine.files(run=status == "running"))


def latest_of(state: RunState) -> dict[str, NDArray[Any]]:
    """The last step's sums as arrays, from which a stream's next step plans."""
    return {} if state.latest is None else flat_stats(LATEST, state.latest)


def state_of(snapshot: Snapshot) -> RunState:
    """The run's state of a snapshot."""
    small = {
        name: Field(
            np.asarray(snapshot.arrays[f"small/{name}"]), tuple(told["axes"]), told["additive"], told["fresh"]
        )
        for name, told in snapshot.manifest["small"].items()
    }
    held = snapshot.manifest["run"]
    progress = {name: held[name] for name in PROGRESS if name in held}  # older models lack what is new
    progress["at_pass_start"] = tuple(progress["at_pass_start"])
    columns = snapshot.manifest.get("columns")
    return RunState(
        small,
        **progress,
        columns=None if columns is None else Columns(tuple(columns[0]), columns[1]),
        latest=stats_from(LATEST, snapshot.arrays) if f"{LATEST}sums" in snapshot.arrays else None,
        plans=plans_from(snapshot.arrays),
    )


class Checkpoints(Observer):
    """Writes the run's state every `every` seconds (0: after every step), when interrupted, and at the end.

    `finish` is called before the last write, to add what a finished model carries.
    """

    def __init__(
        self, directory: ModelDirectory, fixed: dict[str, Any], every: float, finish: Callable[[], None]
    ) -> None:
        self.directory = directory
        self.fixed = fixed
        self.every = every
        self.finish = finish

    def begin(self, job: Run, state: RunState) -> None:
        self.last = time.perf_counter()

    def step(self, job: Run, state: RunState, record: TraceRecord) -> bool:
        if time.perf_counter() - self.last >= self.every:
            self.write(job, state, "running")
        return False

    def interrupted(self, job: Run, state: RunState) -> None:
        self.write(job, state, "running")

    def end(self, job: Run, state: RunState) -> None:
        self.finish()
        self.write(job, state, "done")

    def write(self, job: Run, state: RunState, status: str) -> None:
        """Write the state now."""
        self.directory.write(snapshot_of(job, state, self.fixed, status))
        self.last = time.perf_counter()
