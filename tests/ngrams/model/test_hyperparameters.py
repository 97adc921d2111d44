"""Discounts and concentrations of n-grams: draws against their definition."""

import numpy as np
import pytest
from scipy import integrate

from stickbreaker.ngrams.model import hyperparameters
from stickbreaker.ngrams.model.hyperparameters import draw_discount_and_concentration


def test_a_discount_and_a_concentration_have_their_posterior():
    """A seating with tables of three customers and more: those of two hardly show the tables' sizes."""
    seated = [[1] * 9 + [3, 3, 9, 14], [1] * 6 + [3, 4, 7], [1] * 8 + [2, 3, 5, 20]]
    customers, tables = (np.array([f(own) for own in seated]) for f in (sum, len))
    sizes = np.bincount(np.concatenate(seated))
    generator = np.random.default_rng(0)
    discount, concentration, found = 0.5, 1.0, []
    for _ in range(20_000):
        discount, concentration = draw_discount_and_concentration(
            discount, concentration, customers, tables, sizes, generator
        )
        found.append((discount, concentration))

    def density(b, a):
        return np.exp(hyperparameters.log_seating(a, b, customers, tables, sizes) - b + 120.0)

    def mean(f):
        def weighted(b, a):
            return f(a, b) * density(b, a)

        return integrate.dblquad(weighted, 1e-6, 1 - 1e-6, 1e-6, 30.0, epsabs=1e-9, epsrel=1e-5)[0]

    total = mean(lambda a, b: 1.0)
    expected = mean(lambda a, b: a) / total, mean(lambda a, b: b) / total
    assert np.mean(found, axis=0) == pytest.approx(expected, abs=0.01)
