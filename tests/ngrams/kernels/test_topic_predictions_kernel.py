"""p(word | context, topic) of a sample, by definition, and as the chain itself computes it."""

import itertools

import numpy as np
import pytest
from tests.ngrams.topic_states import BASE, CHAINS, names_of, slots_of, topic_events

from stickbreaker.ngrams.kernels.mixed_topics import predict_mixed
from stickbreaker.ngrams.kernels.topic_predictions import predict_mixed_words, predict_topic_words
from stickbreaker.ngrams.kernels.topic_sweeps import predict_topics, scratch_of
from stickbreaker.ngrams.kernels.topic_tables import customers_of, fill_path, totals_of
from stickbreaker.ngrams.model.topic_language_model import TopicSample, shares_of

pytestmark = pytest.mark.kernels

PRIORS = pytest.mark.parametrize("prior", list(CHAINS))
UNBOUNDED = pytest.mark.parametrize("unbounded", [False, True])
CONTEXTS = [context for n in range(4) for context in itertools.product(range(3), repeat=n)]


@pytest.fixture(autouse=True)
def _wrap_around():
    """Un-jitted, NumPy warns where 64-bit numbers wrap around, as they must."""
    with np.errstate(over="ignore"):
        yield


def chain_of(prior, *, unbounded, n_topics=4):
    words = np.random.default_rng(1).choice(3, 40, p=[0.6, 0.3, 0.1])
    before = np.stack([np.append(np.full(d, -1), words[:-d]) for d in (1, 2, 3)], axis=1)
    text = topic_events(words, np.arange(40) // 8, before, unbounded=unbounded)
    chain = CHAINS[prior](text, n_topics, 2)
    for number in range(3):
        chain.sweep(number, 1)
    return chain


def found_in(chain, context):
    """Restaurants and slots of all words after a context, as `find_ways` finds them, and p of each topic."""
    sample, contexts = chain._sample(), chain._events.contexts
    names = ("discounts", "concentrations", "switches", "prior")
    cells = [sample[f"cell_{name}"] for name in ("slots", "topics", "customers", "tables")]
    shares = shares_of(TopicSample(*cells, *(sample[name] for name in names)), contexts)
    numbers, slots = {name: i for i, name in enumerate(names_of(contexts))}, slots_of(contexts)
    ways = np.full((3, 5), -1), np.full((3, 5), -1)
    for word in range(3):
        for d in range(len(context) + 1):
            ways[0][word, d] = numbers.get(context[:d], -1)
            ways[1][word, d] = slots.get((context[:d], word), -1)
            if ways[0][word, d] < 0:
                break
    p = np.empty((3, chain._rooms.n_topics))
    if len(shares.switches) and isinstance(chain, CHAINS["hierarchical"]):
        predict_mixed_words(BASE, *ways, np.full(3, len(context)), shares, p)
    else:
        predict_topic_words(BASE, *ways, shares, p)
    return p


def defined(chain, context, word, topic, shares):
    """Equation 7, or 4 of topics that draw on the common one, step by step."""
    names = {name: i for i, name in enumerate(names_of(chain._events.contexts))}
    slots = slots_of(chain._events.contexts)
    mixed = isinstance(chain, CHAINS["hierarchical"]) and topic > 0
    below = defined(chain, context[:-1], word, topic, shares) if context else BASE[word]
    if mixed:
        known = next(context[:d] for d in range(len(context), -1, -1) if context[:d] in names)
        share = shares[names[known]]
        below = share * below + (1.0 - share) * defined(chain, context, word, 0, shares)
    if context not in names:
        return below
    a, b = chain._priors.discounts[len(context)], chain._priors.concentrations[len(context)]
    customers, tables = totals_of(names[context], topic, chain._rooms, chain._seats)
    here = (0, 0, 0)
    if (context, word) in slots:
        here = customers_of(slots[context, word], topic, chain._rooms, chain._seats)
    return (here[0] - a * here[1] + (b + a * tables) * below) / (customers + b)


@PRIORS
@UNBOUNDED
def test_words_have_the_probability_that_is_defined(prior, unbounded):
    """It sums to one in each topic, after contexts of the text and others."""
    chain = chain_of(prior, unbounded=unbounded)
    shares, known = chain._switch_shares(), set(names_of(chain._events.contexts))
    assert not known.issuperset(CONTEXTS)
    for context in CONTEXTS:
        p = found_in(chain, context)
        assert np.allclose(p.sum(axis=0), 1.0, rtol=1e-12)
        expected = [[defined(chain, context, w, k, shares) for k in range(p.shape[1])] for w in range(3)]
        assert np.allclose(p, expected, rtol=1e-11)


@PRIORS
@UNBOUNDED
def test_words_have_the_probability_that_the_chain_gives_them(prior, unbounded):
    """Where lambda is what it is expected to be."""
    chain = chain_of(prior, unbounded=unbounded)
    scratch = scratch_of(len(chain._priors.discounts), chain._rooms.n_topics)
    visited = 0
    for (context, word), slot in slots_of(chain._events.contexts).items():
        depth = fill_path(slot, chain._rooms, scratch.path)
        held = chain._rooms, chain._seats, chain._priors
        if prior == "hierarchical":
            predict_mixed(depth, *held, chain._switch_shares(), scratch)
        else:
            predict_topics(depth, *held, scratch)
        p = found_in(chain, context)
        assert np.allclose(scratch.p[depth], p[word], rtol=1e-11)
        visited += 1
    assert visited > 20
