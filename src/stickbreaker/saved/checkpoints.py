"""Writes checkpoints of a run, as an observer of the loop, and restores them."""

import time
from collections.abc import Callable, Sequence

import numpy as np

from stickbreaker.contracts.contract import Fitted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.records import AnyArray, Field, Record
from stickbreaker.core.serialize import flat_stats, stats_from
from stickbreaker.core.untrusted import refuse_whole_numbers
from stickbreaker.engines import Engine
from stickbreaker.engines.local import of_run
from stickbreaker.learning.chains import Chains
from stickbreaker.learning.events import Columns
from stickbreaker.learning.fading_counts import FadingCounts
from stickbreaker.learning.moves import flat_plans, plans_from
from stickbreaker.learning.observers import Observer
from stickbreaker.learning.run import Run, RunState
from stickbreaker.learning.sampling import SamplingState
from stickbreaker.learning.stream_documents import SAMPLE, WAITING, StreamDocuments
from stickbreaker.learning.trace import TraceRecord
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.saved.directory import ModelDirectory, Snapshot
from stickbreaker.saved.evolution import Evolution

PARAMS = "small/"  # begins the names of the params' arrays
BITS = ("seen before", "coding")  # params that are not real numbers
LATEST = "latest/"  # begins the names of arrays with the last step's sums
PROGRESS = (
    "step",
    "passes",
    "seen",
    "scores",
    "held_out",
    "converged",
    "stopped",
    "kind",
)  # fields of every run
IN_STEPS = (
    *PROGRESS,
    "in_pass",
    "at_pass_start",
    "pass_nats",
    "pass_tokens",
)  # fields of a run by variational steps


def snapshot_of(job: Run, state: RunState, fixed: JsonObject) -> Snapshot:
    """A running run's snapshot, from which it can continue. fixed: manifest fields that never change."""
    if isinstance(state, SamplingState):
        manifest = {**fixed, "status": "running", "run": _progress(state, PROGRESS)}
        return Snapshot(manifest, state.chains.snapshot())
    assert isinstance(job, VariationalRun)
    assert isinstance(state, VariationalState)
    return model_of(job.engine, state, fixed, "running")


def fitted_of(fitted: Fitted, state: RunState, fixed: JsonObject) -> Snapshot:
    """The snapshot of a finished sampler's model: only what it has learned (`fitted`), without a table.

    fixed: manifest fields that never change.
    """
    arrays, fields = _flat_params(fitted.params)
    manifest = {**fixed, "status": "done", "small": fields, "run": _progress(state, PROGRESS)}
    return Snapshot(manifest, arrays)


def model_of(engine: Engine, state: VariationalState, fixed: JsonObject, status: str) -> Snapshot:
    """The snapshot of a variational run's model, to be saved.

    status: "running" or "done"; a finished model is saved without what only a run needs. fixed: manifest
    fields that never change.
    """
    arrays, keys = engine.snapshot()
    if status == "done":
        arrays = {name: values for name, values in arrays.items() if not of_run(name)}
    else:
        arrays = {**arrays, **flat_plans(state.proposals), **latest_of(state)}
    if state.sample is not None:
        arrays = {**arrays, **state.sample.to_arrays(SAMPLE)}
    params, fields = _flat_params(state.params)
    manifest = {**fixed, "status": status, "small": fields, "run": _progress(state, IN_STEPS)}
    if status == "running" and state.carried_since != 0:
        manifest["carried_since"] = state.carried_since
    if state.columns is not None:
        manifest["columns"] = [list(state.columns.numbers), state.columns.given]
    return Snapshot(manifest, {**arrays, **params}, keys, engine.files(run=status == "running"))


def _progress(state: RunState, names: Sequence[str]) -> JsonObject:
    """The named attributes of a run's state, as fields of the manifest."""
    return {name: getattr(state, name) for name in names}


def _flat_params(params: Record) -> tuple[dict[str, AnyArray], JsonObject]:
    """The params as arrays by name, and the rest of their fields (axes etc.) for the manifest."""
    arrays = {f"{PARAMS}{name}": item.values for name, item in params.items()}
    fields = {
        name: {"axes": list(item.axes), "additive": item.additive, "fresh": item.fresh}
        for name, item in params.items()
    }
    return arrays, fields


