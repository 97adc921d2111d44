"""The seating by topic as arrays of a checkpoint, and back, with checks that it is valid."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import AnyArray
from stickbreaker.ngrams.kernels.topic_tables import (
    COMMON,
    CUSTOMERS,
    KEY,
    NUMBER,
    SIZE,
    TABLES,
    TOPIC,
    Rooms,
    Seats,
)
from stickbreaker.ngrams.model.contexts import Integers
from stickbreaker.ngrams.model.topic_rooms import empty_seats, used

Arrays = Mapping[str, AnyArray]


def seats_to_arrays(rooms: Rooms, seats: Seats) -> dict[str, AnyArray]:
    """The seating as arrays of a checkpoint: the cells (customers by slot and topic) and table sizes in use,
    in order.

    Totals of restaurants are not saved, since they follow from these.
    """
    return {
        "cells": seats.cells[used(rooms.cells, seats.n_cells)],
        "n_cells": seats.n_cells.copy(),
        "entries": seats.entries[used(rooms.entries, seats.n_entries)],
        "n_entries": seats.n_entries.copy(),
    }


def seats_from_arrays(rooms: Rooms, sitting: Integers, arrays: Arrays) -> Seats:
    """The seating from what `seats_to_arrays` returned, with totals counted again.

    sitting (words): slot × topics + topic of each word of the text. Raises ValueError for an invalid seating
    or that of another text.
    """
    seats = empty_seats(rooms)
    rows = _rows("cells", rooms.cells, arrays, seats.cells)
    full = np.diff(rooms.cells) == rooms.n_topics
    if (arrays["n_cells"][full] != rooms.n_topics).any():
        raise ValueError("cells belong to another text")
    seats.cells[rows] = arrays["cells"]
    seats.n_cells[:] = arrays["n_cells"]
    seats.entries[_rows("entries", rooms.entries, arrays, seats.entries)] = arrays["entries"]
    seats.n_entries[:] = arrays["n_entries"]
    slots = np.repeat(np.arange(len(rooms.parents)), np.diff(rooms.cells))
    _refuse_cells(rooms, slots[rows], arrays["cells"], full)
    places = slots[rows] * rooms.n_topics + arrays["cells"][:, TOPIC]
    _refuse_entries(rooms, places, arrays)
    _refuse_customers(rooms, places, arrays["cells"], sitting)
    fill_totals(rooms, seats)
    return seats


def _rows(name: str, starts: Integers, arrays: Arrays, like: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which reserved rows the saved array `name` (cells or entries) fills. Raises ValueError if it does not
    fit.

    starts: where the rows of each slot begin; like: the array to fill, which is not changed here.
    """
    rows, n = arrays[name], arrays[f"n_{name}"]
    sizes = np.diff(starts)
    if rows.dtype != np.int32 or n.dtype != np.int32 or n.shape != sizes.shape:
        raise ValueError(f"{name} belongs to another text")
    if (n < 0).any() or (n > sizes).any() or rows.shape != (int(n.sum()), like.shape[1]):
        raise ValueError(f"{name} belongs to another text")
    return used(starts, n)


def _refuse_cells(rooms: Rooms, slots: Integers, cells: NDArray[np.int32], full: NDArray[np.bool_]) -> None:
    """Raise ValueError if cells (a slot and a topic each) have impossible topics, customers or tables, or are
    out of order.

    slots (cells): the slot of each; full (slots): whether a slot has a cell for every topic.
    """
    topics, customers, tables, common = cells.T.astype(np.int64)
    if (topics < 0).any() or (topics >= rooms.n_topics).any() or (cells[:, CUSTOMERS:] < 0).any():
        raise ValueError("a topic does not exist")
    if (customers < tables).any() or (tables < common).any() or ((tables > 0) != (customers > 0)).any():
        raise ValueError("cells are invalid")
    if (customers[~full[slots]] == 0).any() or (topics[full[slots]] != _ranks(slots)[full[slots]]).any():
        raise ValueError("cells are not sorted")


def _ranks(owners: Integers) -> Integers:
    """For each row, how many rows of the same owner come before it; owners (rows) are ascending."""
    first = np.searchsorted(owners, owners)
    return np.arange(len(owners)) - first


