"""Merging topics during an online run on a corpus, as judged by documents.

A run starts with more topics than the documents need, and an online step removes none: if two topics say the
same, each keeps a part of the documents. After passes 1, 2, 4, 8, … up to `WINDOW` documents judge. A topic
is merged into the topic that would take most of its tokens, unless these documents are predicted better with
both (`worth`): each half of a document is predicted from the other. The bound cannot judge this from one
minibatch: the counts of the table are means over earlier steps, when topics were less distinct, so that it
would merge the topics of short texts into one.
"""

import numpy as np

from stickbreaker.core.edits import Merge
from stickbreaker.core.random_streams import stream
from stickbreaker.corpus.shards import Bags, tokens_by_document
from stickbreaker.learning.events import Event
from stickbreaker.learning.stream_documents import StreamDocuments
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.topics import purposes
from stickbreaker.topics.runs.stream_births import (
    LEAST_TOKENS,
    WINDOW,
    edit_table,
    last_documents,
    numbers_of,
    on_trial,
    worth,
)
from stickbreaker.topics.runs.topics_on_trial import TOKENS_IN_USE, TopicsOnTrial
from stickbreaker.topics.trace_fields import ALIKE


def merge_alike(job: VariationalRun, state: VariationalState) -> list[Event]:
    """Merge topics without which documents are predicted as well, if the number of finished passes is a power
    of two. Returns the merges as events; changes the table and `state`.

    Documents with fewer than `LEAST_TOKENS` tokens do not judge; without any others, nothing is merged.
    """
    number = state.passes + 1
    if number & (number - 1):
        return []
    n = job.source.n_documents
    chosen = stream(job.seed, purposes.MERGES, number).permutation(n)[:WINDOW]
    bags = job.source.read(np.sort(chosen))
    bags = bags.take(np.flatnonzero(tokens_by_document(bags.offsets, bags.counts) >= LEAST_TOKENS))
    if not len(bags.unseen):
        return []
    bags, words = last_documents(StreamDocuments.of(bags, job.source.words), len(bags.unseen))
    trial, merges = alike(on_trial(job, state, words), bags)
    events: list[Event] = []
    for change, gain in merges:
        lasting = numbers_of(job, state)
        into, gone = lasting[change.into], lasting[change.source]
        plan = f"{ALIKE} at step {state.step}"
        events.append(Event(plan, gain, "merge", job.model.table.columns, column=into, gone=gone))
        edit_table(job, state, (change,))
    if merges:
        state.params = {**state.params, **{name: trial.params[name] for name in ("weights", "rest")}}
    return events


def alike(trial: TopicsOnTrial, bags: Bags) -> tuple[TopicsOnTrial, list[tuple[Merge, float]]]:
    """Try to merge each topic, smallest first, into the one that gets most of its tokens if it is removed.

    Returns the topics that are left, and the merges in order, each with the nats that the documents gain by
    it (negative if they are predicted a little worse). The positions of each are those after the ones before.
    """
    halves, names = trial.halves(bags), list(range(trial.n_topics))
    tokens, nats = trial.tokens(bags), trial.predict(halves)
    merges: list[tuple[Merge, float]] = []
    for topic in np.argsort(tokens.sum(axis=0), kind="stable").tolist():
        if trial.n_topics == 1:
            break
        k = names.index(topic)
        into = _heir(trial, bags, tokens, k)
        users = np.flatnonzero((tokens[:, [k, into]] > TOKENS_IN_USE).any(axis=1))
        other = trial.merged(k, into)
        less = other.predict(halves.take(users)) if len(users) else np.zeros(0)
        gains = nats[users] - less
        if worth(gains) > 0.0:
            continue
        merges.append((Merge("topics", into, k), -float(gains.sum())))
        names.pop(k)
        tokens = np.delete(tokens, k, axis=1)
        if len(users):
            tokens[users] = other.tokens(bags.take(users))
        trial, nats[users] = other, less
    return trial, merges


def _heir(trial: TopicsOnTrial, bags: Bags, tokens: np.ndarray, k: int) -> int:
    """The topic that gets most of the tokens of topic k if that is removed; the most similar one by its
    words' counts if no document uses it.

    tokens (documents × topics): of each topic in each document now.
    """
    users = np.flatnonzero(tokens[:, k] > TOKENS_IN_USE)
    if len(users):
        more = trial.without(k).tokens(bags.take(users)) - np.delete(tokens[users], k, axis=1)
        gained = np.insert(more.sum(axis=0), k, -np.inf)
    else:
        counts = trial.counts
        gained = counts.T @ counts[:, k] / np.sqrt(np.maximum((counts**2).sum(axis=0), 1e-300))
        gained[k] = -np.inf
    return int(gained.argmax())
