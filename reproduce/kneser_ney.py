"""Interpolated modified Kneser-Ney (Chen & Goodman 1999), with which the others are compared."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.ngrams.model.contexts import Contexts, Integers

Array = NDArray[np.float64]


class KneserNey(NamedTuple):
    """Counts less their discounts, and what a context leaves to the shorter one."""

    contexts: Contexts
    discounted: Array  # slots: (c - D(c)) / c of the restaurant
    left: Array  # restaurants: gamma, what the discounts have freed
    discounts: Array  # depths × 3: D1, D2, D3+

    def probability(self, restaurants: Integers, slots: Integers) -> Array:
        """p(word | context) (words): restaurants and slots (words × depths) on the way from the empty
        context, -1 if it has none; in the end there is a uniform distribution."""
        p = np.full(len(restaurants), 1.0 / self.contexts.n_words)
        for restaurant, slot in zip(restaurants.T, slots.T, strict=True):
            longer = self.left[restaurant] * p + np.where(slot >= 0, self.discounted[slot], 0.0)
            p = np.where(restaurant >= 0, longer, p)
        return p


def kneser_ney(contexts: Contexts, deepest: Integers) -> KneserNey:
    """The model of a text, given its contexts and the deepest slot of each word.

    An n-gram of the highest order, or one at the beginning of a sentence, counts as often as it occurs; a
    shorter one as often as there are different words before it. Discounts by order, from the numbers of
    n-grams that count one to four (Chen & Goodman 1999, equation 26).
    """
    counts = np.bincount(deepest, minlength=len(contexts.slot_keys)).astype(np.float64)
    parents = contexts.parents
    counts += np.bincount(parents[parents >= 0], minlength=len(counts))
    depths = contexts.depths[contexts.restaurants]
    discounts = np.array([_discounts(counts[depths == depth]) for depth in range(depths.max() + 1)])
    kinds = np.clip(counts, 0, 3).astype(np.int64)
    off = np.where(kinds > 0, discounts[depths, np.maximum(kinds, 1) - 1], 0.0)
    totals = np.bincount(contexts.restaurants, counts)
    return KneserNey(
        contexts,
        (counts - off) / totals[contexts.restaurants],
        np.bincount(contexts.restaurants, off) / totals,
        discounts,
    )


def _discounts(counts: Array) -> Array:
    """D1, D2 and D3+ of one order's counts; .5, 1 and 1.5 where a number that they need is missing."""
    one, two, three, four = (float((counts == n).sum()) for n in (1, 2, 3, 4))
    if not min(one, two, three, four):
        return np.array([0.5, 1.0, 1.5])
    ratio = one / (one + 2.0 * two)
    return np.array([1 - 2 * ratio * two / one, 2 - 3 * ratio * three / two, 3 - 4 * ratio * four / three])