def latest_of(state: VariationalState) -> dict[str, AnyArray]:
    """Arrays that a run needs for its next step, besides the model.

    They are the sums of the last step, from which moves propose, and for a stream the fading counts of words
    and the waiting documents.
    """
    sums = {} if state.latest is None else flat_stats(LATEST, state.latest)
    sums = sums if state.fading is None else {**sums, **state.fading.to_arrays()}
    return sums if state.waiting is None else {**sums, **state.waiting.to_arrays(WAITING)}


def state_of(snapshot: Snapshot, whole: Sequence[str] = BITS) -> VariationalState:
    """The state of a variational run, from its snapshot or that of its finished model.

    whole: the names of params that may be whole numbers. Raises ValueError if the snapshot is invalid.
    """
    progress = _progress_of(snapshot, IN_STEPS)
    progress["at_pass_start"] = tuple(progress["at_pass_start"])
    columns = snapshot.manifest.get("columns")  # their lasting numbers, and how many were given
    return VariationalState(
        params_from(snapshot, whole),
        **progress,
        columns=None if columns is None else Columns(tuple(columns[0]), columns[1]),
        latest=stats_from(LATEST, snapshot.arrays) if _has(LATEST, snapshot) else None,
        proposals=plans_from(snapshot.arrays),
        carried_since=snapshot.manifest.get("carried_since", 0),  # not stored in the first pass
        fading=FadingCounts.from_arrays(snapshot.arrays),
        waiting=StreamDocuments.from_arrays(WAITING, snapshot.arrays),
        sample=StreamDocuments.from_arrays(SAMPLE, snapshot.arrays),
    )


def _has(prefix: str, snapshot: Snapshot) -> bool:
    """Whether a snapshot has arrays whose names begin so; then none of them may be missing."""
    return any(name.startswith(prefix) for name in snapshot.arrays)


def sampling_state_of(snapshot: Snapshot, chains: Chains) -> SamplingState:
    """The state of a sampling run, from a snapshot. Raises ValueError if it is invalid.

    chains: new chains of the same run, into which the snapshot's are restored.
    """
    progress = _progress_of(snapshot, PROGRESS)
    chains.restore(snapshot.arrays)
    return SamplingState(chains, **progress)


def params_from(snapshot: Snapshot, whole: Sequence[str] = BITS) -> dict[str, Field]:
    """The params in a snapshot. Raises ValueError if they are invalid.

    whole: the names of params that may be whole numbers; others must have a floating-point type.
    """
    names = (name for name in snapshot.manifest["small"] if name not in whole)
    refuse_whole_numbers(snapshot.arrays, (f"{PARAMS}{name}" for name in names))
    return {
        name: Field(
            np.asarray(snapshot.arrays[f"{PARAMS}{name}"]),
            tuple(entry["axes"]),
            entry["additive"],
            entry["fresh"],
        )
        for name, entry in snapshot.manifest["small"].items()
    }


def run_state_of(snapshot: Snapshot) -> RunState:
    """The progress of a run, from a snapshot; for kinds of models whose runs have no other state."""
    return RunState(**_progress_of(snapshot, PROGRESS))


def _progress_of(snapshot: Snapshot, names: Sequence[str]) -> JsonObject:
    """The named fields of a run's progress, from a snapshot's manifest."""
    return {name: snapshot.manifest["run"][name] for name in names}


class Checkpoints(Observer):
    """An observer that saves a run every `every` seconds (0: after each step), and at the end the model.

    It also saves when the run is interrupted. `fixed` are fields of the manifest that never change;
    `finish()` returns the finished model; `evolution()` the snapshots of the topics so far, if the run takes
    any.
    """

    def __init__(
        self,
        directory: ModelDirectory,
        fixed: JsonObject,
        every: float,
        finish: Callable[[], Snapshot],
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
            self._write(snapshot_of(job, state, self.fixed))
        return False

    def interrupted(self, job: Run, state: RunState) -> None:
        self._write(snapshot_of(job, state, self.fixed))

    def end(self, job: Run, state: RunState) -> None:
        self._write(self.finish())

    def _write(self, snapshot: Snapshot) -> None:
        snapshot.evolution = None if self.evolution is None else self.evolution()
        self.directory.write(snapshot)
        self.last = time.perf_counter()
