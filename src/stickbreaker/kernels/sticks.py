"""Stick-breaking weights of ordered items: Beta(1 - b + n_t, a + t b + n_>t) sticks.

Columns are topics (or adapted symbols), slots their words (cached trees) in their order; only those `inside`
a column's truncation have a stick. a is the concentration, b the discount of a Pitman-Yor process (0 for a
Dirichlet process), n_t the count of stick t = 1, 2, …, n_>=t that of stick t and all later ones, with what is
beyond the last. Sums over sticks telescope to one reciprocal per stick.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.dirichlet import FLUSH
from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, digamma64, exp64, log64, log_gamma64
from stickbreaker.kernels.truncated_table import SLOT


class OrderedCells(NamedTuple):
    """The arrays of `core/records.TruncatedCounts`, a sparse table of counts by column, for kernels.

    The i-th cell of column k is in row rows[k, i], with the count scale · values[k, i], and within the
    column's truncation if inside[k, i]. Only the first sizes[k] slots of column k are used.
    """

    rows: NDArray[np.int32]
    values: NDArray[np.float64]
    inside: NDArray[np.bool_]
    sizes: NDArray[np.int64]
    scale: float


class Process(NamedTuple):
    """The prior of each column's sticks (a Pitman-Yor process), and the count beyond its last stick."""

    concentrations: NDArray[np.float64]  # columns: a
    discounts: NDArray[np.float64]  # columns: b
    beyond: NDArray[np.float64]  # columns


def dirichlet_process(concentration: float, n_columns: int) -> Process:
    """A Dirichlet process with one concentration for all columns and no counts beyond the sticks."""
    return Process(np.full(n_columns, concentration), np.zeros(n_columns), np.zeros(n_columns))


class StickSums(NamedTuple):
    """Sums along the sticks of each topic, which `stick_sums` computes and others use for E[log beta].

    before: for each word, the sum of reciprocals up to it; log_totals: psi(1 + a + n), where n is the topic's
    count; leftover: E[log of the weight beyond the last stick], 0 in a topic without words inside its
    truncation.
    """

    before: NDArray[np.float64]  # topics × slots; -1 for words that are not inside
    log_totals: NDArray[np.float64]  # topics
    leftover: NDArray[np.float64]  # topics


@njit(**OPTIONS)
def take_inside(cells, rows_out, values_out, sizes_out):
    """Copy only the cells inside the truncation of each topic, in their order and without gaps.

    cells: OrderedCells. The outputs are rows_out and values_out (topics × slots, with enough slots; values
    still without `cells.scale`) and sizes_out (topics).
    """
    for k in range(len(cells.sizes)):
        size = 0
        for slot in range(cells.sizes[k]):
            if cells.inside[k, slot]:
                rows_out[k, size] = cells.rows[k, slot]
                values_out[k, size] = cells.values[k, slot]
                size += 1
        sizes_out[k] = size


@kernel_part(**PART)
def _count_inside(cells, k):
    """The total count of topic k's words that are inside its truncation, and how many words these are."""
    total, number = 0.0, 0
    for slot in range(cells.sizes[k]):
        if cells.inside[k, slot]:
            total += cells.values[k, slot] * cells.scale
            number += 1
    return total, number


@njit(**OPTIONS)
def stick_sums(cells, process, sums_out):
    """Fill sums_out (StickSums), from which E[log beta] of the words inside a truncation is computed.

    `before` of word t is sum_{2 <= s <= t} 1 / (a + (s - 1) b + n_>=s). cells: OrderedCells; process:
    Process. Zhai (2014), eq. 7.3 and 7.4, and 8.6 with the tails of `n`
    (docs/explanation/online-grammars-equations.md), summed: E[log beta_t] = psi(1 - b + n_t) - psi(1 + a + n)
    - before_t, and the stick left is psi(a + T b + beyond) - psi(1 + a + n) - before_T.
    """
    for k in range(len(cells.sizes)):
        a, b = process.concentrations[k], process.discounts[k]
        left, number = _count_inside(cells, k)
        left += process.beyond[k]
        sums_out.log_totals[k] = digamma64(1.0 + a + left)
        before, place = 0.0, 0
        for slot in range(cells.sizes[k]):
            if not cells.inside[k, slot]:
                sums_out.before[k, slot] = -1.0
                continue
            if place > 0:
                before += 1.0 / (a + place * b + max(left, 0.0))
            place += 1
            sums_out.before[k, slot] = before
            left -= cells.values[k, slot] * cells.scale
        rest = digamma64(a + number * b + process.beyond[k]) - sums_out.log_totals[k] - before
        sums_out.leftover[k] = rest if number else 0.0


