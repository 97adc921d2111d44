"""What a text implies for its seatings: how many words can pass each slot, and which are possible."""

import numpy as np
from numpy.typing import NDArray

from stickbreaker.ngrams.kernels.pitman_yor import Layout
from stickbreaker.ngrams.kernels.topic_tables import Rooms
from stickbreaker.ngrams.model.contexts import Contexts, Integers


def passing(contexts: Contexts, own: NDArray[np.integer]) -> tuple[Integers, Integers]:
    """How many words of the text can sit in each slot (a word in a context), and in each restaurant (a
    context).

    A word can sit in the slot of its longest context and in those of all shorter ones. own (slots): the
    number of words for which this is the slot of their longest context.
    """
    most = own.astype(np.int64)
    depths = contexts.depths[contexts.restaurants]
    for depth in range(int(depths.max()), 0, -1):
        slots = np.flatnonzero(depths == depth)
        np.add.at(most, contexts.parents[slots], most[slots])
    return most, np.bincount(contexts.restaurants, most, len(contexts.depths)).astype(np.int64)


def places_of(contexts: Contexts, own: NDArray[np.integer]) -> Integers:
    """Where each slot's table sizes begin in one shared array (slots + 1 offsets). A slot is a word in a
    context.

    Each has room for as many different table sizes as can occur at once: `room_for_sizes`, with the number of
    words that can pass the slot as its most customers. own (slots): the words whose longest context is there.
    """
    return room_for_sizes(passing(contexts, own)[0])


def room_for_sizes(most: Integers) -> Integers:
    """Where each slot's table sizes begin in one shared array (slots + 1 offsets). A slot is a word in a
    context.

    most (slots): the most customers that each can have. Tables of n different sizes have at least 1 + 2 + ...
    + n customers, so a slot has room for the largest such n; it has none if it never has two customers.
    """
    room = np.where(most > 1, (np.sqrt(8.0 * most + 1.0) - 1.0) / 2.0, 0.0).astype(np.int64)
    return np.concatenate([[0], np.cumsum(room)])


def stops_and_passes(layout: Layout | Rooms, at: Integers, stop: NDArray[np.bool_]) -> NDArray[np.int32]:
    """For contexts of any length: how many words stop at each restaurant (their context ends there), and how
    many pass it to a longer context (restaurants × 2).

    at (words): the slot (a word in a context) where each sits; stop (words): whether a longer context was
    possible. Only such words count as stops.
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
    """Check a seating from a checkpoint, and count its totals (restaurants × (customers, tables)).

    sitting (slots): the customers that are words of the text, not tables of a longer context. Raises
    ValueError if it is not a seating of this text.
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
