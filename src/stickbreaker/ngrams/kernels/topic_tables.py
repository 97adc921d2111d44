"""Restaurants of several topics in flat arrays, allocated once so that sampling allocates nothing.

A slot (a word in a context) has a cell for each topic with customers there, and an entry for each size of a
topic's tables. A restaurant (a context) has a total for each topic with customers in it. The number of words
of the text that can pass bounds how many of each are needed. If there is room for all topics, a topic's place
is its number; otherwise those in use come first.

Topic 0 is common to all documents. A table's key is its topic if it sends its customer to the shorter context
in the same topic; it is the topic plus the number of topics if it sends it to topic 0 in the same context.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART
from stickbreaker.kernels.random import uniform
from stickbreaker.ngrams.kernels import pitman_yor

TOPIC, CUSTOMERS, TABLES, COMMON = 0, 1, 2, 3  # columns of cells; all but the last of totals
KEY, SIZE, NUMBER = 0, 1, 2  # columns of entries


class Rooms(NamedTuple):
    """The fixed structure of restaurants (contexts) and slots (words in a context), with memory for counts by
    topic.

    Slots are sorted by restaurant, restaurants by depth.
    """

    n_topics: int  # the common one included
    parents: NDArray[np.int64]  # slots: the same word in the shorter context; -1 in the empty one
    restaurants: NDArray[np.int64]  # slots
    depths: NDArray[np.int64]  # restaurants: words of the context
    children: NDArray[np.int64]  # slots + 1: where each slot's longer slots begin in `longer`
    longer: NDArray[np.int64]
    cells: NDArray[np.int64]  # slots + 1: where each slot's cells begin
    entries: NDArray[
        np.int64
    ]  # slots + 1: where each slot's entries begin; none if its cells have one customer each
    totals: NDArray[np.int64]  # restaurants + 1


class Seats(NamedTuple):
    """The seating by topic: counts of customers and tables, and how many tables have each size. Rows are laid
    out by `Rooms`."""

    cells: NDArray[np.int32]  # × (topic, customers, tables, tables sending to topic 0)
    n_cells: NDArray[np.int32]  # slots: cells in use
    entries: NDArray[np.int32]  # × (key, size, tables of that key and size)
    n_entries: NDArray[np.int32]  # slots
    totals: NDArray[np.int32]  # × (topic, customers, tables)
    n_totals: NDArray[np.int32]  # restaurants


@kernel_part(**PART)
def place_of(rows, first, n, room, n_topics, topic):
    """The row of a topic's cell (or total) among the n rows in use from `first` on; -1 if it has none.

    room: the number of rows reserved; if it is the number of topics, rows are in the order of topics.
    """
    if room == n_topics:
        return first + topic
    for place in range(first, first + n):
        if rows[place, 0] == topic:
            return place
    return np.int64(-1)


@kernel_part(**PART)
def _cell_of(slot, topic, rooms, seats):
    """The row of a topic's cell (its counts) in a slot; -1 if the topic has no cell there."""
    first = rooms.cells[slot]
    room = rooms.cells[slot + 1] - first
    return place_of(seats.cells, first, seats.n_cells[slot], room, rooms.n_topics, topic)


@njit(**PART)
def customers_of(slot, topic, rooms, seats):
    """A topic's customers in a slot (a word in a context), its tables, and how many of these sent their
    customer to the same topic in the shorter context (the others sent it to topic 0)."""
    cell = _cell_of(slot, topic, rooms, seats)
    if cell < 0:
        return 0, 0, 0
    tables = np.int64(seats.cells[cell, TABLES])
    return np.int64(seats.cells[cell, CUSTOMERS]), tables, tables - seats.cells[cell, COMMON]


@njit(**PART)
def totals_of(restaurant, topic, rooms, seats):
    """A topic's numbers of customers and tables in a restaurant (a context); 0 if it has none."""
    first = rooms.totals[restaurant]
    room = rooms.totals[restaurant + 1] - first
    place = place_of(seats.totals, first, seats.n_totals[restaurant], room, rooms.n_topics, topic)
    if place < 0:
        return np.int64(0), np.int64(0)
    return np.int64(seats.totals[place, CUSTOMERS]), np.int64(seats.totals[place, TABLES])


