"""Opening and closing topics of a stream, as its subjects change.

After every `WINDOW` documents, these documents judge the topics. A topic is kept if it improves their
prediction, in which each half of a document is predicted from the other. The sum of documents' gains must
exceed `SURE` times the root of the sum of squares, so that a single document never justifies a topic. New
topics must exceed more (`beyond_chance`), since several are tried at once, and the best of them would be good
by chance alone.
"""

from collections.abc import Iterable, Mapping
from statistics import NormalDist
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
from stickbreaker.learning.stream_documents import StreamDocuments
from stickbreaker.learning.variational import VariationalRun, VariationalState, admit
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
BY_CHANCE = 0.05  # expected share of the new topics that open at a time that may do so by chance
ROUNDS = 6  # of local and global steps for a candidate
ALL = 1.0 - 1e-12  # share of a count that a new topic may take: rounding makes no count negative
LEAST_WEIGHT = 1e-4  # of a candidate among all topics


Words = NDArray[np.int64] | list[str]  # of documents: rows of the table, or their spellings if rows have keys


class Opened(NamedTuple):
    """New topics to open, found by `candidates`.

    counts (words × new): their counts of the judging documents' words; weights (new): their shares of all
    tokens; gains (new): by how much each improves predictions, in nats; change (words × topics, new ones
    last): what to add to the table, negative for tokens that topics lose.
    """

    counts: Array
    weights: Array
    gains: Array
    change: Array


class Changes(NamedTuple):
    """The topics that were opened and closed, as events for the trace, and in `entered` the number of words
    that were added to the vocabulary.
    """

    events: list[Event]
    entered: int = 0


def open_and_close(job: VariationalRun, state: VariationalState, shards: Shards, weight: float) -> Changes:
    """Collect a minibatch's documents after it was learned from. Once there are `WINDOW` documents, close and
    open topics by them; until then, no events are returned.

    Documents with fewer than `LEAST_TOKENS` tokens are ignored. `weight`: the weight of one of the
    minibatch's tokens in the table. Changes the engine's table and `state`. The events are returned as splits
    and merges: an opened topic counts as split from the topic that loses most tokens to it, a closed one as
    merged into the topic that gains most of its tokens.
    """
    bags = shards.source.read(shards.numbers())
    bags = bags.take(np.flatnonzero(tokens_by_document(bags.offsets, bags.counts) >= LEAST_TOKENS))
    waiting = StreamDocuments.of(bags, shards.source.words)
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
        trial = on_trial(job, state, words)
        found = candidates(trial, bags, min(CANDIDATES, room), weight, generator)
        if found is None:
            break
        opened = _open(job, state, trial, found, bags, words)
        events, entered = events + opened.events, entered + opened.entered
    return Changes(events, entered)


def last_documents(waiting: StreamDocuments, number: int) -> tuple[Bags, Words]:
    """The last `number` of the collected documents, and the distinct words in them, ascending. In the
    documents, words are numbered by their position among these.
    """
    bags = waiting.bags.take(np.arange(len(waiting) - number, len(waiting)))
    if waiting.spelled is not None:
        return by_spelling(bags, waiting.spelled)
    rows, places = np.unique(bags.words, return_inverse=True)
    return bags.with_words(places.astype(np.int32)), rows.astype(np.int64)


def worth(gains: Array) -> float:
    """What a topic is worth, in nats: the sum of its gains for documents, less what may be due to chance. It
    is kept if the result is positive.

    >>> worth(np.array([8.0])) < 0.0 < worth(np.array([8.0, 8.0, 8.0]))
    True
    """
    return float(gains.sum() - SURE * np.sqrt((gains**2).sum()))


def beyond_chance(deviations: Mapping[int, float], tried: int) -> list[int]:
    """Which of the new topics that were tried at once gain more than by chance (Benjamini & Hochberg 1995).

    deviations: for each topic worth having, its gain in standard deviations; tried: how many topics were
    tried. The n topics that gain most are chosen, with the largest n for which a gain like that of the last
    one has a probability of at most `BY_CHANCE` n / tried. If nothing is new, some topic is chosen with a
    probability of at most `BY_CHANCE`; if much is new, weaker gains suffice. Returns them in ascending order.

    >>> beyond_chance({3: 2.4, 4: 2.2}, 8), beyond_chance({3: 2.4, 4: 2.3, 5: 2.6, 6: 3.1}, 8)
    ([], [3, 4, 5, 6])
    """
    best = sorted(deviations, key=lambda topic: -deviations[topic])
    chances = [NormalDist().cdf(-deviations[topic]) for topic in best]
    passed = [n for n, chance in enumerate(chances, 1) if chance <= BY_CHANCE * n / tried]
    return sorted(best[: max(passed, default=0)])


# judging


class Outcome(NamedTuple):
    """Which topics can be closed, as judged by documents.

    trial: the topics that are kept; gains: for each tried topic that is kept, by number, the nats that
    documents gain from having it; deviations: the same in standard deviations; closures: for each topic to be
    closed, the topic that gains most of its tokens, and the nats that documents gain from closing it.
    """

    trial: TopicsOnTrial
    gains: dict[int, float]
    deviations: dict[int, float]
    closures: dict[int, tuple[int, float]]


