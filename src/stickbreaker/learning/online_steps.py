"""Online learning from a stream of documents: a step over a minibatch that the caller has read."""

from stickbreaker.corpus.source import Shards
from stickbreaker.learning.schedules import Minibatch, Online
from stickbreaker.learning.trace import TraceRecord, refuse_unreadable
from stickbreaker.learning.variational import VariationalRun, VariationalState, advance


def learn_minibatch(
    job: VariationalRun, state: VariationalState, documents: int, shards: Shards
) -> TraceRecord:
    """Make one online step on documents that the caller has read; it counts as a pass. Returns its record.

    documents: the number in the whole stream so far, which is D unless the schedule has a total. Raises
    UserError if results are not finite; `state` is then no longer usable.
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
