"""Document completion against brute force, and that a document's score is its own."""

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.bags import V, bags_of, corpus

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.shards import Bags
from stickbreaker.topics.evaluation import (
    Completion,
    completion,
    completion_score,
    split_halves,
    unigram_score,
)


def model(seed: int, documents: int, topics: int = 3) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    return draw.dirichlet(np.ones(topics), documents), draw.dirichlet(np.ones(V), topics)


def dense(bags: Bags) -> np.ndarray:
    table = np.zeros((len(bags.offsets) - 1, V))
    table[np.repeat(np.arange(len(table)), np.diff(bags.offsets)), bags.words] = bags.counts
    return table


documents_of_counts = st.lists(
    st.dictionaries(st.integers(0, V - 1), st.integers(1, 6).map(float), max_size=V), max_size=6
)


@settings(max_examples=60, deadline=None)
@given(documents_of_counts, st.sampled_from([0.0, 0.29, 0.5, 0.9]))
def test_no_token_is_lost(documents: list[dict[int, float]], share: float) -> None:
    bags = bags_of(documents)
    observed, rest = split_halves(bags, share)
    np.testing.assert_array_equal(dense(observed) + dense(rest), dense(bags))
    assert all((part.counts > 0).all() for part in (observed, rest))
    expected = np.floor(share * dense(bags).sum(axis=1) + 1e-9)
    np.testing.assert_array_equal(dense(observed).sum(axis=1), expected)
    np.testing.assert_array_equal(observed.unseen + rest.unseen, bags.unseen)


def test_a_document_of_one_token_is_predicted() -> None:
    observed, rest = split_halves(bags_of([{4: 1.0}, {}]))
    assert observed.offsets.tolist() == [0, 0, 0]
    assert rest.words.tolist() == [4]


def test_fractional_weights_are_split_word_by_word() -> None:
    bags = bags_of([{word: word + 0.5 for word in range(V)}])
    observed, rest = split_halves(bags)
    assert len(observed.words) == 4
    assert sorted([*observed.words, *rest.words]) == list(range(V))


def test_every_token_is_as_likely_to_be_observed() -> None:
    bags = bags_of([{0: 4.0, 1: 8.0, 2 + extra % 7: 1.0 + extra} for extra in range(4000)])
    observed, _ = split_halves(bags)
    shares = dense(observed)[:, :2].mean(axis=0) / [4, 8]
    np.testing.assert_allclose(shares, 0.5, atol=0.02)


def test_brute_force() -> None:
    bags = corpus(1, 5)
    theta, topic_word = model(1, 5)
    for document, row in enumerate(dense(bags)):
        nats = 0.0
        for word, count in enumerate(row):
            probability = sum(theta[document, k] * topic_word[k, word] for k in range(3))
            nats += count * log(probability)
        score = completion_score(bags, theta, topic_word)
        assert score.per_document[document] == pytest.approx(nats, rel=1e-12)
    assert score.nats == pytest.approx(score.per_document.sum())
    assert score.tokens == bags.counts.sum()


def test_a_score_depends_on_the_document_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    bags = corpus()
    theta, topic_word = model(2, 20)
    whole = completion_score(split_halves(bags)[1], theta, topic_word).per_document
    for chosen in (np.array([3]), np.array([17, 2, 9]), np.random.default_rng(0).permutation(20)):
        monkeypatch.setattr(completion, "ENTRIES_AT_ONCE", 7)
        rest = split_halves(bags.take(chosen))[1]
        np.testing.assert_array_equal(
            completion_score(rest, theta[chosen], topic_word).per_document, whole[chosen]
        )


def test_uniform_topics_have_the_perplexity_of_the_vocabulary() -> None:
    bags = corpus()
    uniform = np.full((4, V), 1 / V)
    assert completion_score(bags, model(0, 20, 4)[0], uniform).perplexity == pytest.approx(V)
    assert unigram_score(bags, uniform[0]).perplexity == pytest.approx(V)


def test_one_topic_is_the_unigram_model() -> None:
    bags = corpus()
    word_probability = model(3, 1, 1)[1]
    left = completion_score(bags, np.ones((20, 1)), word_probability)
    right = unigram_score(bags, word_probability[0])
    np.testing.assert_allclose(left.per_document, right.per_document, rtol=1e-12)


def test_a_word_of_probability_zero_is_minus_infinity() -> None:
    impossible = np.zeros(V)
    impossible[0] = 1
    assert unigram_score(bags_of([{1: 1.0}]), impossible).nats == -np.inf


def test_nats_per_word() -> None:
    assert Completion(-6.0, 3.0, np.array([-6.0])).nats_per_word == -2


def test_mistakes_are_told() -> None:
    bags = corpus()
    theta, topic_word = model(0, 20)
    with pytest.raises(UserError, match="theta is"):
        completion_score(bags, theta[:5], topic_word)
    with pytest.raises(UserError, match="share"):
        split_halves(bags, 1.0)
    with pytest.raises(UserError, match="no word"):
        unigram_score(bags_of([{}]), topic_word[0])
