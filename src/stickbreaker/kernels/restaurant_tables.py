"""Draws the number of tables in Chinese restaurants, given their customers."""

import numpy as np
from numba import njit

from stickbreaker.kernels.math import OPTIONS
from stickbreaker.kernels.random import seeded, uniform


@njit(**OPTIONS)
def draw_tables(columns, counts, masses, key, tables_out):
    """Add to tables_out the number of tables that serve each topic: each restaurant's is drawn from the
    Antoniak distribution.

    columns, counts (pairs): a topic in a restaurant (a document, say) and its customers n, at least one;
    masses (columns): the concentration of each topic, alpha beta_k; key: that of the stream (uint64). A
    topic's first customer opens a table, and customer i + 1 opens one with probability alpha beta_k / (alpha
    beta_k + i). tables_out (columns, int64) is added to.
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    for j in range(len(columns)):
        mass = masses[columns[j]]
        tables = 1
        for i in range(1, counts[j]):
            if uniform(state) * (mass + i) < mass:
                tables += 1
        tables_out[columns[j]] += tables
