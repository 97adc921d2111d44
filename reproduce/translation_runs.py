"""Lexicons by topic: does what a document is about help to predict how its words are translated?"""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from translation_bitexts import TARGET, material
from translation_topics import corpora, domains_of, learn_topics

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
    one, other = (
        _way(held.test, found, strengths) for found, strengths in zip(scores, lexicon.strengths, strict=True)
    )
    return Run(
        plan.source, plan.model, plan.inference, plan.topics, plan.eta, plan.seed, seconds, (one, other)
    )


def _way(test: Bitext, scores: EventScores, strengths: Strengths) -> Way:
    """What is kept of the scores."""
    names = np.array(test.domains)
    by_word = names[scores.document]
    by_set = {name: float(scores.gain[by_word == name].mean()) for name in dict.fromkeys(test.domains)}
    documents = np.bincount(scores.document, scores.gain, minlength=len(names))
    return Way(
        len(scores.gain),
        float(scores.plain.mean()),
        float(scores.gain.mean()),
        by_set,
        (strengths.base, strengths.topic),
        np.round(documents, 6).tolist(),
        np.bincount(scores.document, minlength=len(names)).tolist(),
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
