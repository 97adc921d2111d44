"""Topic n-gram models and what they are compared with, each learned from a text and scored on another."""

import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from reproduce.ngram_runs import UNBOUNDED, Order, order_name, single_samples
from reproduce.topic_ngram_rescaling import Rescaled, rescaled
from reproduce.topic_ngram_texts import Text, text_of
from reproduce.topic_ngram_words import shown

from stickbreaker import NgramModel, TopicNgramModel
from stickbreaker.core.records import Array, Record
from stickbreaker.estimators.model_runs import EndedRun, facts_of
from stickbreaker.learning.loop import run
from stickbreaker.learning.observers import Observer, Trace
from stickbreaker.learning.run import Run as Job
from stickbreaker.ngrams.learner import NGRAMS, TOPIC_NGRAMS
from stickbreaker.ngrams.model.language_model import LanguageModel
from stickbreaker.ngrams.model.topic_documents import log_probabilities, mean_of
from stickbreaker.ngrams.model.topic_language_model import TopicLanguageModel
from stickbreaker.ngrams.plan import longest_context
from stickbreaker.ngrams.sentence_scores import all_scores
from stickbreaker.ngrams.word_numbers import Base

HPYLM, TOKENS, HPYTM = "HPYLM", "HPYTM, tokens", "HPYTM"
HIERARCHICAL, SWITCHING, RESCALING = "HIERARCHICAL", "SWITCHING", "RESCALING"
PRIORS = {
    TOKENS: ("none", "tokens"),
    HPYTM: ("none", "tables"),
    HIERARCHICAL: ("hierarchical", "tables"),
    SWITCHING: ("switching", "tables"),
}  # prior and moves of the models with topics
SEED = 0
M = TypeVar("M", NgramModel, TopicNgramModel)
KERNELS = {"words": "_sweep_words", "tables": "_move_tables"}  # what a chain does in a sweep


class Plan(NamedTuple):
    """A model of a text.

    topics: 0 for one without; early: after how many sweeps the state is scored by itself (0: never); follow:
    every how many sweeps the chain is scored; look: keep what can be shown of it; topic_sweeps: of the LDA
    that rescales; naive: words for which all words of the language model are summed.
    """

    text: str
    number: int
    model: str
    topics: int
    order: Order
    sweeps: int
    samples: int = 10
    early: int = 0
    follow: int = 0
    look: bool = False
    topic_sweeps: int = 0
    naive: int = 0


class Run(NamedTuple):
    """What came of a plan. Seconds are of CPU time.

    perplexity: of the mean of the samples' probabilities; own: of each sample by itself; early: of the state
    after some sweeps. nats, words: of each document to score, by the mean of probabilities. contexts: those
    of a sample that have any words; rooms: the same counted once for each topic there. curve: sweeps,
    seconds, nats of the joint. parts: seconds of a sweep by KERNELS. naive: see `naive_seconds`. shown: see
    `topic_ngram_words`.
    """

    plan: Plan
    perplexity: float
    own: list[float]
    early: float | None
    nats: list[float]
    words: list[int]
    learning: float
    predicting: float
    contexts: int
    rooms: int
    learned_from: int  # words and ends
    curve: list[tuple[int, float, float]]
    parts: dict[str, float]
    naive: float | None = None
    shown: dict[str, Any] | None = None

    @classmethod
    def from_json(cls, record: Sequence[Any]) -> "Run":
        """A run as JSON keeps it."""
        return cls(Plan(*record[0]), *record[1:])

    @property
    def averaged(self) -> float:
        """The mean of the samples' perplexities, as the paper has it."""
        return float(np.mean(self.own))


class Watch(Observer):
    """Looks at a chain after its sweeps; the clock, of CPU time, stands still meanwhile.

    score: the perplexity of what a chain has learned.
    """

    def __init__(self, plan: Plan, score: Callable[[Record], float]) -> None:
        self.plan, self.score = plan, score
        self.seconds, self.early = 0.0, None
        self.curve: list[tuple[int, float, float]] = []
        self.parts: dict[str, float] = {}

    def begin(self, job: Job[Any], state: Any) -> None:
        chain = state.chains.samplers[0]
        for name, method in KERNELS.items() if self.plan.model in PRIORS else ():
            setattr(chain, method, self._timed(name, getattr(chain, method)))
        self.since = time.process_time()

    def step(self, job: Job[Any], state: Any, record: dict[str, Any]) -> bool:
        self.seconds += time.process_time() - self.since
        chain = state.chains.samplers[0]
        if state.passes == self.plan.early:
            self.early = self.score(chain.fitted().params)
        if self.plan.follow and (state.passes % self.plan.follow == 0 or state.passes == 1):
            self.curve.append((state.passes, self.seconds, chain.score().nats))
        self.since = time.process_time()
        return False

    def _timed(self, name: str, method: Callable[[int], Any]) -> Callable[[int], Any]:
        """A method that adds its seconds per sweep to `parts`."""

        def timed(number: int) -> Any:
            start = time.process_time()
            found = method(number)
            seconds = time.process_time() - start
            self.parts[name] = self.parts.get(name, 0.0) + seconds / self.plan.sweeps
            return found

        return timed