def _refuse_entries(rooms: Rooms, places: Integers, arrays: Arrays) -> None:
    """Raise ValueError if the saved tables by size do not add up to the customers and tables of the cells.

    places (cells): slot × topics + topic of each cell.
    """
    entries, cells = arrays["entries"].astype(np.int64), arrays["cells"].astype(np.int64)
    slots = np.repeat(np.arange(len(rooms.parents)), arrays["n_entries"])
    keys = entries[:, KEY]
    if (keys < 0).any() or (keys >= 2 * rooms.n_topics).any() or (entries[:, SIZE:] <= 0).any():
        raise ValueError("table sizes are invalid")
    order = np.argsort(places)
    at = _found(places[order], slots * rooms.n_topics + keys % rooms.n_topics)
    columns = (
        entries[:, SIZE] * entries[:, NUMBER],
        entries[:, NUMBER],
        entries[:, NUMBER] * (keys >= rooms.n_topics),
    )
    sums = np.stack([np.bincount(at, column, len(places)) for column in columns], axis=1)
    single = (np.diff(rooms.entries) == 0)[places[order] // rooms.n_topics]
    ones = cells[order][:, [TABLES, TABLES, COMMON]]
    if (np.where(single[:, None], ones, sums) != cells[order][:, CUSTOMERS:]).any():
        raise ValueError("table sizes belong to another text")


def _refuse_customers(rooms: Rooms, places: Integers, cells: NDArray[np.int32], sitting: Integers) -> None:
    """Raise ValueError unless the customers of each cell (a slot and a topic) are its words plus the tables
    that send customers to it.

    places (cells): slot × topics + topic of each cell; sitting (words): the same number for each word of the
    text.
    """
    order = np.argsort(places)
    places, counts = places[order], cells[order].astype(np.int64)
    slots, topics = np.divmod(places, rooms.n_topics)
    parents = rooms.parents[slots]
    inner, common = parents >= 0, counts[:, COMMON] > 0
    sent = counts[:, TABLES] - counts[:, COMMON]
    inner &= sent > 0
    found = np.bincount(_found(places, sitting), minlength=len(places))
    found += _sums(places, parents[inner] * rooms.n_topics + topics[inner], sent[inner])
    found += _sums(places, slots[common] * rooms.n_topics, counts[common, COMMON])
    if (found != counts[:, CUSTOMERS]).any():
        raise ValueError("some customers are not words of the text")


def _found(places: Integers, sought: Integers) -> Integers:
    """The positions of `sought` in the ascending numbers `places`. Raises ValueError if one is missing."""
    at = np.minimum(np.searchsorted(places, sought), max(len(places) - 1, 0))
    if len(sought) and (not len(places) or (places[at] != sought).any()):
        raise ValueError("an empty slot has customers")
    return at


def _sums(places: Integers, sought: Integers, values: Integers) -> Integers:
    """Sum values by place (places): `sought` has the place of each value, and `places` are ascending
    numbers."""
    return np.bincount(_found(places, sought), values, len(places)).astype(np.int64)


def fill_totals(rooms: Rooms, seats: Seats) -> None:
    """Fill `seats.totals` (zero before) with the customers and tables of each topic in each restaurant, from
    the cells, and `seats.n_totals` with how many rows are in use."""
    rows = used(rooms.cells, seats.n_cells) & (seats.cells[:, CUSTOMERS] > 0)
    slots = np.repeat(np.arange(len(rooms.parents)), np.diff(rooms.cells))[rows]
    cells = seats.cells[rows].astype(np.int64)
    places = rooms.restaurants[slots] * rooms.n_topics + cells[:, TOPIC]
    found, at = np.unique(places, return_inverse=True)
    restaurants, topics = np.divmod(found, rooms.n_topics)
    full = np.diff(rooms.totals)[restaurants] == rooms.n_topics
    rank = np.where(full, topics, _ranks(restaurants))
    where = rooms.totals[restaurants] + rank
    seats.totals[where, TOPIC] = topics
    for column in (CUSTOMERS, TABLES):
        seats.totals[where, column] = np.bincount(at, cells[:, column], len(found))
    seats.n_totals[:] = np.where(
        np.diff(rooms.totals) == rooms.n_topics,
        rooms.n_topics,
        np.bincount(restaurants, minlength=len(rooms.depths)),
    )
