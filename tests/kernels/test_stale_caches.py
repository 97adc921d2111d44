"""Compiled kernels of an earlier version go: their index names classes by modules that may be gone."""

import subprocess
import sys

import pytest

from stickbreaker.kernels import drop_stale_caches

KERNEL = """
from typing import NamedTuple

import numpy as np
from numba import njit


class {name}(NamedTuple):
    values: np.ndarray


@njit(cache=True)
def total(cells):
    return cells.values.sum()
"""
CALL = "import {module}; import numpy; print({module}.total({module}.{name}(numpy.ones(3))))"


@pytest.mark.ci
def test_caches_go_when_classes_do_and_stay_when_they_stay(tmp_path):
    def called(name: str, module: str = "kernel") -> str:
        (tmp_path / f"{module}.py").write_text(KERNEL.format(name=name))
        code = CALL.format(module=module, name=name)
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
        return done.stdout.strip() or done.stderr.strip().splitlines()[-1]

    assert called("Cells") == "3.0"
    drop_stale_caches(tmp_path)  # the first time nobody knows what they are of
    assert called("Cells") == "3.0"
    drop_stale_caches(tmp_path)
    assert list((tmp_path / "__pycache__").glob("*.nbi")), "kept, since the classes are the same"
    assert "Cells" in called("Counts"), "numba cannot read its own index"
    drop_stale_caches(tmp_path)
    assert called("Counts") == "3.0"


def test_folders_that_cannot_be_written_are_left_alone(tmp_path):
    (tmp_path / "__pycache__").write_text("a file in its place")
    (tmp_path / "a.py").write_text("class A: pass")
    drop_stale_caches(tmp_path)
    assert (tmp_path / "__pycache__").is_file()
