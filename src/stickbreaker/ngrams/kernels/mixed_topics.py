"""Sampling of words and tables under the hierarchical prior, where topics share a common model (Noji et al.
2013, 3.1).

The distribution of a topic k >= 1 after a context h has the base lambda_h G^k_{h'} + (1 - lambda_h) G^0_h,
where h' is the context without its farthest word (equation 3); in the empty context, G0 replaces G^k_{h'}
(the paper does not print this). Given lambda, a customer who sits down or leaves visits each restaurant once,
so predictions are exact; with labelled tables and lambda integrated out, as printed, they are not.
"""

import numpy as np
from numba import njit

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, log64
from stickbreaker.kernels.random import seeded, uniform
from stickbreaker.ngrams.kernels.block_weights import draw_topic, weigh_block
from stickbreaker.ngrams.kernels.topic_blocks import gather, pick_table, room_of_block, seat_block, tables_at
from stickbreaker.ngrams.kernels.topic_sweeps import count_word, drawn, enter, scratch_of, step, weigh_topics
from stickbreaker.ngrams.kernels.topic_tables import (
    COMMON,
    TABLES,
    TOPIC,
    customers_of,
    fill_path,
    joins,
    leave,
    opens,
    totals_of,
)


@kernel_part(**PART)
def _common(slot, d, shorter, rooms, seats, priors):
    """p(word | context) in the common topic, from `shorter`, its p in the context one word shorter.

    slot: the word in this context; d: the length of the context.
    """
    a, b = priors.discounts[d], priors.concentrations[d]
    customers, tables, _ = customers_of(slot, 0, rooms, seats)
    all_customers, all_tables = totals_of(rooms.restaurants[slot], 0, rooms, seats)
    return (customers - a * tables + (b + a * all_tables) * shorter) / (all_customers + b)


@njit(**PART)
def predict_mixed(depth, rooms, seats, priors, shares, scratch):
    """Fill `scratch.p` (depths × topics) with p(word | context, topic) in each context of a word, up to the
    length `depth` (equation 4).

    `scratch.path` must have the word's slots. shares (restaurants): lambda, the weight of the topic itself
    against the common one.
    """
    p, path = scratch.p, scratch.path
    base = priors.base[path[0]]
    for d in range(depth + 1):
        share = shares[rooms.restaurants[path[d]]]
        shorter = p[d - 1, 0] if d > 0 else base
        rest = (1.0 - share) * _common(path[d], d, shorter, rooms, seats, priors)
        p[d, 0] = shorter
        for k in range(1, rooms.n_topics):
            p[d, k] = share * (p[d - 1, k] if d > 0 else base) + rest
        step(path[d], d, rooms, seats, priors, scratch.inverse, p[d])


@kernel_part(**PART)
def enter_mixed(depth, topic, rooms, seats, priors, shares, scratch, state):
    """Seat a word as a customer of a topic (not the common one) in its context of the length `depth`, after
    `predict_mixed`.

    A table that opens sends a customer on: to the shorter context in the same topic, or to the common topic
    in the same context. shares (restaurants): lambda, the weight of the topic itself against the common one.
    """
    for d in range(depth, -1, -1):
        slot = scratch.path[d]
        restaurant = rooms.restaurants[slot]
        a, b = priors.discounts[d], priors.concentrations[d]
        _, tables = totals_of(restaurant, topic, rooms, seats)
        below = shares[restaurant] * (scratch.p[d - 1, topic] if d > 0 else priors.base[slot])
        base = below + (1.0 - shares[restaurant]) * scratch.p[d, 0]
        if joins(slot, topic, a, (b + a * tables) * base, rooms, seats, state):
            return
        if uniform(state) * base >= below:
            opens(slot, topic + rooms.n_topics, rooms, seats)
            enter(d, 0, rooms, seats, priors, scratch, state)
            return
        opens(slot, topic, rooms, seats)


@kernel_part(**PART)
def _sit_down_mixed(word, total, words, rooms, seats, priors, shares, scratch, state):
    """Draw the topic of a word that has no seat, and seat the word in it; returns p(word | all others,
    lambda).

    total: the sum of the Dirichlet parameters of documents' topics; shares (restaurants): lambda, the weight
    of a topic itself against the common one.
    """
    document = words.documents[word]
    depth = fill_path(words.slots[word], rooms, scratch.path)
    predict_mixed(depth, rooms, seats, priors, shares, scratch)
    scale = 1.0 / (words.sizes[document] + total)
    mass = weigh_topics(document, scratch.p[depth], words, scale, scratch.weights)
    words.topics[word] = drawn(scratch.weights, mass, state)
    count_word(word, 1, words)
    enter_mixed(depth, words.topics[word], rooms, seats, priors, shares, scratch, state)
    return mass


