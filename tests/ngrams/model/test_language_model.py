"""Predictions of n-gram models: an oracle, sums of one, refused nonsense; and Kneser-Ney by hand."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from stickbreaker.ngrams.kernels.pitman_yor import mark_sentences
from stickbreaker.ngrams.model import language_model
from stickbreaker.ngrams.model.chain import PitmanYorChain, events_of
from stickbreaker.ngrams.model.contexts import contexts_of, symbols_before, with_ends
from stickbreaker.ngrams.model.language_model import LanguageModel, text_before

END = 6  # of seven words


def chain_of(words, starts, *, order, n_words=END + 1, sweeps=4, seed=0):
    """A chain over sentences with two samples; `order` None: of unbounded contexts."""
    marked, positions = with_ends(words, starts, n_words - 1)
    before = symbols_before(marked, positions, n_words - 1)
    longest = 20 if order is None else order - 1
    contexts, deepest = contexts_of(marked, before, n_words, longest, shared=order is None)
    base = np.full(n_words, 1.0 / n_words)
    chain = PitmanYorChain(events_of(contexts, deepest, base, unbounded=order is None), seed)
    for number in range(sweeps):
        chain.sweep(number, 1)
        if number % 2:
            chain.keep()
    return chain


def text(seed=0, n_sentences=40):
    generator = np.random.default_rng(seed)
    sizes = generator.integers(0, 9, n_sentences)
    words = generator.choice(END, int(sizes.sum()), p=[0.4, 0.25, 0.15, 0.1, 0.07, 0.03])
    return words.astype(np.int64), np.concatenate([[0], np.cumsum(sizes)[:-1]])


@pytest.fixture(params=[1, 2, 4, None])
def model(request):
    return LanguageModel.of(chain_of(*text(), order=request.param).fitted().params, END + 1)


def predicted(model, number, context, word):
    """p(word | context) of one sample, by recursion; a context's nearest word is its first."""
    sample, contexts = model.samples[number], model.contexts
    way = [0]
    for symbol in context[: model.longest]:
        found = contexts.find_restaurants(np.array(way[-1:]), np.array([symbol]))[0]
        if found < 0:
            break
        way.append(int(found))
    p, left, total = 1.0 / contexts.n_words, 1.0, 0.0
    for depth, restaurant in enumerate(way):
        a, b = model.discounts[number, depth], model.concentrations[number, depth]
        slot = contexts.find_slots(np.array([restaurant]), np.array([word]))[0]
        c, t = sample.seats[slot] if slot >= 0 else (0, 0)
        customers, tables = sample.totals[restaurant]
        p = (c - a * t + (b + a * tables) * p) / (customers + b)
        share = 1.0 if model.ends is None or depth == len(way) - 1 else model.ends[number, restaurant]
        if model.ends is None:
            total = p
        else:
            total, left = total + left * share * p, left * (1.0 - share)
    return total


def test_probabilities_are_those_of_the_definition(model):
    words, starts = text(seed=1, n_sentences=5)
    found = model.log_probabilities(words, starts)
    marked, positions = with_ends(words, starts, END)
    for i, (word, position) in enumerate(zip(marked, positions, strict=True)):
        context = [*marked[i - position : i][::-1], END]
        mean = np.mean([predicted(model, number, context, word) for number in range(2)])
        assert np.isclose(np.exp(found[i]), mean, rtol=1e-12)


def test_all_words_after_a_context_have_one_together(model):
    generator = np.random.default_rng(0)
    base = generator.dirichlet(np.ones(END + 1))
    for _ in range(20):
        context = [END, *generator.integers(END, size=generator.integers(0, 6)).tolist()]
        assert np.isclose(model.next_words(context, base).sum(), 1.0, rtol=1e-12)


def test_words_that_are_not_known_end_contexts(model):
    words, starts = text(seed=2, n_sentences=6)
    words[::3] = -1
    found = model.log_probabilities(words, starts)
    marked, positions = with_ends(words, starts, END)
    for i, (word, position) in enumerate(zip(marked, positions, strict=True)):
        context = [*marked[i - position : i][::-1], END]
        mean = np.mean([predicted(model, number, context, word) for number in range(2)])
        assert np.isclose(np.exp(found[i]), mean, rtol=1e-12)


def test_words_of_any_length_have_a_probability(model):
    words, starts = text(seed=2, n_sentences=6)
    words[::3] = -1
    marked, _ = with_ends(words, starts, END)
    short, long = (np.where(marked < 0, nats, -np.log(END + 1)) for nats in (-10.0, -5000.0))
    differ = model.log_probabilities(words, starts, short) - model.log_probabilities(words, starts, long)
    assert np.allclose(differ, np.where(marked < 0, 4990.0, 0.0), rtol=1e-12)


