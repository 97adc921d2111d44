"""Matching topics: against all permutations, planted permutations, and by hand."""

from itertools import combinations, permutations
from math import sqrt

import numpy as np
import pytest

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Vocabulary
from stickbreaker.topics.evaluation import (
    match_models,
    match_topics,
    shared_words,
    stability,
    topic_similarity,
)


def topics(seed: int, k: int, words: int = 30) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.full(words, 0.1), k)


def hellinger(p: np.ndarray, q: np.ndarray) -> float:
    return sqrt(sum((sqrt(x) - sqrt(y)) ** 2 for x, y in zip(p, q, strict=True)) / 2)


def test_similarity_equals_its_definition() -> None:
    a, b = topics(0, 3), topics(1, 4)
    expected = [[1 - hellinger(p, q) for q in b] for p in a]
    np.testing.assert_allclose(topic_similarity(a, b), expected, atol=1e-7)
    np.testing.assert_allclose(topic_similarity(5 * a, 0.1 * b), expected, atol=1e-7)  # rows of any sum


@pytest.mark.parametrize(("k", "j"), [(4, 4), (3, 5), (5, 3)])
def test_the_matching_is_the_best_of_all(k: int, j: int) -> None:
    a, b = topics(2, k), topics(3, j)
    alike = topic_similarity(a, b)
    small, many = (alike, j) if k <= j else (alike.T, k)
    best = max(
        sum(small[row, column] for row, column in enumerate(chosen))
        for chosen in permutations(range(many), min(k, j))
    )
    found = match_topics(a, b)
    assert found.similarity.sum() == pytest.approx(best)
    assert found.mean == pytest.approx(best / min(k, j))
    assert sorted([*found.first, *found.only_first]) == list(range(k))
    assert sorted([*found.second, *found.only_second]) == list(range(j))
    assert (np.diff(found.similarity) <= 0).all()
    np.testing.assert_array_equal(found.similarity, alike[found.first, found.second])


def test_a_planted_permutation_is_found() -> None:
    a = topics(4, 12)
    order = np.random.default_rng(5).permutation(12)
    found = match_topics(a, a[order])
    assert order[found.second].tolist() == found.first.tolist()
    assert found.similarity.tolist() == [1] * 12


def test_languages_count_alike_whatever_their_words() -> None:
    """The same in one language, nothing in common in the other, is half alike."""
    a = np.array([[0.5, 0.5, 1.0, 0.0, 0.0]])
    b = np.array([[0.5, 0.5, 0.0, 0.3, 0.7]])
    both = (slice(0, 2), slice(2, 5))
    np.testing.assert_allclose(topic_similarity(a, b, both), [[0.5]], atol=1e-7)
    assert match_topics(a, b, both).mean == pytest.approx(0.5)
    assert stability([a, b], both) == pytest.approx(0.5)


def test_a_topic_without_shared_words_is_like_no_other() -> None:
    assert topic_similarity([[0, 0], [1, 1]], [[0, 0], [1, 1]]).tolist() == [[0, 0], [0, 1]]


def test_stability_is_the_mean_over_pairs() -> None:
    models = [topics(seed, 5) for seed in range(4)]
    expected = np.mean([match_topics(a, b).mean for a, b in combinations(models, 2)])
    assert stability(models) == pytest.approx(expected)
    with pytest.raises(UserError, match="two models"):
        stability(models[:1])


def test_shared_words_keep_the_first_order() -> None:
    rows, others = shared_words(["d", "a", "c"], ["a", "b", "c"])
    assert (rows.tolist(), others.tolist()) == ([1, 2], [0, 2])


def test_models_are_matched_over_what_their_vocabularies_share() -> None:
    """The other order of words, and words of one's own, change nothing; languages are averaged."""
    a, words = topics(6, 4, 6), ["de:a", "de:b", "en:a", "en:b", "en:c", "en:d"]
    parts = {code: Vocabulary.of([word for word in words if word[:2] == code]) for code in ("de", "en")}
    own = Vocabulary.joined(parts)
    more = Vocabulary.of(["en:d", "new", "en:c", "de:b", "en:b", "en:a", "de:a"])
    b = np.hstack([a[:, [5]], np.full((4, 1), 9.0), a[:, [4, 1, 3, 2, 0]]])[[2, 3, 0, 1]]
    found, shared = match_models(a, own, b, more)
    assert (shared, found.similarity.tolist()) == (6, [1.0] * 4)
    assert {*zip(found.first.tolist(), found.second.tolist(), strict=True)} == {
        (0, 2),
        (1, 3),
        (2, 0),
        (3, 1),
    }
    other = topics(7, 4, 6)
    expected = match_topics(a, other, (slice(0, 2), slice(2, 6)))
    assert match_models(a, own, other, own)[0].similarity.tolist() == expected.similarity.tolist()
    with pytest.raises(UserError, match="no word in common"):
        match_models(a, own, [[1.0]], Vocabulary.of(["haus"]))


def test_mistakes_are_told() -> None:
    for a, b in (([1, 2], [[1, 2]]), ([[1, 2]], [[1, 2, 3]]), (np.zeros((0, 2)), [[1, 2]])):
        with pytest.raises(UserError, match="topics are"):
            match_topics(a, b)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -1.0])
def test_values_that_are_no_probabilities_are_refused(wrong) -> None:
    good, bad = [[0.5, 0.5]], [[wrong, 0.5]]
    for call in (topic_similarity, match_topics, lambda a, b: stability([a, b])):
        for a, b in ((good, bad), (bad, good)):
            with pytest.raises(UserError, match="topics must be finite and not negative"):
                call(a, b)
