"""The fewest topics within a standard error of the best."""

import numpy as np
import pytest

from stickbreaker.core.errors import UserError
from stickbreaker.topics.evaluation import fewest_topics, next_number, peak_of


def test_by_hand() -> None:
    """10 is 1 nat a word behind, by 0.9 or 1.1 in each document; 20 is 0.05 behind, by 0.15 or -0.05."""
    tokens = [10.0, 10.0]
    nats = {40: [[-50.0, -60.0]], 20: [[-51.5, -59.5]], 10: [[-59.0, -71.0]]}
    found = fewest_topics(nats, tokens)
    # residuals of 20: 1.5 - 0.5, -0.5 - 0.5; variance 2/1 · (1 + 1) / 20²
    assert (found.topics, found.best) == (20, 40)
    assert found.behind == pytest.approx(0.05)
    assert found.error == pytest.approx(np.sqrt(2 * 2 / 400))
    assert fewest_topics({k: nats[k] for k in (10, 40)}, tokens) == (40, 40, 0.0, 0.0)


def test_hard_documents_are_no_noise() -> None:
    """Every document gains 0.1 nats per word, though documents differ by many."""
    tokens = np.array([5.0, 10.0, 20.0])
    base = np.array([-20.0, -90.0, -130.0])
    assert fewest_topics({10: [base], 20: [base + 0.1 * tokens]}, tokens).topics == 20


def test_seeds_that_differ_make_the_error_larger() -> None:
    tokens = np.full(3, 10.0)
    best = [np.array([-60.0, -60, -60]), np.array([-70.0, -70, -70])]  # means -6 and -7
    other = [np.array([-65.5, -65.5, -65.5])] * 2
    found = fewest_topics({10: other, 20: best}, tokens)
    assert found.topics == 10
    assert found.error == pytest.approx(np.sqrt(0.5 / 2))
    assert fewest_topics({10: other[:1], 20: best[:1]}, tokens).topics == 20


def test_equal_scores_take_the_fewest_and_order_does_not_matter() -> None:
    nats = {40: [[-6.0, -7.0]], 10: [[-6.0, -7.0]], 20: [[-6.0, -7.0]]}
    assert fewest_topics(nats, [1, 1]) == (10, 10, 0.0, 0.0)


@pytest.mark.parametrize(("more", "tokens"), [([], [1]), ([0.0], [1, 0])])
def test_a_single_document_has_no_error_and_is_refused(more, tokens) -> None:
    nats = {5: [[-3.0, *more]], 9: [[-2.0, *more]]}
    with pytest.raises(UserError, match="a single held-out document cannot tell"):
        fewest_topics(nats, tokens)
    assert fewest_topics({5: nats[5]}, tokens) == (5, 5, 0.0, 0.0)  # nothing to tell apart


def test_documents_without_words_change_nothing() -> None:
    nats = {5: [[-3.0, -4.0]], 9: [[-2.5, -4.3]]}
    found = fewest_topics(nats, [1, 1])
    assert found.error > 0
    assert fewest_topics({k: [[*one[0], 0.0, 0.0]] for k, one in nats.items()}, [1, 1, 0, 0]) == found


def test_mistakes_are_told() -> None:
    for nats, tokens in (({}, [1]), ({5: [[-1.0]]}, [0])):
        with pytest.raises(UserError, match="no held-out document"):
            fewest_topics(nats, tokens)
    for seeds in ([[-1.0]], [-1.0, -1.0], [[[-1.0, -2.0]]]):
        with pytest.raises(UserError, match="same documents"):
            fewest_topics({5: seeds}, [1, 1])


# A search: which number is next, and where the peak is


def searched(curve, most=10_000):
    """The numbers that a search tries on a curve."""
    scores = {}
    while (number := next_number(scores, most)) is not None:
        scores[number] = curve(number)
    return list(scores)


@pytest.mark.parametrize(
    ("peak", "tried"),
    [
        (20, {5, 10, 20, 40, 80}),
        (5, {1, 2, 5, 10, 20, 40}),
        (1, {1, 2, 5, 10, 20, 40}),
        (160, {5, 10, 20, 40, 80, 160, 320, 640}),
    ],
)
def test_two_numbers_are_tried_on_each_side_of_the_best(peak, tried):
    assert set(searched(lambda k: -abs(np.log(k / peak)))) <= tried
    numbers = sorted(searched(lambda k: -abs(np.log(k / peak))))
    place = numbers.index(peak)
    assert len(numbers) - place > 2
    assert place >= min(2, [1, 2, 5, 10, 20, 40, 80, 160].index(peak))


def test_no_more_topics_are_tried_than_allowed():
    assert searched(lambda k: k, 75)[-2:] == [40, 75], "the largest number itself"
    assert set(searched(lambda k: k, 3)) == {1, 2, 3}
    assert searched(lambda k: k, 0) == [1]


@pytest.mark.parametrize("shift", [-0.3, 0.0, 0.3])
def test_the_peak_is_that_of_the_parabola(shift):
    numbers = [10, 20, 40, 80, 160]
    vertex = np.log(40) + shift
    points = [(k, -8.0 - 0.01 * (np.log(k) - vertex) ** 2) for k in numbers]
    found = peak_of([*points, (5, -9.0)])  # one too far below to be of the peak
    assert abs(np.log(found.topics) - vertex) < 0.02
    reach = np.sqrt(0.005 / 0.01)
    assert found.fewest == pytest.approx(np.exp(vertex - reach), abs=0.51)
    assert found.most == pytest.approx(np.exp(vertex + reach), abs=0.51)


def test_numbers_far_from_the_best_do_not_pull_the_peak():
    """Scores of 45 planted topics of dense words: all are near each other, and rise towards one topic."""
    beside = [(20, -6.9487), (10, -6.9857), (40, -6.9046), (80, -6.9097), (158, -6.9186)]
    found = peak_of([*beside, (5, -6.9584), (2, -6.9049), (1, -6.91)])
    assert found == peak_of(beside) == (72, 44, 117)


def test_without_a_parabola_the_best_is_taken_and_the_fewest_of_equals():
    assert peak_of([(20, -8.0), (10, -9.0)])[:1] == (20,)
    assert peak_of([(10, -8.0), (20, -8.05), (40, -8.0001)]) == (10, 10, 40), "it opens upwards"
    assert peak_of([(37, -5.0), (37, -5.0002), (36, -5.0004)])[0] == 36
    assert peak_of([(3, -5.0)]) == (3, 3, 3)
