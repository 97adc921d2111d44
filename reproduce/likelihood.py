"""Figure 3.4: held-out likelihood against training time, alpha learned beside alpha fixed.

The thesis runs its own program, which learns alpha from 50/K, against Mahout, which keeps alpha at 50/K. Here
both sides are the same program, so that nothing but alpha differs; a third one has a fixed alpha that was
chosen by trying. Documents are scored in two ways after a pass: by completion, and by the variational bound,
which is what "the held-out likelihood was computed using the variational distribution" comes to.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from chart import Line
from pages import Chart, Section, Table
from texts import cut, texts

from stickbreaker import LDA, Corpus
from stickbreaker.corpus import VocabularyRule
from stickbreaker.estimators import fitting
from stickbreaker.evaluation import Topics, completion_of
from stickbreaker.learning.convergence import settled
from stickbreaker.learning.loop import Run, RunState, run
from stickbreaker.learning.observers import Observer, Trace

START = 50.0  # alpha's sum at the start, and where it is fixed
TRIED = (50.0, 10.0, 5.0, 1.0)  # sums of alpha from which the best fixed one is chosen
TRY_TOPICS, TRY_PASSES = 50, 20
PASSES = 40
SCORED = (*range(1, 11), *range(12, PASSES + 1, 2))  # passes after which documents are scored
RULE = VocabularyRule(min_documents=20)  # the thesis drops words of fewer documents than 20
LEARNED, FIXED, CHOSEN = "alpha learned from 50/K", "alpha fixed at 50/K", "alpha fixed, best of 4 tries"


@dataclass
class Curve:
    """One run: after the passes `at`, CPU seconds of training and the two held-out scores, nats a word."""

    corpus: str
    topics: int
    rule: str
    seed: int
    alpha: float  # its sum at the start
    at: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    completion: list[float] = field(default_factory=list)
    bound: list[float] = field(default_factory=list)
    settled: int | None = None  # the first pass at which the training bound had settled
    alpha_end: float = 0.0  # alpha's sum at the end
    alpha_range: tuple[float, float] = (0.0, 0.0)


class Watch(Observer):
    """Scores held-out documents after some passes; its clock, of CPU time, stands still meanwhile."""

    def __init__(self, estimator: LDA, train: Corpus, test: Corpus, curve: Curve, at: tuple[int, ...]) -> None:
        self.estimator, self.train, self.test = estimator, train, test
        self.curve, self.at = curve, at
        self.trace = Trace()
        self.seconds = 0.0

    def begin(self, job: Run, state: RunState) -> None:
        self.since = time.process_time()

    def step(self, job: Run, state: RunState, record: dict[str, Any]) -> bool:
        self.seconds += time.process_time() - self.since
        if state.passes in self.at:
            fitting.finish(self.estimator, self.train, job, state, self.trace)
            self.curve.at.append(state.passes)
            self.curve.seconds.append(self.seconds)
            self.curve.completion.append(completion_of(topics_of(self.estimator), self.test).nats_per_word)
            self.curve.bound.append(self.estimator.score(self.test))
        self.since = time.process_time()
        return False


def topics_of(estimator: LDA) -> Topics:
    """A fitted model as the scorers take it."""
    return Topics(estimator.topic_word_, estimator.alpha_, estimator.vocabulary_, estimator._theta)


def follow(train: Corpus, test: Corpus, curve: Curve, passes: int = PASSES) -> Curve:
    """One run of so many passes, on one thread; `curve` says which and is filled."""
    alpha = curve.alpha / curve.topics
    learned = curve.rule == LEARNED
    estimator = LDA(
        curve.topics,
        alpha="learned" if learned else alpha,
        max_iter=passes,
        tol=0.0,
        n_jobs=1,
        random_state=curve.seed,
    )
    job, state = fitting.new_run(estimator, train, curve.seed)
    start = state.small["alpha"]
    state.small = {**state.small, "alpha": start._replace(values=np.full(curve.topics, alpha))}
    estimator.seed_ = curve.seed
    run(job, state, [Watch(estimator, train, test, curve, SCORED if passes == PASSES else (passes,))])
    scores = state.scores
    curve.settled = next((n for n in range(1, len(scores) + 1) if settled(scores[:n], 1e-4)), None)
    curve.alpha_end = float(estimator.alpha_.sum())
    curve.alpha_range = float(estimator.alpha_.min()), float(estimator.alpha_.max())
    return curve


def corpora_of(name: str) -> tuple[Corpus, Corpus, Corpus, Corpus]:
    """To learn from and to report on (90 % and 10 %); and the former's own such parts, for choosing alpha."""
    test, train = cut(texts(name), 0.1)
    dev, rest = cut(train, 0.1)
    parts = []
    for learn, score in ((train, test), (rest, dev)):
        corpus = Corpus.from_texts(learn, rule=RULE)
        parts += [corpus, Corpus.from_texts(score, vocabulary=corpus.vocabulary)]
    return parts[0], parts[1], parts[2], parts[3]


