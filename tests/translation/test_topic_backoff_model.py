"""Language models with topics as backoff models of documents, against mixtures by definition."""

import numpy as np
import pytest

from stickbreaker import TopicNgramModel, UserError
from stickbreaker.corpus import Corpus, VocabularyRule
from stickbreaker.ngrams.kernels.backoff_trigrams import score_words, step
from stickbreaker.ngrams.model.topic_documents import _parts, _words, marked
from stickbreaker.translation.decoding.topic_backoff_model import TopicBackoffModel

pytestmark = pytest.mark.kernels
TEXTS = [
    "the cat sat. the cat ran. a dog sat on the mat. the dog ran on a mat.",
    "the price fell. the price of oil rose. a share of oil fell. the share rose.",
    "a cat ran on the mat. the mat sat on a dog.",
    "oil fell. the oil price rose. the price of a share fell.",
]
SHARES = np.array([0.3, 0.7])
CONTEXTS = (
    [],
    ["the"],
    ["the", "price"],
    ["price", "of"],
    ["cat"],
    ["zebra"],
    ["mat", "oil"],
    ["of", "zebra"],
)


def fitted(n_topics=2, **options):
    held = {"order": 3, "min_count": 2, "max_iter": 12, "samples": 3, "random_state": 1, **options}
    return TopicNgramModel(n_topics, **held).fit(TEXTS).learned_


def words_of(model):
    """All words but the marks, and one that is not known."""
    return (*model.numbers.known, "zebra")


def state_after(found, context):
    """The state after the words of a sentence."""
    arrays, state = found.arrays, found.arrays.beginning
    for word in context:
        state = step(arrays, state, arrays.numbers[found.words.index(word)])[1]
    return state


def p_of_all(found, context):
    """p of each word of the model after those of a sentence, the mark at a sentence's beginning last."""
    state = state_after(found, context)
    return np.exp([step(found.arrays, state, n)[0] for n in range(found.arrays.n_words)])


def p_by_definition(model, context, shares):
    """p of each word after those of a sentence, given topic shares: the mean over samples of the mixture of
    topics, each a language model by itself."""
    held, numbers = model.model, model.numbers
    known = {word: number for number, word in enumerate(numbers.known)}
    words = [numbers.end, *(known.get(word, numbers.unknown) for word in context)]
    base = np.exp(model.base.log_p)
    found = np.zeros(numbers.n_words)
    for sample in range(held.n_samples):
        p = [model.language_of_topic(k, sample).next_words(words, base) for k in range(model.n_shares)]
        mixed = shares @ np.array(p)
        if model.facts.settings.prior == "switching":
            way, restaurant = [0], np.zeros(1, np.int64)
            for word in words[::-1]:
                restaurant = held.contexts.find_restaurants(restaurant, np.array([word]))
                way += [int(restaurant[0])] if restaurant[0] >= 0 and len(way) <= held.longest else []
            share = held.switches[sample, way[-1]]
            common = model.language_of_topic(None, sample).next_words(words, base)
            mixed = share * mixed + (1.0 - share) * common
        found += mixed / held.n_samples
    return found