def judge(trial: TopicsOnTrial, bags: Bags, tried: Iterable[int]) -> Outcome:
    """Try each of the topics `tried`, smallest first: it is closed if the documents that use it are predicted
    as well without it, up to chance (`worth`). The last topic is always kept.
    """
    halves, names = trial.halves(bags), list(range(trial.n_topics))
    tokens, nats = trial.tokens(bags), trial.predict(halves)
    gains_of: dict[int, float] = {}
    deviations: dict[int, float] = {}
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
            deviations[topic] = float(gains.sum() / np.sqrt((gains**2).sum()))
            continue
        names.remove(topic)
        rest = np.delete(tokens, k, axis=1)
        before = rest[users].sum(axis=0)
        if len(users):
            rest[users] = other.tokens(bags.take(users))
        takes = names[int((rest[users].sum(axis=0) - before).argmax())]
        closures[topic] = takes, -float(gains.sum())
        trial, tokens, nats[users] = other, rest, less
    return Outcome(trial, gains_of, deviations, closures)


# closing


def _close(job: VariationalRun, state: VariationalState, bags: Bags, words: Words) -> list[Event]:
    """Close the topics without which the documents are predicted as well. Returns the closings as events;
    changes the table and `state`.
    """
    trial = on_trial(job, state, words)
    found = judge(trial, bags, range(trial.n_topics))
    if not found.closures:
        return []
    numbers = numbers_of(job, state)
    plan = f"{CLOSE} at step {state.step}"
    events = [
        Event(plan, gain, "merge", job.model.table.columns, column=numbers[takes], gone=numbers[topic])
        for topic, (takes, gain) in found.closures.items()
    ]
    edit_table(job, state, (Drop("topics", tuple(sorted(found.closures))),))
    state.params = {**state.params, **{name: found.trial.params[name] for name in ("weights", "rest")}}
    return events


# opening


def candidates(
    trial: TopicsOnTrial, bags: Bags, number: int, weight: float, generator: np.random.Generator
) -> Opened | None:
    """Find new topics for the documents that are explained worst; None if none improves predictions enough.

    Every second one of these documents is used to fit up to `number` new topics, the others to judge them
    (`beyond_chance`).
    weight: of a token in the table; generator: draws the documents from which new topics start.
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
    opened = beyond_chance(found.deviations, counts.shape[1])
    if not opened:
        return None
    chosen, gains = np.array(opened) - trial.n_topics, np.array([found.gains[number] for number in opened])
    counts, weights = counts[:, chosen], weights[chosen]
    after = trial.plus(counts, weights).counts_of(worst)
    after[:, : trial.n_topics] -= trial.counts_of(worst)
    change = weight * after
    change[:, : trial.n_topics] = np.maximum(change[:, : trial.n_topics], -ALL * trial.counts)
    return Opened(counts, weights, gains, change)


def explained_worst(trial: TopicsOnTrial, bags: Bags) -> NDArray[np.int64]:
    """The numbers of the half of the documents that topics explain worst, compared with the overall word
    frequencies in all of them.

    Of two documents with the same loss per token, the longer counts as worse explained.
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
    """Add new topics to the table and to `state`. Returns the openings as events, and the number of words
    added to the vocabulary.

    trial: the topics before; found: the new topics; bags, words: the documents that judged them, and their
    words.
    """
    n = len(found.weights)
    parent = int(found.change[:, : trial.n_topics].sum(axis=0).argmin())
    source = numbers_of(job, state)[parent]
    params = with_topics(state.params, found.weights)
    edit_table(job, state, (Grow("topics", n),))
    state.params = params
    rows, entered = _change_of_rows(job, state, found.change, bags, words)
    job.engine.blend(rows, 1.0, 1.0)
    plan, axis = f"{OPEN} at step {state.step}", job.model.table.columns
    new = zip(numbers_of(job, state)[-n:], found.gains.tolist(), strict=True)
    return Changes(
        [Event(plan, gain, "split", axis, column=source, new=number) for number, gain in new], entered
    )


def _change_of_rows(
    job: VariationalRun, state: VariationalState, change: Array, bags: Bags, words: Words
) -> tuple[Rows | SparseCounts, int]:
    """Turn a change of words' counts into rows of the table. Words that the table lacks are added if the
    model admits them; their number is returned too.

    change (words × topics): what to add to the counts of `words`; bags: the documents with these words.
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


def on_trial(job: VariationalRun, state: VariationalState, words: Words) -> TopicsOnTrial:
    """The topics of a run's table, to be tried on documents with these words."""
    return TopicsOnTrial.of(topic_model(job.model), state.params, job.engine.table, words)


def numbers_of(job: VariationalRun, state: VariationalState) -> tuple[int, ...]:
    """The id of each topic of the table, which stays the same while topics open and close."""
    return (state.columns or first_columns(job.engine.table.shape[1])).numbers


def edit_table(job: VariationalRun, state: VariationalState, edit: Edit) -> None:
    """Change the topics of a run's table and of its `state`."""
    columns = state.columns or first_columns(job.engine.table.shape[1])
    state.columns = edit_columns(columns, edit, job.model.table.columns)
    job.engine.edit(edit)
    state.params = apply(edit, state.params)
