"""Discounts and concentrations of grammars: expectations and seatings against their definitions."""

import numpy as np
import pytest
from scipy.special import psi

from stickbreaker.grammars.model import processes
from stickbreaker.grammars.model.processes import log_gamma_ratio


@pytest.mark.parametrize("discount", [0.0, 0.3])
def test_predictive_is_the_expected_logarithm_of_draws_by_sticks(discount):
    """Of a stick E[log v] and E[log(1 - v)], v ~ Beta(1 - b + uses, a + b k + uses of those after it)."""
    a, b = 1.7, discount
    uses, tried = np.array([4.0, 2.5, 0.5]), np.array([2.0, 0.0, 1.0])
    expected, before = 0.0, 0.0
    for k in range(1, 4):
        first, second = 1.0 - b + uses[k - 1], a + b * k + uses[k:].sum()
        expected += tried[k - 1] * (before + psi(first) - psi(first + second))
        before += psi(second) - psi(first + second)
    assert processes.predictive(a, b, uses, tried, 3.0) == pytest.approx(expected + 3.0 * before, rel=1e-12)


def test_the_difference_of_logarithms_of_the_gamma_function_keeps_its_digits():
    for low, n in ((2.5, 4), (9e5, 3), (1e6 + 1, 5), (1e7, 300), (1e12, 20), (1e18, 2), (1e300, 7)):
        expected = sum(np.log(low + k) for k in range(n))
        assert float(log_gamma_ratio(low + n, low, float(n))) == pytest.approx(expected, rel=1e-12, abs=1e-8)


@pytest.mark.parametrize("concentration", [1e12, 1e17, 1e30])
def test_a_large_concentration_keeps_the_digits_of_a_seating(concentration):
    """All at tables of their own but for one pair: b^T / prod (b + c) is one over b."""
    nats = processes.log_seating(0.0, concentration, np.array([0, 50, 1]))
    assert nats == pytest.approx(-np.log(concentration), abs=1e-6)
