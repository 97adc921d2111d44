"""Sums over the words of topics, by scipy's functions."""

import numpy as np
import pytest
from scipy.special import gammaln, psi

from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary, digammas, log_gammas

COUNTS = np.random.default_rng(5).gamma(0.2, 3.0, (40, 3))
COUNTS[::7] = 0.0


@pytest.mark.parametrize("order", ["C", "F"])
def test_digammas_and_sums_of_log_gammas_whatever_the_order_in_memory(order):
    values = np.asarray(COUNTS + 0.01, order=order)
    assert digammas(values) == pytest.approx(psi(COUNTS + 0.01), rel=1e-9)
    assert log_gammas(values) == pytest.approx(gammaln(COUNTS + 0.01).sum(axis=0), rel=1e-9)


def test_the_sums_from_which_eta_is_learned():
    eta = 0.3
    words = ClosedVocabulary(len(COUNTS), eta, learned=True)
    found = words.summary(words.start(), COUNTS, 0)
    lam = COUNTS + eta
    assert found["bends"] == pytest.approx((eta * COUNTS / lam**2).sum(axis=0))
    assert found["digammas"] == pytest.approx(psi(lam).sum(axis=0), rel=1e-9)
    assert found["expected"] == pytest.approx((COUNTS * psi(lam)).sum(axis=0), rel=1e-9)
    assert found["log_gammas"] == pytest.approx(gammaln(lam).sum(axis=0), rel=1e-9)
