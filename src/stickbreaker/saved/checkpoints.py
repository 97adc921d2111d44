"""Checkpoints of a run, as an observer of the loop; and the way back."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.flat import flat_stats, stats_from
from stickbreaker.core.foreign import refuse_whole_numbers
from stickbreaker.core.kinds import (
    is_amount,
    is_count,
    is_flag,
    is_number,
    is_text,
    list_of,
    mapping_of,
    refuse_other_kinds,
)
from stickbreaker.core.records import Field
from stickbreaker.engines import Engine
from stickbreaker.engines.local import of_run
from stickbreaker.learning.loop import Run, RunState, settle
from stickbreaker.learning.moves import Columns, flat_plans, plans_from
from stickbreaker.learning.observers import Observer, TraceRecord
from stickbreaker.saved.directory import ModelDirectory, Snapshot
from stickbreaker.saved.evolution import Evolution

BITS = ("small/seen before",)  # arrays that are no real numbers
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


KINDS = {
    "step": is_count,
    "passes": is_count,
    "in_pass": is_count,
    "seen": is_amount,
    "at_pass_start": lambda value: list_of(is_amount)(value) and len(value) == 2,
    "pass_nats": is_number,
    "pass_tokens": is_amount,
    "scores": list_of(is_number),
    "held_out": list_of(is_number),
    "converged": is_flag,
    "stopped": is_flag,
    "kind": is_text,
}


def _is_field(facts: Any) -> bool:
    """Whether a manifest tells of an array what its axes are, and how it follows edits."""
    kinds = {"axes": list_of(is_text), "additive": is_flag, "fresh": is_number}
    return isinstance(facts, dict) and all(
        name in facts and kind(facts[name]) for name, kind in kinds.items()
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
    """The run's state of a snapshot. Raises ValueError where it makes no sense."""
    refuse_other_kinds(snapshot.manifest, {"small": mapping_of(_is_field)})
    refuse_other_kinds(snapshot.manifest["run"], KINDS, needed=False)
    names = [f"small/{name}" for name in snapshot.manifest["small"]]
    refuse_whole_numbers(snapshot.arrays, (name for name in names if name not in BITS))
    small = {
        name: Field(
            np.asarray(snapshot.arrays[f"small/{name}"]),
            tuple(entry["axes"]),
            entry["additive"],
            entry["fresh"],
        )
        for name, entry in snapshot.manifest["small"].items()
    }
    held = snapshot.manifest["run"]
    progress = {name: held[name] for name in PROGRESS if name in held}  # older models lack what is new
    progress["at_pass_start"] = tuple(progress["at_pass_start"])
    return RunState(
        small,
        **progress,
        columns=_columns_of(snapshot.manifest.get("columns")),
        latest=stats_from(LATEST, snapshot.arrays) if f"{LATEST}sums" in snapshot.arrays else None,
        plans=plans_from(snapshot.arrays),
    )


def _columns_of(held: Any) -> Columns | None:
    """The lasting numbers of columns that a manifest tells."""
    if held is None:
        return None
    numbers, given = held
    if not list_of(is_count)(numbers) or not is_count(given) or any(number >= given for number in numbers):
        raise ValueError("the columns have no numbers")
    return Columns(tuple(numbers), given)


class Checkpoints(Observer):
    """Writes the run's state every `every` seconds (0: after every step), when interrupted, and at the end.

    `finish` is called before the last write, to add what a finished model carries; `evolution` gives the
    snapshots of its topics so far, if it keeps any.
    """

    def __init__(
        self,
        directory: ModelDirectory,
        fixed: dict[str, Any],
        every: float,
        finish: Callable[[], None],
        evolution: Callable[[], Evolution] | None = None,
    ) -> None:
        self.directory = directory
        self.fixed = fixed
        self.every = every
        self.finish = finish
        self.evolution = evolution

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
        snapshot = snapshot_of(job, state, self.fixed, status)
        snapshot.evolution = None if self.evolution is None else self.evolution()
        self.directory.write(snapshot)
        self.last = time.perf_counter()
