"""Labels told from topic shares and from words, on planted documents."""

import numpy as np
import pytest
from tests.bags import bags_of

from stickbreaker.core.errors import UserError
from stickbreaker.topics.evaluation import classify_labels


def planted(n: int = 60, labels: int = 3, seed: int = 0) -> tuple[np.ndarray, list, list[dict[int, float]]]:
    """Shares and words that tell a document's label l, drawn at random: a word of 3l, 3l + 1, 3l + 2."""
    draw = np.random.default_rng(seed)
    told = draw.integers(labels, size=n).tolist()
    theta = np.array([draw.dirichlet(0.2 + 5 * np.eye(labels)[label]) for label in told])
    words = [{3 * label + int(draw.integers(3)): 2.0} for label in told]
    return theta, told, words


def test_planted_labels_are_told_and_noise_is_not() -> None:
    theta, told, words = planted()
    scores = classify_labels(theta, told, bags_of(words), 9)
    assert scores.topics.accuracy > 0.9
    assert scores.words == (1.0, 1.0)
    assert (scores.documents, scores.classes, scores.left_out) == (60, 3, 0)
    noise = np.random.default_rng(1).dirichlet(np.ones(3), 60)
    assert classify_labels(noise, told, bags_of(words), 9).topics.accuracy < 0.6


def test_the_majority_by_hand() -> None:
    theta, _, words = planted()
    labels = ["a"] * 45 + ["b"] * 15  # F1 of a: 2 · 45 / (2 · 45 + 15), of b: 0
    scores = classify_labels(theta, labels, bags_of(words), 9)
    assert scores.majority == (0.75, pytest.approx((90 / 105 + 0) / 2))


def test_the_same_call_gives_the_same_scores() -> None:
    theta, told, words = planted(seed=4)
    theta = 0.7 * theta + 0.3 * np.random.default_rng(2).dirichlet(np.ones(3), 60)
    first = classify_labels(theta, told, bags_of(words), 9)
    assert classify_labels(theta, told, bags_of(words), 9) == first


def test_documents_without_a_label_and_rare_labels_are_left_out() -> None:
    theta, told, words = planted()
    labels = [None, "rare", "rare", *told[3:]]
    scores = classify_labels(theta, labels, bags_of(words), 9)
    assert (scores.documents, scores.classes, scores.left_out) == (57, 3, 3)


@pytest.mark.parametrize("labels", [[None] * 60, ["a"] * 60, ["a"] * 56 + ["b"] * 4, list(range(60))])
def test_too_few_labels_are_one_line(labels) -> None:
    theta, _, words = planted()
    with pytest.raises(
        UserError, match="too few to classify; give at least two labels with 5 documents each"
    ):
        classify_labels(theta, labels, bags_of(words), 9)


def test_lengths_must_agree() -> None:
    theta, told, words = planted()
    with pytest.raises(UserError, match="59 labels"):
        classify_labels(theta, told[1:], bags_of(words), 9)


def test_too_many_labels_are_refused() -> None:
    labels = np.arange(1005) % 201
    bags = bags_of([{0: 1.0}] * 1005)
    with pytest.raises(UserError, match=r"201 labels are too many .* choose a field with fewer values"):
        classify_labels(np.ones((1005, 2)), labels.tolist(), bags, 1)