def curves(name: str, seeds: tuple[int, ...]) -> Iterator[Curve | dict[str, Any]]:
    """All runs on a corpus: first what is known of it, then the curves as they come."""
    train, test, rest, dev = corpora_of(name)
    for topics in (50, 100):  # compiles
        LDA(topics, max_iter=2, tol=0.0, n_jobs=1, random_state=0).fit(dev)
    tries = {}
    for alpha in TRIED:
        curve = Curve(name, TRY_TOPICS, FIXED, 0, alpha)
        tries[alpha] = follow(rest, dev, curve, TRY_PASSES).completion[-1]
    best = max(tries, key=lambda alpha: tries[alpha])
    model = LDA(1, alpha=1.0, max_iter=1, tol=0.0, random_state=0)
    job, state = fitting.new_run(model, train, 0)
    fitting.finish(model, train, job, state, Trace())
    yield {
        "corpus": name,
        "documents": [train.n_documents, test.n_documents],
        "words": train.n_words,
        "tokens": train.n_tokens,
        "unigram": completion_of(topics_of(model), test).unigram_nats_per_word,
        "tries": tries,
        "best": best,
    }
    for topics in (50, 100):
        for seed in seeds:
            for rule, alpha in ((LEARNED, START), (FIXED, START), (CHOSEN, best)):
                yield follow(train, test, Curve(name, topics, rule, seed, alpha))


def measure(full: bool) -> dict[str, Any]:
    """Both corpora; runs are printed as they end."""
    corpora, runs = [], []
    plan = {"AP": (0, 1, 2), "20 Newsgroups, whole" if full else "20 Newsgroups": (0, 1, 2) if full else (0,)}
    for name, seeds in plan.items():
        for result in curves(name, seeds):
            if not isinstance(result, Curve):
                corpora.append(result)
                print(f"{name}: {result['tokens']:,.0f} tokens, unigram {result['unigram']:.3f}", flush=True)
                continue
            runs.append(asdict(result))
            print(
                f"{name}, K = {result.topics}, seed {result.seed}, {result.rule}: completion "
                f"{result.completion[-1]:.3f}, bound {result.bound[-1]:.3f}, {result.seconds[-1]:.1f} CPU s",
                flush=True,
            )
    return {"corpora": corpora, "runs": runs}


def section(data: dict[str, Any]) -> Section:
    """The figure's panels, a table of their ends, and the thesis's statements."""
    runs = [Curve(**run) for run in data["runs"]]
    panels = list(dict.fromkeys((run.corpus, run.topics) for run in runs))
    unigram = {one["corpus"]: one["unigram"] for one in data["corpora"]}
    return Section(
        "Figure 3.4: held-out likelihood against time",
        [
            "The thesis learns from 90 % of TREC and scores the rest after each of 40 passes, at K = 50 and 100. Its "
            "program learns α, starting at 50/K; Mahout keeps α at 50/K, a sum of 50. Here the two sides are one "
            "program, batch mean-field on one thread, so that only α differs; a third side has a fixed α too, the "
            "best of " + ", ".join(f"{alpha:g}/K" for alpha in TRIED) + " on documents of its own (the side that "
            "learns gets one try). Seconds are of CPU time, without compiling and scoring. η is 0.01.",
            *(_corpus(one) for one in data["corpora"]),
            "The thesis computes the held-out likelihood “using the variational distribution”: that is the bound "
            "on the documents' log probability given the topics, here in nats a word.",
            *(_panel(runs, *where, "bound", None) for where in panels),
            "The bound holds what inference loses, and that is less where α is small. Document completion asks "
            "for predictions instead: half of each document is seen, the other half predicted.",
            *(_panel(runs, *where, "completion", unigram[where[0]]) for where in panels),
            "After 40 passes, means over seeds. “Best” is the best completion of any scored pass, and when. "
            "“Settled” is the first pass at which the training bound's mean change over three passes is below 1e-4.",
            Table(
                ("corpus", "K", "α", "seeds", "bound", "completion", "best", "at pass", "CPU s", "settled", "Σα at end"),
                [_row(runs, *where, rule) for where in panels for rule in (LEARNED, FIXED, CHOSEN)],
            ),
            *_findings(runs, panels),
        ],
    )


def _corpus(one: dict[str, Any]) -> str:
    tries = ", ".join(f"{float(alpha):g}/K {score:.3f}" for alpha, score in one["tries"].items())
    return (
        f"{one['corpus']}: {one['documents'][0]:,} documents to learn from and {one['documents'][1]:,} to score, "
        f"{one['words']:,} words, {one['tokens']:,.0f} tokens; the unigram model completes at {one['unigram']:.3f}. "
        f"Fixed α tried at K = {TRY_TOPICS}, {TRY_PASSES} passes: {tries}."
    )


