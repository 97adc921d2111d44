"""Trials of proposed changes of topics: their statistics from a shard's documents, after inference.

A proposal splits a topic in two halves, or hands over its tokens to other topics, the targets.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Local, Proposals
from stickbreaker.core.edits import SHARES_OF, TRIAL
from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.core.records import Array, Field, Record, Rows, Stats, no_rows
from stickbreaker.corpus.shards import Bags, Shard, tokens_by_document
from stickbreaker.topics import purposes
from stickbreaker.topics.model.slots import TopicView
from stickbreaker.topics.model.solvers.mean_field import words_of

if TYPE_CHECKING:
    from stickbreaker.topics.kernels.split_merge import Document

PARTS, PARTS_OF = (
    f"{TRIAL}parts",
    f"{TRIAL}topics",
)  # fields of a document's record, from round to round of a step
AGREEMENT = "agreement"  # of a trial's sums: agreement of documents' halves
TOKENS = "tokens"  # of a trial's sums: tokens of its rows
EASE = 1.0  # tokens with score zero added to every document, so that short ones do not get extreme scores


@dataclass(frozen=True, slots=True)
class Bench:
    """The documents of a shard on which proposals are tried, with the expected tokens of the topics that
    these change.

    `gamma` (documents × topics), `totals` (documents): its sums, with the alpha of unused topics. `parts`
    (topics × entries): expected tokens of these topics, for each distinct word of each document. `places`: a
    topic's row of `parts`.
    """

    shard: Shard[Bags]
    gamma: Array  # documents × topics
    alpha: Array  # topics
    totals: Array  # documents: sum of gamma, the rest included
    parts: NDArray[np.float32]  # topics in proposals × entries
    places: dict[int, int]  # a topic's row of parts

    def chosen(self, change: Record) -> NDArray[np.bool_]:
        """Which of the shard's documents a proposal is tried on (documents, true or false).

        All are by default. The field "half" selects one half of them by document number, and "least" those
        with at least that many tokens of the proposal's topic.
        """
        chosen = np.ones(self.shard.n_documents, np.bool_)
        if "half" in change:
            keys = numbered_keys(0, purposes.HALVES, 0, self.shard.documents)
            chosen = np.asarray((keys >> np.uint64(40)) % np.uint64(2) == int(change["half"].values))
        if "least" in change:
            tokens = tokens_by_document(self.shard.content.offsets, self.parts[self.place(change)])
            chosen = chosen & (tokens >= float(change["least"].values))
        return chosen

    def place(self, change: Record) -> int:
        """The row of `parts` for the topic of a proposal."""
        return self.places[topic_of(change["topic"])]

    def at(self, values: Array) -> Array:
        """The values of the shard's words, given those of all rows of the table; 0 for words that have no
        row.
        """
        rows = self.shard.rows
        if self.shard.keys is None:
            return values[rows]
        return np.where(rows >= 0, values[np.maximum(rows, 0)], 0.0) if len(values) else np.zeros(len(rows))

    def rows(self, counts: Array) -> Rows:
        """The counts of the shard's words (words × columns) as rows of the table, for a trial's report. Words
        that have no row in the table are left out.
        """
        if self.shard.keys is None:
            return Rows(self.shard.rows, counts)
        known = np.flatnonzero(self.shard.rows >= 0)
        known = known[np.argsort(self.shard.rows[known])]
        return Rows(self.shard.rows[known], counts[known])


def topic_of(item: Field) -> int:
    """The number of the topic that a field marks (see `mark`)."""
    return int(item.values.argmax())


def mark(topic: int, n_topics: int) -> Field:
    """A field over topics that is 1 for one of them, else 0.

    A proposal names its topics in this form, so that they stay the same topics if an edit changes the
    numbers.
    """
    return Field((np.arange(n_topics) == topic).astype(np.float64), ("topics",), additive=False)


def evaluate_proposals(
    view: TopicView, shard: Shard[Bags], local: Local, proposals: Proposals
) -> tuple[Local, Mapping[str, Stats]]:
    """Try every proposal on a shard's documents, after these were inferred.

    Returns fields to be added to the documents' records, and the statistics of each trial by the proposal's
    name. The kind of trial is the first of `TRIALS` whose name is a field of the proposal; without one, it is
    left out.
    """
    from stickbreaker.topics.kernels.split_merge import topic_parts

    proposals = [plan for plan in proposals if any(kind in plan.change for kind in TRIALS)]
    topics = (
        np.unique(np.concatenate([_topics(plan.change) for plan in proposals]))
        if proposals
        else np.empty(0, int)
    )
    gamma, extra = local["gamma"].values, dict[str, Field]()
    if PARTS in local and np.array_equal(local[PARTS_OF].values, topics):
        parts = np.asarray(local[PARTS].values, np.float32)
    else:
        parts = np.empty((len(topics), shard.n_entries), np.float32)
        if len(topics):
            topic_parts(words_of(view, shard), gamma, topics, parts)
        extra |= {PARTS: Field(parts, ("parts", "entries")), PARTS_OF: Field(topics, ("parts",))}
    places = {topic: place for place, topic in enumerate(topics.tolist())}
    bench = Bench(shard, gamma, view.alpha, gamma.sum(axis=1) + view.rest, parts, places)
    reports: dict[str, Stats] = {}
    for plan in proposals:
        kind = next(kind for kind in TRIALS if kind in plan.change)
        reports[plan.name], shares = TRIALS[kind](bench, plan.change)
        if shares is not None:
            axes = ("documents", "targets")[: shares.ndim]
            extra[SHARES_OF + plan.name] = Field(shares, axes, additive=False)
    return extra, reports


def _topics(change: Record) -> NDArray[np.int64]:
    """The numbers of the topics that a proposal changes: the split or dissolved one, then those that get its
    tokens (targets); may be empty.
    """
    if "topic" not in change:
        return np.empty(0, np.int64)
    targets = [] if "targets" not in change else change["targets"].values.argmax(axis=0).tolist()
    return np.array([topic_of(change["topic"]), *targets], np.int64)


def _direction(bench: Bench, change: Record) -> tuple[Stats, None]:
    """The report of one round of the search for a topic's leading direction, along which it can be split. No
    shares are returned (None).

    The words' scores (field "direction") make scores of documents. The report has for each word its tokens ×
    document score, and its tokens (words × 2, see `add_direction`). This is a step of correspondence
    analysis. With "sides", it has the tokens in documents with positive scores, and in others.
    """
    from stickbreaker.topics.kernels.split_merge import add_direction

    sums = np.zeros((len(bench.shard.rows), 2))
    place, scores, hard = bench.place(change), bench.at(change["direction"].values), "sides" in change
    add_direction(_document(bench), bench.parts, place, scores, bench.chosen(change), EASE, sums, hard)
    usage = {TOKENS: Field(column_sums(sums), ("parts",))}
    return Stats(bench.rows(sums), usage=usage), None


def _split(bench: Bench, change: Record) -> tuple[Stats, Array]:
    """Try to split a topic in two: the report of the trial, and the share of the second half in each
    document.

    The report has both halves' tokens by word (words × 2) and their sums, sums of E[log theta] of the halves
    and of the whole topic, and the gain in the bound, in nats.
    """
    from stickbreaker.topics.kernels.split_merge import Halves, add_halves

    topic, chosen = topic_of(change["topic"]), bench.chosen(change)
    halves = Halves(
        np.zeros((len(bench.shard.rows), 2)), np.zeros(2), np.zeros(1), np.full(len(bench.gamma), 0.5)
    )
    whole = np.zeros(1)
    odds = bench.at(change["log_odds"].values)
    gamma = np.ascontiguousarray(bench.gamma[:, topic])
    priors = change["priors"].values.copy()
    add_halves(_document(bench), bench.parts, bench.place(change), gamma, odds, priors, chosen, halves, whole)
    usage = {
        "log_theta": Field(halves.log_theta, ("topics",)),
        "log_whole": Field(whole),
        "own": Field(np.asarray(halves.own[0])),
        TOKENS: Field(column_sums(halves.counts), ("parts",)),
    }
    if "judged" in change:
        judged = bench.chosen({**change, "half": change["judged"]})
        usage[AGREEMENT] = Field(
            _agreement(bench, bench.place(change), odds, float(change["mean"].values), judged)
        )
    return Stats(bench.rows(halves.counts), usage=usage, documents=float(chosen.sum())), halves.shares


def _agreement(bench: Bench, place: int, log_odds: Array, mean: float, chosen: NDArray[np.bool_]) -> Array:
    """Sums over documents that show whether the words of a document agree on one half of a split topic: of 1,
    a b, and (a b)².

    a is from every second word of the document, b from the others: the sum over the topic's tokens of p -
    `mean`, with p the probability that a token with this word is in the first half. If documents do not
    differ, a and b are independent, and the sum of a b is zero up to chance. place: the topic's row of the
    bench's parts; chosen (documents): which are judged.
    """
    offsets, n = bench.shard.content.offsets, bench.shard.n_documents
    owners = np.repeat(np.arange(n), np.diff(offsets))
    side = (np.arange(len(owners)) - offsets[owners]) % 2
    tokens = bench.parts[place].astype(np.float64) * chosen[owners]
    lean = 1.0 / (1.0 + np.exp(-np.clip(log_odds[bench.shard.content.words], -50.0, 50.0)))
    a, b = np.bincount(2 * owners + side, tokens * (lean - mean), 2 * n).reshape(n, 2).T
    return np.array([chosen.sum(), (a * b).sum(), ((a * b) ** 2).sum()])


def _handover(bench: Bench, change: Record) -> tuple[Stats, Array]:
    """Try to merge a topic into one or several others (targets): the report of the trial, and the share of
    each in each document.

    The report has the targets' gains by word (words × targets) and their sums, sums of E[log theta] after and
    before, and the gain in the bound, in nats. With "mixing", the targets' gains include tokens that they
    exchange.
    """
    from stickbreaker.topics.kernels.split_merge import Handover, add_handover

    columns = [*change["targets"].values.argmax(axis=0).tolist(), topic_of(change["topic"])]
    n, n_words = len(columns) - 1, len(bench.shard.rows)
    out = Handover(
        np.zeros((n_words, n)), np.zeros(n), np.zeros(n + 1), np.zeros(1), np.empty((len(bench.gamma), n))
    )
    gamma = np.ascontiguousarray(bench.gamma[:, columns])
    places = np.array([bench.places[topic] for topic in columns])
    log_words = np.zeros((n_words, n)) if "joined" in change else bench.at(change["log_words"].values)
    priors = np.ones(1) if "joined" in change else change["priors"].values.copy()
    add_handover(_document(bench), bench.parts, places, gamma, log_words, priors, "mixing" in change, out)
    usage = {
        "log_theta": Field(out.log_theta, ("topics",)),
        "log_whole": Field(out.log_whole),
        "own": Field(np.asarray(out.own[0])),
        TOKENS: Field(column_sums(out.counts), ("parts",)),
    }
    return Stats(bench.rows(out.counts), usage=usage, documents=float(len(gamma))), out.shares


def _votes(bench: Bench, change: Record) -> tuple[Stats, None]:
    """Report the topics' votes: each document of the shard has one vote, divided like its tokens."""
    tokens = np.maximum(bench.gamma - bench.alpha, 0.0)
    votes = tokens / np.maximum(tokens.sum(axis=1, keepdims=True), 1e-300)
    report = {"votes": Field(votes.sum(axis=0), ("topics",))}
    return Stats(no_rows(1), usage=report, documents=float(len(votes))), None


