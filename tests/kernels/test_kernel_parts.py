"""Functions that only kernels call."""

import os

import pytest
from numba import njit

from stickbreaker.kernels.parts import kernel_part


@kernel_part(nogil=True)
def doubled(x):
    """Twice x."""
    return x + x


@njit
def added(x):
    """Twice x, and one."""
    return doubled(x) + 1


@pytest.mark.kernels
def test_kernels_call_parts():
    assert added(3) == 7
    assert added(0.25) == 1.5


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_python_is_told_how_to_call_one():
    for _ in range(2):  # before and after it is compiled
        with pytest.raises(
            TypeError, match=r"doubled is called by kernels only; from Python, call doubled.py_func"
        ):
            doubled(3)
        assert added(3) == 7
    assert doubled.py_func(3) == 6
