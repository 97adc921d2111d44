"""Topics of pages in two languages, with and without concepts: does one side of a page find the other?"""

import time
from collections.abc import Iterable
from functools import cache
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
from reproduce.pages import Table
from reproduce.parts import side_by_side
from reproduce.polylingual import analysis, joined, one_vocabulary, unlinked
from reproduce.texts import DATA, DICTIONARIES, Page, cut, pages

from stickbreaker import LDA, ConceptTree, Corpus
from stickbreaker.core.random_streams import stream
from stickbreaker.corpus.shards import Bags
from stickbreaker.corpus.vocabulary import tagged
from stickbreaker.topics.concepts.concept_sources import concepts_of_pairs
from stickbreaker.topics.concepts.dictionaries import dictionary_entries
from stickbreaker.topics.evaluation import (
    both_sides,
    chance_mrr,
    cross_lingual_npmi,
    retrieval_mrr,
    top_words_of,
)
from stickbreaker.topics.evaluation.cross_lingual import one_side
from stickbreaker.topics.model.vocabularies.concept_tree import Concept

TOPICS = 20
SWEEPS, PASSES = 300, 100
TEST = 0.1625  # of the pages: 120 of 739
HELD_OUT = 0.1  # of the one-to-one pairs, whose words no tree ties
MODELS = ("LDA", "tLDA", "pLDA", "ptLDA, one-to-one", "ptLDA, all pairs")
ONE_VOCABULARY = MODELS[:2]  # a topic is one distribution over the words of both languages


class Plan(NamedTuple):
    """What is learned from what, and how."""

    pages: str
    other: str  # the language besides English
    model: str
    inference: str
    linked: float
    seed: int


class Run(NamedTuple):
    """How a run ended: scores of pages that it has not seen. `gain`: the mean cosine of the topics of words
    that the dictionary pairs and no tree ties, less that of random pairs."""

    pages: str
    other: str
    model: str
    inference: str
    linked: float
    seed: int
    mrr: float
    first: float  # share of pages whose other side comes first
    npmi: float
    gain: float
    seconds: float


class Material(NamedTuple):
    """Pages to learn from and to test by, the trees over their words, and pairs that none of them ties."""

    train: list[Page]
    whole: Corpus  # of all pages to learn from: its vocabulary serves every run
    test: Bags
    everything: Bags
    trees: dict[str, ConceptTree]
    pairs: np.ndarray  # held-out pairs × 2: rows of the vocabulary
    concepts: dict[str, int]
    coverage: dict[str, float]


@cache
def material(names: str, other: str) -> Material:
    """The pages of some corpora, joined by "+", in English and another language."""
    found = [page for name in names.split("+") for page in pages(name) if page.get("en") and page.get(other)]
    test, train = cut([{code: page[code] for code in ("en", other)} for page in found], TEST)
    whole = Corpus.from_texts(train, analysis=analysis())
    alike = {"analysis": whole.analysis, "vocabulary": whole.vocabulary}
    seen = Corpus.from_texts(test, **alike)
    made = {
        kind: concepts_of_pairs(
            dictionary_entries(DATA / DICTIONARIES[other]),
            whole.vocabulary,
            whole.analysis,
            (other, "en"),
            kind,
        )
        for kind in ("one-to-one", "all")
    }
    single = made["one-to-one"].concepts
    chosen = stream(0, "held-out pairs").permutation(len(single))[: round(HELD_OUT * len(single))].tolist()
    left_out = {
        (code, word) for place in chosen for code, words in single[place].words.items() for word in words
    }
    trees: dict[str, ConceptTree] = {}
    for kind, name in (("one-to-one", "ptLDA, one-to-one"), ("all", "ptLDA, all pairs")):
        kept = [c for c in made[kind].concepts if not left_out & set(_words(c))]
        trees[name] = ConceptTree(kept)
    pairs_of = trees["ptLDA, one-to-one"].named().values()
    trees["tLDA"] = ConceptTree(
        [Concept(c.name, {"": tuple(tagged(*word) for word in _words(c))}) for c in pairs_of]
    )
    index = whole.vocabulary.index
    pairs = np.array([[index[tagged(*word)] for word in _words(single[place])] for place in chosen])
    return Material(
        train,
        whole,
        joined(seen),
        Bags.join([joined(whole), joined(seen)]),
        trees,
        pairs,
        {name: len(tree.concepts) for name, tree in trees.items()},
        made["one-to-one"].coverage,
    )


