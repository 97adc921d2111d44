"""Expected links of sentence pairs by IBM model 1 and by the hidden Markov model of word alignment.

A direction of translation generates the words of one side, each from a given word of the other or from none
(null). Brown et al. (1993), section 4.1; Vogel, Ney, Tillmann (1996), equations 2 to 6; null words remember
the last given position, as in Och and Ney (2003), section 2.1.1. Letters: n generated words, m given words.
State 0 is before the first link, state l is after a link to given position l - 1.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.math import OPTIONS, PART, digamma64, exp64, log64

WIDEST = 6  # jumps of more positions than this share one weight, backward and forward
TINY = 1e-100  # probabilities below are zero, so that none is subnormal


class Pairs(NamedTuple):
    """Sentence pairs in one direction; the cell of generated word j and given word i of pair p is at
    starts[p] + j * generated_steps[p] + i * given_steps[p]."""

    words: NDArray[np.int32]  # of the generated side
    generated_offsets: NDArray[np.int64]  # pairs + 1: in `words`
    given_offsets: NDArray[np.int64]  # pairs + 1
    slots: NDArray[np.int32]  # cells: which translation
    starts: NDArray[np.int64]  # pairs + 1: first cell of each
    generated_steps: NDArray[np.int64]  # pairs
    given_steps: NDArray[np.int64]  # pairs


class Direction(NamedTuple):
    """Parameters of one direction, or expected counts of them."""

    translations: NDArray[np.float64]  # slots + 2: of a generated word, given its pair; missing; unknown word
    null: NDArray[np.float64]  # generated words + 1: from no given word; the last of unknown words (word -1)
    jumps: NDArray[np.float64]  # 2 WIDEST + 1: of -WIDEST positions or less, ..., WIDEST or more
    starts: NDArray[np.float64]  # WIDEST: of a first link to position 0, ..., WIDEST - 1 or more


class Contexts(NamedTuple):
    """How often links were left for a next one, by the positions that are there to jump to, at most WIDEST."""

    jumps: NDArray[np.float64]  # positions before × positions after
    starts: NDArray[np.float64]  # positions of the sentence, less 1


class Room(NamedTuple):
    """What the kernels know of one sentence pair; sizes are those of the longest."""

    translations: NDArray[np.float64]  # n × m; then times beta: see `_backward`
    null: NDArray[np.float64]  # n
    jumps: NDArray[np.float64]  # (m + 1) × m: p of the next position, given the state
    states: NDArray[np.float64]  # (n + 1) × (m + 1): p of the state and all words so far, scaled
    links: NDArray[np.float64]  # n × m: p of the link, given words so far; then given all
    scales: NDArray[np.float64]  # n: p of each word, given those before
    moves: NDArray[np.float64]  # (m + 1) × m: sum over words, to be multiplied by `jumps`
    after: NDArray[np.float64]  # m + 1: p of the words to come, given the state


@njit(**OPTIONS)
def room_for(pairs):
    """Arrays for any of the sentence pairs."""
    n, m = 1, 1
    for pair in range(len(pairs.starts) - 1):
        n = max(n, pairs.generated_offsets[pair + 1] - pairs.generated_offsets[pair])
        m = max(m, pairs.given_offsets[pair + 1] - pairs.given_offsets[pair])
    square = np.empty((2, m + 1, m))
    return Room(
        np.empty((n, m)), np.empty(n), square[0], np.empty((n + 1, m + 1)),
        np.empty((n, m)), np.empty(n), square[1], np.empty(m + 1),
    )  # fmt: skip


@njit(**PART)
def _load(pairs, pair, direction, room):
    """Look up the translations of a pair; gives n and m."""
    begin, end = pairs.generated_offsets[pair], pairs.generated_offsets[pair + 1]
    m = pairs.given_offsets[pair + 1] - pairs.given_offsets[pair]
    by_generated, by_given = pairs.generated_steps[pair], pairs.given_steps[pair]
    for j in range(end - begin):
        room.null[j] = direction.null[pairs.words[begin + j]]
        cell = pairs.starts[pair] + j * by_generated
        for i in range(m):
            room.translations[j, i] = direction.translations[pairs.slots[cell + i * by_given]]
    return end - begin, m


@njit(**PART)
def _add_links(pairs, pair, n, m, room, counts_out):
    """Add the expected links of a pair to the counts of translations; what is left of a word is null's."""
    by_generated, by_given = pairs.generated_steps[pair], pairs.given_steps[pair]
    for j in range(n):
        cell, rest = pairs.starts[pair] + j * by_generated, 1.0
        for i in range(m):
            p = room.links[j, i]
            rest -= p
            if p > 1e-9:
                counts_out.translations[pairs.slots[cell + i * by_given]] += p
        counts_out.null[pairs.words[pairs.generated_offsets[pair] + j]] += max(rest, 0.0)


