"""Runs by sampling: sweeps of Markov chains, which own what is learned; there is no table and no engine."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from threading import Event

import numpy as np

from stickbreaker.contracts.contract import Fitted
from stickbreaker.core.errors import Interrupted
from stickbreaker.learning.chains import Chains, shrinkage
from stickbreaker.learning.run import Run, RunState
from stickbreaker.learning.trace import TraceRecord

JOINT = "joint"  # the kind of the scores


@dataclass(slots=True)
class SamplingState(RunState):
    """The state of a run by sampling: its progress, and the chains."""

    chains: Chains


@dataclass(frozen=True, slots=True)
class SamplingRun(Run[SamplingState]):
    """A run by sampling: every step is one sweep of all chains over all documents, and so is every pass.

    documents: their number. evaluate: if some are held out, returns their nats per token under what was
    learned.
    """

    documents: int
    evaluate: Callable[[Fitted], float] | None = None
    stop_request: Event = field(default_factory=Event)

    @property
    def n_documents(self) -> int:
        return self.documents

    def steps(self, state: SamplingState) -> Iterator[TraceRecord]:
        if self.stop_request.is_set():
            raise Interrupted
        yield _sweep(self, state)

    def close(self, state: SamplingState) -> None:
        """End the run: score the last sweep, if it has no score yet."""
        if state.chains.close():
            state.scores.append(state.chains.score())

    def stop(self) -> None:
        self.stop_request.set()


def _sweep(job: SamplingRun, state: SamplingState) -> TraceRecord:
    """Make one sweep of every chain; returns the trace record, which describes the best chain."""
    chains = state.chains
    scored = chains.sweep(state.passes, last=state.passes + 1 == job.limits.max_iter)
    state.step += 1
    state.passes += 1
    state.seen += job.documents
    record: TraceRecord = {
        "step": state.step,
        "pass": state.passes,
        "documents": state.seen,
        "kind": JOINT,
        "sample": chains.taken,
        **chains.figures(),
    }
    if scored:
        record["score"] = record["pass_score"] = chains.score()
        state.scores.append(record["score"])
        state.kind = JOINT
        if len(chains.samplers) > 1:
            record["chains"] = chains.scores[:, -1].tolist()
            record["best_chain"] = chains.best()
            shrunk = shrinkage(chains.scores[:, -chains.taken :]) if chains.taken > 3 else np.nan
            record |= {} if np.isnan(shrunk) else {"r_hat": shrunk}
        if job.evaluate is not None:
            record["held_out"] = job.evaluate(chains.fitted())
            state.held_out.append(record["held_out"])
    return record
