"""Online learning as documents come: a step over a minibatch that somebody else has read."""

from stickbreaker.corpus.source import Shards
from stickbreaker.learning.schedules import Minibatch, Online
from stickbreaker.learning.trace import TraceRecord, refuse_unreadable
from stickbreaker.learning.variational import VariationalRun, VariationalState, advance


def learn_minibatch(
    job: VariationalRun, state: VariationalState, documents: int, shards: Shards
) -> TraceRecord:
    """One step on some documents, in order, which counts as a pass; `documents`: those of the
    whole stream up to now, the size of it unless the schedule has a total.

    Raises UserError where the step gave no numbers; then the state is of no use any more.
    """
    schedule = job.schedule
    assert isinstance(schedule, Online)
    n = shards.n_documents
    step, keep, add = schedule.step_for(state.step, state.seen, n, schedule.total_of(documents))
    batch = Minibatch(shards, len(shards), n, step, keep, add, ends_pass=False)
    record = advance(job, state, batch)
    refuse_unreadable(record)
    state.passes, state.in_pass = state.passes + 1, 0
    state.scores.append(record["score"])
    return record