@njit(**OPTIONS)
def start_mixed(order, words, rooms, seats, priors, shares, key):
    """Seat words in empty restaurants, one by one, each in a topic drawn given the words seated before.

    For topics that draw on a common one. order: indexes of the words; shares (restaurants): lambda, the
    weight of a topic itself against the common one; key: of the random stream (uint64).
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    scratch, total = scratch_of(len(priors.discounts), rooms.n_topics), words.prior.sum()
    for word in order:
        _sit_down_mixed(word, total, words, rooms, seats, priors, shares, scratch, state)


@njit(**OPTIONS)
def sweep_mixed(words, rooms, seats, priors, shares, key):
    """Resample the topic and seat of every word given all others and lambda.

    Returns the sum of log p(word | its context, its document, all others), in nats, each taken when the word
    was resampled. shares (restaurants): lambda, the weight of a topic itself against the common one; key: of
    the random stream (uint64).
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    scratch = scratch_of(len(priors.discounts), rooms.n_topics)
    total, nats = words.prior.sum(), 0.0
    for word in range(len(words.slots)):
        leave(words.slots[word], words.topics[word], rooms, seats, state)
        count_word(word, -1, words)
        nats += log64(_sit_down_mixed(word, total, words, rooms, seats, priors, shares, scratch, state))
    return nats


@kernel_part(**PART)
def _bases(slot, rooms, seats, priors, shares, scratch):
    """Fill `scratch.weights` (topics) with the base probability of a slot's word in each topic: that of the
    customer whom a new table there sends on. Returns the slot's depth (length of its context).

    Also fills `scratch.path` and `scratch.p` (depths × topics), as `predict_mixed` does.
    """
    depth = fill_path(slot, rooms, scratch.path)
    predict_mixed(depth, rooms, seats, priors, shares, scratch)
    share = shares[rooms.restaurants[slot]]
    rest = (1.0 - share) * scratch.p[depth, 0]
    for k in range(rooms.n_topics):
        below = scratch.p[depth - 1, k] if depth > 0 else priors.base[slot]
        scratch.weights[k] = share * below + rest
    return depth


@njit(**OPTIONS)
def move_mixed_tables(words, sitting, rooms, seats, priors, shares, most, key):
    """Resample the topics of tables together with all words below them, for topics that draw on a common one;
    returns how many tables changed.

    In each slot (a word in a context), tables are picked uniformly, as often as it has tables of topics other
    than the common one. Below a table are customers of its own topic only: tables of longer contexts that
    sent their customer to the common topic are not part of the block. sitting: words by slot; most: the most
    words of the text below any slot.
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    scratch = scratch_of(len(priors.discounts), rooms.n_topics)
    block = room_of_block(most, len(priors.discounts), rooms.n_topics, len(words.sizes))
    total, moved = words.prior.sum(), 0
    for slot in range(len(rooms.parents)):
        tables, ends = tables_at(slot, 1, rooms, seats), rooms.children[slot + 1] == rooms.children[slot]
        for _ in range(tables):
            key_of_table, size = pick_table(slot, tables, 1, rooms, seats, state)
            if ends and size == 1:
                continue
            topic = key_of_table % rooms.n_topics
            n_parts, n_words = gather(slot, topic, size, words, sitting, rooms, seats, block, state)
            seat_block(n_parts, n_words, key_of_table, topic, -1, words, rooms, seats, block)
            if key_of_table == topic:
                leave(rooms.parents[slot], topic, rooms, seats, state)
            else:
                leave(slot, 0, rooms, seats, state)
            depth = _bases(slot, rooms, seats, priors, shares, scratch)
            weigh_block(scratch.weights, n_parts, n_words, total, words, rooms, seats, priors, block)
            chosen = draw_topic(1, block, state)
            below = scratch.p[depth - 1, chosen] if depth > 0 else priors.base[slot]
            share = shares[rooms.restaurants[slot]]
            if uniform(state) * scratch.weights[chosen] < share * below:
                seat_block(n_parts, n_words, chosen, chosen, 1, words, rooms, seats, block)
                enter_mixed(depth - 1, chosen, rooms, seats, priors, shares, scratch, state)
            else:
                common = chosen + rooms.n_topics
                seat_block(n_parts, n_words, common, chosen, 1, words, rooms, seats, block)
                enter(depth, 0, rooms, seats, priors, scratch, state)
            moved += chosen != topic
    return moved


@njit(**OPTIONS)
def count_labels(rooms, seats, own_out):
    """Add to own_out how many tables of topics in each context sent their customer to the common topic, and
    how many to the shorter context.

    These tables are the customers from which lambda is learned. own_out (2 × restaurants, int64): for
    restaurant r, the first count is added at 2 r, the second at 2 r + 1.
    """
    for slot in range(len(rooms.parents)):
        restaurant = rooms.restaurants[slot]
        for cell in range(rooms.cells[slot], rooms.cells[slot] + seats.n_cells[slot]):
            if seats.cells[cell, TOPIC] > 0:
                own_out[2 * restaurant] += seats.cells[cell, COMMON]
                own_out[2 * restaurant + 1] += seats.cells[cell, TABLES] - seats.cells[cell, COMMON]
