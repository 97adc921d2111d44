"""Gibbs sampling over trees of concepts: its conditionals, its chain over all states, and its snapshots."""

from itertools import product

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp
from scipy.stats import chi2
from tests.oracle import concept_trees as oracle
from tests.tiers import sampled
from tests.topics.model.test_concepts import ONE, SENSES, TREES, TWO, Tied

from stickbreaker import LDA, ConceptTree, Corpus, UserError
from stickbreaker.testing import ModelTests
from stickbreaker.topics.model.priors.dirichlet import DirichletPrior
from stickbreaker.topics.model.samplers import tree_gibbs
from stickbreaker.topics.model.samplers.tokens import TokensInOrder
from stickbreaker.topics.model.samplers.tree_gibbs import TreeGibbs
from stickbreaker.topics.model.vocabularies.concepts import ConceptVocabulary
from stickbreaker.topics.model.vocabularies.tree_compiler import compiled

ETA, ALPHA = 0.6, (0.7, 1.3)
FEW, MANY = 10**6, 0


@pytest.fixture(params=["all topics", "lists"])
def walk(request, monkeypatch):
    """Which of the two kernels a chain takes."""
    monkeypatch.setattr(tree_gibbs, "FEW_TOPICS", FEW if request.param == "all topics" else MANY)


def tokens_of(documents, n_words):
    lengths = [len(document) for document in documents]
    return TokensInOrder(np.concatenate(documents).astype(np.int32), np.cumsum([0, *lengths]), n_words)


def chain_of(tree, documents, seed=0, alpha=ALPHA):
    tokens = tokens_of(documents, tree.n_words)
    first = np.random.default_rng(seed).integers(len(alpha), size=len(tokens.words)).astype(np.int32)
    slot = ConceptVocabulary(tree, ETA)
    return TreeGibbs(tokens, first, DirichletPrior(alpha), slot, seed)


def log_joint(tree, documents, topics, leaves, alpha=ALPHA):
    """log p(w, y, z): documents' Dirichlet multinomials, and each topic's tree."""
    total, at = 0.0, 0
    for document in documents:
        own = np.bincount(topics[at : at + len(document)], minlength=len(alpha))
        prior = np.array(alpha)
        total += gammaln(prior.sum()) - gammaln(prior.sum() + len(document))
        total += (gammaln(own + prior) - gammaln(prior)).sum()
        at += len(document)
    for k in range(len(alpha)):
        total += oracle.log_paths(tree, [leaf for leaf, z in zip(leaves, topics, strict=True) if z == k], ETA)
    return float(total)


def state_of(chain, tree, documents):
    """Topics and leaves of a chain's tokens, in document order."""
    arrays = chain.snapshot()
    words = np.concatenate(documents)
    leaves = tree.starts[words] + arrays["paths"].astype(np.int64)
    return tuple(arrays["assignments"].tolist()), tuple(leaves.tolist())


@pytest.mark.parametrize("name", ["pairs", "nested", "senses"])
def test_the_score_is_the_joint_probability(walk, name):
    tree = compiled(*TREES[name])
    documents = [[0, 1, 1], [tree.n_words - 1, 2, 0, 5]]
    chain = chain_of(tree, documents)
    for sweep in range(5):
        wanted = log_joint(tree, documents, *state_of(chain, tree, documents))
        assert chain.score().nats == pytest.approx(wanted, abs=1e-9)
        chain.sweep(sweep, 1)


CASES = {
    "senses": (ConceptTree(SENSES, strength=3.0), ONE, [[0, 2], [2, 0]]),
    "languages": (TREES["pairs"][0], TWO, [[1, 6], [6, 9]]),
    "nested languages": (TREES["nested"][0], TWO, [[4, 9, 9], [6]]),
}


@pytest.mark.parametrize("name", sampled(CASES, 1))
def test_the_chain_visits_states_by_their_probability(walk, name):
    """Every topic and path of every token, enumerated: frequencies within 4.5 standard errors."""
    concepts, vocabulary, documents = CASES[name]
    tree = compiled(concepts, vocabulary)
    words = [word for document in documents for word in document]
    paths = [range(int(tree.starts[word]), int(tree.starts[word + 1])) for word in words]
    states = [
        (topics, leaves) for topics in product(range(2), repeat=len(words)) for leaves in product(*paths)
    ]
    logs = np.array([log_joint(tree, documents, topics, leaves) for topics, leaves in states])
    wanted = dict(zip(states, np.exp(logs - logsumexp(logs)), strict=True))
    chain, n, every = chain_of(tree, documents, seed=3), 6000, 3
    seen = dict.fromkeys(states, 0)
    for sweep in range(n * every):
        chain.sweep(sweep, 1)
        if sweep % every == 0:
            seen[state_of(chain, tree, documents)] += 1
    for state, p in wanted.items():
        error = np.sqrt(p * (1 - p) / n)
        assert abs(seen[state] / n - p) < 6.0 * error + 2 / n, (state, seen[state] / n, p)


