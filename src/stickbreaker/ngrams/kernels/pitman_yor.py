"""Gibbs sampling for hierarchical Pitman-Yor language models, with the seating in flat arrays (Teh 2006).

A restaurant is a context, a slot is a word in a restaurant. A new table sends a customer to the slot of the
same word in the restaurant of the shorter context. For each slot we store the number of tables of each size,
since customers of the same word are exchangeable.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART
from stickbreaker.kernels.random import seeded, uniform

CUSTOMERS, TABLES, KINDS = 0, 1, 2  # columns of seats and totals


class Layout(NamedTuple):
    """The fixed structure of restaurants (contexts) and slots (words in a context).

    Slots are sorted by restaurant, restaurants by depth; `places` reserves room for table sizes.
    """

    parents: NDArray[np.int64]  # slots: the same word in the shorter context; -1 in the empty one
    restaurants: NDArray[np.int64]  # slots
    depths: NDArray[np.int64]  # restaurants: words of the context
    places: NDArray[
        np.int64
    ]  # slots + 1: where each slot's table sizes begin; none if it has at most one customer


class Seating(NamedTuple):
    """Who sits where: counts of customers and tables.

    The table sizes of a slot (a word in a context) are the first `seats[slot, KINDS]` rows of its part of
    `sizes`.
    """

    seats: NDArray[np.int32]  # slots × (customers, tables, different sizes)
    sizes: NDArray[np.int32]  # places × (size, tables of that size)
    totals: NDArray[np.int32]  # restaurants × (customers, tables)


class Priors(NamedTuple):
    """G0, the base distribution of the empty context, and the discount and concentration of the Pitman-Yor
    processes at each depth (context length)."""

    base: NDArray[np.float64]  # words: G0
    discounts: NDArray[np.float64]  # depths
    concentrations: NDArray[np.float64]  # depths


@kernel_part(**PART)
def count_size(sizes, first, kinds, size):
    """Add a table with `size` customers to the table sizes of a slot; returns its new number of different
    sizes.

    first, kinds: where the slot's sizes begin, and how many different ones it has.
    """
    for entry in range(first, first + kinds):
        if sizes[entry, 0] == size:
            sizes[entry, 1] += 1
            return kinds
    sizes[first + kinds, 0] = size
    sizes[first + kinds, 1] = 1
    return kinds + 1


@kernel_part(**PART)
def take_size(sizes, first, kinds, entry):
    """Remove one table from row `entry` of a slot's table sizes; returns how many different sizes are left.

    first, kinds: where the slot's sizes begin, and how many different ones it has.
    """
    sizes[entry, 1] -= 1
    if sizes[entry, 1] > 0:
        return kinds
    last = first + kinds - 1
    sizes[entry, 0], sizes[entry, 1] = sizes[last, 0], sizes[last, 1]
    return kinds - 1


@kernel_part(**PART)
def leave(slot, layout, seating, state):
    """Remove a random customer from a slot (a word in a context), and from shorter contexts if tables close.

    A table that closes takes back the customer that it sent there. The customer is drawn uniformly, so its
    table in proportion to size. Advances `state`.
    """
    seats, sizes, totals = seating.seats, seating.sizes, seating.totals
    while slot >= 0:
        first, restaurant = layout.places[slot], layout.restaurants[slot]
        customers = seats[slot, CUSTOMERS]
        size = np.int32(1)
        if layout.places[slot + 1] > first:
            kinds = seats[slot, KINDS]
            entry = first
            if kinds > 1:
                target = uniform(state) * customers
                while entry < first + kinds - 1:
                    target -= np.float64(sizes[entry, 0]) * sizes[entry, 1]
                    if target < 0.0:
                        break
                    entry += 1
            size = sizes[entry, 0]
            kinds = take_size(sizes, first, kinds, entry)
            if size > 1:
                kinds = count_size(sizes, first, kinds, size - 1)
            seats[slot, KINDS] = kinds
        seats[slot, CUSTOMERS] = customers - 1
        totals[restaurant, CUSTOMERS] -= 1
        if size > 1:
            return
        seats[slot, TABLES] -= 1
        totals[restaurant, TABLES] -= 1
        slot = layout.parents[slot]


@kernel_part(**PART)
def fill_path(slot, depth, layout, path):
    """Fill `path` (depths) with the slots of a slot's word in all its contexts, from the empty one to its own
    at `depth`."""
    for d in range(depth, -1, -1):
        path[d] = slot
        slot = layout.parents[slot]


@kernel_part(**PART)
def predict(slot, layout, seating, priors, path, openings):
    """p(word | context) of a slot (a word in a context), given the current seating.

    Fills path and openings (depths), from the empty context on: the word's slots, and the mass of a new table
    in each, (b + a T) p(word | shorter context) (Teh 2006, equation 7).
    """
    depth = layout.depths[layout.restaurants[slot]]
    fill_path(slot, depth, layout, path)
    p = priors.base[path[0]]
    for d in range(depth + 1):
        at = path[d]
        restaurant = layout.restaurants[at]
        a, b = priors.discounts[d], priors.concentrations[d]
        openings[d] = (b + a * seating.totals[restaurant, TABLES]) * p
        seated = seating.seats[at, CUSTOMERS] - a * seating.seats[at, TABLES]
        p = (seated + openings[d]) / (seating.totals[restaurant, CUSTOMERS] + b)
    return p


@kernel_part(**PART)
def enter(depth, layout, seating, priors, path, openings, state):
    """Seat a customer in the slot `path[depth]`; a table that opens sends a customer to the next shorter
    context.

    path, openings: as `predict` filled them. Advances `state`.
    """
    seats, sizes, totals = seating.seats, seating.sizes, seating.totals
    for d in range(depth, -1, -1):
        slot = path[d]
        first, restaurant = layout.places[slot], layout.restaurants[slot]
        customers, a = seats[slot, CUSTOMERS], priors.discounts[d]
        seated = customers - a * seats[slot, TABLES]
        opens = customers == 0
        target = 0.0
        if not opens:
            target = uniform(state) * (seated + openings[d])
            opens = target >= seated
        seats[slot, CUSTOMERS] = customers + 1
        totals[restaurant, CUSTOMERS] += 1
        if layout.places[slot + 1] > first:
            kinds = seats[slot, KINDS]
            size = np.int32(0)
            if not opens:
                entry = first
                while entry < first + kinds - 1:
                    target -= (sizes[entry, 0] - a) * sizes[entry, 1]
                    if target < 0.0:
                        break
                    entry += 1
                size = sizes[entry, 0]
                kinds = take_size(sizes, first, kinds, entry)
            seats[slot, KINDS] = count_size(sizes, first, kinds, size + 1)
        if not opens:
            return
        seats[slot, TABLES] += 1
        totals[restaurant, TABLES] += 1


@kernel_part(**PART)
def _times(product, nats, p):
    """Multiply p into a running product of many probabilities, and return the product and `nats`.

    If the product would underflow, its logarithm is added to `nats`, and it starts again from p.
    """
    if product * p > 1e-200:
        return product * p, nats
    return p, nats + np.log(product)


@njit(**OPTIONS)
def sweep(own, layout, seating, priors, key):
    """Reseat every word of a text given all others, with a fixed context length.

    Returns the sum of log p(word | its context, all others), in nats, each taken when the word was reseated.
    own (slots): words of the text in each slot, not counting customers that longer contexts sent. key: of the
    random stream (uint64). Any fixed order of visits is valid; this one keeps the words of a slot together,
    for the cache.
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    path = np.empty(len(priors.discounts), np.int64)
    openings = np.empty(len(priors.discounts))
    product, nats = 1.0, 0.0
    for slot in range(len(own)):
        if own[slot] == 0:
            continue
        depth = layout.depths[layout.restaurants[slot]]
        for _ in range(own[slot]):
            leave(slot, layout, seating, state)
            p = predict(slot, layout, seating, priors, path, openings)
            enter(depth, layout, seating, priors, path, openings, state)
            product, nats = _times(product, nats, p)
    return nats + np.log(product)


