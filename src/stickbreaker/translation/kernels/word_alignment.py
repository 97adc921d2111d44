"""Expected links under IBM model 1, and translation weights from them.

A direction of translation generates the words of one side, each from a given word of the other side or from
none (null). Brown et al. (1993), The mathematics of statistical machine translation, section 4.2. Notation: a
sentence pair has n generated words and m given words.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, digamma64, exp64, log64

WIDEST = 6  # longer jumps share one weight, backward and forward
LEAST_LINK = 1e-9  # links that are less likely are not counted
LEAST_TRANSLATION = 1e-12  # so that every sentence stays possible
TINY = 1e-100  # smaller probabilities become zero, to avoid subnormal numbers


class Pairs(NamedTuple):
    """Sentence pairs in one direction of translation, from given words to generated words.

    A cell is a possible link. The cell of generated word j and given word i of pair p has the number
    starts[p] + j * generated_steps[p] + i * given_steps[p].
    """

    words: NDArray[np.int32]  # of the generated side
    generated_offsets: NDArray[np.int64]  # pairs + 1: in `words`
    given_offsets: NDArray[np.int64]  # pairs + 1
    slots: NDArray[np.int32]  # cells: index of the translation
    starts: NDArray[np.int64]  # pairs + 1: first cell of each
    generated_steps: NDArray[np.int64]  # pairs
    given_steps: NDArray[np.int64]  # pairs


class Direction(NamedTuple):
    """The parameters of one direction of translation, or the expected counts for them, in the same arrays.

    A slot is a pair of words that occur in the same sentence pair.
    """

    translations: NDArray[np.float64]  # slots + 2: p of a generated word; missing pairs; unknown words
    null: NDArray[np.float64]  # generated words + 1: p from null; the last for unknown words, -1
    jumps: NDArray[np.float64]  # 2 WIDEST + 1: jumps by -WIDEST positions or less, ..., WIDEST or more
    starts: NDArray[np.float64]  # WIDEST: first links to position 0, ..., WIDEST - 1 or more


class Room(NamedTuple):
    """Working memory for one sentence pair, of the size that the longest pair needs."""

    translations: NDArray[np.float64]  # n × m
    null: NDArray[np.float64]  # n
    links: NDArray[np.float64]  # n × m: p of the link
    jumps: NDArray[np.float64]  # (m + 1) × m: p of the next position, given the state
    moves: NDArray[np.float64]  # (m + 1) × m: expected moves / `jumps`
    states: NDArray[np.float64]  # (n + 1) × (m + 1): p of the state and all words so far, scaled
    scales: NDArray[np.float64]  # n: p of each word given those before
    come: NDArray[np.float64]  # m: p of a word and those after it, by given position, without the jump there
    after: NDArray[np.float64]  # m + 1: p of the words to come, given the state


@kernel_part(**OPTIONS)
def room_for(pairs):
    """Allocate working memory that is large enough for any of the sentence pairs."""
    n, m = 1, 1
    for pair in range(len(pairs.starts) - 1):
        n = max(n, pairs.generated_offsets[pair + 1] - pairs.generated_offsets[pair])
        m = max(m, pairs.given_offsets[pair + 1] - pairs.given_offsets[pair])
    cells, jumps = np.empty((2, n, m)), np.empty((2, m + 1, m))
    states, after = np.empty((n + 1, m + 1)), np.empty(m + 1)
    return Room(cells[0], np.empty(n), cells[1], jumps[0], jumps[1], states, np.empty(n), np.empty(m), after)


@kernel_part(**PART)
def load(pairs, pair, direction, room):
    """Copy the translation probabilities of the words of a sentence pair to `room`; returns its numbers of
    generated and given words."""
    begin, end = pairs.generated_offsets[pair], pairs.generated_offsets[pair + 1]
    m = pairs.given_offsets[pair + 1] - pairs.given_offsets[pair]
    by_generated, by_given = pairs.generated_steps[pair], pairs.given_steps[pair]
    for j in range(end - begin):
        room.null[j] = direction.null[pairs.words[begin + j]]
        cell = pairs.starts[pair] + j * by_generated
        for i in range(m):
            room.translations[j, i] = direction.translations[pairs.slots[cell + i * by_given]]
    return end - begin, m


@kernel_part(**PART)
def add_links(pairs, pair, n, m, room, counts_out):
    """Add a sentence pair's expected links (room.links) to the expected counts of translations; those of at
    most LEAST_LINK are left out.

    n, m: generated and given words of the pair.
    """
    for j in range(n):
        cell = pairs.starts[pair] + j * pairs.generated_steps[pair]
        for i in range(m):
            if room.links[j, i] > LEAST_LINK:
                slot = pairs.slots[cell + i * pairs.given_steps[pair]]
                counts_out.translations[slot] += room.links[j, i]


@kernel_part(**PART)
def add_null(pairs, pair, n, m, room, counts_out):
    """Add the probability of no link, for each generated word of a sentence pair, to counts_out.null.

    This is one minus the sum of its room.links, at least 0. n, m: generated and given words of the pair.
    """
    for j in range(n):
        rest = 1.0
        for i in range(m):
            rest -= room.links[j, i]
        counts_out.null[pairs.words[pairs.generated_offsets[pair] + j]] += max(rest, 0.0)


@njit(**OPTIONS)
def count_without_order(pairs, direction, counts_out):
    """Add the expected counts of translations and of null under IBM model 1 to counts_out (a `Direction`);
    returns -log p of all generated words, in nats.

    Each of the m given words of a pair, and null, has the prior probability 1 / (m + 1) of having generated a
    word (Brown et al., equation 4). Pairs with an empty side are skipped.
    """
    room, nats = room_for(pairs), 0.0
    for pair in range(len(pairs.starts) - 1):
        n, m = load(pairs, pair, direction, room)
        if n * m == 0:
            continue
        for j in range(n):
            total = room.null[j]
            for i in range(m):
                total += room.translations[j, i]
            nats -= log64(total / (m + 1))
            for i in range(m):
                room.links[j, i] = room.translations[j, i] / total
        add_links(pairs, pair, n, m, room, counts_out)
        add_null(pairs, pair, n, m, room, counts_out)
    return nats


@njit(**OPTIONS)
def expected_translations(counts, given, n_given, alpha, translations_out):
    """Estimate translations by variational Bayes: fill translations_out with exp E[log p] under a Dirichlet
    posterior with expected counts c, at least LEAST_TRANSLATION.

    Arrays are by slot, a pair of words that occur together; given (slots): the given word of each. Elements
    after the slots are unchanged. Riley and Gildea (2012), equation 1: exp(psi(c + alpha)) / exp(psi(sum of
    (c + alpha))), where the sum is over words that occur in a sentence pair with the given one.
    """
    totals = np.zeros(n_given)
    for slot in range(len(given)):
        totals[given[slot]] += counts[slot] + alpha
    for word in range(n_given):
        totals[word] = digamma64(totals[word]) if totals[word] > 0.0 else 0.0
    for slot in range(len(given)):
        weight = exp64(digamma64(counts[slot] + alpha) - totals[given[slot]])
        translations_out[slot] = max(weight, LEAST_TRANSLATION)


@njit(**OPTIONS)
def likeliest_translations(counts, given, n_given, translations_out):
    """Estimate translations by maximum likelihood: fill translations_out with expected counts, normalised per
    given word, at least LEAST_TRANSLATION.

    Arrays are by slot, a pair of words that occur together; given (slots): the given word of each. Elements
    after the slots are unchanged.
    """
    totals = np.zeros(n_given)
    for slot in range(len(given)):
        totals[given[slot]] += counts[slot]
    for slot in range(len(given)):
        translations_out[slot] = max(counts[slot] / max(totals[given[slot]], TINY), LEAST_TRANSLATION)