@pytest.mark.parametrize("name", sampled(CASES, 1))
def test_a_token_is_drawn_by_its_conditional(walk, name):
    """The token that a sweep visits first, whose topic and path are enumerated, from each of three states.

    A chain's own frequencies hide a wrong draw, for its other draws pull it back. These are independent, and
    of 1,500 a probability that is off by .05 is off by four standard errors.
    """
    concepts, vocabulary, documents = CASES[name]
    tree, n = compiled(concepts, vocabulary), 1500
    for seed in range(3):
        chain = chain_of(tree, documents, seed)
        chain.sweep(0, 1)
        start, (topics, leaves) = chain.snapshot(), state_of(chain, tree, documents)
        token = int(np.arange(len(topics))[chain._visits[0].tokens][chain._visits[0].order[0]])
        word = int(np.concatenate(documents)[token])
        states = list(product(range(2), range(int(tree.starts[word]), int(tree.starts[word + 1]))))
        logs = np.array(
            [
                log_joint(tree, documents, replaced(topics, token, k), replaced(leaves, token, leaf))
                for k, leaf in states
            ]
        )
        wanted, seen = n * np.exp(logs - logsumexp(logs)), dict.fromkeys(states, 0)
        for sweep in range(n):
            chain.restore(start)
            chain.sweep(sweep, 1)
            topics_now, leaves_now = state_of(chain, tree, documents)
            seen[topics_now[token], leaves_now[token]] += 1
        squares = ((np.array(list(seen.values())) - wanted) ** 2 / wanted).sum()
        assert chi2.sf(squares, len(states) - 1) > 1e-4, (seed, wanted, seen)


def replaced(values, place, value):
    """A tuple with another value at one place."""
    return (*values[:place], value, *values[place + 1 :])


def test_strength_one_in_one_language_scores_as_words_without_concepts():
    """Paths that are one a word: p(w | z) is that of a flat Dirichlet."""
    tree = compiled(ConceptTree(SENSES[:1], strength=1.0), ONE)
    documents = [[0, 1, 1, 3], [2, 2, 4, 5, 0]]
    chain = chain_of(tree, documents)
    for sweep in range(3):
        chain.sweep(sweep, 1)
        topics, leaves = state_of(chain, tree, documents)
        words = np.concatenate(documents)
        flat = log_joint(tree, documents, topics, leaves) - sum(
            oracle.log_paths(tree, [s for s, z in zip(leaves, topics, strict=True) if z == k], ETA)
            for k in range(2)
        )
        for k in range(2):
            own = np.bincount(words[np.array(topics) == k], minlength=6)
            flat += (
                gammaln(6 * ETA) - gammaln(6 * ETA + own.sum()) + (gammaln(own + ETA) - gammaln(ETA)).sum()
            )
        assert chain.score().nats == pytest.approx(float(flat), abs=1e-9)