@njit(**OPTIONS)
def count_without_order(pairs, direction, null_share, counts_out):
    """Model 1: expected counts of translations, added to counts_out; gives nats of all generated words.

    Each given word is as likely as another, (1 - null_share) / m. Pairs with an empty side are passed over.
    """
    room, nats = room_for(pairs), 0.0
    for pair in range(len(pairs.starts) - 1):
        n, m = _load(pairs, pair, direction, room)
        if n * m == 0:
            continue
        for j in range(n):
            total = 0.0
            for i in range(m):
                total += room.translations[j, i]
            share = (1.0 - null_share) / m
            total = total * share + null_share * room.null[j]
            nats -= log64(total)
            for i in range(m):
                room.links[j, i] = room.translations[j, i] * share / total
        _add_links(pairs, pair, n, m, room, counts_out)
    return nats


@njit(**PART)
def _fill_jumps(m, direction, jumps_out):
    """p of the next given position by state: weights of the jumps that are possible, normalised.

    Positions of the outermost jumps share their weight evenly. Zero where no jump with a weight is possible.
    """
    for state in range(m + 1):
        last = state - 1
        before, after = min(last, WIDEST), min(m - 1 - last, WIDEST)
        if state == 0:
            total = direction.starts[:after].sum()
        else:
            total = direction.jumps[WIDEST - before : WIDEST + after + 1].sum()
        factor = 1.0 / total if total > 0.0 else 0.0
        for i in range(m):
            jump = i - last
            near = min(max(jump, -WIDEST), WIDEST)
            alike = 1 if abs(jump) < WIDEST else (m - last - WIDEST if jump > 0 else last + 1 - WIDEST)
            weight = direction.starts[near - 1] if state == 0 else direction.jumps[WIDEST + near]
            jumps_out[state, i] = weight * factor / alike


@njit(**PART)
def _add_jumps(m, room, counts_out, contexts_out):
    """Add the expected jumps of a pair to counts and contexts."""
    for state in range(m + 1):
        last = state - 1
        total = 0.0
        for i in range(m):
            p = room.moves[state, i] * room.jumps[state, i]
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


@njit(**PART)
def _forward(n, m, null_share, room):
    """Fill states, links and scales; gives nats of the generated words."""
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


@njit(**PART)
def _backward(n, m, null_share, room):
    """Multiply links by what comes after, and sum the moves between states."""
    room.after[: m + 1] = 1.0
    for state in range(m + 1):
        room.moves[state, :m] = 0.0
    for j in range(n - 1, -1, -1):
        now, come = room.states[j], room.translations[j]
        for i in range(m):
            room.links[j, i] *= room.after[i + 1]
            come[i] *= (1.0 - null_share) * room.after[i + 1] / room.scales[j]
        null = null_share * room.null[j] / room.scales[j]
        for state in range(m + 1):
            total = 0.0
            for i in range(m):
                total += room.jumps[state, i] * come[i]
                room.moves[state, i] += now[state] * come[i]
            p = total + null * room.after[state]
            room.after[state] = p if p > TINY else 0.0


@njit(**OPTIONS)
def count_with_order(pairs, direction, null_share, counts_out, contexts_out):
    """The hidden Markov model: expected counts of translations and jumps, added to counts_out and contexts_out.

    Gives nats of all generated words. A pair takes O(n m²). Pairs with an empty side are passed over.
    """
    room, nats = room_for(pairs), 0.0
    for pair in range(len(pairs.starts) - 1):
        n, m = _load(pairs, pair, direction, room)
        if n * m == 0:
            continue
        _fill_jumps(m, direction, room.jumps)
        nats += _forward(n, m, null_share, room)
        _backward(n, m, null_share, room)
        _add_links(pairs, pair, n, m, room, counts_out)
        _add_jumps(m, room, counts_out, contexts_out)
    return nats


@njit(**OPTIONS)
def likeliest_links(pairs, direction, null_share, links_out):
    """For each generated word the given position with the largest p of a link, or -1 if null has more.

    links_out (words): positions within the sentence. Words of pairs with an empty side keep what it has.
    """
    room = room_for(pairs)
    for pair in range(len(pairs.starts) - 1):
        n, m = _load(pairs, pair, direction, room)
        if n * m == 0:
            continue
        _fill_jumps(m, direction, room.jumps)
        _forward(n, m, null_share, room)
        _backward(n, m, null_share, room)
        for j in range(n):
            links = room.links[j, :m]
            best = np.argmax(links)
            if links[best] > 1.0 - links.sum():
                links_out[pairs.generated_offsets[pair] + j] = best


@njit(**OPTIONS)
def expected_translations(counts, given, n_given, alpha, translations_out):
    """Weights of translations from their expected counts: exp E[log p] under a Dirichlet posterior.

    Riley and Gildea (2012), equation 1: exp(psi(c + alpha) - psi(sum of c + alpha)), over the words that
    stand in a pair with the given one; alpha 0: c / sum of c. given (slots): the given word of each.
    """
    totals = np.zeros(n_given)
    for slot in range(len(given)):
        totals[given[slot]] += counts[slot] + alpha
    if alpha == 0.0:
        for slot in range(len(given)):
            translations_out[slot] = counts[slot] / max(totals[given[slot]], TINY)
        return
    for word in range(n_given):
        totals[word] = digamma64(totals[word]) if totals[word] > 0.0 else 0.0
    for slot in range(len(given)):
        translations_out[slot] = exp64(digamma64(counts[slot] + alpha) - totals[given[slot]])
