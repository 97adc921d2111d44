"""Table 1 of the paper: what a grammar and themes are worth, and that the chain finds both."""

from dataclasses import replace

import numpy as np
import pytest
from reproduce.planted_language import CHANCES, TAGS, THEMES, VOCABULARY, plant_language

from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.corpus.sequences import Trees
from stickbreaker.syntax.kernels.shares_of_documents import Learned, sample_shares
from stickbreaker.syntax.kernels.tree_topics import Weights, sum_topics
from stickbreaker.syntax.model.ordered_trees import ordered_trees
from stickbreaker.syntax.model.syntax_chain import Prior, SyntaxChain

TRAINING, TEST, TOPICS, KEPT = 50, 20, 16, 5
SHORT = 40  # sweeps after which good chains are apart from bad ones


@pytest.fixture(scope="module")
def language():
    return plant_language(TRAINING + TEST)


def sentences_of(trees):
    """Each sentence as a document, and the document of each."""
    ends = np.append(trees.starts, len(trees.words))
    return replace(trees, offsets=ends), np.searchsorted(trees.offsets, trees.starts, side="right") - 1


def halves(trees):
    """Odd-numbered sentences as documents of theirs; the others, each by itself, and their documents."""
    sentences, documents = sentences_of(trees)
    numbers = np.arange(len(documents)) - np.searchsorted(documents, documents)
    odd, even = np.flatnonzero(numbers % 2 == 0), np.flatnonzero(numbers % 2 == 1)
    first: Trees = sentences.take(odd)
    bounds = np.searchsorted(documents[odd], np.arange(len(trees.offsets)))
    return replace(first, offsets=first.offsets[bounds]), sentences.take(even), documents[even]


def best_chain(trees, limit, chains, sweeps):
    """The chain with the highest score of some short ones, after `sweeps` more."""
    found = [SyntaxChain(trees, len(VOCABULARY), Prior(TOPICS, limit=limit), seed) for seed in range(chains)]
    for chain in found:
        for number in range(SHORT):
            chain.sweep(number, 1)
    best = max(found, key=lambda chain: chain.score().nats)
    for number in range(SHORT, SHORT + sweeps):
        best.sweep(number, 1)
    return best


def perplexity(chain, trees):
    """exp(-nats per word) of every second sentence, shares of documents drawn given the others."""
    state, (first, second, documents) = chain.state, halves(trees)
    n = len(trees.offsets) - 1
    shares, counts = np.empty((n, KEPT, TOPICS)), np.empty((n, TOPICS))
    learned = Learned(state.log_pi, state.beta, state.alpha_documents * state.tau)
    keys = numbered_keys(5, "test", 0, np.arange(n))
    sample_shares(ordered_trees(first).nodes, learned, 10, keys, counts, shares)
    if chain._prior.limit == "itic":
        shares[:] = 0.0
    nats = np.empty((KEPT, len(documents)))
    for row, log_theta in zip(nats, shares.swapaxes(0, 1), strict=True):
        weights = Weights(log_theta[documents], state.log_pi, state.beta)
        sum_topics(ordered_trees(second).nodes, weights, row)
    means = np.logaddexp.reduce(nats) - np.log(KEPT)
    return float(np.exp(-means.sum() / len(second.words)))


def test_words_follow_the_grammar_and_their_documents_themes(language):
    trees = language.trees
    documents = np.repeat(np.arange(TRAINING + TEST), np.diff(trees.offsets))
    firsts = np.repeat(trees.starts, np.diff(trees.starts, append=len(trees.words)))
    seen = {}
    for word, tag, head, first, document in zip(
        trees.words.tolist(),
        trees.tags.tolist(),
        trees.heads.tolist(),
        firsts.tolist(),
        documents,
        strict=True,
    ):
        theme = language.themes[document, tag]
        assert VOCABULARY[word] in THEMES[TAGS[tag]][theme]
        above = TAGS[trees.tags[first + head]] if head >= 0 else ""
        seen.setdefault(above, []).append(TAGS[tag])
    assert set(seen) == set(CHANCES)
    for above, tags in seen.items():
        for tag, chance in CHANCES[above].items():
            assert tags.count(tag) / len(tags) == pytest.approx(chance, abs=0.02)
    assert len(VOCABULARY) == 27
    assert np.exp(-language.log_p.mean()) == pytest.approx(6.83, abs=0.05)


@pytest.mark.slow
def test_the_chain_finds_grammar_and_themes(language):
    """Nearly as good as the oracle; without documents, or without grammar, much is lost."""
    training, test = (
        ordered_trees(language.trees.slice(0, TRAINING)),
        language.trees.slice(TRAINING, TRAINING + TEST),
    )
    places = np.arange(len(language.trees.words), dtype=np.int32)
    scored = halves(language.trees.with_words(places).slice(TRAINING, TRAINING + TEST))[1].words
    oracle = np.exp(-language.log_p[scored].mean())
    both = perplexity(best_chain(training, "none", 6, 150), test)
    grammar = perplexity(best_chain(training, "itic", 3, 60), test)
    themes = perplexity(best_chain(training, "hdp", 1, 40), test)
    assert oracle * 0.99 < both < oracle * 1.03
    assert 1.2 * both < grammar < 0.65 * themes