def column_sums(values: Array) -> Array:
    """The sum of each column (columns) of an array of many rows and few columns, for which `sum(axis=0)` is
    slow.

    >>> column_sums(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [4.0, 6.0]
    """
    return np.asarray(np.einsum("rc->c", values))


def _document(bench: Bench) -> "Document":
    from stickbreaker.topics.kernels.split_merge import Document

    return Document(bench.shard.content.offsets, bench.shard.content.words, bench.totals)


NEEDED = {  # required fields and their axes, by the field that identifies the kind of proposal
    "direction": {"topic": 1},
    "log_odds": {"topic": 1, "priors": 1},
    "log_words": {"topic": 1, "priors": 1, "targets": 2},
}


def refuse_proposal(change: Record) -> None:
    """Raise ValueError if a proposal, as read from a file, lacks a field that its trial needs, or has one
    with an impossible shape or value.
    """
    for kind, fields in NEEDED.items():
        if kind in change:
            for name, axes in fields.items():
                if name not in change or change[name].values.ndim != axes:
                    raise ValueError(f"a plan of changing topics lacks its {name}")
    if "priors" in change:
        n = change["targets"].values.shape[1] if "targets" in change else 2
        of_targets = [change["priors"], *([change["log_words"]] if "log_words" in change else [])]
        if any(item.values.shape[-1] != n for item in of_targets):
            raise ValueError("a plan of changing topics has priors or words of others")
        if not (change["priors"].values > 0.0).all():
            raise ValueError("a plan of changing topics has priors that are not above zero")
    for name in ("mixing", "mixture"):
        if name in change and (change[name].values.ndim or change[name].values < 0.0):
            raise ValueError(f"a plan of changing topics has a {name} that is not a number")
    for name in ("topic", "targets"):
        marks = change[name].values if name in change else np.zeros(1)
        if not np.isin(marks, (0.0, 1.0)).all() or (marks.sum(axis=0) > 1.0).any():
            raise ValueError(f"a plan of changing topics has an invalid {name}")


TRIALS: dict[str, Callable[[Bench, Record], tuple[Stats, Array | None]]] = {
    "direction": _direction,
    "log_odds": _split,
    "log_words": _handover,
    "joined": _handover,  # to a single target: no choice, and no data about words needed
    "votes": _votes,
}
