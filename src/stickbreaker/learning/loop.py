"""The loop of every run: passes of steps, observers, and what ends or interrupts it."""

from collections.abc import Sequence

from stickbreaker.core.errors import Interrupted
from stickbreaker.core.threads import one_thread
from stickbreaker.learning.observers import Observer
from stickbreaker.learning.run import Run, State


def run(job: Run[State], state: State, observers: Sequence[Observer] = ()) -> State:
    """Continue a run from `state` until it has converged, is stopped by an observer, or has made its passes.

    Returns `state`, which is changed in place. Raises Interrupted if asked to stop; `state` is then that
    after the last complete step. Meanwhile numerical libraries such as BLAS use one thread: more would
    compete with the threads of this package, and rounding would depend on their number.
    """
    with one_thread():
        return _run(job, state, observers)


def _run(job: Run[State], state: State, observers: Sequence[Observer]) -> State:
    for observer in observers:
        observer.begin(job, state)
    try:
        while state.passes < job.limits.max_iter and not (state.converged or state.stopped):
            if job.n_documents == 0:
                break
            for record in job.steps(state):
                stops = [observer.step(job, state, record) for observer in observers]
                state.stopped = state.stopped or any(stops)
                if state.stopped or state.converged:
                    break
    except Interrupted:
        for observer in observers:
            observer.interrupted(job, state)
        raise
    job.close(state)
    for observer in observers:
        observer.end(job, state)
    return state