def learn(plan: Plan) -> Run:
    """Learn and score. A text of two documents goes first, so that loading programs takes no time then."""
    text = text_of(plan.text, plan.number)
    few = text.split._replace(train=text.split.train[:2], parts={"test": text.split.train[:2]}, min_count=1)
    train, parts = few.corpora()
    tried = plan._replace(sweeps=2, samples=1, early=0, topic_sweeps=2, naive=2)
    with warnings.catch_warnings(action="ignore", category=UserWarning):  # because of the few documents
        measure(tried, Text(few, train, parts["test"]))
    return measure(plan, text)


def measure(plan: Plan, text: Text) -> Run:
    """Learn from a text and score its documents."""
    if plan.model in PRIORS:
        return _with_topics(plan, text)
    model = NgramModel(
        plan.order,
        min_count=text.split.min_count,
        max_iter=plan.sweeps,
        samples=plan.samples,
        random_state=SEED,
    )
    base = Base.even(text.numbers)
    n_words = base.numbers.n_words

    def score(params: Record) -> float:
        return perplexity(_nats(text, LanguageModel.of(params, n_words), base))

    watch = Watch(plan, score)
    model = fit(model, text, watch)
    language = model.learned_.model
    if plan.model == RESCALING:
        found = rescaled(model, text, plan.topics, plan.topic_sweeps, plan.naive)
    else:
        start = time.process_time()
        mean = _nats(text, language, base)
        seconds = time.process_time() - start
        own = np.stack([_nats(text, one, base) for one in single_samples(language)])
        found = Rescaled(own, mean, seconds, 0.0, None)
    contexts = round(np.mean([(sample.totals[:, 0] > 0).sum() for sample in language.samples]))
    return _run(plan, text, watch, found, (contexts, contexts))


def _with_topics(plan: Plan, text: Text) -> Run:
    """A model with topics."""
    prior, moves = PRIORS[plan.model]
    model = TopicNgramModel(
        plan.topics,
        order=plan.order,
        prior=prior,
        moves=moves,
        min_count=text.split.min_count,
        max_iter=plan.sweeps,
        samples=plan.samples,
        random_state=SEED,
    )
    documents, longest = text.documents(), longest_context(model.settings)

    def score(params: Record) -> float:
        state = TopicLanguageModel.of(params, text.numbers.n_words, prior, longest)
        return perplexity(mean_of(log_probabilities(state, documents, SEED)))

    watch = Watch(plan, score)
    model = fit(model, text, watch)
    start = time.process_time()
    own = log_probabilities(model.learned_.model, documents, SEED)
    found = Rescaled(own, mean_of(own), time.process_time() - start, 0.0, None)
    made = _run(plan, text, watch, found, _contexts(model.learned_.model))
    return made._replace(shown=shown(model, text)) if plan.look else made


def fit(model: M, text: Text, watch: Watch) -> M:
    """The model after a fit, which was watched."""
    how = NGRAMS if isinstance(model, NgramModel) else TOPIC_NGRAMS
    settings: Any = model.settings
    job, state = how.new_run(settings, text.train, SEED)
    run(job, state, [watch])
    facts = facts_of(settings, SEED, text.train, EndedRun(job, state, Trace()), 0.0)
    made: Any = type(model)
    return made.of(how.learned(facts, text.train, job, state))


def _run(plan: Plan, text: Text, watch: Watch, found: Rescaled, contexts: tuple[int, int]) -> Run:
    offsets = text.documents().offsets
    documents = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return Run(
        plan,
        perplexity(found.mean),
        [perplexity(nats) for nats in found.own],
        watch.early,
        np.bincount(documents, found.mean).tolist(),
        np.bincount(documents).tolist(),
        watch.seconds + found.learning,
        found.seconds,
        *contexts,
        text.sizes().train,
        watch.curve,
        watch.parts,
        found.naive,
    )


def perplexity(nats: Array) -> float:
    """Of words and ends of sentences."""
    return float(np.exp(-nats.mean()))


def _nats(text: Text, model: LanguageModel, base: Base) -> Array:
    """log p of the words and ends to score, in nats."""
    return np.concatenate([scores.nats for scores in all_scores(text.test, model, base)])


def _contexts(model: TopicLanguageModel) -> tuple[int, int]:
    """Contexts in which a word sits, and the same counted for each topic; means over samples."""
    found = []
    for number in range(model.n_samples):
        part = slice(*model.cells[number : number + 2].tolist())
        restaurants = model.contexts.restaurants[model.slots[part].astype(np.int64)]
        rooms = restaurants * (model.n_topics + 1) + model.topics[part].astype(np.int64)
        found.append((len(np.unique(restaurants)), len(np.unique(rooms))))
    contexts, rooms = np.mean(found, axis=0)
    return round(contexts), round(rooms)


def name_of(plan: Plan) -> str:
    """
    >>> name_of(Plan("Brown", 0, "SWITCHING", 50, 3, 40))
    'SWITCHING, K = 50, n = 3'
    """
    topics = f", K = {plan.topics}" if plan.topics else ""
    return f"{plan.model}{topics}, {order_name(plan.order)}"


def summary(run: Run) -> str:
    """A line of a run that has ended."""
    early = "" if run.early is None else f" (after {run.plan.early} sweeps, one state, {run.early:.1f})"
    kind = "contexts" if run.plan.order != UNBOUNDED else "contexts in use"
    return (
        f"{run.plan.text}, split {run.plan.number}: {name_of(run.plan)}, {run.plan.sweeps} sweeps: "
        f"{run.perplexity:.1f}, mean of the samples' {run.averaged:.1f}{early}; {run.learning:.0f} s to "
        f"learn, {run.predicting:.1f} to predict, {run.contexts:,} {kind}"
    )
