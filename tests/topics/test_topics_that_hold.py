"""The number of topics of which each holds: the rule, its words, and the numbers that a search tries."""

import numpy as np
import pytest

from stickbreaker import UserError
from stickbreaker.topics.evaluation import Suggestion, suggest_topics, weakest_quarter
from stickbreaker.topics.search.topics_that_hold import next_to_try, reason_of


def of_topics(mean, weakest, n):
    """Coherences of n topics with this mean and this mean of the weakest quarter."""
    quarter = max(1, round(n / 4))
    return [*[weakest] * quarter, *[(n * mean - quarter * weakest) / (n - quarter)] * (n - quarter)]


def test_the_weakest_quarter():
    assert weakest_quarter([0.5]) == weakest_quarter([0.5, 0.6, 0.7, 0.8, 0.9]) == 0.5
    assert weakest_quarter(of_topics(0.2, -0.1, 40)) == pytest.approx(-0.1)
    with_some = [0.1, -0.9, 0.3, 0.2, 0.5, 0.1, 0.4, 0.0]
    assert weakest_quarter(with_some) == weakest_quarter(with_some[::-1]) == pytest.approx(-0.45)


AP = {
    5: (0.23, 0.11),
    20: (0.26, 0.08),
    45: (0.23, 0.06),
    60: (0.21, 0.05),
}  # half of AP, scored in the other


def test_a_table_of_news():
    """What reads best, what holds and what predicts best are different numbers."""
    coherence = {k: [of_topics(*found, k)] * 2 for k, found in AP.items()}
    nats = {k: [[-8.0 + k / 1000 + 0.01 * d for d in range(9)]] * 2 for k in AP}
    found = suggest_topics(coherence, nats, np.ones(9))
    assert (found.topics, found.holds, found.predicts) == (45, 45, 60)
    assert (found.fewest, found.most) == (20, 20)
    assert found.gain == pytest.approx(0.015)


def test_topics_hold_if_their_weakest_are_half_as_good_as_the_best_number_s():
    """In few documents all values are small, and none needs to be below 0 where topics are too many."""
    nats = {k: [[-8.0 + k / 1000] * 3] for k in (5, 10, 20)}
    for best in (0.4, 0.02):
        coherence = {k: [of_topics(0.5, share * best, k)] for k, share in ((5, 1.0), (10, 0.51), (20, 0.49))}
        assert suggest_topics(coherence, nats, [1, 1, 1]).holds == 10
        assert next_to_try({5: best, 10: 0.51 * best, 20: 0.49 * best}, 100) == 15
    below = {k: [of_topics(0.5, value, k)] for k, value in ((5, -0.1), (10, -0.02), (20, -0.03))}
    assert suggest_topics(below, nats, [1, 1, 1]).holds is None


def test_a_standard_error_is_that_of_the_topics():
    """Of one seed: a second with the same topics does not make the mean more certain."""
    values = [0.1, 0.3, 0.2, 0.4]
    error = np.std(values, ddof=1) / 2
    nats = {k: [[-7.0, -7.1]] * 3 for k in (2, 4)}
    for below, alike in ((0.9, 2), (1.1, 4)):
        other = [0.25 - below * error] * 2
        found = suggest_topics({2: [other] * 3, 4: [values] * 3}, nats, [1, 1])
        assert (found.fewest, found.most) == (alike, 4)


def test_no_more_than_predict_as_well():
    """Topics that were split hold too, but predict no better."""
    coherence = {k: [[0.4] * k] for k in (2, 3, 8)}
    scores = {2: [[-7.0, -7.5, -7.2]], 3: [[-6.0, -6.5, -6.2]], 8: [[-6.0, -6.5, -6.21]]}
    found = suggest_topics(coherence, scores, [1, 1, 1])
    assert (found.topics, found.holds, found.enough) == (3, 8, 3)


def test_mistakes_are_one_line():
    with pytest.raises(UserError, match="of different numbers of topics; give both for each number"):
        suggest_topics({2: [[0.1, 0.2]]}, {3: [[-7.0]]}, [1])


@pytest.mark.parametrize(
    ("holds_up_to", "most", "tried"),
    [
        (45, 500, [10, 20, 40, 80, 60]),
        (70, 500, [10, 20, 40, 80, 60]),
        (500, 150, [10, 20, 40, 80, 150]),
        (500, 160, [10, 20, 40, 80, 160]),
        (7, 500, [10, 5]),
        (3, 500, [10, 5]),
        (10, 500, [10, 20, 15]),
        (500, 3, [3]),
        (500, 0, [1]),
    ],
)
def test_numbers_that_a_search_tries(holds_up_to, most, tried):
    weakest: dict[int, float] = {}
    while (k := next_to_try(weakest, most)) is not None:
        assert k not in weakest
        weakest[k] = 0.1 if k <= holds_up_to else -0.1
    assert list(weakest) == tried


@pytest.mark.parametrize(
    ("found", "tried", "largest", "says"),
    [
        (
            Suggestion(60, 10, 30, 60, 131, 0.02, 131),
            [10, 30, 60, 131],
            500,
            "60 topics. 10 to 30 read best; up",
        ),
        (
            Suggestion(60, 10, 30, 60, 131, 0.02, 131),
            [10, 30, 60, 131],
            500,
            "131 predict best, by 0.020 nats",
        ),
        (
            Suggestion(40, 40, 40, 40, 40, 0.0, 40),
            [10, 20, 40],
            500,
            "none predicts better (2 seeds); it is the most",
        ),
        (Suggestion(40, 40, 40, 40, 40, 0.0, 40), [10, 20, 40], 40, "none predicts better (2 seeds)"),
        (Suggestion(3, 2, 8, 8, 4, 0.0, 3), [2, 3, 4, 8], 40, "and 3 as well up to noise"),
        (Suggestion(10, 10, 10, None, 20, 0.1, 20), [10, 20], 40, "of none does the weakest quarter hold"),
        (Suggestion(10, 10, 10, None, 20, 0.1, 20), [10, 20], 40, "(2 seeds); try fewer"),
        (Suggestion(1, 1, 1, 1, 1, 0.0, 1), [1], 40, "1 topic. 1 reads best"),
    ],
)
def test_the_reason_is_a_line(found, tried, largest, says):
    told = reason_of(found, tried, 2, largest)
    assert says in told
    assert "\n" not in told
