"""p(word | context, topic) of a sample, by definition, and as the chain itself computes it."""

import itertools

import numpy as np
import pytest
from tests.ngrams.topic_states import BASE, CHAINS, names_of, slots_of, topic_events

from stickbreaker.ngrams.kernels import mixed_topics as chain_kernels
from stickbreaker.ngrams.kernels.topic_predictions import (
    Ways,
    predict_mixed,
    predict_topics,
    predict_unbounded_mixed,
    predict_unbounded_topics,
)
from stickbreaker.ngrams.kernels.topic_sweeps import predict_topics as predict_all_topics
from stickbreaker.ngrams.kernels.topic_sweeps import scratch_of
from stickbreaker.ngrams.kernels.topic_tables import customers_of, fill_path, totals_of
from stickbreaker.ngrams.model.topic_language_model import TopicLanguageModel

pytestmark = [pytest.mark.kernels, pytest.mark.usefixtures("wrapping_integers")]

PRIORS = pytest.mark.parametrize("prior", list(CHAINS))
UNBOUNDED = pytest.mark.parametrize("unbounded", [False, True])
CONTEXTS = [context for n in range(4) for context in itertools.product(range(3), repeat=n)]


def chain_of(prior, *, unbounded, n_topics=4):
    words = np.random.default_rng(1).choice(3, 40, p=[0.6, 0.3, 0.1])
    before = np.stack([np.append(np.full(d, -1), words[:-d]) for d in (1, 2, 3)], axis=1)
    text = topic_events(words, np.arange(40) // 8, before, unbounded=unbounded)
    chain = CHAINS[prior](text, n_topics, 2)
    for number in range(3):
        chain.sweep(number, 1)
    return chain


def found_in(model, context):
    """What the kernels give all words after a context by the last sample: inside and outside."""
    numbers, slots = {name: i for i, name in enumerate(names_of(model.contexts))}, slots_of(model.contexts)
    restaurants, places = np.full((2, 3, 5), -1)
    for word in range(3):
        for d in range(len(context) + 1):
            restaurants[word, d] = numbers.get(context[:d], -1)
            places[word, d] = slots.get((context[:d], word), -1)
            if restaurants[word, d] < 0:
                break
    ways = Ways(BASE, restaurants, places, np.full(3, len(context)))
    inside, outside = np.zeros((3, model.n_topics)), np.zeros(3)
    mixed = model.prior_name == "hierarchical"
    predict = {
        (False, False): predict_topics,
        (False, True): predict_unbounded_topics,
        (True, False): predict_mixed,
        (True, True): predict_unbounded_mixed,
    }[mixed, model.ends is not None]
    predict(ways, model.samples[-1], inside, outside)
    return inside, outside


def expected_in(chain, model, context):
    """The same by definition: the contexts that a word may use, with their chances, p and share of topics."""
    names = {name: i for i, name in enumerate(names_of(model.contexts))}
    known = next(d for d in range(len(context), -1, -1) if context[:d] in names)
    shares, inside, outside = chain._switch_shares(), np.zeros((3, model.n_topics)), np.zeros(3)
    uses, left = [], 1.0
    if model.ends is None:
        uses = [(1.0, context, names[context[:known]])]
    else:
        for d in range(known + 1):
            stop = model.ends[-1, names[context[:d]]] if d < known else 1.0
            uses.append((left * stop, context[:d], names[context[:d]]))
            left *= 1.0 - stop
    for chance, used, restaurant in uses:
        p = np.array(
            [[defined(chain, used, w, k, shares) for k in range(model.n_topics + 1)] for w in range(3)]
        )
        share = model.switches[-1, restaurant] if model.prior_name == "switching" else 1.0
        inside += chance * share * p[:, 1:]
        outside += chance * (1.0 - share) * p[:, 0]
    return inside, outside


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
    """It sums to one whatever a document's topic, after contexts of the text and others."""
    chain = chain_of(prior, unbounded=unbounded)
    model = TopicLanguageModel.of(chain.fitted().params, 3, prior, 3)
    assert not set(names_of(model.contexts)).issuperset(CONTEXTS)
    for context in CONTEXTS:
        inside, outside = found_in(model, context)
        assert np.allclose(inside.sum(axis=0) + outside.sum(), 1.0, rtol=1e-12)
        expected = expected_in(chain, model, context)
        assert np.allclose(inside, expected[0], rtol=1e-11)
        assert np.allclose(outside, expected[1], rtol=1e-11, atol=1e-15)


@PRIORS
def test_words_have_the_probability_that_the_chain_gives_them(prior):
    """Where lambda is what it is expected to be."""
    chain = chain_of(prior, unbounded=False)
    model = TopicLanguageModel.of(chain.fitted().params, 3, prior, 3)
    scratch = scratch_of(len(chain._priors.discounts), chain._rooms.n_topics)
    shares, visited = chain._switch_shares(), 0
    for (context, word), slot in slots_of(chain._events.contexts).items():
        depth = fill_path(slot, chain._rooms, scratch.path)
        held, restaurant = (chain._rooms, chain._seats, chain._priors), chain._rooms.restaurants[slot]
        if prior == "hierarchical":
            chain_kernels.predict_mixed(depth, *held, shares, scratch)
        else:
            predict_all_topics(depth, *held, scratch)
        inside, outside = found_in(model, context)
        share = shares[restaurant] if prior == "switching" else 1.0
        assert np.allclose(share * scratch.p[depth, 1:], inside[word], rtol=1e-11)
        assert np.allclose((1.0 - share) * scratch.p[depth, 0], outside[word], rtol=1e-11, atol=1e-15)
        visited += 1
    assert visited > 20


def test_a_table_that_opens_sends_on_a_customer_with_the_base_probability():
    """By definition: lambda of the topic in the shorter context, the rest of the common topic in this one."""
    chain = chain_of("hierarchical", unbounded=False)
    scratch = scratch_of(len(chain._priors.discounts), chain._rooms.n_topics)
    shares, bases = chain._switch_shares(), getattr(chain_kernels._bases, "py_func", chain_kernels._bases)
    names, depths = {name: i for i, name in enumerate(names_of(chain._events.contexts))}, set()
    for (context, word), slot in list(slots_of(chain._events.contexts).items())[::3]:
        depth = bases(slot, chain._rooms, chain._seats, chain._priors, shares, scratch)
        share, common = shares[names[context]], defined(chain, context, word, 0, shares)
        for k in range(1, chain._rooms.n_topics):
            shorter = defined(chain, context[:-1], word, k, shares) if context else BASE[word]
            assert scratch.weights[k] == pytest.approx(share * shorter + (1.0 - share) * common, rel=1e-11)
        depths.add(depth)
    assert depths >= {0, 1, 2}
