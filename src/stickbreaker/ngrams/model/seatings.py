"""What a text implies for its seatings: how many words can pass each slot, and which are possible."""

import numpy as np
from numpy.typing import NDArray

from stickbreaker.ngrams.kernels.pitman_yor import Layout
from stickbreaker.ngrams.kernels.topic_tables import Rooms
from stickbreaker.ngrams.model.contexts import Contexts, Integers


def passing(contexts: Contexts, own: NDArray[np.integer]) -> tuple[Integers, Integers]:
    """The number of words of the text that pass each slot on the way to their longest context (or end there),
    and the same for each restaurant.

    own (slots): words whose deepest slot this is.
    """
    most = own.astype(np.int64)
    depths = contexts.depths[contexts.restaurants]
    for depth in range(int(depths.max()), 0, -1):
        slots = np.flatnonzero(depths == depth)
        np.add.at(most, contexts.parents[slots], most[slots])
    return most, np.bincount(contexts.restaurants, most, len(contexts.depths)).astype(np.int64)


def places_of(contexts: Contexts, own: NDArray[np.integer]) -> Integers:
    """Where the table sizes of each slot begin (slots + 1), with room for all different sizes that can occur.

    At most all words of the text that pass a slot sit in it, and n different sizes need at least 1 + 2 + ...
    + n customers; a slot that never has two customers needs no room. own: see `passing`.
    """
    return room_for_sizes(passing(contexts, own)[0])


def room_for_sizes(most: Integers) -> Integers:
    """Where the table sizes of each slot begin (slots + 1), with room for as many different sizes as `most`
    customers (slots) can have."""
    room = np.where(most > 1, (np.sqrt(8.0 * most + 1.0) - 1.0) / 2.0, 0.0).astype(np.int64)
    return np.concatenate([[0], np.cumsum(room)])


def stops_and_passes(layout: Layout | Rooms, at: Integers, stop: NDArray[np.bool_]) -> NDArray[np.int32]:
    """(restaurants × 2) How many words stop at each restaurant, and how many pass it to longer contexts, with
    unbounded contexts.

    at (words): the slot in which each sits; stop (words): whether it could have passed on.
    """
    n = len(layout.depths)
    passes, above = np.zeros(n, np.int64), layout.parents[at]
    while len(above := above[above >= 0]):
        passes += np.bincount(layout.restaurants[above], minlength=n)
        above = layout.parents[above]
    stops = np.bincount(layout.restaurants[at[stop]], minlength=n)
    return np.stack([stops, passes], axis=1).astype(np.int32)


def counted_seating(
    layout: Layout, seats: NDArray[np.int32], sizes: NDArray[np.int32], sitting: Integers
) -> NDArray[np.int32]:
    """The totals (restaurants × (customers, tables)) of a seating from a checkpoint.

    sitting (slots): customers that no longer context sent. Raises ValueError if it is not a seating of this
    text.
    """
    customers, tables, kinds = seats.T.astype(np.int64)
    room = np.diff(layout.places)
    if (seats < 0).any() or (kinds > room).any() or ((tables > 0) != (customers > 0)).any():
        raise ValueError("seats belong to another text")
    slots = np.repeat(np.arange(len(room)), room)
    used = np.arange(len(slots)) - layout.places[slots] < kinds[slots]
    size, number = (sizes[:, column].astype(np.int64) * used for column in (0, 1))
    pooled = room > 0
    if (sizes[used] <= 0).any() or (np.bincount(slots, number, len(room))[pooled] != tables[pooled]).any():
        raise ValueError("table sizes belong to another text")
    if (np.bincount(slots, number * size, len(room))[pooled] != customers[pooled]).any() or (
        tables[~pooled] != customers[~pooled]
    ).any():
        raise ValueError("table sizes belong to another text")
    inner, expected = layout.parents >= 0, sitting.copy()
    np.add.at(expected, layout.parents[inner], tables[inner])
    if (expected != customers).any():
        raise ValueError("some customers are not words of the text")
    n = len(layout.depths)
    totals = np.stack([np.bincount(layout.restaurants, each, n) for each in (customers, tables)], axis=1)
    return totals.astype(np.int32)
