"""What a shard reports of topics under test, given what its documents came to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core import purposes
from stickbreaker.core.edits import SHARES_OF, TRIAL
from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.core.records import Array, Field, Record, Rows, Stats
from stickbreaker.corpus.shards import Bags, Shard
from stickbreaker.models.contract import Local, Proposal
from stickbreaker.models.topics.slots import TopicView
from stickbreaker.models.topics.solvers.mean_field import words_of

if TYPE_CHECKING:
    from stickbreaker.kernels.split_merge import Document

PARTS, PARTS_OF = f"{TRIAL}parts", f"{TRIAL}topics"  # of a document's record, from round to round of a step
TOKENS = "tokens"  # of a trial's sums: those of its rows
EASE = 1.0  # tokens of score zero that every document has: one of few tokens gets no extreme score


@dataclass(frozen=True, slots=True)
class Bench:
    """A shard's documents with the expected tokens of the topics that proposals are about."""

    shard: Shard[Bags]
    gamma: Array  # documents × topics
    totals: Array  # documents: sum of gamma, the rest included
    parts: NDArray[np.float32]  # entries × topics that proposals are about
    places: dict[int, int]  # a topic's column of parts

    def chosen(self, change: Record) -> NDArray[np.bool_]:
        """Which documents a proposal reads: all, or the half that it names, by their numbers."""
        if "half" not in change:
            return np.ones(self.shard.n_documents, np.bool_)
        keys = numbered_keys(0, purposes.HALVES, 0, self.shard.documents)
        return np.asarray((keys >> np.uint64(40)) % np.uint64(2) == int(change["half"].values))


def topic_of(item: Field) -> int:
    """The topic that a proposal names by a mark in an array of topics, which edits move along."""
    return int(item.values.argmax())


def mark(topic: int, n_topics: int) -> Field:
    """The array that names a topic."""
    return Field((np.arange(n_topics) == topic).astype(np.float64), ("topics",), additive=False)


def evaluate_proposals(
    view: TopicView, shard: Shard[Bags], local: Local, proposals: Sequence[Proposal]
) -> tuple[Local, Mapping[str, Stats]]:
    """Every proposal's statistics, and the documents' records that a split needs.

    Each proposal runs the first of the `TRIALS` whose name is that of one of its fields.
    """
    from stickbreaker.kernels.split_merge import topic_parts

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
        parts = np.empty((shard.n_entries, len(topics)), np.float32)
        if len(topics):
            topic_parts(words_of(view, shard), gamma, topics, parts)
        kept: dict[str, NDArray[Any]] = {PARTS: parts, PARTS_OF: topics}
        extra |= {name: Field(values, ("entries", "parts")) for name, values in kept.items()}
    places = {topic: place for place, topic in enumerate(topics.tolist())}
    bench = Bench(shard, gamma, gamma.sum(axis=1) + view.rest, parts, places)
    reports: dict[str, Stats] = {}
    for plan in proposals:
        kind = next(kind for kind in TRIALS if kind in plan.change)
        reports[plan.name], shares = TRIALS[kind](bench, plan.change)
        if shares is not None:
            axes = ("documents", "targets")[: shares.ndim]
            extra[SHARES_OF + plan.name] = Field(shares, axes, additive=False)
    return extra, reports


def _topics(change: Record) -> NDArray[np.int64]:
    """The topics that a proposal is about."""
    targets = [] if "targets" not in change else change["targets"].values.argmax(axis=0).tolist()
    return np.array([topic_of(change["topic"]), *targets], np.int64)


def _direction(bench: Bench, change: Record) -> tuple[Stats, None]:
    """A step of correspondence analysis: rows (words × 2) as `add_direction` tells."""
    from stickbreaker.kernels.split_merge import add_direction

    sums = np.zeros((len(bench.shard.rows), 2))
    place = bench.places[topic_of(change["topic"])]
    scores = change["direction"].values[bench.shard.rows]
    hard = "sides" in change
    add_direction(_document(bench), bench.parts, place, scores, bench.chosen(change), EASE, sums, hard)
    usage = {TOKENS: Field(sums.sum(axis=0), ("parts",))}
    return Stats(Rows(bench.shard.rows, sums), usage=usage), None


