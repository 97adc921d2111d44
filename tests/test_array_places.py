"""Of the tool that finds sums which depend on where arrays lie."""

import numpy as np
from numba import config, njit

from stickbreaker.kernels.math import OPTIONS
from tests import array_places

FAST = {**OPTIONS, "cache": False}


def _together(values, out):
    total = 0.0
    for k in range(len(values)):
        out[k] = values[k]
        total += values[k]
    return total


def _apart(values, out):
    for k in range(len(values)):
        out[k] = values[k]
    total = 0.0
    for k in range(len(values)):
        total += out[k]
    return total


def test_a_sum_beside_a_write_is_found(monkeypatch):
    from numba.core import codegen

    if config.DISABLE_JIT:
        return
    library = codegen.CPUCodeLibrary
    monkeypatch.setattr(library, "_finalize_final_module", library._finalize_final_module)
    found = array_places.watch()
    values = np.linspace(0.1, 0.9, 7)
    for function in (_apart, _together):
        assert abs(njit(**FAST)(function)(values, np.zeros(7)) - 3.5) < 1e-12
    assert [name.rpartition(".")[2] for name in dict.fromkeys(found)] == ["_together"]
