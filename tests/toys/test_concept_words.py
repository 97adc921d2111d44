"""Words below concepts: probabilities by walks through the tree, and a run with ten thousand concepts."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from tests.toys.concept_words import ConceptWords

from stickbreaker.corpus.shards import Bags, shard_of
from stickbreaker.engines import LocalEngine
from stickbreaker.testing import RunTests


def tree(n_concepts=7, n_words=5, n_leaves=16, seed=0, components=2):
    """A random tree in which every concept has a word of its own, and words have several leaves."""
    draw = np.random.default_rng(seed)
    parents = np.array([-1, *(draw.integers(0, i) for i in range(1, n_concepts))], np.int32)
    concepts = np.concatenate([np.arange(n_concepts), draw.integers(0, n_concepts, n_leaves - n_concepts)])
    words = np.concatenate([np.arange(n_words), draw.integers(0, n_words, n_leaves - n_words)])
    leaves = np.unique(np.column_stack([words, draw.permutation(concepts)]), axis=0)
    missing = np.setdiff1d(np.arange(n_concepts), leaves[:, 1])
    leaves = np.unique(np.vstack([leaves, np.column_stack([missing % n_words, missing])]), axis=0)
    return ConceptWords(parents, leaves[:, 1].astype(np.int32), leaves[:, 0], components)


def totals_of(model, counts):
    totals = np.zeros((len(model.parents), counts.shape[1]))
    np.add.at(totals, model.concepts, counts)
    return totals


def by_walking(model, counts):
    """p(path) of every leaf: at each concept all choices are looked at again."""

    def below(concept):
        own = counts[model.concepts == concept].sum(axis=0)
        return own + sum((below(c) for c in np.flatnonzero(model.parents == concept)), 0.0 * own)

    def choices(concept):
        children = np.flatnonzero(model.parents == concept)
        leaves = np.flatnonzero(model.concepts == concept)
        masses = [model.eta + below(c) for c in children] + [model.eta + counts[r] for r in leaves]
        return children, leaves, np.array(masses) / np.sum(masses, axis=0)

    out = np.zeros_like(counts)

    def walk(concept, chance):
        children, leaves, shares = choices(concept)
        for child, share in zip(children, shares, strict=False):
            walk(child, chance * share)
        out[leaves] = chance * shares[len(children) :]

    walk(0, np.ones(counts.shape[1]))
    return out


def test_paths_are_walks_and_words_sum_to_one():
    model = tree()
    counts = np.random.default_rng(1).gamma(1.0, 3.0, (len(model.words), 2))
    view = model.expectations({}, counts, totals_of(model, counts), None)
    assert view.weights == pytest.approx(by_walking(model, counts), rel=1e-12)
    assert view.weights.sum(axis=0) == pytest.approx([1.0, 1.0])
    rows = np.array([1, 4, 5])
    some = model.expectations({}, counts[rows], totals_of(model, counts), rows)
    assert (some.weights == view.weights[rows]).all()


def documents(number, n_words, size=24, length=12):
    """Shards of ten documents, each about a third of the words; one document is empty."""
    draw = np.random.default_rng([3, number])
    thirds = np.array_split(np.random.default_rng(4).permutation(n_words), 3)
    texts = [np.unique(draw.choice(thirds[d % 3], length * (d > 0)), return_counts=True) for d in range(size)]
    for start in range(0, size, 10):
        words, counts = zip(*texts[start : start + 10], strict=True)
        offsets = np.cumsum([0, *map(len, words)]).astype(np.int64)
        columns = np.concatenate(words).astype(np.int32), np.concatenate(counts).astype(np.float32)
        bags = Bags(offsets, *columns, np.zeros(len(words), np.float32))
        yield shard_of(bags, np.arange(len(words)) + number * size + start, n_words)


class ConceptRuns:
    """Ten thousand concepts, and twice as many leaves as there are words."""

    model = staticmethod(lambda: tree(10_000, 6_000, 18_000, components=2))
    steps = 6

    def start(self, engine, model):
        engine.start(model, model.seed((), 1.0, 0))

    def shards(self, number):
        return list(documents(number, 6_000))

    def words(self, engine):
        return [str(row) for row in range(engine.table.shape[0])]


class TestConceptWords(ConceptRuns, RunTests):
    def engine(self, n_jobs):
        return LocalEngine(n_jobs)


def test_totals_are_of_groups():
    job, _ = TestConceptWords().after(2)
    assert job.engine.table.totals().shape == (10_000, 2)
    assert job.engine.table.totals() == pytest.approx(
        totals_of(job.model, job.engine.table.counts(slice(None)))
    )


class SmallRuns(TestConceptWords):
    """Thirty words below forty concepts, in two or more components."""

    __test__ = False

    def __init__(self, components):
        self.model = lambda: tree(40, 30, 120, components=components)

    def shards(self, number):
        return list(documents(number, 30))


def test_the_score_never_falls_and_is_of_the_state():
    """Law 1, of EM; and every token is in the table."""
    engine, scores = SmallRuns(2).in_batch(60)
    assert (np.diff(scores) > -1e-9).all(), scores
    assert scores[-1] > scores[0]
    assert engine.table.counts(slice(None)).sum() == pytest.approx(23 * 12)


def test_components_part_the_documents():
    """Words of one third come from one component alone."""
    engine, _ = SmallRuns(3).in_batch(80)
    by_word = np.zeros((30, 3))
    np.add.at(by_word, engine.model.words, engine.table.counts(slice(None)))
    assert (by_word.max(axis=1) / np.maximum(by_word.sum(axis=1), 1e-9)).mean() > 0.9


def test_expected_counts_are_those_of_all_ways_to_say_a_document():
    """One document of three tokens: every choice of a component and of paths is gone through."""
    model = tree(5, 3, 9, seed=2)
    counts = np.random.default_rng(1).gamma(1.0, 3.0, (len(model.words), 2))
    view = model.expectations({}, counts, totals_of(model, counts), None)
    bags = Bags(np.array([0, 2]), np.array([0, 2], np.int32), np.array([2, 1], np.float32), np.zeros(1))
    shard = shard_of(bags, np.arange(1), 3)
    shard = replace(shard, rows=model.reads(shard, None))
    _, stats = model.local_step(view, shard, None, 0)
    chances, expected = 0.0, np.zeros_like(counts)
    for component in range(2):
        for leaves in product(*([r for r, w in enumerate(model.words) if w == word] for word in (0, 0, 2))):
            chance = 0.5 * view.weights[list(leaves), component].prod()
            np.add.at(expected, (list(leaves), component), chance)
            chances += chance
    assert stats.score == pytest.approx(np.log(chances))
    found = np.zeros_like(counts)
    found[stats.rows.positions] = stats.rows.values
    assert found == pytest.approx(expected / chances)
