"""Numbers in order: ties are those of last digits, and stand in order of place."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.tiers import sampled

from stickbreaker.core.topk import NOTHING, SAME, descending, first_largest, largest

LEVELS = st.sampled_from([0.0, 1.0, 1.0 + SAME / 2, 1.0 + SAME, 1.0 + 3 * SAME, 2.0, -1.0, -1.0 - SAME / 2])
NUMBERS = st.one_of(LEVELS, st.floats(-3, 3), st.sampled_from([np.nan, np.inf, -np.inf]))


def by_definition(values, logs):
    """The largest, with all that is a tie of it in order of place; then of what is left."""
    values = [-np.inf if np.isnan(value) else value for value in values]
    top = max(values, default=0.0)
    left, order = list(range(len(values))), []
    while left:
        first = max(values[place] for place in left)
        width = 0.0
        if np.isfinite(first):
            least = NOTHING * abs(top) if np.isfinite(top) else 0.0
            width = SAME if logs else SAME * abs(first) + least
        group = [place for place in left if values[place] == first or first - values[place] <= width]
        order += group
        left = [place for place in left if place not in group]
    return order


@given(st.lists(NUMBERS, max_size=14), st.integers(0, 15), st.booleans())
@example([1.0, 1.000005, 1.00001], 0, True)
def test_order_is_that_of_the_definition(values, n, logs):
    wanted = by_definition(values, logs)
    assert descending(np.array(values), logs=logs).tolist() == wanted
    assert descending(np.array(values), n, logs=logs).tolist() == wanted[:n]


@pytest.mark.parametrize("seed", sampled(range(20), 2))
def test_last_digits_do_not_part_ties(seed):
    """Wherever the ties lie: no number is rounded, so none lies beside a boundary."""
    generator = np.random.default_rng(seed)
    values = np.repeat(generator.gamma(1.0, size=50), 4)[generator.permutation(200)]
    wanted = descending(values).tolist()
    for _ in range(20):
        noisy = values * (1.0 + 1e-6 * generator.uniform(-1, 1, 200))
        assert descending(noisy).tolist() == wanted
        assert descending(noisy, 20).tolist() == wanted[:20]
        assert descending(np.log(noisy), 20, logs=True).tolist() == wanted[:20]


def test_a_long_slope_is_no_tie():
    """Each is near the next; but what is `SAME` below the first is not its tie."""
    values = np.exp(-np.arange(1000) * SAME / 10)[::-1]
    assert descending(values)[:22].tolist() == [*range(989, 1000), *range(978, 989)]


def test_ties_of_rows_may_have_another_order():
    values = np.array([[0.5, 0.5 + 1e-9, 0.2], [0.1, 0.3, 0.3]])
    places = np.array([[7, 9, 1], [4, 5, 2]])
    assert largest(values, 2)[0].tolist() == [[0, 1], [1, 2]]
    assert largest(values, 2, places)[0].tolist() == [[0, 1], [2, 1]]
    assert largest(values, 5, places)[0].shape == (2, 3)


def test_the_first_of_ties_is_the_largest():
    values = np.array([[0.5, 0.1, 0.0], [0.5 + 1e-9, 0.3, 0.0], [0.4, 0.3 + 1e-9, 0.0]])
    assert first_largest(values).tolist() == [0, 1, 0]


def test_counts_are_exact():
    assert descending(np.array([1_000_000, 1_000_001, 5])).tolist() == [1, 0, 2]
    assert descending([1_000_000.0, 1_000_001.0, 5.0]).tolist() == [0, 1, 2]
