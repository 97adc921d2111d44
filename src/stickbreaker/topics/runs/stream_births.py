"""Opening and closing topics of a stream, as its subjects change.

After every `WINDOW` documents, these judge the topics. A topic is kept if it improves their prediction: each
half of each document, given the other. The sum of documents' gains must exceed `SURE` times the root of the
sum of squares, so that a single document never justifies a topic.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from stickbreaker.contracts.contract import Step
from stickbreaker.core.edits import Drop, Edit, Grow, apply
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array, Rows, SparseCounts, Stats
from stickbreaker.corpus.shards import Bags, tokens_by_document
from stickbreaker.corpus.source import Shards
from stickbreaker.learning.events import Event, edit_columns, first_columns
from stickbreaker.learning.variational import VariationalRun, VariationalState, admit
from stickbreaker.learning.waiting_documents import WaitingDocuments
from stickbreaker.topics import purposes
from stickbreaker.topics.evaluation.prequential import by_spelling
from stickbreaker.topics.model.model import topic_model
from stickbreaker.topics.runs.initialization import like_documents
from stickbreaker.topics.runs.topics_on_trial import TOKENS_IN_USE, TopicsOnTrial, with_topics
from stickbreaker.topics.trace_fields import CLOSE, OPEN

MOST_TOPICS = 200  # topics at most
WINDOW = 1024  # documents that judge topics
LEAST_TOKENS = 5.0  # of a judging document
SURE = 1.5  # standard deviations by which a topic's gain must exceed zero
WORST = 0.5  # share of the documents, those explained worst, for new topics
CANDIDATES = 8  # new topics tried at once
AGAIN = 3  # repetitions at most, while topics open
ROUNDS = 6  # of local and global steps for a candidate
ALL = 1.0 - 1e-12  # share of a count that a new topic may take: rounding makes no count negative
LEAST_WEIGHT = 1e-4  # of a candidate among all topics


Words = NDArray[np.int64] | list[str]  # of documents: rows of the table, or their spellings if rows have keys


class Opened(NamedTuple):
    """Topics to open.

    counts (words of the documents × new); weights, gains in nats (new); change: of all counts (words ×
    topics, new ones last).
    """

    counts: Array
    weights: Array
    gains: Array
    change: Array


class Changes(NamedTuple):
    """Openings and closings of topics as events, and the number of words that the vocabulary gained."""

    events: list[Event]
    entered: int = 0


def open_and_close(job: VariationalRun, state: VariationalState, shards: Shards, weight: float) -> Changes:
    """Collect documents after learning from them; once there are enough, close and open topics.

    `weight`: the weight of a token of the last minibatch in the table. Changes the engine's table and
    `state`; returns the events as splits and merges: an opened topic is split from the topic that loses most
    tokens to it, a closed one is merged into the topic that gains most of its tokens.
    """
    bags = shards.source.read(shards.numbers())
    bags = bags.take(np.flatnonzero(tokens_by_document(bags.offsets, bags.counts) >= LEAST_TOKENS))
    waiting = WaitingDocuments.of(bags, shards.source.words)
    waiting = waiting if state.waiting is None else state.waiting.plus(waiting)
    if len(waiting) < WINDOW:
        state.waiting = waiting
        return Changes([])
    state.waiting = None
    bags, words = last_documents(waiting, WINDOW)
    events, entered = _close(job, state, bags, words), 0
    for attempt in range(AGAIN):
        room = MOST_TOPICS - job.engine.table.shape[1]
        if room <= 0:
            break
        generator = stream(job.seed, purposes.BIRTHS, state.step, attempt)
        trial = _on_trial(job, state, words)
        found = candidates(trial, bags, min(CANDIDATES, room), weight, generator)
        if found is None:
            break
        opened = _open(job, state, trial, found, bags, words)
        events, entered = events + opened.events, entered + opened.entered
    return Changes(events, entered)


def last_documents(waiting: WaitingDocuments, number: int) -> tuple[Bags, Words]:
    """The last `number` waiting documents, over the words in them alone, and these words, ascending."""
    bags = waiting.bags.take(np.arange(len(waiting) - number, len(waiting)))
    if waiting.spelled is not None:
        return by_spelling(bags, waiting.spelled)
    rows, places = np.unique(bags.words, return_inverse=True)
    return bags.with_words(places.astype(np.int32)), rows.astype(np.int64)


def worth(gains: Array) -> float:
    """By how much documents' gains from a topic exceed chance, in nats; a topic is kept if this is positive.

    >>> worth(np.array([8.0])) < 0.0 < worth(np.array([8.0, 8.0, 8.0]))
    True
    """
    return float(gains.sum() - SURE * np.sqrt((gains**2).sum()))


# judging


class Outcome(NamedTuple):
    """The result of trying to do without topics.

    trial: the topics to keep; gains: for each topic that was tried and is kept, by number, documents' gains
    from it; closures: for each other one, the topic that gains most of its tokens, and documents' gains from
    closing it.
    """

    trial: TopicsOnTrial
    gains: dict[int, float]
    closures: dict[int, tuple[int, float]]


def judge(trial: TopicsOnTrial, bags: Bags, tried: Iterable[int]) -> Outcome:
    """Try to do without each of these topics, smallest first: it is closed if the documents that use it are
    predicted as well without it.
    """
    halves, names = trial.halves(bags), list(range(trial.n_topics))
    tokens, nats = trial.tokens(bags), trial.predict(halves)
    gains_of: dict[int, float] = {}
    closures: dict[int, tuple[int, float]] = {}
    sums = tokens.sum(axis=0)
    for topic in sorted(tried, key=lambda number: float(sums[number])):
        if trial.n_topics == 1:
            break
        k = names.index(topic)
        users = np.flatnonzero(tokens[:, k] > TOKENS_IN_USE)
        other = trial.without(k)
        less = other.predict(halves.take(users)) if len(users) else np.zeros(0)
        gains = nats[users] - less
        if worth(gains) > 0.0:
            gains_of[topic] = float(gains.sum())
            continue
        names.remove(topic)
        rest = np.delete(tokens, k, axis=1)
        before = rest[users].sum(axis=0)
        if len(users):
            rest[users] = other.tokens(bags.take(users))
        takes = names[int((rest[users].sum(axis=0) - before).argmax())]
        closures[topic] = takes, -float(gains.sum())
        trial, tokens, nats[users] = other, rest, less
    return Outcome(trial, gains_of, closures)


# closing


def _close(job: VariationalRun, state: VariationalState, bags: Bags, words: Words) -> list[Event]:
    """Close topics without which the documents are predicted as well; returns the events."""
    trial = _on_trial(job, state, words)
    found = judge(trial, bags, range(trial.n_topics))
    if not found.closures:
        return []
    numbers = _numbers(job, state)
    plan = f"{CLOSE} at step {state.step}"
    events = [
        Event(plan, gain, "merge", job.model.table.columns, column=numbers[takes], gone=numbers[topic])
        for topic, (takes, gain) in found.closures.items()
    ]
    _edit(job, state, (Drop("topics", tuple(sorted(found.closures))),))
    state.params = {**state.params, **{name: found.trial.params[name] for name in ("weights", "rest")}}
    return events


# opening


def candidates(
    trial: TopicsOnTrial, bags: Bags, number: int, weight: float, generator: np.random.Generator
) -> Opened | None:
    """New topics for the documents that are explained worst; None if no new topic is justified.

    They are fitted to every second of these documents, and judged by the others.
    """
    worst = bags.take(explained_worst(trial, bags))
    n = len(worst.unseen)
    made, judges = worst.take(np.arange(0, n, 2)), worst.take(np.arange(1, n, 2))
    shape = (len(made.unseen), len(trial.counts))
    matrix = csr_matrix((made.counts.astype(np.float64), made.words, made.offsets), shape)
    counts = weight * np.asarray(like_documents(matrix, number, generator).todense())
    weights = np.full(counts.shape[1], 0.5 * WORST / counts.shape[1])
    for _ in range(ROUNDS):
        own = trial.plus(counts, weights).counts_of(made)[:, trial.n_topics :]
        weights = np.maximum(WORST * own.sum(axis=0) / made.counts.sum(), LEAST_WEIGHT)
        counts = weight * own
    more = trial.plus(counts, weights)
    found = judge(more, judges, range(trial.n_topics, more.n_topics))
    if not found.gains:
        return None
    chosen = np.array(sorted(found.gains)) - trial.n_topics
    gains = np.array([found.gains[number] for number in sorted(found.gains)])
    counts, weights = counts[:, chosen], weights[chosen]
    after = trial.plus(counts, weights).counts_of(worst)
    after[:, : trial.n_topics] -= trial.counts_of(worst)
    change = weight * after
    change[:, : trial.n_topics] = np.maximum(change[:, : trial.n_topics], -ALL * trial.counts)
    return Opened(counts, weights, gains, change)


def explained_worst(trial: TopicsOnTrial, bags: Bags) -> NDArray[np.int64]:
    """The documents that topics explain worst, compared with the overall word frequencies of these documents.

    A long document counts more than a short one with the same loss per token.
    """
    tokens = tokens_by_document(bags.offsets, bags.counts)
    words = np.bincount(bags.words, bags.counts, len(trial.counts))
    owners = np.repeat(np.arange(len(tokens)), np.diff(bags.offsets))
    unigram = np.bincount(owners, bags.counts * np.log(words[bags.words] / words.sum()), len(tokens))
    gains = (trial.predict(trial.halves(bags)) - unigram) / tokens
    lack = (gains - (gains * tokens).sum() / tokens.sum()) * np.sqrt(tokens)
    return np.sort(np.argsort(lack, kind="stable")[: int(WORST * len(lack))])


def _open(
    job: VariationalRun,
    state: VariationalState,
    trial: TopicsOnTrial,
    found: Opened,
    bags: Bags,
    words: Words,
) -> Changes:
    """Open new topics; returns the events, and the number of words that the vocabulary gained."""
    n = len(found.weights)
    parent = int(found.change[:, : trial.n_topics].sum(axis=0).argmin())
    source = _numbers(job, state)[parent]
    params = with_topics(state.params, found.weights)
    _edit(job, state, (Grow("topics", n),))
    state.params = params
    rows, entered = _change_of_rows(job, state, found.change, bags, words)
    job.engine.blend(rows, 1.0, 1.0)
    plan, axis = f"{OPEN} at step {state.step}", job.model.table.columns
    new = zip(_numbers(job, state)[-n:], found.gains.tolist(), strict=True)
    return Changes(
        [Event(plan, gain, "split", axis, column=source, new=number) for number, gain in new], entered
    )


def _change_of_rows(
    job: VariationalRun, state: VariationalState, change: Array, bags: Bags, words: Words
) -> tuple[Rows | SparseCounts, int]:
    """A change of words' counts as rows of the table, and the number of words that were added to the table
    for it.

    change (words × topics): of the counts of `words`. A word that the table does not have (yet, or any more)
    is added if the model admits it.
    """
    if not isinstance(words, list):
        return Rows(words, np.ascontiguousarray(change)), 0
    rows = job.engine.table.positions(words)
    order = np.argsort(rows, kind="stable")
    known = order[rows[order] >= 0]
    documents = np.bincount(bags.words, minlength=len(words))
    fresh = {
        words[place]: np.append(change[place], documents[place])
        for place in np.flatnonzero((rows < 0) & (change.sum(axis=1) > 0.0)).tolist()
    }
    stats = Stats(Rows(rows[known], change[known]), new_rows=fresh)
    step = Step(state.step - 1, 1.0, 1.0, state.seen)  # the one whose documents these are
    found, state.params, entered = admit(job.model, job.engine, state.params, stats, step)
    return found, entered


# the run


def _on_trial(job: VariationalRun, state: VariationalState, words: Words) -> TopicsOnTrial:
    return TopicsOnTrial.of(topic_model(job.model), state.params, job.engine.table, words)


def _numbers(job: VariationalRun, state: VariationalState) -> tuple[int, ...]:
    """The lasting numbers of the topics."""
    return (state.columns or first_columns(job.engine.table.shape[1])).numbers


def _edit(job: VariationalRun, state: VariationalState, edit: Edit) -> None:
    columns = state.columns or first_columns(job.engine.table.shape[1])
    state.columns = edit_columns(columns, edit, job.model.table.columns)
    job.engine.edit(edit)
    state.params = apply(edit, state.params)
