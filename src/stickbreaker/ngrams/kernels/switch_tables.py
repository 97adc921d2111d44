"""Switches: lambda_h, the probability that a topic draws the word after context h, not the common model.

lambda_h ~ Beta(c lambda_h', c (1 - lambda_h')), where h' is the context without its farthest word: a
Dirichlet process over two dishes (Noji et al. 2013, equation 5). Its restaurants are like those of a language
model with two words and no discounts: slot 2 r is the common topic in restaurant r, slot 2 r + 1 all other
topics.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, exp64
from stickbreaker.kernels.random import seeded, uniform
from stickbreaker.kernels.random_gammas import log_gamma_number
from stickbreaker.ngrams.kernels.pitman_yor import (
    CUSTOMERS,
    KINDS,
    TABLES,
    Layout,
    Priors,
    Seating,
    count_size,
    take_size,
)

LEAST = 1e-15  # of lambda and of 1 - lambda


class Switches(NamedTuple):
    """The restaurants of the switches, one per context, which decide between topics and the common topic.

    They are a language model with two words, topics and the common topic: G0 is 1/2 for both, and discounts
    are 0.
    """

    layout: Layout
    seating: Seating
    priors: Priors
    shares: NDArray[np.float64]  # restaurants: lambda, if it is sampled


@njit(**OPTIONS)
def draw_shares(switches, key):
    """Draw lambda of each context given the seating of the switches, and write it to `switches.shares`.

    lambda is the probability that a word comes from a topic, not from the common one. Contexts are drawn from
    the empty one on, each given the next shorter one. key: of the random stream (uint64).
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    layout, seats, shares = switches.layout, switches.seating.seats, switches.shares
    for restaurant in range(len(shares)):
        above = layout.parents[2 * restaurant + 1]
        shorter = shares[above // 2] if above >= 0 else 0.5
        mass = switches.priors.concentrations[layout.depths[restaurant]]
        topics = log_gamma_number(mass * shorter + seats[2 * restaurant + 1, CUSTOMERS], state)
        common = log_gamma_number(mass * (1.0 - shorter) + seats[2 * restaurant, CUSTOMERS], state)
        odds = exp64(min(common - topics, 700.0))  # of Gamma variables that may underflow
        shares[restaurant] = min(max(1.0 / (1.0 + odds), LEAST), 1.0 - LEAST)


@kernel_part(**PART)
def _seat(slot, customers, mass, layout, seating, state):
    """Seat `customers` customers in an empty slot by a Chinese restaurant process with the concentration
    `mass`; returns the number of tables."""
    seats, sizes, first = seating.seats, seating.sizes, layout.places[slot]
    kinds, tables = 0, 0
    for seated in range(customers):
        target = uniform(state) * (mass + seated) - mass
        if seated == 0 or target < 0.0:
            tables, size = tables + 1, 0
        elif layout.places[slot + 1] == first:
            size = 0  # never: there is room for one customer
        else:
            entry = first
            while entry < first + kinds - 1:
                target -= np.float64(sizes[entry, 0]) * sizes[entry, 1]
                if target < 0.0:
                    break
                entry += 1
            size = sizes[entry, 0]
            kinds = take_size(sizes, first, kinds, entry)
        if layout.places[slot + 1] > first:
            kinds = count_size(sizes, first, kinds, size + 1)
    seats[slot, CUSTOMERS], seats[slot, TABLES], seats[slot, KINDS] = customers, tables, kinds
    return tables


@njit(**OPTIONS)
def seat_switches(own, switches, key):
    """Draw the seating of the switches again, given lambda (`switches.shares`), as if all customers had left.

    Restaurants are seated from the longest contexts to the shortest, since each table sends a customer to the
    restaurant of the next shorter context. own (slots, int64): the customers that are not sent by tables of
    longer contexts, for the common topic (slot 2 r of context r) and other topics (2 r + 1); key: of the
    random stream (uint64).
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    layout, seating, shares = switches.layout, switches.seating, switches.shares
    sent = own.copy()
    seating.totals[:] = 0
    for slot in range(len(own) - 1, -1, -1):
        restaurant, above = slot // 2, layout.parents[slot]
        shorter = shares[above // 2] if above >= 0 else 0.5
        share = shorter if slot % 2 == 1 else 1.0 - shorter
        mass = switches.priors.concentrations[layout.depths[restaurant]] * share
        tables = _seat(slot, sent[slot], mass, layout, seating, state)
        seating.totals[restaurant, CUSTOMERS] += sent[slot]
        seating.totals[restaurant, TABLES] += tables
        if above >= 0:
            sent[above] += tables
