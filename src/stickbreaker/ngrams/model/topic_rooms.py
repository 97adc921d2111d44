"""How much memory the restaurants of topics need, given the words of a text."""

import numpy as np
from numpy.typing import NDArray

from stickbreaker.ngrams.kernels.topic_tables import Rooms, Seats
from stickbreaker.ngrams.model.contexts import Contexts, Integers
from stickbreaker.ngrams.model.seatings import passing


def rooms_of(contexts: Contexts, own: NDArray[np.integer], n_topics: int, ways: int) -> Rooms:
    """The fixed structure of restaurants, with memory for `n_topics` topics, the common one included.

    own (slots): the number of words whose longest context is there; a slot is a word in a context.

    A word that passes through a slot is a customer there at most `ways` times: once, or twice if topics draw
    on the common one. An entry counts the tables of one size and key, which is a topic, or a topic whose
    tables send customers to the common one. With m customers there are at most min(m, keys + sqrt(2 m keys))
    entries, since n sizes of one key need at least 1 + 2 + ... + n customers.
    """
    most, totals = passing(contexts, own)
    keys = ways * n_topics
    customers = ways * most
    entries = np.minimum(customers, keys + np.ceil(np.sqrt(2.0 * customers * keys)).astype(np.int64))
    entries[most <= 1] = 0
    parents = contexts.parents
    inner = np.flatnonzero(parents >= 0)
    longer = inner[np.argsort(parents[inner], kind="stable")]
    return Rooms(
        n_topics,
        parents,
        contexts.restaurants,
        contexts.depths,
        _starts(np.bincount(parents[inner], minlength=len(parents))),
        longer,
        _starts(np.minimum(n_topics, customers)),
        _starts(entries),
        _starts(np.minimum(n_topics, ways * totals)),
    )


def empty_seats(rooms: Rooms) -> Seats:
    """A seating without customers, in the memory that `rooms` lays out.

    A slot (a word in a context) has a cell per topic with customers. If it has room for every topic, all its
    cells are in use from the start, in the order of topics.
    """
    cells, n_cells = _empty(rooms.cells, rooms.n_topics, 4)
    totals, n_totals = _empty(rooms.totals, rooms.n_topics, 3)
    entries = np.zeros((int(rooms.entries[-1]), 3), np.int32)
    return Seats(cells, n_cells, entries, np.zeros(len(rooms.parents), np.int32), totals, n_totals)


def _empty(starts: Integers, n_topics: int, columns: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Rows of cells (or totals) without customers, and how many are in use in each slot (or restaurant).

    starts: where the rows of each begin. If one has a row for every topic, all are in use, in the order of
    topics.
    """
    rows = np.zeros((int(starts[-1]), columns), np.int32)
    full = np.diff(starts) == n_topics
    places = starts[:-1][full][:, None] + np.arange(n_topics)
    rows[places, 0] = np.arange(n_topics)
    return rows, np.where(full, n_topics, 0).astype(np.int32)


def used(starts: Integers, n: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether each reserved row is in use (rows): the first n[s] of slot s are, from row starts[s] on.

    For cells and entries of slots, and for totals of restaurants. starts has one more entry than n.
    """
    sizes = np.diff(starts)
    return np.arange(int(starts[-1])) - np.repeat(starts[:-1], sizes) < np.repeat(n, sizes)


def _starts(sizes: NDArray[np.integer]) -> Integers:
    """Where the rows of each slot begin, from how many each has; then the number of all (slots + 1)."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
