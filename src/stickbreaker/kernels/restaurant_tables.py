"""Draws the number of tables in Chinese restaurants, given the numbers of customers."""

import numpy as np
from numba import njit

from stickbreaker.kernels.math import OPTIONS
from stickbreaker.kernels.random import seeded, uniform


@njit(**OPTIONS)
def draw_tables(columns, counts, masses, key, tables_out):
    """Draw how many tables serve each topic in each restaurant, and add up the tables of each topic in
    tables_out.

    columns, counts (pairs): a topic in a restaurant (such as a document), and its customers there, at least
    one; masses (columns): alpha beta_k of each topic; key: seeds the draws (uint64). Antoniak's distribution:
    the first customer opens a table, and customer i + 1 with probability mass / (mass + i). tables_out
    (columns, int64) is added to.
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
