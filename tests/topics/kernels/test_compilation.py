"""A process that compiles the kernels says so, and gives the bytes of one that finds them compiled."""

import os
import subprocess

import pytest
from tests.running import PROGRAM, SMALL
from tests.tiers import sampled

from stickbreaker.console.console import COMPILING
from stickbreaker.testing.estimators import contents

KINDS = ("mean-field", "hybrid", "gibbs", "gibbs-delayed")


@pytest.mark.slow
@pytest.mark.parametrize("inference", sampled(KINDS, 2))
def test_fresh_and_cached_kernels_agree_to_the_last_bit(planted, tmp_path, inference):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    options = ("--inference", inference, "--eta", "learned", "--iterations", 4, "--tol", 0, *SMALL)
    notices = []
    for name in ("fresh", "cached"):
        words = [str(word) for word in ("fit", "lda", planted, "--out", tmp_path / name, *options)]
        done = subprocess.run([PROGRAM, *words], env=environment, capture_output=True, text=True, check=True)
        notices.append(done.stderr.count(COMPILING))
    assert notices == [1, 0]
    assert contents(tmp_path / "fresh") == contents(tmp_path / "cached")
    assert list((tmp_path / "cache").rglob("*.nbc")), "the kernels are cached"
