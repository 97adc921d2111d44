"""Snapshots of topics during a run with an open vocabulary: their top words, and words that are new."""

import numpy as np

from stickbreaker.learning.events import first_columns
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.saved.evolution import ENTERED_WORDS, TOP_WORDS, Entered, Moment, Top
from stickbreaker.saved.evolution_observer import Moments
from stickbreaker.topics.model.model import topic_model


class TopicMoments(Moments):
    """Takes snapshots of topics' top words during a run with an open vocabulary, for the report on how topics
    changed. Topics are identified by ids that stay the same when others come and go.
    """

    def look(self, job: VariationalRun, state: VariationalState, last: Moment | None) -> tuple[Top, Entered]:
        return words_now(job, state, None if last is None else last.step)


def words_now(job: VariationalRun, state: VariationalState, since: int | None) -> tuple[Top, Entered]:
    """A snapshot of the topics in use, as two dicts by topic id: the most probable words with their
    probabilities, and words that were added since step `since`, with their rank (from 1) and probability.

    If `since` is None, no words count as added.
    """
    words, table = topic_model(job.model).words, job.engine.table
    keys, whole = table.keys, table.whole()
    assert keys is not None
    new = words.entered(state.params) >= (np.inf if since is None else since)
    totals = job.engine.table.totals().sum(axis=0)
    numbers = (state.columns or first_columns(len(totals))).numbers
    top: dict[int, list[tuple[str, float]]] = {}
    entered: dict[int, list[tuple[int, str, float]]] = {}
    topics = job.model.in_use(totals).tolist()
    for k, (ranked, probabilities) in zip(topics, words.ranked(state.params, whole, topics), strict=True):
        rows: list[int] = ranked.tolist()
        shares: list[float] = probabilities.tolist()
        first = zip(rows[:TOP_WORDS], shares[:TOP_WORDS], strict=True)
        top[numbers[k]] = [(keys[row], share) for row, share in first]
        places: list[int] = np.flatnonzero(new[ranked])[:ENTERED_WORDS].tolist()
        entered[numbers[k]] = [(place + 1, keys[rows[place]], shares[place]) for place in places]
    return top, entered