def seen_after(found, context):
    """The words of n-grams of the longest context that the model has seen."""
    state = state_after(found, context)
    n, keys = found.arrays.n_words, found.arrays.slots[:, 0]
    own = [key % n for key in keys[keys >= 0].tolist() if key // n == state]
    return own if state else list(range(n))


@pytest.mark.parametrize("prior", ["none", "switching"])
@pytest.mark.parametrize("shares", [SHARES, np.array([1.0, 0.0])])
def test_ngrams_have_the_probability_of_the_topics(prior, shares):
    model = fitted(prior=prior)
    found = TopicBackoffModel.of(model, words_of(model)).mixed(shares)
    longest = 0
    for context in CONTEXTS:
        p, wanted, seen = (
            p_of_all(found, context),
            p_by_definition(model, context, shares),
            seen_after(found, context),
        )
        seen = [word for word in seen if word < len(wanted)]
        assert p[seen] == pytest.approx(wanted[seen], rel=1e-5)
        assert p.sum() == pytest.approx(1.0, abs=1e-5)
        assert wanted.sum() == pytest.approx(1.0)
        assert np.abs(p[:-1] - wanted).max() < 0.05  # of those not seen too
        longest = max(longest, len(seen))
    assert longest == model.numbers.n_words


def test_ngrams_of_topics_that_draw_on_a_common_one():
    model = fitted(prior="hierarchical")
    found = TopicBackoffModel.of(model, words_of(model)).mixed(SHARES)
    held, numbers = model.model, model.numbers
    known = {word: number for number, word in enumerate(numbers.known)}
    for sentence in (
        ["the", "price", "of", "oil", "rose"],
        ["a", "cat", "ran", "on", "the", "mat"],
        ["the", "cat"],
    ):
        words = np.array([known[word] for word in sentence])
        documents = marked(
            words, np.zeros(1, np.int64), np.array([0, len(words)]), held.end, model.base.log_p
        )
        (part,) = _parts(held, documents)
        p = np.zeros(len(words) + 1)
        for sample in range(held.n_samples):
            own = _words(held, sample, part)
            p += (own.inside @ SHARES + own.outside) / held.n_samples
        nats = np.empty(len(words) + 1)
        score_words(found.arrays, np.array([found.words.index(word) for word in sentence]), nats)
        assert np.exp(nats[:-1]) == pytest.approx(p[:-1], rel=1e-5)  # the end may not have been seen
    for context in CONTEXTS:
        assert p_of_all(found, context).sum() == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_one_topic_is_a_model_without_topics(order):
    model = fitted(1, prior="none", order=order, samples=1)
    found = TopicBackoffModel.of(model, words_of(model)).mixed(np.ones(1))
    base = np.exp(model.base.log_p)
    assert found.order == order
    for context in CONTEXTS:
        p = p_of_all(found, context)
        known = {word: number for number, word in enumerate(model.numbers.known)}
        words = [model.numbers.end, *(known.get(word, model.numbers.unknown) for word in context)]
        wanted = model.language_of_topic(0).next_words(words, base)
        assert p[: len(wanted)] == pytest.approx(wanted, rel=1e-5)


def test_words_that_are_spelled():
    model = fitted(unknown="spelled", samples=2)
    found = TopicBackoffModel.of(model, words_of(model)).mixed(SHARES)
    for context in CONTEXTS:
        p = p_of_all(found, context)
        assert p.sum() == pytest.approx(1.0, abs=1e-5)
        assert 0.0 < p[found.arrays.unknown] < 0.5
    assert np.isfinite(found.arrays.log_p).all()


def test_shares_are_those_of_transform():
    model = fitted()
    found = TopicBackoffModel.of(model, words_of(model))
    texts = ["The cat sat. A zebra ran.", "the price of oil", "zebra"]
    sentences = [[["the", "cat", "sat"], ["a", "zebra", "ran"]], [["the", "price", "of", "oil"]], [["zebra"]]]
    for own, wanted in zip(sentences, TopicNgramModel.of(model).transform(texts), strict=True):
        assert found.shares_of(own) == pytest.approx(wanted)
    prior = model.model.prior[:, 1:]
    wanted = (prior / prior.sum(axis=1, keepdims=True)).mean(axis=0)
    assert found.shares_of([]) == pytest.approx(wanted)
    assert found.shares_of([()]).sum() == pytest.approx(1.0)
    np.testing.assert_array_equal(
        found.of_no_document.arrays.log_p, found.mixed(found.shares_of([])).arrays.log_p
    )


def test_words_of_the_decoder_that_the_model_does_not_know():
    model = fitted()
    found = TopicBackoffModel.of(model, ("zebra", "cat", "<s>", "</s>")).mixed(SHARES)
    unknown = model.numbers.unknown
    assert found.arrays.numbers.tolist() == [unknown, model.numbers.known.index("cat"), unknown, unknown]


def test_models_of_unbounded_order_are_refused():
    rule = VocabularyRule(min_documents=1, max_share=1.0)
    model = TopicNgramModel(2, order="unbounded", min_count=1, max_iter=2, samples=1, random_state=0)
    model.fit(Corpus.from_tokens([["a", "b", "a", "c"]] * 4, rule=rule))
    with pytest.raises(UserError, match="unbounded"):
        TopicBackoffModel.of(model.learned_, ("a",))