@pytest.mark.slow
def test_a_joint_test_of_two_languages(walk):
    """Geweke: words drawn given states, and states drawn by the chain given words, keep to the prior."""
    tree = compiled(*TREES["nested"])
    generator, lengths = np.random.default_rng(8), (3, 4)
    halves = [(0, 5), (5, 10)]  # each document has a language

    def drawn():
        """Documents with their topics and paths, from the prior."""
        words, topics, leaves = [], [], []
        nodes = {}
        for length, (first, last) in zip(lengths, halves, strict=True):
            theta = generator.dirichlet(ALPHA)
            for _ in range(length):
                k = int(generator.choice(2, p=theta))
                ways = [(leaf, way) for leaf, (w, way) in enumerate(oracle.walks(tree)) if first <= w < last]
                weights = [np.prod([nodes_share(nodes, k, *step) for step in way]) for _, way in ways]
                chosen, way = ways[int(generator.choice(len(ways), p=np.array(weights) / sum(weights)))]
                assert sum(weights) == pytest.approx(1.0)
                for step in way:
                    nodes[k, step] = nodes.get((k, step), 0) + 1
                words.append(int(tree.words[chosen]))
                topics.append(k)
                leaves.append(chosen)
        return words, topics, leaves

    def nodes_share(nodes, k, node, choice):
        """Polya's urn of a node: what a choice has, and its prior."""
        own = nodes.get((k, (node, choice)), 0) + oracle.prior(tree, choice, ETA)
        total = sum(n for (j, (at, _)), n in nodes.items() if j == k and at == node)
        return own / (total + oracle.node_prior(tree, node, ETA))

    def figures(topics, leaves):
        counts = np.bincount(leaves, minlength=tree.n_leaves)
        same = sum(topics[i] == topics[i + 1] for i in range(len(topics) - 1))
        return [*counts, same, topics.count(0), len(set(leaves))]

    n = 1500
    before, after = [], []
    for number in range(n):
        words, topics, leaves = drawn()
        before.append(figures(topics, leaves))
        documents = [words[:3], words[3:]]
        tokens = tokens_of(documents, tree.n_words)
        chain = TreeGibbs(
            tokens, np.array(topics, np.int32), DirichletPrior(ALPHA), ConceptVocabulary(tree, ETA), number
        )
        chain.restore({**chain.snapshot(), "paths": np.array(leaves) - tree.starts[np.array(words)]})
        for sweep in range(3):
            chain.sweep(sweep, 1)
        topics, leaves = state_of(chain, tree, documents)
        after.append(figures(list(topics), list(leaves)))
    before, after = np.array(before, float), np.array(after, float)
    deviations = (after.mean(0) - before.mean(0)) / np.sqrt((before.var(0) + after.var(0)) / n + 1e-12)
    assert np.abs(deviations).max() < 4.5, deviations


def test_a_restored_chain_goes_on_as_it_would_have(walk):
    tree = compiled(*TREES["senses"])
    documents = [[0, 2, 2, 4], [1, 0, 3, 5, 2]]
    one, other = chain_of(tree, documents), chain_of(tree, documents, seed=0)
    for sweep in range(4):
        one.sweep(sweep, 1)
    one.keep()
    other.restore(one.snapshot())
    for sweep in range(4, 8):
        one.sweep(sweep, 1)
        other.sweep(sweep, 3)
    first, second = one.snapshot(), other.snapshot()
    assert first.keys() == second.keys()
    assert all(np.array_equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("paths", lambda values: values + 5),
        ("paths", lambda values: values[:-1]),
        ("assignments", lambda values: values + 2),
        ("alpha", lambda values: -values),
    ],
)
def test_a_snapshot_of_another_chain_is_refused(name, change):
    chain = chain_of(compiled(*TREES["senses"]), [[0, 2, 2, 4]])
    arrays = chain.snapshot()
    with pytest.raises((ValueError, UserError)):
        chain.restore({**arrays, name: change(arrays[name])})


def test_counts_are_those_of_the_tokens(walk):
    tree = compiled(*TREES["nested"])
    documents = [[0, 1, 1, 9], [5, 8, 2, 0, 5], [7]]
    chain = chain_of(tree, documents)
    for sweep in range(20):
        chain.sweep(sweep, 1)
    topics, leaves = state_of(chain, tree, documents)
    for k in range(2):
        own = np.bincount(
            [leaf for leaf, z in zip(leaves, topics, strict=True) if z == k], minlength=tree.n_leaves
        )
        assert chain.counts()[:, k].tolist() == own.tolist()
        totals = np.bincount(tree.groups, own, tree.n_groups)[:, None]
        edges, nodes = tree.passing(totals)
        assert chain._counts.edges[:, k].tolist() == edges[:, 0].tolist()
        assert chain._counts.nodes[:, k].tolist() == nodes[:, 0].tolist()


class TestGibbs(Tied, ModelTests):
    passes = 100

    def make(self, **given):
        return super().make(inference="gibbs", **given)


def test_words_with_several_paths_are_learned_with_topics():
    texts = ["river water boat bank", "money loan bank credit", "bank loan", "water boat river"] * 10
    model = LDA(2, words=ConceptTree(SENSES), inference="gibbs", max_iter=60, random_state=0)
    model.fit(Corpus.from_texts(texts))
    tops = [set(words[:3]) for words in model.top_words(4)]
    assert any({"river", "water"} <= top for top in tops)
    assert model.topic_word_.sum(axis=1) == pytest.approx(np.ones(2))
