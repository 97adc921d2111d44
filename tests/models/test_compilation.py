"""A process that compiles the kernels and one that loads them from numba's cache give the same bytes."""

import os
import subprocess
import sys

import pytest

CHILD = """
from stickbreaker import LDA
from stickbreaker.testing import plant_topics
for inference in ("mean-field", "hybrid", "gibbs", "gibbs-delayed"):
    model = LDA(5, inference=inference, max_iter=4, tol=0.0, eta="learned", random_state=0, n_jobs=1)
    model.fit(plant_topics().counts)
    print(inference, hash(model.components_.tobytes()), model.alpha_.tobytes().hex())
"""


@pytest.mark.slow
def test_fresh_and_cached_kernels_agree_to_the_last_bit(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONHASHSEED": "0"}
    outputs = [
        subprocess.run(
            [sys.executable, "-c", CHILD], env=environment, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert outputs[0] == outputs[1]
    assert list(tmp_path.rglob("*.nbc")), "the kernels are cached"