def _panel(runs: list[Curve], corpus: str, topics: int, score: str, unigram: float | None) -> Chart:
    lines = [
        Line(run.rule, run.seconds, getattr(run, score))
        for run in runs
        if (run.corpus, run.topics, run.seed) == (corpus, topics, 0)
    ]
    level = None if unigram is None else ("unigram", unigram)
    return Chart(f"{corpus}, K = {topics}, {score}", "CPU seconds", "nats a word", lines, level)


def _of(runs: list[Curve], corpus: str, topics: int, rule: str) -> list[Curve]:
    return [run for run in runs if (run.corpus, run.topics, run.rule) == (corpus, topics, rule)]


def _row(runs: list[Curve], corpus: str, topics: int, rule: str) -> list[Any]:
    here = _of(runs, corpus, topics, rule)
    best = [int(np.argmax(run.completion)) for run in here]
    settled_at = [run.settled for run in here]
    return [
        corpus, topics, rule, len(here),
        _mean(run.bound[-1] for run in here),
        _mean(run.completion[-1] for run in here),
        _mean(max(run.completion) for run in here),
        ", ".join(str(run.at[place]) for run, place in zip(here, best, strict=True)),
        _mean(run.seconds[-1] for run in here),
        ", ".join("no" if n is None else str(n) for n in settled_at),
        _mean(run.alpha_end for run in here),
    ]  # fmt: skip


def _findings(runs: list[Curve], panels: list[tuple[str, int]]) -> list[str | Table]:
    told: list[list[Any]] = []
    statements = (
        ("bound", FIXED, "“yields a better held-out log-likelihood than Mahout” (bound, α fixed at 50/K)"),
        ("completion", FIXED, "the same by completion"),
        ("bound", CHOSEN, "the same against a fixed α that was tried (bound); not in the thesis"),
        ("completion", CHOSEN, "the same by completion"),
    )
    for score, other, statement in statements:
        gains = {where: _gain(runs, *where, other, score) for where in panels}
        told.append([statement, _each(gains, "{:+.3f}"), _verdict([gain > 0 for gain in gains.values()])])
    faster = {where: _speed(runs, *where) for where in panels}
    told.append(
        [
            "“converges faster”: the fixed side's CPU seconds for 40 passes, over those in which the learning "
            "side has its bound",
            _each(faster, "{:.1f}×"),
            _verdict([ratio > 1 for ratio in faster.values()]),
        ]
    )
    time = {where: _seconds(runs, *where, FIXED) / _seconds(runs, *where, LEARNED) for where in panels}
    told.append(
        [
            "“runs faster”: the fixed side's CPU seconds for 40 passes over the learning side's. The thesis "
            "compares two programs, so that its figure is of Mahout's code",
            _each(time, "{:.2f}×"),
            _verdict([ratio > 1 for ratio in time.values()]),
        ]
    )
    double = {
        (name, 100): _seconds(runs, name, 100, LEARNED) / _seconds(runs, name, 50, LEARNED)
        for name in dict.fromkeys(corpus for corpus, _ in panels)
    }
    told.append(
        [
            "training time “is approximately doubled” from K = 50 to 100",
            _each(double, "{:.2f}×"),
            _verdict([1.5 < ratio < 2.5 for ratio in double.values()]),
        ]
    )
    return ["What the thesis says of the figure:", Table(("thesis", "here", "holds"), told)]


def _gain(runs: list[Curve], corpus: str, topics: int, other: str, score: str) -> float:
    """How much better the side that learns alpha ends, mean over seeds."""
    ours, theirs = (
        _mean(getattr(run, score)[-1] for run in _of(runs, corpus, topics, rule)) for rule in (LEARNED, other)
    )
    return ours - theirs


def _speed(runs: list[Curve], corpus: str, topics: int) -> float:
    """Fixed alpha's seconds to its last bound, over those that learning needs to the same."""
    ratios = []
    for ours, theirs in zip(_of(runs, corpus, topics, LEARNED), _of(runs, corpus, topics, FIXED), strict=True):
        reached = [seconds for seconds, bound in zip(ours.seconds, ours.bound, strict=True) if bound >= theirs.bound[-1]]
        ratios.append(theirs.seconds[-1] / reached[0] if reached else 0.0)
    return _mean(ratios)


def _seconds(runs: list[Curve], corpus: str, topics: int, rule: str) -> float:
    return _mean(run.seconds[-1] for run in _of(runs, corpus, topics, rule))


def _each(values: dict[tuple[str, int], float], form: str) -> str:
    return "; ".join(f"{corpus} K = {topics} {form.format(value)}" for (corpus, topics), value in values.items())


def _verdict(each: list[bool]) -> str:
    return "yes" if all(each) else "no" if not any(each) else f"in {sum(each)} of {len(each)}"


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))
