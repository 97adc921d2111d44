import numpy as np
import pytest
from scipy import special as scipy_special

from stickbreaker.kernels import math

pytestmark = pytest.mark.kernels


CASES = [  # kernel, exact function, tolerance relative to max(1, |value|)
    (math.digamma64, scipy_special.psi, 1e-10),
    (math.trigamma64, lambda x: scipy_special.polygamma(1, x), 1e-10),
    (math.log_gamma64, scipy_special.gammaln, 1e-10),
    (math.log64, np.log, 1e-13),
]


@pytest.mark.parametrize(
    ("kernel", "exact", "tolerance"), CASES, ids=["digamma", "trigamma", "log gamma", "log"]
)
def test_agrees_with_scipy(kernel, exact, tolerance):
    x = np.exp(np.linspace(np.log(1e-5), np.log(1e8), 3001))
    out = np.array([kernel(value) for value in x])
    assert np.max(np.abs(out - exact(x)) / np.maximum(1.0, np.abs(exact(x)))) < tolerance


def test_exp_is_exact_and_flushes_to_zero():
    x = np.linspace(-690.0, 690.0, 4001)
    out = np.array([math.exp64(value) for value in x])
    assert np.max(np.abs(out / np.exp(x) - 1.0)) < 1e-10
    assert math.exp64(np.float64(-800.0)) == 0.0
    x32 = np.linspace(-79.0, 79.0, 2001).astype(np.float32)
    out32 = np.array([math.exp32(value) for value in x32])
    assert np.max(np.abs(out32 / np.exp(x32.astype(float)) - 1.0)) < 1e-5
    assert math.exp32(np.float32(-100.0)) == 0.0


def test_exp_digamma_without_a_logarithm():
    x = np.exp(np.linspace(np.log(2e-3), np.log(1e7), 2001))
    out = np.array([(v + 6.0) * math.exp64(math.exp_digamma_exponent64(v)) for v in x])
    assert np.max(np.abs(out / np.exp(scipy_special.psi(x)) - 1.0)) < 1e-9
    single = x[x > 0.02].astype(np.float32)
    exact = np.exp(scipy_special.psi(single.astype(float)))
    out32 = [(v + np.float32(4.0)) * math.exp32(math.exp_digamma_exponent32(v)) for v in single]
    assert np.max(np.abs(np.array(out32) / exact - 1.0)) < 3e-5