class Stops(NamedTuple):
    """The context lengths of a text's words in an unbounded model (Mochihashi & Sumita 2008): a word stops at
    the restaurant of its context, and passes those of all shorter ones."""

    # words of the text, grouped by deepest slot: length of the context used; empty if that is stored
    # elsewhere
    depths: NDArray[np.int32]
    counts: NDArray[np.int32]  # restaurants × (words that stop there, words that pass to longer contexts)
    stop: float  # with `go_on`: Beta prior of the share of words that stop
    go_on: float


@kernel_part(**PART)
def chance_to_stop(restaurant, stops):
    """The probability that a word's context ends at a restaurant, if it is at least that long, given the
    counts of words that stopped there or passed on."""
    stopped, passed = stops.counts[restaurant, 0], stops.counts[restaurant, 1]
    return (stopped + stops.stop) / (stopped + passed + stops.stop + stops.go_on)


@kernel_part(**PART)
def _draw_stop(depth, layout, seating, priors, stops, path, openings, masses, state):
    """Draw the context length of a word, given what `predict` filled in for its longest context, at `depth`.

    Fills masses (depths): p(word, its context has this length or is shorter); the last is p(word).
    """
    left, total = 1.0, 0.0
    for d in range(depth + 1):
        at = path[d]
        restaurant = layout.restaurants[at]
        a, b = priors.discounts[d], priors.concentrations[d]
        seated = seating.seats[at, CUSTOMERS] - a * seating.seats[at, TABLES]
        p = (seated + openings[d]) / (seating.totals[restaurant, CUSTOMERS] + b)
        ends = 1.0
        if d < depth:
            ends = chance_to_stop(restaurant, stops)
        total += left * ends * p
        masses[d] = total
        left *= 1.0 - ends
    target = uniform(state) * total
    for d in range(depth):
        if target < masses[d]:
            return d
    return depth


