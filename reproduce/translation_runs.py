"""Lexicons by topic: does what a document is about help to predict how its words are translated?"""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from reproduce.translation_bitexts import TARGET, material
from reproduce.translation_topics import corpora, domains_of, learn_topics

from stickbreaker.translation.bitext import Bitext
from stickbreaker.translation.lexicon.directed_lexicon import EventScores, Strengths
from stickbreaker.translation.lexicon.domains import KnownDomains
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon

GOLD = "the five sets"  # as domains, in place of topics


class Plan(NamedTuple):
    """What topics are learned from the bitext in a folder. GOLD has neither inference nor topics."""

    source: str
    folder: str
    model: str
    inference: str = ""
    topics: int = 0
    eta: float = 0.0
    seed: int = 0


class Way(NamedTuple):
    """Scores in one direction of translation, per linked word of the test documents, in nats."""

    words: int
    plain: float  # log p(e | f)
    gain: float  # log p(e | f, d) - log p(e | f)
    by_set: dict[str, float]  # the gain in each set
    strengths: tuple[float, float]  # chosen, of p(e) in p(e | f) and of p(e | f) in a topic
    documents: list[float]  # of each test document, the sum of the gain over its words
    lengths: list[int]  # and how many these are
    outside: dict[str, float]  # the gain in each domain of the outside set


class Run(NamedTuple):
    """How a plan ended."""

    source: str
    model: str
    inference: str
    topics: int
    eta: float
    seed: int
    seconds: float  # of learning topics
    ways: tuple[Way, Way]  # into English, and from it

    @classmethod
    def from_json(cls, record: Sequence[Any]) -> "Run":
        """A run as JSON keeps it."""
        one, other = (Way(*each) for each in record[-1])
        return cls(*record[:-1], (one, other))


def learn(plan: Plan) -> Run:
    """One run: topics, a lexicon by them, and its scores of the test documents."""
    held = material(plan.source, plan.folder)
    seconds = 0.0
    if plan.model == GOLD:
        domains = KnownDomains.of_bitext_fields(held.train)
    else:
        texts = corpora(plan.source, plan.folder)
        start = time.perf_counter()
        model = learn_topics(plan.model, plan.inference, plan.topics, plan.eta, plan.seed, texts)
        seconds = time.perf_counter() - start
        domains = domains_of(model, plan.model, plan.source, plan.folder)
    lexicon = TopicLexicon.with_domains(held.train, domains, held.links)
    scores = lexicon.score(held.test, held.test_links)
    outside = lexicon.score(held.outside, held.outside_links)
    one, other = (
        _way(held.test, found, strengths, gain_by_domain(held.outside, elsewhere))
        for found, elsewhere, strengths in zip(scores, outside, lexicon.strengths, strict=True)
    )
    return Run(
        plan.source, plan.model, plan.inference, plan.topics, plan.eta, plan.seed, seconds, (one, other)
    )


def gain_by_domain(bitext: Bitext, scores: EventScores) -> dict[str, float]:
    """The mean gain of the linked words of each domain."""
    by_word = np.array(bitext.domains)[scores.document]
    return {name: float(scores.gain[by_word == name].mean()) for name in dict.fromkeys(bitext.domains)}


def _way(test: Bitext, scores: EventScores, strengths: Strengths, outside: dict[str, float]) -> Way:
    """What is kept of the scores."""
    documents = np.bincount(scores.document, scores.gain, minlength=len(test.names))
    return Way(
        len(scores.gain),
        float(scores.plain.mean()),
        float(scores.gain.mean()),
        gain_by_domain(test, scores),
        (strengths.base, strengths.topic),
        np.round(documents, 6).tolist(),
        np.bincount(scores.document, minlength=len(test.names)).tolist(),
        outside,
    )


def name_of(run: Run) -> str:
    """
    >>> name_of(Run("de", "pLDA", "gibbs", 30, 0.1, 1, 0.0, ()))
    'pLDA, gibbs, K = 30, eta 0.1, seed 1'
    """
    if run.model == GOLD:
        return run.model
    return f"{run.model}, {run.inference}, K = {run.topics}, eta {run.eta:g}, seed {run.seed}"


def summary(run: Run) -> str:
    """A line of a run that has ended."""
    there, back = run.ways
    return (
        f"{run.source}-{TARGET}, {name_of(run)}: gain {1000 * there.gain:.1f} and, the other way, "
        f"{1000 * back.gain:.1f} thousandths of a nat per word; {run.seconds:.0f} s"
    )