def _words(concept: Any) -> list[tuple[str, str]]:
    """The words of a concept with their languages, by language."""
    return [(code, word) for code, words in sorted(concept.words.items()) for word in words]


def measure(plans: Iterable[Plan]) -> list[Run]:
    """All runs, two at a time, printed as they end."""
    return side_by_side(plans, learn, summary)


def learn(plan: Plan) -> Run:
    """One run."""
    held = material(plan.pages, plan.other)
    corpus = Corpus.from_texts(
        unlinked(held.train, plan.linked, plan.seed),
        analysis=held.whole.analysis,
        vocabulary=held.whole.vocabulary,
    )
    sweeps = SWEEPS if plan.inference == "gibbs" else PASSES
    words = held.trees.get(plan.model, "closed")
    model = LDA(
        TOPICS, words=words, inference=plan.inference, max_iter=sweeps, random_state=plan.seed, n_jobs=1
    )
    start = time.perf_counter()
    model.fit(one_vocabulary(corpus) if plan.model in ONE_VOCABULARY else corpus)
    seconds = time.perf_counter() - start
    ranges = held.whole.vocabulary.ranges
    both = ranges[plan.other], ranges["en"]
    sides = [model.learned_.shares_of_bags(one_side(held.test, rows)) for rows in both]
    other_tops, tops = (top_words_of(model.topic_word_, 10, rows) for rows in both)
    aligned = both_sides(held.everything, *both)
    npmi = cross_lingual_npmi(other_tops, tops, [aligned], len(held.whole.vocabulary))
    return Run(
        *plan,
        mrr=(retrieval_mrr(sides[0], sides[1]) + retrieval_mrr(sides[1], sides[0])) / 2.0,
        first=_first(sides[0], sides[1]),
        npmi=float(npmi.per_topic.mean()),
        gain=_gain(model, held.pairs),
        seconds=seconds,
    )


def _first(one: np.ndarray, other: np.ndarray) -> float:
    """Share of pages whose own other side is the nearest, both ways, by Hellinger distance."""
    affinity = np.sqrt(one) @ np.sqrt(other).T
    own = np.arange(len(affinity))
    return float((affinity.argmax(axis=0) == own).mean() + (affinity.argmax(axis=1) == own).mean()) / 2.0


def _gain(model: LDA, pairs: np.ndarray) -> float:
    """Mean cosine of p(topic | word) of pairs, less that of all others of the same words."""
    joint = model.topic_word_.T * model.topic_shares_
    by_topic = joint / np.linalg.norm(joint, axis=1, keepdims=True)
    cosines = by_topic[pairs[:, 0]] @ by_topic[pairs[:, 1]].T
    n = len(pairs)
    return float(np.trace(cosines) / n - (cosines.sum() - np.trace(cosines)) / max(1, n * (n - 1)))


def summary(run: Run) -> str:
    return (
        f"{run.pages} {run.other}-en, {run.model}, {run.inference}, {run.linked:.0%} linked, "
        f"seed {run.seed}: MRR {run.mrr:.3f}, first {run.first:.3f}, NPMI {run.npmi:.3f}, "
        f"cosines {run.gain:+.3f}, "
        f"{run.seconds:.1f} s"
    )


def table(runs: Iterable[Run]) -> Table:
    """A row for each share of links, inference and model: means over seeds."""
    rows: dict[tuple[float, str, str], list[Run]] = {}
    for run in runs:
        rows.setdefault((run.linked, run.inference, run.model), []).append(run)
    columns = ("linked", "inference", "model", "MRR", "by seed", "first", "NPMI", "cosines", "seconds")
    return Table(
        columns,
        [
            [
                f"{linked:.0%}",
                inference,
                model,
                mean(run.mrr for run in own),
                " ".join(f"{run.mrr:.3f}" for run in own),
                mean(run.first for run in own),
                mean(run.npmi for run in own),
                mean(run.gain for run in own),
                mean(run.seconds for run in own),
            ]
            for (linked, inference, model), own in rows.items()
        ],
    )


def chance(names: str, other: str) -> float:
    """The mean reciprocal rank of a random order of the pages to test by."""
    return chance_mrr(len(material(names, other).test.unseen))