@kernel_part(**PART)
def count_stop(depth, deepest, layout, counts, path, change):
    """Count a word whose context ends at a depth of its path: it stops there and passes all shorter contexts.

    change: 1, or -1 to remove the word from the counts (restaurants × 2). The restaurant of its longest
    context, at the depth `deepest`, does not count stops, since all its words stop.
    """
    for d in range(depth):
        counts[layout.restaurants[path[d]], 1] += change
    if depth < deepest:
        counts[layout.restaurants[path[depth]], 0] += change


@njit(**OPTIONS)
def seat_all(own, longest, layout, seating, priors, stops, key):
    """Seat the words of a text in empty restaurants, one by one, in contexts of at most `longest` words.

    own (slots): words of the text whose longest context has this slot. stops: gets the context lengths; its
    `depths` are empty if the length is fixed. key: of the random stream (uint64).
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    path, openings = np.empty(len(priors.discounts), np.int64), np.empty(len(priors.discounts))
    word = 0
    for slot in range(len(own)):
        deepest = layout.depths[layout.restaurants[slot]]
        depth = min(deepest, longest)
        for _ in range(own[slot]):
            fill_path(slot, deepest, layout, path)
            predict(path[depth], layout, seating, priors, path, openings)
            enter(depth, layout, seating, priors, path, openings, state)
            if len(stops.depths) > 0:
                count_stop(depth, deepest, layout, stops.counts, path, 1)
                stops.depths[word] = depth
            word += 1


@njit(**OPTIONS)
def sweep_unbounded(own, layout, seating, priors, stops, key):
    """Resample the context length and seat of every word given all others.

    Returns the sum of log p(word | all others), in nats. own (slots): words of the text whose longest context
    has this slot.

    A word stops at depth n with probability proportional to p(n | context) p(word | context of n words). Each
    restaurant on the way ends the context with probability (stops + stop) / (stops + passes + stop + go_on);
    the deepest always does, which is not counted (Mochihashi & Sumita 2008, section 3).
    """
    state = np.empty(2, np.uint64)
    seeded(key, state)
    longest = len(priors.discounts)
    path, openings, masses = np.empty(longest, np.int64), np.empty(longest), np.empty(longest)
    word, product, nats = 0, 1.0, 0.0
    for slot in range(len(own)):
        deepest = layout.depths[layout.restaurants[slot]]
        for _ in range(own[slot]):
            fill_path(slot, deepest, layout, path)
            depth = np.int64(stops.depths[word])
            leave(path[depth], layout, seating, state)
            count_stop(depth, deepest, layout, stops.counts, path, -1)
            predict(slot, layout, seating, priors, path, openings)
            depth = _draw_stop(deepest, layout, seating, priors, stops, path, openings, masses, state)
            enter(depth, layout, seating, priors, path, openings, state)
            count_stop(depth, deepest, layout, stops.counts, path, 1)
            stops.depths[word] = depth
            word += 1
            product, nats = _times(product, nats, masses[deepest])
    return nats + np.log(product)


@njit(**OPTIONS)
def count_sizes(layout, seating, sizes_out):
    """Add to sizes_out (depths × sizes, int64) how many tables have each size, by context length; it must
    have room for the largest."""
    for slot in range(len(layout.parents)):
        depth, first = layout.depths[layout.restaurants[slot]], layout.places[slot]
        if layout.places[slot + 1] == first:
            sizes_out[depth, 1] += seating.seats[slot, TABLES]
        for entry in range(first, first + seating.seats[slot, KINDS]):
            sizes_out[depth, seating.sizes[entry, 0]] += seating.sizes[entry, 1]


class Shares(NamedTuple):
    """Samples prepared for predictions: if p is a word's probability in a context, seated + left · p is that
    in the context one word longer.

    The values of all samples are adjacent in a row, so that one visit serves all of them. In the comments, c
    and t are customers and tables of a slot (a word in a context), C and T those of its restaurant.
    """

    seated: NDArray[np.float64]  # slots × samples: (c - a t) / (C + b)
    left: NDArray[np.float64]  # restaurants × samples: (b + a T) / (C + b)
    ends: NDArray[np.float64]  # restaurants × samples: share of words that stop; or empty


@njit(**OPTIONS)
def fill_shares(customers, tables, restaurants, depths, discounts, concentrations, number, shares):
    """Fill sample `number` of `shares.seated` and `shares.left`, from the customers and tables (slots,
    int64), discounts and concentrations (depths) of that sample.

    restaurants (slots), depths (restaurants): as in `Layout`.
    """
    totals = np.zeros((len(depths), 2), np.int64)
    for slot in range(len(restaurants)):
        totals[restaurants[slot], CUSTOMERS] += customers[slot]
        totals[restaurants[slot], TABLES] += tables[slot]
    for slot in range(len(restaurants)):
        restaurant = restaurants[slot]
        a, b = discounts[depths[restaurant]], concentrations[depths[restaurant]]
        seated = customers[slot] - a * tables[slot]
        shares.seated[slot, number] = seated / (totals[restaurant, CUSTOMERS] + b)
    for restaurant in range(len(depths)):
        a, b = discounts[depths[restaurant]], concentrations[depths[restaurant]]
        opening = b + a * totals[restaurant, TABLES]
        shares.left[restaurant, number] = opening / (totals[restaurant, CUSTOMERS] + b)


class Trie(NamedTuple):
    """An index to look up contexts and words, numbered as in `Contexts`: ascending keys, and hash tables that
    hold the keys' positions."""

    n_words: int
    restaurant_keys: NDArray[np.int64]  # restaurants but the first: shorter context, word
    slot_keys: NDArray[np.int64]  # slots: restaurant, word
    restaurant_table: NDArray[np.int32]
    slot_table: NDArray[np.int32]


