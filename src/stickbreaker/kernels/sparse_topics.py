"""The topics that a document uses as a list without gaps: sparse draws search these instead of all topics."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import PART


class InUse(NamedTuple):
    """The topics in use in a document, listed without gaps at the beginning of the arrays.

    Their number is stored by the caller (`size`).
    """

    topics: NDArray[np.integer]  # places
    counts: NDArray[np.floating]  # places: tokens, at least 1 where taken
    places: NDArray[np.integer]  # topics: place of a topic in use, -1 of others
    sums: NDArray[np.floating]  # places: running sums for the current word


@kernel_part(**PART)
def add_one(k, size, used):
    """Add a token of topic k to `used` (InUse with `size` topics); returns the new number of topics."""
    place = used.places[k]
    if place < 0:
        used.places[k] = size
        used.topics[size] = k
        used.counts[size] = np.float32(1.0)
        return size + 1
    used.counts[place] += np.float32(1.0)
    return size


@kernel_part(**PART)
def remove_one(k, size, used):
    """Remove a token of topic k from `used` (InUse with `size` topics); returns the new number of topics.

    If no token of the topic is left, the last topic in use moves into its place.
    """
    place = used.places[k]
    used.counts[place] -= np.float32(1.0)
    if used.counts[place] > np.float32(0.0):
        return size
    last = used.topics[size - 1]
    used.topics[place] = last
    used.counts[place] = used.counts[size - 1]
    used.places[last] = place
    used.places[k] = -1
    return size - 1
