"""The runs of Figure 3.4: documents scored after each pass, alpha learned or fixed, and the seconds."""

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from reproduce.texts import cut, texts

from stickbreaker import LDA, Corpus
from stickbreaker.corpus import VocabularyRule
from stickbreaker.estimators import model_runs
from stickbreaker.estimators.model_runs import EndedRun
from stickbreaker.learning.convergence import settled
from stickbreaker.learning.loop import run
from stickbreaker.learning.observers import Observer, Trace
from stickbreaker.learning.run import Run, RunState
from stickbreaker.topics.evaluation import completion_of
from stickbreaker.topics.learner import LDA as LEARNER

START = 50.0  # alpha's sum at the start, and if it is fixed
TRIED = (50.0, 10.0, 5.0, 1.0)  # sums of alpha from which the best fixed one is chosen
TRY_TOPICS, TRY_PASSES = 50, 20
PASSES = 40
SCORED = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 26, 30, 35, PASSES)  # documents are scored after these
RULE = VocabularyRule(min_documents=20)  # the thesis drops words of fewer documents than 20
LEARNED, FIXED, CHOSEN = "alpha learned from 50/K", "alpha fixed at 50/K", "alpha fixed, best of 4 tries"


@dataclass
class Curve:
    """One run: after the passes `at`, CPU seconds of training and the two held-out scores, nats per word."""

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

    def __init__(
        self, estimator: LDA, train: Corpus, test: Corpus, curve: Curve, at: tuple[int, ...]
    ) -> None:
        self.estimator, self.train, self.test = estimator, train, test
        self.curve, self.at = curve, at
        self.trace = Trace()
        self.seconds = 0.0

    def begin(self, job: Run[Any], state: RunState) -> None:
        self.since = time.process_time()

    def step(self, job: Run[Any], state: RunState, record: dict[str, Any]) -> bool:
        self.seconds += time.process_time() - self.since
        if state.passes in self.at:
            self.estimator = learned_by(self.estimator, self.train, job, state, self.trace)
            self.curve.at.append(state.passes)
            self.curve.seconds.append(self.seconds)
            self.curve.completion.append(completion_of(self.estimator, self.test).nats_per_word)
            self.curve.bound.append(self.estimator.bound(self.test))
        self.since = time.process_time()
        return False


def learned_by(estimator: LDA, train: Corpus, job: Run[Any], state: RunState, trace: Trace) -> LDA:
    """The estimator that has learned what a run has by now."""
    learned = model_runs.learned_by(LEARNER, estimator.settings, train, EndedRun(job, state, trace))
    return LDA.of(learned)


def follow(train: Corpus, test: Corpus, curve: Curve, passes: int = PASSES) -> Curve:
    """One run of that many passes, on one thread; `curve` names the run and is filled."""
    alpha = curve.alpha / curve.topics
    learned = curve.rule == LEARNED
    estimator = LDA(
        curve.topics,
        alpha=f"learned:{alpha!r}" if learned else alpha,
        max_iter=passes,
        tol=0.0,
        n_jobs=1,
        random_state=curve.seed,
    )
    job, state = LEARNER.new_run(estimator.settings, train, curve.seed)
    watch = Watch(estimator, train, test, curve, SCORED if passes == PASSES else (passes,))
    run(job, state, [watch])
    scores = state.scores
    curve.settled = next((n for n in range(1, len(scores) + 1) if settled(scores[:n], 1e-4)), None)
    found = watch.estimator.alpha_
    curve.alpha_end, curve.alpha_range = float(found.sum()), (float(found.min()), float(found.max()))
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
    job, state = LEARNER.new_run(model.settings, train, 0)
    model = learned_by(model, train, job, state, Trace())
    yield {
        "corpus": name,
        "documents": [train.n_documents, test.n_documents],
        "words": train.n_words,
        "tokens": train.n_tokens,
        "unigram": completion_of(model, test).unigram_nats_per_word,
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