@kernel_part(**PART)
def _hash(key, size):
    """A hash below `size`, a power of two: bits of key × 2^64 / golden ratio (Knuth 1973, section 6.4)."""
    return np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & (size - 1)


@njit(**OPTIONS)
def hash_keys(keys, table):
    """Fill a hash table with the positions of all keys, for `_find`.

    table: all -1; its size is a power of two, greater than the number of keys.
    """
    for place in range(len(keys)):
        at = _hash(keys[place], len(table))
        while table[at] >= 0:
            at = (at + 1) & (len(table) - 1)
        table[at] = place


@kernel_part(**PART)
def _find(keys, table, key):
    """The position of `key` in `keys`, looked up in a hash table that `hash_keys` filled; -1 if it is
    missing."""
    at = _hash(key, len(table))
    while table[at] >= 0 and keys[table[at]] != key:
        at = (at + 1) & (len(table) - 1)
    return np.int64(table[at])


@njit(**OPTIONS)
def mark_sentences(words, starts, end, text_out, places_out):
    """Write the text that `find_ways` takes, with sentence marks, and the positions of words in it.

    words (tokens); starts (sentences): the first token of each, ascending from 0. text_out (tokens + 3 ×
    sentences) gets -1 and `end` before each sentence and `end` after it; places_out (tokens + sentences) gets
    the positions of words and of the `end` after each sentence.
    """
    at, place = 0, 0
    for s in range(len(starts)):
        text_out[at], text_out[at + 1] = -1, end
        at += 2
        stop = starts[s + 1] if s + 1 < len(starts) else len(words)
        for i in range(starts[s], stop):
            text_out[at], places_out[place] = words[i], at
            at, place = at + 1, place + 1
        text_out[at], places_out[place] = end, at
        at, place = at + 1, place + 1