@njit(**OPTIONS)
def stick_weights(positions, cells, by_row, sums, outside, weights_out, log_scale_out):
    """Fill weights_out with exp E[log beta] of words in each topic, each row divided by its largest weight.

    For Dirichlet processes only (b = 0). positions (words): rows of the table, -1 for words without one;
    cells: OrderedCells; by_row: ByRow; sums: StickSums; outside (words): log of the word's share in what a
    topic's sticks leave. In a topic whose truncation the word is not inside, its log weight is `leftover` +
    `outside`. weights_out (words × topics, single), 0 below exp(-30); log_scale_out (words): log of what each
    row was divided by.
    """
    n_topics = len(sums.leftover)
    most = sums.leftover.max()
    relative = np.exp(sums.leftover - most)
    topics, counts, before = np.empty(n_topics, np.int64), np.empty(n_topics), np.empty(n_topics)
    for w in range(len(positions)):
        base = most + outside[w]
        size = _stick_cells(positions[w], cells, by_row, sums, topics, counts, before)
        shift = base
        for j in range(size):
            before[j] = digamma64(1.0 + counts[j]) - before[j]
        for j in range(size):
            before[j] -= sums.log_totals[topics[j]]
            shift = max(shift, before[j])
        largest = exp64(base - shift)
        share = largest
        for j in range(size):
            before[j] = exp64(before[j] - shift)
        for j in range(size):
            largest = max(largest, before[j])
        share /= largest
        for k in range(n_topics):
            weight = share * relative[k]
            weights_out[w, k] = np.float32(weight if weight >= FLUSH else 0.0)
        for j in range(size):
            weight = before[j] / largest
            weights_out[w, topics[j]] = np.float32(weight if weight >= FLUSH else 0.0)
        log_scale_out[w] = shift + log64(largest)


@kernel_part(**PART)
def _stick_cells(row, cells, by_row, sums, topics_out, counts_out, before_out):
    """List the topics whose truncation contains a row (a word); returns their number, 0 for row -1.

    Fills, from the front: topics_out; counts_out, the row's count in each; before_out, the sum of reciprocals
    before it (`StickSums.before`).
    """
    if row < 0:
        return 0
    size = 0
    for at in range(by_row.offsets[row], by_row.offsets[row + 1]):
        k, slot = by_row.cells[at] >> 32, by_row.cells[at] & SLOT
        topics_out[size] = k
        counts_out[size] = cells.values[k, slot] * cells.scale
        before_out[size] = sums.before[k, slot]
        size += before_out[size] >= 0.0
    return size


@njit(**OPTIONS)
def expected_sticks(cells, process, probabilities_out, rests_out):
    """Fill probabilities_out (topics × slots) with E[beta] of the words inside each truncation, 0 for others.

    E[beta_t] = (1 - b + n_t) / (1 + a + (t - 1) b + n_>=t) prod_{s < t} (a + s b + n_>s) / (1 + a + (s - 1) b
    + n_>=s). rests_out (topics) gets what is left of each topic, so that all sum to one.
    """
    for k in range(len(cells.sizes)):
        a, b = process.concentrations[k], process.discounts[k]
        left, _number = _count_inside(cells, k)
        stick, place = 1.0, 0
        for slot in range(cells.sizes[k]):
            probabilities_out[k, slot] = 0.0
            if cells.inside[k, slot]:
                n = cells.values[k, slot] * cells.scale
                tail = max(left, n) + process.beyond[k]
                share = (1.0 - b + n) / (1.0 + a + place * b + tail)
                probabilities_out[k, slot] = stick * share
                stick *= 1.0 - share
                left -= n
                place += 1
        rests_out[k] = stick


@kernel_part(**PART)
def _evidence(cells, k, a, b, beyond):
    """log p of column k's counts as draws from its sticks, in nats, with the sticks integrated out.

    a, b: concentration and discount; beyond: the count beyond the last stick. The formula is in
    `stick_terms`.
    """
    left, number = _count_inside(cells, k)
    left += beyond
    nats = log_gamma64(1.0 + a) - log_gamma64(1.0 + a + left)
    nats += log_gamma64(a + number * b + beyond) - log_gamma64(a + number * b)
    nats -= number * log_gamma64(1.0 - b)
    place = 0
    for slot in range(cells.sizes[k]):
        if cells.inside[k, slot]:
            n = cells.values[k, slot] * cells.scale
            nats += log_gamma64(1.0 - b + n)
            if place > 0:
                nats += log64((a + place * b) / (a + place * b + max(left, 0.0)))
            place += 1
            left -= n
    return nats


@njit(**OPTIONS)
def stick_evidence(cells, k, a, b, beyond):
    """log p of column k's counts, in nats, with its sticks integrated out: `_evidence`, for Python callers.

    a, b: concentration and discount; beyond: the count beyond the last stick.
    """
    return _evidence(cells, k, a, b, beyond)


@njit(**OPTIONS)
def stick_terms(cells, process, sums, numbers_out, evidence_out, expected_out):
    """Fill each topic's terms of the bound, in nats: log evidence of its counts, expected log likelihood.

    All are 0 in a topic without words inside. numbers_out: the number of words inside. evidence_out: sum_t
    log B(1 - b + n_t, a + t b + n_>t) / B(1 - b, a + t b), which telescopes as the sums do. expected_out:
    sum_t n_t E[log beta_t], plus the counts beyond times E[log] of the stick left. evidence - expected is
    -KL(q(sticks) || p(sticks)).
    """
    for k in range(len(cells.sizes)):
        a, b = process.concentrations[k], process.discounts[k]
        _, number = _count_inside(cells, k)
        numbers_out[k] = number
        evidence_out[k] = expected_out[k] = 0.0
        if number == 0:
            continue
        evidence_out[k] = _evidence(cells, k, a, b, process.beyond[k])
        expected = process.beyond[k] * sums.leftover[k]
        for slot in range(cells.sizes[k]):
            if cells.inside[k, slot]:
                n = cells.values[k, slot] * cells.scale
                expected += n * (digamma64(1.0 - b + n) - sums.log_totals[k] - sums.before[k, slot])
        expected_out[k] = expected
