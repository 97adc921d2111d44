"""The methods of the comparison, and runs of them that are scored on the way."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from reproduce.hdp_scoring import Scorer
from scipy.sparse import csr_matrix

from stickbreaker import HDP, Corpus, Online, SplitMerge
from stickbreaker.estimators import model_runs
from stickbreaker.estimators.model_runs import EndedRun
from stickbreaker.learning.loop import run
from stickbreaker.learning.observers import Observer, Trace
from stickbreaker.learning.run import Run, RunState
from stickbreaker.topics.learner import HDP as LEARNER

MEMOISED, PAPER, HALVES = "memoised-SM", "oHDP-SM", "oHDP-SM, halves"
LEARNED = "oHDP-SM, η learned"
ONLINE, BATCH, FRANCHISE, GIBBS = "oHDP", "bHDP", "oHDP-CRF", "CGS"
TOLD = {
    MEMOISED: "memoised, every split and merge judged by the exact bound of the whole corpus; ours",
    PAPER: "the paper's: online, splits and merges judged by the minibatch that proposed them",
    LEARNED: "the same with the prior of words learned, as in the paper",
    HALVES: "online, splits and merges proposed by one half of a minibatch, judged by the other; ours",
    ONLINE: "online, a fixed number of topics",
    BATCH: "batch, a fixed number of topics",
    FRANCHISE: "online, a fixed number of topics in the representation of Wang et al. (2011)",
    GIBBS: "collapsed Gibbs sampling",
}
SPLIT_MERGE = (MEMOISED, PAPER, HALVES)
SCORED = 25  # how often a run is scored
TEN = 10  # words of a topic that are shown
LARGE = 0.01  # share of tokens of a large topic


@dataclass
class Curve:
    """A run: after each number of `documents`, training CPU seconds, held-out nats per word, topics used and
    in the table; topics with more than a hundredth of all tokens; splits and merges so far.

    `divided`: at the end, some splits of which both topics are still in use, see `divided_topics`.
    """

    data: str
    method: str
    start: int
    seed: int
    documents: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    held_out: list[float] = field(default_factory=list)
    used: list[int] = field(default_factory=list)
    large: list[int] = field(default_factory=list)
    splits: list[int] = field(default_factory=list)
    merges: list[int] = field(default_factory=list)
    divided: list[dict[str, Any]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """As figures and tables call it."""
        return f"{self.method}, K = {self.start}"


def estimator(
    method: str, topics: int, seed: int, *, batch: int, passes: int, total: int | None = None
) -> HDP:
    """The estimator of a method that starts from `n_topics` topics. Concentrations are learned, from one; the
    prior of words is 0.01, but for `LEARNED`.

    `batch`: documents of an online step; `total`: documents of a stream, if they are not all at hand.
    """
    online = Online(batch_size=batch, kappa=0.5, tau0=1.0, total=total)  # the paper's, section 4
    choices: dict[str, dict[str, Any]] = {
        MEMOISED: {"schedule": "memoised", "moves": SplitMerge(accept="exact")},
        PAPER: {"schedule": online, "moves": SplitMerge(accept="paper")},
        LEARNED: {"schedule": online, "moves": SplitMerge(accept="paper"), "eta": "learned"},
        HALVES: {"schedule": online, "moves": SplitMerge(accept="halves")},
        ONLINE: {"schedule": online, "moves": None},
        BATCH: {"schedule": "batch", "moves": None},
        FRANCHISE: {"schedule": online, "moves": None, "representation": "franchise"},
        GIBBS: {"schedule": "batch", "moves": None, "inference": "gibbs"},
    }
    return HDP(topics, max_iter=passes, tol=0.0, random_state=seed, **choices[method])


class Watch(Observer):
    """Scores the topics after some numbers of documents; its clock, of CPU time, is stopped meanwhile."""

    def __init__(self, model: HDP, train: Corpus, scorer: Scorer, curve: Curve, at: list[float]) -> None:
        self.model, self.train, self.scorer, self.curve = model, train, scorer, curve
        self.trace = Trace()  # observes before this does
        self.at = sorted(at, reverse=True)
        self.seconds = 0.0

    def begin(self, job: Run[Any], state: RunState) -> None:
        self.since = time.process_time()

    def step(self, job: Run[Any], state: RunState, record: dict[str, Any]) -> bool:
        self.seconds += time.process_time() - self.since
        if self.at and state.seen >= self.at[-1]:
            while self.at and state.seen >= self.at[-1]:
                self.at.pop()
            ended = EndedRun(job, state, self.trace)
            learned = model_runs.learned_by(LEARNER, self.model.settings, self.train, ended)
            self.model = HDP.of(learned)
            note(self.curve, self.model, self.scorer, state.seen, self.seconds)
        self.since = time.process_time()
        return False


def note(curve: Curve, model: HDP, scorer: Scorer, documents: float, seconds: float) -> None:
    """Add a point to the curve: the model as it is now."""
    moves = [edit["move"] for record in model.trace_ for edit in record.get("edits", ())]
    curve.documents.append(float(documents))
    curve.seconds.append(seconds)
    curve.held_out.append(scorer.score(model.topic_word_))
    curve.used.append(model.n_topics_)
    curve.large.append(int((model.topic_shares_ > LARGE).sum()))
    curve.splits.append(moves.count("split"))
    curve.merges.append(moves.count("merge"))


def follow(curve: Curve, train: Corpus, scorer: Scorer, *, batch: int, passes: int) -> Curve:
    """A run of that many passes; `curve` names the run and is filled."""
    model = estimator(curve.method, curve.start, curve.seed, batch=batch, passes=passes)
    job, state = LEARNER.new_run(model.settings, train, curve.seed)
    at = points(batch, passes * train.n_documents)
    watch = Watch(model, train, scorer, curve, at)
    run(job, state, [watch.trace, watch])
    curve.divided = divided_topics(watch.model)
    return curve


def divided_topics(model: HDP, most: int = 3) -> list[dict[str, Any]]:
    """Splits of which both topics are in use now, those whose smaller topic is largest first.

    Each with the documents `seen` by then, the words `before` of the topic that was split, and the `words`
    and `shares` of both topics now. If a topic was split several times, the last split counts.
    """
    place = {number: column for column, number in enumerate(model.topic_ids_)}
    words, shares = model.top_words(TEN, by="probability"), model.topic_shares_
    found: dict[int, dict[str, Any]] = {}  # by the topic that was split: its last split
    for record in model.trace_:
        for edit in record.get("edits", ()):
            if edit["move"] != "split" or not {edit["topic"], edit["new"]} <= place.keys():
                continue
            both = [place[edit["topic"]], place[edit["new"]]]
            found[edit["topic"]] = {
                "seen": record["documents"],
                "before": [model.vocabulary_.words[row] for row in record["before"][str(edit["topic"])]],
                "words": [words[column] for column in both],
                "shares": [float(shares[column]) for column in both],
            }
    return sorted(found.values(), key=lambda one: -min(one["shares"]))[:most]


def follow_stream(
    curve: Curve, batches: Iterable[csr_matrix], scorer: Scorer, *, batch: int, total: int
) -> Curve:
    """A run over documents that come a minibatch at a time and are not kept."""
    model = estimator(curve.method, curve.start, curve.seed, batch=batch, passes=1, total=total)
    seconds, seen = 0.0, 0
    for counts in batches:
        since = time.process_time()
        model.partial_fit(Corpus.from_matrix(counts))
        seconds += time.process_time() - since
        seen += counts.shape[0]
        note(curve, model, scorer, seen, seconds)
    return curve


def points(first: float, last: float, n: int = SCORED) -> list[float]:
    """After how many documents a run is scored: at even ratios, the first and the last among them.

    >>> points(200, 3200, 5)
    [200.0, 400.0, 800.0, 1600.0, 3200.0]
    """
    first = min(first, last)
    return np.unique(np.geomspace(first, last, n).round()).tolist()


def told(curve: Curve) -> str:
    """A line for the terminal."""
    return (
        f"{curve.data}, {curve.name}, seed {curve.seed}: held-out {curve.held_out[-1]:.4f}, "
        f"{curve.used[-1]} topics used, {curve.seconds[-1]:.0f} CPU s"
    )