@njit(**OPTIONS)
def find_ways(text, places, trie, restaurants_out, slots_out):
    """Look up the contexts of words in an index: the restaurant of each, and the slot of the word there
    (words × depths), from the empty context on.

    places: the words' positions in `text`, where the context precedes each word, back to a negative number.
    In restaurants_out, -1 ends a row; values after it, and those at the same positions in slots_out, are
    undefined. A slot is -1 if the word did not occur in that context.
    """
    for i in range(len(places)):
        word, restaurant, depth = text[places[i]], 0, 0
        slot = word
        while True:
            restaurants_out[i, depth], slots_out[i, depth] = restaurant, slot
            depth += 1
            if depth == restaurants_out.shape[1]:
                break
            symbol = text[places[i] - depth]
            found = -1
            if symbol >= 0:
                key = restaurant * trie.n_words + symbol
                found = _find(trie.restaurant_keys, trie.restaurant_table, key)
            if found < 0:
                restaurants_out[i, depth] = -1
                break
            restaurant = found + 1
            if slot >= 0:  # a word that is missing in a context is missing in all longer ones
                slot = _find(trie.slot_keys, trie.slot_table, restaurant * trie.n_words + word)


@njit(**OPTIONS)
def predict_words(base, restaurants, slots, shares, out):
    """Set out (words) to p(word | context), the mean over samples, for models with a fixed context length
    (Teh 2006, equation 7).

    base (words): G0; restaurants, slots (words × depths): from `find_ways`.
    """
    n_samples = shares.left.shape[1]
    for i in range(len(base)):
        total = 0.0
        for s in range(n_samples):
            p = base[i]
            for d in range(restaurants.shape[1]):
                restaurant, slot = restaurants[i, d], slots[i, d]
                if restaurant < 0:
                    break
                p *= shares.left[restaurant, s]
                if slot >= 0:
                    p += shares.seated[slot, s]
            total += p
        out[i] = total / n_samples


@njit(**OPTIONS)
def predict_unbounded(base, restaurants, slots, shares, out):
    """Set out (words) to p(word | the words before), the mean over samples, for contexts of any length.

    Like `predict_words`, but summed over context lengths: at each restaurant but the last, the context ends
    there with the probability `shares.ends`.
    """
    n_samples = shares.left.shape[1]
    for i in range(len(base)):
        last = 0
        while last + 1 < restaurants.shape[1] and restaurants[i, last + 1] >= 0:
            last += 1
        total = 0.0
        for s in range(n_samples):
            p, going = base[i], 1.0
            for d in range(last + 1):
                restaurant, slot = restaurants[i, d], slots[i, d]
                p *= shares.left[restaurant, s]
                if slot >= 0:
                    p += shares.seated[slot, s]
                stop = shares.ends[restaurant, s] if d < last else 1.0
                total += going * stop * p
                going *= 1.0 - stop
        out[i] = total / n_samples
