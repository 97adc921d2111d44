"""Expected links and jumps under the hidden Markov model of word alignment, for one direction or both.

Vogel, Ney, Tillmann (1996), HMM-based word alignment, equations 2 to 6. Null words keep the last given
position, as in Och and Ney (2003), section 2.1.1. State 0 is before the first link, state l after a link to
given position l - 1. Notation: a sentence pair has n generated words and m given words.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, log64
from stickbreaker.translation.kernels.word_alignment import (
    TINY,
    WIDEST,
    Direction,
    Pairs,
    add_links,
    add_null,
    load,
    room_for,
)


class Shares(NamedTuple):
    """Probabilities of alignment that are the same for all words: of null, and of a jump to any position."""

    null: float  # p that a generated word has no link
    anywhere: float  # p that the next position is uniform, whatever the jump


class Contexts(NamedTuple):
    """The expected number of jumps, by how many given positions lie before and after the one they start from
    (each counted up to WIDEST): these decide which jumps were possible."""

    jumps: NDArray[np.float64]  # positions before the last one × positions after it
    starts: NDArray[np.float64]  # positions of the sentence, less 1


class Side(NamedTuple):
    """One direction of alignment in an E step: sentence pairs, current parameters, and the arrays to which
    expected counts are added (`counts` for parameters, `contexts` for possible jumps)."""

    pairs: Pairs
    direction: Direction
    counts: Direction
    contexts: Contexts


@kernel_part(**PART)
def _fill_jumps(m, direction, anywhere, jumps_out):
    """Fill jumps_out (m + 1 × m) with p of the next given position in each state, from the weights of jumps.

    State 0 is before the first link, state l after a link to given position l - 1. The outermost weights
    stand for all longer jumps, which share them evenly. The result is mixed with a uniform distribution, with
    weight `anywhere` (Och and Ney 2003, equation 12).
    """
    for state in range(m + 1):
        last = state - 1
        before, after = min(last, WIDEST), min(m - 1 - last, WIDEST)
        total = 0.0
        if state == 0:
            for near in range(after):
                total += direction.starts[near]
        else:
            for near in range(WIDEST - before, WIDEST + after + 1):
                total += direction.jumps[near]
        factor = (1.0 - anywhere) / total if total > 0.0 else 0.0
        for i in range(m):
            jump = i - last
            near = min(max(jump, -WIDEST), WIDEST)
            alike = 1 if abs(jump) < WIDEST else (m - last - WIDEST if jump > 0 else last + 1 - WIDEST)
            weight = direction.starts[near - 1] if state == 0 else direction.jumps[WIDEST + near]
            jumps_out[state, i] = weight * factor / alike + anywhere / m


@kernel_part(**PART)
def _forward(n, m, null_share, room):
    """The forward pass over a sentence pair of n generated and m given words; returns -log p of the generated
    words, in nats.

    Reads translations, null and jumps of the room; fills its states, links (p given the words so far) and
    scales.
    """
    room.states[0, : m + 1] = 0.0
    room.states[0, 0] = 1.0
    nats = 0.0
    for j in range(n):
        now, after, link = room.states[j], room.states[j + 1], room.links[j]
        link[:m] = 0.0
        for state in range(m + 1):
            for i in range(m):
                link[i] += now[state] * room.jumps[state, i]
        total = 0.0
        for i in range(m):
            link[i] *= (1.0 - null_share) * room.translations[j, i]
            total += link[i]
        null = null_share * room.null[j]
        for state in range(m + 1):
            total += null * now[state]
        nats -= log64(total)
        room.scales[j] = total
        after[0] = null * now[0] / total
        for i in range(m):
            link[i] /= total
            p = link[i] + null * now[i + 1] / total
            after[i + 1] = p if p > TINY else 0.0
    return nats


@kernel_part(**PART)
def _backward(n, m, null_share, room):
    """The backward pass, after `_forward`: turn the room's links into p given all words, and fill its moves
    (expected moves between states, divided by p of the jump)."""
    room.after[: m + 1] = 1.0
    for state in range(m + 1):
        room.moves[state, :m] = 0.0
    for j in range(n - 1, -1, -1):
        now = room.states[j]
        for i in range(m):
            room.links[j, i] *= room.after[i + 1]
            room.come[i] = (1.0 - null_share) * room.translations[j, i] * room.after[i + 1] / room.scales[j]
        null = null_share * room.null[j] / room.scales[j]
        for state in range(m + 1):
            total = 0.0
            for i in range(m):
                total += room.jumps[state, i] * room.come[i]
                room.moves[state, i] += now[state] * room.come[i]
            p = total + null * room.after[state]
            room.after[state] = p if p > TINY else 0.0


@kernel_part(**PART)
def _infer(pairs, pair, direction, shares, room):
    """Fill `room` with p of links and moves given all words of a sentence pair (forward-backward algorithm).

    Returns the numbers n and m of generated and given words, and -log p of the generated ones in nats. If one
    of them is 0, the nats are 0 and links and moves are not filled.
    """
    n, m = load(pairs, pair, direction, room)
    if n * m == 0:
        return n, m, 0.0
    _fill_jumps(m, direction, shares.anywhere, room.jumps)
    nats = _forward(n, m, shares.null, room)
    _backward(n, m, shares.null, room)
    return n, m, nats


@kernel_part(**PART)
def _add_jumps(m, anywhere, room, counts_out, contexts_out):
    """Add a sentence pair's expected jumps, from room.moves, to counts_out (`Direction`) and contexts_out.

    The share of the uniform part (`anywhere`) is not counted, since it does not depend on the jump. m: given
    words.
    """
    for state in range(m + 1):
        last = state - 1
        total = 0.0
        for i in range(m):
            p = room.moves[state, i] * (room.jumps[state, i] - anywhere / m)
            total += p
            near = min(max(i - last, -WIDEST), WIDEST)
            if state == 0:
                counts_out.starts[near - 1] += p
            else:
                counts_out.jumps[WIDEST + near] += p
        after = min(m - 1 - last, WIDEST)
        if state == 0:
            contexts_out.starts[after - 1] += total
        else:
            contexts_out.jumps[min(last, WIDEST), after] += total


@njit(**OPTIONS)
def count_with_order(side, shares):
    """Add the expected counts of translations, null and jumps in one direction to `side`, under the hidden
    Markov model; returns -log p of all generated words, in nats.

    Time is O(n m²) per pair of n generated and m given words. Pairs with an empty side are skipped.
    """
    room, nats = room_for(side.pairs), 0.0
    for pair in range(len(side.pairs.starts) - 1):
        n, m, more = _infer(side.pairs, pair, side.direction, shares, room)
        if n * m > 0:
            nats += more
            add_links(side.pairs, pair, n, m, room, side.counts)
            add_null(side.pairs, pair, n, m, room, side.counts)
            _add_jumps(m, shares.anywhere, room, side.counts, side.contexts)
    return nats


@njit(**OPTIONS)
def count_in_agreement(side, other, shares):
    """Add expected counts under the hidden Markov models of both directions to `side` and `other`; returns
    -log p of the generated words of each, in nats.

    The count of a link is the product of its p in both directions (Liang, Taskar, Klein 2006, Alignment by
    agreement, equation 6); null and jumps are counted in each direction alone. side, other: the same sentence
    pairs in opposite directions. Pairs with an empty side are skipped.
    """
    room, other_room = room_for(side.pairs), room_for(other.pairs)
    nats, other_nats = 0.0, 0.0
    for pair in range(len(side.pairs.starts) - 1):
        n, m, more = _infer(side.pairs, pair, side.direction, shares, room)
        if n * m == 0:
            continue
        nats += more
        other_nats += _infer(other.pairs, pair, other.direction, shares, other_room)[2]
        add_null(side.pairs, pair, n, m, room, side.counts)
        add_null(other.pairs, pair, m, n, other_room, other.counts)
        for j in range(n):
            for i in range(m):
                room.links[j, i] *= other_room.links[i, j]
        add_links(side.pairs, pair, n, m, room, side.counts)
        add_links(side.pairs, pair, n, m, room, other.counts)
        _add_jumps(m, shares.anywhere, room, side.counts, side.contexts)
        _add_jumps(n, shares.anywhere, other_room, other.counts, other.contexts)
    return nats, other_nats


@njit(**OPTIONS)
def likeliest_links(pairs, direction, shares, links_out):
    """Fill links_out with the given position to which each generated word is most probably linked; -1 if null
    is at least as probable.

    links_out (generated words): positions within the sentence; unchanged for pairs with an empty side.
    """
    room = room_for(pairs)
    for pair in range(len(pairs.starts) - 1):
        n, m, _ = _infer(pairs, pair, direction, shares, room)
        if n * m == 0:
            continue
        for j in range(n):
            best, rest = 0, 1.0
            for i in range(m):
                rest -= room.links[j, i]
                best = i if room.links[j, i] > room.links[j, best] else best
            place = pairs.generated_offsets[pair] + j
            links_out[place] = best if room.links[j, best] > rest else -1
