"""The left-to-right score: against sums over every assignment, and that a document's score is its own."""

import numpy as np
import pytest
from tests.bags import bags_of, corpus, random_topics
from tests.oracle import left_to_right as oracle

from stickbreaker.core.errors import UserError
from stickbreaker.topics.evaluation import left_to_right, left_to_right_score, unigram_score


@pytest.mark.parametrize("topics", [2, 3])
def test_the_score_of_one_particle_is_unbiased(topics: int) -> None:
    """Over seeds, and so over orders too, the mean of exp(score) is p(w) by enumeration."""
    topic_word, alpha = random_topics(topics, topics)
    bags = bags_of([{0: 2.0, 3: 3.0, 5: 1.0}])
    exact = oracle.probability([0, 0, 3, 3, 3, 5], topic_word, alpha)
    scores = [left_to_right_score(bags, topic_word, alpha, 1, seed).nats for seed in range(3000)]
    likelihoods = np.exp(scores)
    assert abs(likelihoods.mean() - exact) < 4.5 * likelihoods.std() / np.sqrt(3000)
    assert np.mean(scores) < np.log(exact)  # Jensen


@pytest.mark.parametrize("topics", [2, 3])
def test_many_particles_are_near_the_exact_score(topics: int) -> None:
    topic_word, alpha = random_topics(topics, topics)
    bags = bags_of([{0: 2.0, 3: 3.0, 5: 1.0}])
    exact = np.log(oracle.probability([0, 0, 3, 3, 3, 5], topic_word, alpha))
    scores = [left_to_right_score(bags, topic_word, alpha, 2000, seed).nats for seed in range(50)]
    assert np.mean(scores) == pytest.approx(exact, abs=0.1)  # the limit is not p(w) itself


def test_a_score_depends_on_the_document_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    bags = corpus()
    topic_word, alpha = random_topics(2)
    whole = left_to_right_score(bags, topic_word, alpha).per_document
    for chosen in (np.array([3]), np.array([17, 2, 9, 2]), np.random.default_rng(0).permutation(20)):
        monkeypatch.setattr(left_to_right, "WEIGHTS_AT_ONCE", 40)
        parts = left_to_right_score(bags.take(chosen), topic_word, alpha).per_document
        np.testing.assert_array_equal(parts, whole[chosen])
    assert (left_to_right_score(bags, topic_word, alpha, seed=1).per_document != whole).all()


def test_one_topic_is_the_unigram_model() -> None:
    bags = corpus()
    topic_word = random_topics(3, 1)[0]
    left = left_to_right_score(bags, topic_word, [0.7], particles=3)
    right = unigram_score(bags, topic_word[0])
    np.testing.assert_allclose(left.per_document, right.per_document, rtol=1e-12)
    assert left.tokens == right.tokens == bags.counts.sum()


def test_single_precision_topics_are_nearly_the_same() -> None:
    topic_word, alpha = random_topics(4)
    exact = left_to_right_score(corpus(), topic_word, alpha).nats
    single = left_to_right_score(corpus(), topic_word.astype(np.float32), alpha).nats
    assert single == pytest.approx(exact, rel=1e-3)  # a draw may fall the other way


def test_empty_documents_and_words_of_probability_zero() -> None:
    topic_word = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
    bags = bags_of([{}, {0: 2.0}, {1: 1.0, 2: 3.0}, {2: 1.0}, {}])
    score = left_to_right_score(bags, topic_word, [0.2, 0.4])
    assert score.per_document[[0, 4]].tolist() == [0.0, 0.0]
    assert np.isfinite(score.per_document[1])
    assert score.per_document[[2, 3]].tolist() == [-np.inf, -np.inf]
    assert score.nats == -np.inf
    assert score.perplexity == np.inf


def test_mistakes_are_told() -> None:
    bags, (topic_word, alpha) = corpus(), random_topics(0)
    with pytest.raises(UserError, match=r"^document 2: a word has the count 1\.5"):
        left_to_right_score(bags_of([{1: 1.0}, {}, {0: 2.0, 4: 1.5}]), topic_word, alpha)
    for empty in (bags_of([]), bags_of([{}])):
        with pytest.raises(UserError, match="no word to score"):
            left_to_right_score(empty, topic_word, alpha)
    with pytest.raises(UserError, match=r"alpha \(2,\)"):
        left_to_right_score(bags, topic_word, alpha[:2])
    with pytest.raises(UserError, match=r"topic 1 .* divide each row"):
        left_to_right_score(bags, topic_word * [[1], [40], [1]], alpha)
    with pytest.raises(UserError, match=r"topic 0 .* nan"):
        left_to_right_score(bags, topic_word * [[np.nan], [1], [1]], alpha)
    with pytest.raises(UserError, match="alpha must be"):
        left_to_right_score(bags, topic_word, -alpha)
    with pytest.raises(UserError, match="particles"):
        left_to_right_score(bags, topic_word, alpha, 0)
    with pytest.raises(UserError, match="has 5 words"):
        left_to_right_score(bags, topic_word[:, :5], alpha)