def _split(bench: Bench, change: Record) -> tuple[Stats, Array]:
    """A topic in two: rows (words × 2) and their sums; sums of E[log theta] of the two and of the whole;
    gain; shares."""
    from stickbreaker.kernels.split_merge import Halves, add_halves

    topic, chosen = topic_of(change["topic"]), bench.chosen(change)
    halves = Halves(
        np.zeros((len(bench.shard.rows), 2)), np.zeros(2), np.zeros(1), np.full(len(bench.gamma), 0.5)
    )
    whole = np.zeros(1)
    odds = change["log_odds"].values[bench.shard.rows]
    gamma = np.ascontiguousarray(bench.gamma[:, topic])
    priors = change["priors"].values.copy()
    add_halves(_document(bench), bench.parts, bench.places[topic], gamma, odds, priors, chosen, halves, whole)
    usage = {
        "log_theta": Field(halves.log_theta, ("topics",)),
        "log_whole": Field(whole),
        "own": Field(np.asarray(halves.own[0])),
        TOKENS: Field(halves.counts.sum(axis=0), ("parts",)),
    }
    rows = Rows(bench.shard.rows, halves.counts)
    return Stats(rows, usage=usage, documents=float(chosen.sum())), halves.shares


def _handover(bench: Bench, change: Record) -> tuple[Stats, Array]:
    """A topic handed over to others: rows (words × targets) and their sums; sums of E[log theta] after and
    before; gain, shares. With "mixing", what the targets gain has what they exchange."""
    from stickbreaker.kernels.split_merge import Handover, add_handover

    columns = [*change["targets"].values.argmax(axis=0).tolist(), topic_of(change["topic"])]
    n, n_words = len(columns) - 1, len(bench.shard.rows)
    out = Handover(
        np.zeros((n_words, n)), np.zeros(n), np.zeros(n + 1), np.zeros(1), np.empty((len(bench.gamma), n))
    )
    gamma = np.ascontiguousarray(bench.gamma[:, columns])
    places = np.array([bench.places[topic] for topic in columns])
    log_words = change["log_words"].values[bench.shard.rows]
    priors = change["priors"].values.copy()
    add_handover(_document(bench), bench.parts, places, gamma, log_words, priors, "mixing" in change, out)
    usage = {
        "log_theta": Field(out.log_theta, ("topics",)),
        "log_whole": Field(out.log_whole),
        "own": Field(np.asarray(out.own[0])),
        TOKENS: Field(out.counts.sum(axis=0), ("parts",)),
    }
    return Stats(Rows(bench.shard.rows, out.counts), usage=usage, documents=float(len(gamma))), out.shares


def _document(bench: Bench) -> "Document":
    from stickbreaker.kernels.split_merge import Document

    return Document(bench.shard.content.offsets, bench.shard.content.words, bench.totals)


NEEDED = {  # by the field that tells what a proposal is: fields that it has besides, and their axes
    "direction": {"topic": 1},
    "log_odds": {"topic": 1, "priors": 1},
    "log_words": {"topic": 1, "priors": 1, "targets": 2},
}


def refuse_proposal(change: Record) -> None:
    """Raise ValueError where a proposal lacks a field that its trial reads, or has one of other sizes."""
    for kind, fields in NEEDED.items():
        if kind in change:
            for name, axes in fields.items():
                if name not in change or change[name].values.ndim != axes:
                    raise ValueError(f"a plan of changing topics without its {name}")
    if "priors" in change:
        n = change["targets"].values.shape[1] if "targets" in change else 2
        of_targets = [change["priors"], *([change["log_words"]] if "log_words" in change else [])]
        if any(item.values.shape[-1] != n for item in of_targets):
            raise ValueError("a plan of changing topics with priors or words of others")
        if not (change["priors"].values > 0.0).all():
            raise ValueError("a plan of changing topics with priors that are not above zero")
    for name in ("mixing", "mixture"):
        if name in change and (change[name].values.ndim or change[name].values < 0.0):
            raise ValueError(f"a plan of changing topics whose {name} is no number")
    for name in ("topic", "targets"):
        marks = change[name].values if name in change else np.zeros(1)
        if not np.isin(marks, (0.0, 1.0)).all() or (marks.sum(axis=0) > 1.0).any():
            raise ValueError(f"a plan of changing topics whose {name} is none")


TRIALS: dict[str, Callable[[Bench, Record], tuple[Stats, Array | None]]] = {
    "direction": _direction,
    "log_odds": _split,
    "log_words": _handover,
}
