"""Which sentences are too long for a chart: reckoned before, and the same on every machine."""

import numpy as np
from numpy.typing import NDArray

from stickbreaker.models.grammars.compiled import Compiled

LARGEST_CHART = 2 << 30  # bytes that a sentence's chart and drafts of its trees may take
ENTRY = 56  # bytes of an entry of a draft, and of what is still to be drawn


def draft_entries(grammar: Compiled, lengths: NDArray[np.int64] | int) -> NDArray[np.int64]:
    """Entries of a tree of a sentence of that many terminals, at most."""
    n = 2 * np.asarray(lengths, np.int64) * (grammar.unary + 1) + 2
    if grammar.n_closures:  # each subtree that is remembered may have as many unary steps
        n *= len(grammar.adapted) + 1
    return n


def chart_bytes(grammar: Compiled, lengths: NDArray[np.int64] | int) -> NDArray[np.float64]:
    """What sentences of that many terminals take: two numbers for each symbol and span, and drafts."""
    chart = 16.0 * len(grammar.names) * (np.asarray(lengths, np.float64) + 1.0) ** 2
    return chart + ENTRY * draft_entries(grammar, lengths).astype(np.float64)


def chart_fits(grammar: Compiled, lengths: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which sentences, by their lengths, are short enough."""
    return chart_bytes(grammar, lengths) <= LARGEST_CHART


def why_too_long(grammar: Compiled, length: int) -> str:
    """What is wrong with a sentence that does not fit."""
    gigabytes = float(chart_bytes(grammar, length)) / (1 << 30)
    return (
        f"a sentence of {length:,} symbols would take {gigabytes:.1f} GB, more than {LARGEST_CHART >> 30} GB"
    )
