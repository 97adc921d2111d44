"""Block moves: resampling the topic of a table with all words below it (Noji et al. 2013, 4.2).

A block is a table, the tables of longer contexts that are its customers, their customers, and so on down to
words of the text in any documents. Seatings do not record which customers sit at which table, so a table's
customers are chosen evenly among those of its slot and topic. The block's topic is drawn given everything
else.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART
from stickbreaker.kernels.random import seeded, uniform
from stickbreaker.ngrams.kernels.block_weights import Block, draw_topic, weigh_block, weigh_switches
from stickbreaker.ngrams.kernels.topic_sweeps import count_word, enter, predict_topics, scratch_of
from stickbreaker.ngrams.kernels.topic_tables import (
    COMMON,
    KEY,
    NUMBER,
    SIZE,
    TABLES,
    TOPIC,
    add_tables,
    count,
    customers_of,
    fill_path,
    leave,
)


class Sitting(NamedTuple):
    """The words of the text, grouped by the slot (a word in a context) in which they sit: those of slot s are
    words[starts[s]:starts[s + 1]]."""

    starts: NDArray[np.int64]  # slots + 1
    words: NDArray[np.int64]


@njit(**OPTIONS)
def room_of_block(most, n_depths, n_topics, n_documents):
    """Allocate the working memory for a block (a table with all tables and words below it) of at most `most`
    words."""
    return Block(
        np.empty(most * n_depths + 1, np.int64),
        np.empty(most * n_depths + 2, np.int64),
        np.empty(most * n_depths + 1, np.int64),
        np.empty(most, np.int64),
        np.empty(n_topics),
        np.empty(n_topics),
        np.zeros(n_documents, np.int32),
    )


@kernel_part(**PART)
def _pick_tables(child, topic, tables, wanted, rooms, seats, block, end, state):
    """Choose `wanted` of a topic's tables in a slot uniformly, and append their sizes to the block's sizes
    from `end` on; returns the new end.

    child: the slot; tables: how many the topic has there.
    """
    if rooms.entries[child + 1] == rooms.entries[child]:
        block.sizes[end] = 1
        return end + 1
    first = rooms.entries[child]
    left = tables
    for entry in range(first, first + seats.n_entries[child]):
        if seats.entries[entry, KEY] != topic:
            continue
        for _ in range(seats.entries[entry, NUMBER]):
            if wanted == left or uniform(state) * left < wanted:
                block.sizes[end] = seats.entries[entry, SIZE]
                end += 1
                wanted -= 1
            left -= 1
            if wanted == 0:
                return end
    return end


@njit(**PART)
def gather(slot, topic, size, words, sitting, rooms, seats, block, state):
    """Fill a block with a table of this slot, topic and size, and all tables and words below it.

    Returns its numbers of parts (slots with some of these tables) and of words. The table's customers are
    drawn uniformly among those of the slot and topic.
    """
    block.slots[0], block.sizes[0] = slot, size
    block.tables[0], block.tables[1] = 0, 1
    n_parts, n_words, part = 1, 0, 0
    while part < n_parts:
        at, wanted = block.slots[part], np.int64(0)
        for table in range(block.tables[part], block.tables[part + 1]):
            wanted += block.sizes[table]
        left, _, _ = customers_of(at, topic, rooms, seats)
        part += 1
        for place in range(sitting.starts[at], sitting.starts[at + 1]):
            if wanted == 0:
                break
            word = sitting.words[place]
            if words.topics[word] != topic:
                continue
            if wanted == left or uniform(state) * left < wanted:
                block.words[n_words] = word
                n_words += 1
                wanted -= 1
            left -= 1
        for place in range(rooms.children[at], rooms.children[at + 1]):
            if wanted == 0:
                break
            child = rooms.longer[place]
            _, _, tables = customers_of(child, topic, rooms, seats)
            chosen = 0
            for _ in range(tables):
                if wanted == left or uniform(state) * left < wanted:
                    chosen += 1
                    wanted -= 1
                left -= 1
            if chosen > 0:
                end = _pick_tables(
                    child, topic, tables, chosen, rooms, seats, block, block.tables[n_parts], state
                )
                block.slots[n_parts] = child
                n_parts += 1
                block.tables[n_parts] = end
    return n_parts, n_words


@njit(**PART)
def seat_block(n_parts, n_words, key, topic, change, words, rooms, seats, block):
    """Seat a block of tables and words in a topic, or remove it from there (change -1).

    n_parts, n_words: as `gather` returned them; key: of its first table (the topic, and where it sends its
    customer).
    """
    for part in range(n_parts):
        slot, customers = block.slots[part], np.int64(0)
        for table in range(block.tables[part], block.tables[part + 1]):
            customers += block.sizes[table]
            add_tables(slot, key if part == 0 else topic, block.sizes[table], change, rooms, seats)
        tables = block.tables[part + 1] - block.tables[part]
        common = change if part == 0 and key >= rooms.n_topics else 0
        count(slot, topic, change * customers, change * tables, common, rooms, seats)
    for place in range(n_words):
        word = block.words[place]
        if change > 0:
            words.topics[word] = topic
        count_word(word, change, words)


@njit(**PART)
def tables_at(slot, first_topic, rooms, seats):
    """How many tables of topics from `first_topic` on a slot (a word in a context) has: as many moves are
    tried there.

    The result is 0 if each table can only have a single word of the text, so that moves of words suffice.
    """
    tables = np.int64(0)
    if rooms.children[slot + 1] == rooms.children[slot] and rooms.entries[slot + 1] == rooms.entries[slot]:
        return tables
    for cell in range(rooms.cells[slot], rooms.cells[slot] + seats.n_cells[slot]):
        if seats.cells[cell, TOPIC] >= first_topic:
            tables += seats.cells[cell, TABLES]
    return tables


@njit(**PART)
def pick_table(slot, tables, first_topic, rooms, seats, state):
    """Pick one of a slot's tables uniformly, among those of topics from `first_topic` on.

    tables: how many these are. Returns the table's key and size. The key is its topic; if it sends its
    customer to the common topic, the number of topics is added.
    """
    target = uniform(state) * tables
    first = rooms.entries[slot]
    if rooms.entries[slot + 1] == first:
        for cell in range(rooms.cells[slot], rooms.cells[slot] + seats.n_cells[slot]):
            topic = np.int64(seats.cells[cell, TOPIC])
            if seats.cells[cell, TABLES] > 0 and topic >= first_topic:
                return topic + rooms.n_topics * np.int64(seats.cells[cell, COMMON]), np.int64(1)
    key, size = np.int64(first_topic), np.int64(1)
    for entry in range(first, first + seats.n_entries[slot]):
        if seats.entries[entry, KEY] >= first_topic:
            key, size = np.int64(seats.entries[entry, KEY]), np.int64(seats.entries[entry, SIZE])
            target -= seats.entries[entry, NUMBER]
            if target < 0.0:
                break
    return key, size


@kernel_part(**PART)
def parent_predictions(slot, rooms, seats, priors, scratch):
    """Fill `scratch.weights` (topics) with the probability of a slot's word in the next shorter context,
    where its tables send customers.

    Returns the depth (length) of that context, or -1 if the slot is in the empty one; the weights are then
    G0.
    """
    depth = fill_path(slot, rooms, scratch.path) - 1
    if depth >= 0:
        predict_topics(depth, rooms, seats, priors, scratch)
    for k in range(rooms.n_topics):
        scratch.weights[k] = scratch.p[depth, k] if depth >= 0 else priors.base[slot]
    return depth


@kernel_part(**PART)
def _lift(slot, topic, size, total, words, sitting, rooms, seats, priors, scratch, block, state):
    """Remove a table and everything below it as a block, and fill the block's weight for each topic.

    Returns its numbers of parts and words, as `gather` does, and the depth of the next shorter context, as
    `parent_predictions` does. total: the sum of the Dirichlet parameters of documents' topics.
    """
    n_parts, n_words = gather(slot, topic, size, words, sitting, rooms, seats, block, state)
    seat_block(n_parts, n_words, topic, topic, -1, words, rooms, seats, block)
    leave(rooms.parents[slot], topic, rooms, seats, state)
    depth = parent_predictions(slot, rooms, seats, priors, scratch)
    weigh_block(scratch.weights, n_parts, n_words, total, words, rooms, seats, priors, block)
    return n_parts, n_words, depth


@kernel_part(**PART)
def _set_down(n_parts, n_words, depth, topic, words, rooms, seats, priors, scratch, block, state):
    """Put a block that `_lift` removed back, in a newly drawn topic: seat the block, and the customer that
    its table sends to the shorter context (of the length `depth`)."""
    seat_block(n_parts, n_words, topic, topic, 1, words, rooms, seats, block)
    enter(depth, topic, rooms, seats, priors, scratch, state)


@njit(**OPTIONS)
def move_tables(words, sitting, rooms, seats, priors, most, key):
    """Resample the topics of tables together with all words below them, for independent topics; returns how
    many tables changed.

    In each slot (a word in a context), tables are picked uniformly, as often as it has tables (moves do not
    change their number). Tables of a single word are left to the moves of words. sitting: words by slot;
    most: the most words of the text below any slot.
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    scratch = scratch_of(len(priors.discounts), rooms.n_topics)
    block = room_of_block(most, len(priors.discounts), rooms.n_topics, len(words.sizes))
    total, moved = words.prior.sum(), 0
    for slot in range(len(rooms.parents)):
        tables, ends = tables_at(slot, 0, rooms, seats), rooms.children[slot + 1] == rooms.children[slot]
        for _ in range(tables):
            topic, size = pick_table(slot, tables, 0, rooms, seats, state)
            if ends and size == 1:
                continue
            n_parts, n_words, depth = _lift(
                slot, topic, size, total, words, sitting, rooms, seats, priors, scratch, block, state
            )
            chosen = draw_topic(1, block, state)
            _set_down(n_parts, n_words, depth, chosen, words, rooms, seats, priors, scratch, block, state)
            moved += chosen != topic
    return moved


@njit(**OPTIONS)
def move_switching_tables(words, sitting, rooms, seats, priors, shares, most, key):
    """Resample the topics of tables together with all words below them, for topics with a common one; returns
    how many tables changed.

    Like `move_tables`, but a word comes from the common topic with the probability 1 - lambda of its context.
    shares (restaurants): lambda of each context.
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    scratch = scratch_of(len(priors.discounts), rooms.n_topics)
    block = room_of_block(most, len(priors.discounts), rooms.n_topics, len(words.sizes))
    total, moved = words.prior.sum(), 0
    for slot in range(len(rooms.parents)):
        tables, ends = tables_at(slot, 0, rooms, seats), rooms.children[slot + 1] == rooms.children[slot]
        for _ in range(tables):
            topic, size = pick_table(slot, tables, 0, rooms, seats, state)
            if ends and size == 1:
                continue
            n_parts, n_words, depth = _lift(
                slot, topic, size, total, words, sitting, rooms, seats, priors, scratch, block, state
            )
            weigh_switches(n_words, words, rooms, shares, block)
            chosen = draw_topic(0, block, state)
            _set_down(n_parts, n_words, depth, chosen, words, rooms, seats, priors, scratch, block, state)
            moved += chosen != topic
    return moved
