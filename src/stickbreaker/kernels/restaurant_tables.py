"""Tables of Chinese restaurants, drawn when only their customers are known."""

import numpy as np
from numba import njit

from stickbreaker.kernels.math import OPTIONS
from stickbreaker.kernels.random import seeded, uniform


@njit(**OPTIONS)
def draw_tables(columns, counts, masses, key, tables_out):
    """Tables that serve each topic, in all restaurants: each restaurant's from the Antoniak distribution.

    columns, counts (pairs): a topic in a restaurant (a document, say) and its customers n, at least one;
    masses (columns): the concentration of each topic, alpha beta_k; key: of the stream (uint64). A topic's
    first customer opens a table, and customer i + 1 opens one with chance alpha beta_k / (alpha beta_k + i).
    tables_out (columns, int64) is added to.
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