@kernel_part(**PART)
def _count_total(restaurant, topic, customers, tables, rooms, seats):
    """Add customers and tables of a topic to a restaurant's totals; negative numbers are subtracted."""
    totals, first = seats.totals, rooms.totals[restaurant]
    room, n = rooms.totals[restaurant + 1] - first, seats.n_totals[restaurant]
    place = place_of(totals, first, n, room, rooms.n_topics, topic)
    if place < 0:
        place = first + n
        totals[place, TOPIC], totals[place, CUSTOMERS], totals[place, TABLES] = topic, 0, 0
        seats.n_totals[restaurant] = n + 1
    totals[place, CUSTOMERS] += customers
    totals[place, TABLES] += tables
    if totals[place, CUSTOMERS] == 0 and room < rooms.n_topics:
        last = first + seats.n_totals[restaurant] - 1
        for column in range(3):
            totals[place, column] = totals[last, column]
        seats.n_totals[restaurant] -= 1


@kernel_part(**PART)
def count(slot, topic, customers, tables, common, rooms, seats):
    """Add customers and tables of a topic to the counts of a slot (a word in a context) and of its
    restaurant; negative numbers are subtracted.

    common: how many of these tables send their customer to topic 0.
    """
    cells, first = seats.cells, rooms.cells[slot]
    cell = _cell_of(slot, topic, rooms, seats)
    if cell < 0:
        cell = first + seats.n_cells[slot]
        cells[cell, TOPIC] = topic
        cells[cell, CUSTOMERS], cells[cell, TABLES], cells[cell, COMMON] = 0, 0, 0
        seats.n_cells[slot] += 1
    cells[cell, CUSTOMERS] += customers
    cells[cell, TABLES] += tables
    cells[cell, COMMON] += common
    if cells[cell, CUSTOMERS] == 0 and rooms.cells[slot + 1] - first < rooms.n_topics:
        last = first + seats.n_cells[slot] - 1
        for column in range(4):
            cells[cell, column] = cells[last, column]
        seats.n_cells[slot] -= 1
    _count_total(rooms.restaurants[slot], topic, customers, tables, rooms, seats)


@kernel_part(**PART)
def add_tables(slot, key, size, number, rooms, seats):
    """Add `number` tables of this key and size to a slot, or remove them if it is negative; do nothing if the
    slot does not store sizes.

    key: the topic; plus the number of topics if the tables send their customers to the common topic.
    """
    entries, first = seats.entries, rooms.entries[slot]
    if rooms.entries[slot + 1] == first:
        return
    n = seats.n_entries[slot]
    for entry in range(first, first + n):
        if entries[entry, KEY] == key and entries[entry, SIZE] == size:
            entries[entry, NUMBER] += number
            if entries[entry, NUMBER] == 0:
                last = first + n - 1
                for column in range(3):
                    entries[entry, column] = entries[last, column]
                seats.n_entries[slot] = n - 1
            return
    entries[first + n, KEY], entries[first + n, SIZE], entries[first + n, NUMBER] = key, size, number
    seats.n_entries[slot] = n + 1


@kernel_part(**PART)
def _leaving(slot, topic, customers, rooms, seats, state):
    """Draw one of a topic's customers in a slot uniformly; returns the key and size of its table.

    customers: how many there are. The key is the topic; plus the number of topics if the table sent its
    customer to the common topic. Nothing is removed.
    """
    entries, first = seats.entries, rooms.entries[slot]
    if rooms.entries[slot + 1] == first:
        cell = _cell_of(slot, topic, rooms, seats)
        return topic + rooms.n_topics * np.int64(seats.cells[cell, COMMON]), np.int64(1)
    target = uniform(state) * customers if customers > 1 else 0.0
    key, size = np.int64(topic), np.int64(1)
    for entry in range(first, first + seats.n_entries[slot]):
        if entries[entry, KEY] == topic or entries[entry, KEY] == topic + rooms.n_topics:
            key, size = np.int64(entries[entry, KEY]), np.int64(entries[entry, SIZE])
            target -= np.float64(size) * entries[entry, NUMBER]
            if target < 0.0:
                break
    return key, size