def test_texts_are_laid_out_as_contexts_are_read():
    for seed in range(5):
        words, starts = text(seed, n_sentences=6)
        words[::4] = -1
        expected, expected_places = text_before(*with_ends(words, starts, END), END)
        found, places = np.full_like(expected, 99), np.full_like(expected_places, 99)
        mark_sentences(words, starts, END, found, places)
        assert (found == expected).all()
        assert (places == expected_places).all()


def test_predictions_are_the_same_whatever_else_is_predicted(model, monkeypatch):
    words, starts = text(seed=3, n_sentences=30)
    found = model.log_probabilities(words, starts)
    monkeypatch.setattr(language_model, "CHUNK", 7)
    assert (model.log_probabilities(words, starts) == found).all()
    sizes = np.diff(starts, append=len(words))
    alone = [
        model.log_probabilities(words[start : start + size], np.zeros(1, np.int64))
        for start, size in zip(starts, sizes, strict=True)
    ]
    assert (np.concatenate(alone) == found).all()


def test_next_words_are_those_of_probabilities(model):
    base = np.random.default_rng(1).dirichlet(np.ones(END + 1))
    for context in ([], [END], [END, 0, 1, 0], [END, 5, 5, 5, 5, 5], [-1, 0, 1]):
        symbols = [np.full(END + 1, symbol) for symbol in context[::-1]]
        expected = model.probabilities(np.arange(END + 1), symbols, base)
        assert np.allclose(model.next_words(context, base), expected, rtol=1e-12, atol=0.0)


def test_a_fitted_model_has_only_contexts_in_use(model):
    assert model.customers.any(axis=0)[END + 1 :].all()
    model.refuse_nonsense()


def test_sentences_are_drawn_from_the_model(model):
    drawn = list(model.sentences(300, np.full(END + 1, 1.0 / (END + 1)), np.random.default_rng(0), 50))
    first = np.bincount([sentence[0] if sentence else END for sentence in drawn], minlength=END + 1) / 300
    expected = model.next_words([END], np.full(END + 1, 1.0 / (END + 1)))
    assert np.abs(first - expected).max() < 4 * np.sqrt(0.25 / 300)


@pytest.mark.parametrize(
    "change",
    [
        {"customers": lambda a: a[:, :-1]},
        {"tables": lambda a: a + 1},
        {"tables": lambda a: a * 0},
        {"customers": lambda a: a.astype(float)},
        {"discounts": lambda a: a + 1.0},
        {"discounts": lambda a: a[:, :-1]},
        {"discounts": lambda a: a * np.nan},
        {"concentrations": lambda a: a * 0.0},
        {"concentrations": lambda a: a + np.inf},
        {"ends": lambda a: a + 1.0},
        {"ends": lambda a: a[:, 1:]},
    ],
)
def test_parts_of_no_model_are_refused(change):
    model = LanguageModel.of(chain_of(*text(), order=None).fitted().params, END + 1)
    name, how = next(iter(change.items()))
    with pytest.raises(ValueError):
        replace(model, **{name: how(getattr(model, name))}).refuse_nonsense()


@pytest.mark.parametrize("part", ["restaurant_keys", "slot_keys"])
@pytest.mark.parametrize("how", [lambda a: a[::-1].copy(), lambda a: a * 3, lambda a: a - 1, lambda a: a[1:]])
def test_contexts_that_are_none_are_refused(part, how):
    contexts = LanguageModel.of(chain_of(*text(), order=3).fitted().params, END + 1).contexts
    with pytest.raises((ValueError, IndexError)):
        replace(contexts, **{part: how(getattr(contexts, part))}).refuse_nonsense()


def test_kneser_ney_by_hand():
    """Of "a b | a b | a c | b": bigrams, discounts .5, 1, 1.5 as too few n-grams count three and four."""
    from reproduce.kneser_ney import kneser_ney

    marked, positions = with_ends(np.array([0, 1, 0, 1, 0, 2, 1]), np.array([0, 2, 4, 6]), 3)
    contexts, deepest = contexts_of(marked, symbols_before(marked, positions, 3), 4, 1)
    model = kneser_ney(contexts, deepest)
    # different words before b: a and the beginning; one before a, one before c; two before the end
    unigram = (2 - 1.0) / 6 + (2 * 1.0 + 2 * 0.5) / 6 / 4
    # after a: b twice, c once
    expected = (2 - 1.0) / 3 + (1.0 + 0.5) / 3 * unigram
    after_a = contexts.find_restaurants(np.array([0]), np.array([0]))
    restaurants = np.array([[0, after_a[0]]])
    slots = np.array([[1, contexts.find_slots(after_a, np.array([1]))[0]]])
    assert np.isclose(model.probability(restaurants, slots)[0], expected)
    assert "reproduce.kneser_ney" in sys.modules
