"""Draws the number of tables in Chinese restaurants, given the numbers of customers."""

import numpy as np
from numba import njit

from stickbreaker.kernels.math import OPTIONS
from stickbreaker.kernels.random import seeded, uniform


@njit(**OPTIONS)
def draw_tables(columns, counts, masses, key, tables_out):
    """Draw the number of tables of each topic in each restaurant; tables_out gets the totals per topic.

    For learning the topics' weights in a hierarchical Dirichlet process: a restaurant is usually a document.
    columns, counts (pairs): a topic in a restaurant, and its customers there, at least one; masses (columns):
    alpha beta_k of each topic; key: seeds the draws (uint64). Antoniak's distribution: the first customer
    opens a table, and customer i + 1 with probability mass / (mass + i). tables_out (columns, int64) is added
    to.
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
