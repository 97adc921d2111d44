"""The table's decay at 100,000 words × 100 topics: a blend of one minibatch's rows compared with a dense
pass.

`Table.blend` keeps a factor in addition to its values, so that a step changes only the rows that it read; a
dense table would multiply all of them. `python -m benchmarks.decay` runs it alone; it needs about 400 MB.
"""

import time
from typing import Any

import numpy as np

from stickbreaker.core.records import Rows
from stickbreaker.engines.table import Table

WORDS, TOPICS = 100_000, 100
ROWS = 10_000  # distinct words of a minibatch: 256 AP articles have about as many
REPEATS = 15


def measure() -> dict[str, Any]:
    """Median CPU seconds of both, and their ratio."""
    generator = np.random.default_rng(0)
    table = Table(generator.random((WORDS, TOPICS)), "words", "topics")
    dense = generator.random((WORDS, TOPICS))
    ours, theirs = [], []
    for _ in range(REPEATS):
        positions = np.sort(generator.choice(WORDS, ROWS, replace=False))
        values = generator.random((ROWS, TOPICS))
        begun = time.process_time()
        table.blend(Rows(positions, values), 0.97, 0.03)
        middle = time.process_time()
        dense *= 0.97
        dense[positions] += 0.03 * values
        theirs.append(time.process_time() - middle)
        ours.append(middle - begun)
    blend, full = float(np.median(ours)), float(np.median(theirs))
    sizes = {"words": WORDS, "topics": TOPICS, "rows": ROWS}
    return {**sizes, "blend_s": blend, "dense_s": full, "ratio": full / blend}


if __name__ == "__main__":
    print(measure())