@njit(**PART)
def leave(slot, topic, rooms, seats, state):
    """Remove a random customer of a topic from a slot (a word in a context).

    A table that closes takes back the customer that it sent, and so on. The customer is drawn uniformly, so
    its table in proportion to size. Advances `state`.
    """
    while slot >= 0:
        customers, _, _ = customers_of(slot, topic, rooms, seats)
        key, size = _leaving(slot, topic, customers, rooms, seats, state)
        add_tables(slot, key, size, -1, rooms, seats)
        if size > 1:
            add_tables(slot, key, size - 1, 1, rooms, seats)
            count(slot, topic, -1, 0, 0, rooms, seats)
            return
        common = 1 if key >= rooms.n_topics else 0
        count(slot, topic, -1, -1, -common, rooms, seats)
        if common == 1:
            topic = 0
        else:
            slot = rooms.parents[slot]


@kernel_part(**PART)
def joins(slot, topic, a, opening, rooms, seats, state):
    """Draw whether a new customer of a topic joins an existing table of the slot; if so, seat it there.
    Returns whether.

    a: the discount; opening: the mass of a new table, which the caller opens otherwise. Advances `state`.
    """
    customers, tables, _ = customers_of(slot, topic, rooms, seats)
    if customers == 0:
        return False
    seated = customers - a * tables
    target = uniform(state) * (seated + opening)
    if target >= seated:
        return False
    entries, first = seats.entries, rooms.entries[slot]
    key, size = np.int64(topic), np.int64(1)
    for entry in range(first, first + seats.n_entries[slot]):
        if entries[entry, KEY] == topic or entries[entry, KEY] == topic + rooms.n_topics:
            key, size = np.int64(entries[entry, KEY]), np.int64(entries[entry, SIZE])
            target -= (size - a) * entries[entry, NUMBER]
            if target < 0.0:
                break
    add_tables(slot, key, size, -1, rooms, seats)
    add_tables(slot, key, size + 1, 1, rooms, seats)
    count(slot, topic, 1, 0, 0, rooms, seats)
    return True


@kernel_part(**PART)
def opens(slot, key, rooms, seats):
    """Open a table with one customer in a slot.

    key: the topic; plus the number of topics if the table sends its customer to the common topic. The caller
    seats that customer.
    """
    add_tables(slot, key, 1, 1, rooms, seats)
    if key >= rooms.n_topics:
        count(slot, key - rooms.n_topics, 1, 1, 1, rooms, seats)
    else:
        count(slot, key, 1, 1, 0, rooms, seats)


@njit(**PART)
def fill_path(slot, rooms, path):
    """Fill `path` (depths) with the slots of a slot's word in all its contexts, from the empty one on;
    returns the slot's depth."""
    depth = rooms.depths[rooms.restaurants[slot]]
    pitman_yor.fill_path(slot, depth, rooms, path)
    return depth


@njit(**OPTIONS)
def count_sizes(rooms, seats, sizes_out):
    """Add to sizes_out (depths × sizes, int64) how many tables of any topic have each size, by context
    length; it must have room for the largest."""
    for slot in range(len(rooms.parents)):
        depth, first = rooms.depths[rooms.restaurants[slot]], rooms.entries[slot]
        if rooms.entries[slot + 1] == first:
            for cell in range(rooms.cells[slot], rooms.cells[slot] + seats.n_cells[slot]):
                sizes_out[depth, 1] += seats.cells[cell, TABLES]
        for entry in range(first, first + seats.n_entries[slot]):
            sizes_out[depth, seats.entries[entry, SIZE]] += seats.entries[entry, NUMBER]
