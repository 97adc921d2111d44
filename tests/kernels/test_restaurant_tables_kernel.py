"""Tables of Chinese restaurants, by the mean and variance of their Antoniak distribution."""

import numpy as np
import pytest

from stickbreaker.kernels.restaurant_tables import draw_tables

pytestmark = pytest.mark.kernels


def test_tables_are_those_of_a_restaurant():
    customers, c, n = 12, 1.7, 40_000
    tables = np.zeros(n, np.int64)
    draw_tables(np.arange(n), np.full(n, customers), np.full(n, c), np.uint64(5), tables)
    p = c / (c + np.arange(customers))
    assert tables.mean() == pytest.approx(p.sum(), abs=5 * np.sqrt((p * (1 - p)).sum() / n))
    assert tables.var() == pytest.approx((p * (1 - p)).sum(), rel=0.05)
