"""The page puts things in the order that Python puts them in, ties included."""

import json
from importlib import resources

import numpy as np
import pytest
from tests.tiers import sampled

from stickbreaker.core.topk import descending


@pytest.mark.parametrize("seed", sampled(range(10), 2))
def test_the_page_s_order_is_that_of_python(seed):
    quickjs = pytest.importorskip("quickjs", reason="quickjs-ng is not installed")
    context = quickjs.Context()
    context.eval(resources.files("stickbreaker.pages").joinpath("base.js").read_text(encoding="utf-8"))
    generator = np.random.default_rng(seed)
    values = generator.choice([0.1, 0.2, 0.5, -0.3, -0.1], 60)
    values = (values * (1.0 + 1e-6 * generator.uniform(-1, 1, 60))).tolist()
    found = context.eval(
        f"const sizes = {values}; JSON.stringify(descending([...sizes.keys()], (k) => sizes[k]))"
    )
    assert json.loads(found) == descending(values).tolist()
