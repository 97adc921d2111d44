"""Sticks summed up: against sticks one by one, and against draws of them."""

import numpy as np
import pytest
from scipy.special import gammaln
from tests.oracle import sticks as oracle
from tests.tiers import sampled

from stickbreaker.kernels.sticks import (
    OrderedCells,
    Process,
    StickSums,
    expected_sticks,
    stick_sums,
    stick_terms,
    stick_weights,
    take_inside,
)
from stickbreaker.kernels.truncated_table import by_row

pytestmark = [pytest.mark.kernels, pytest.mark.filterwarnings("ignore:overflow encountered")]

CONCENTRATIONS = [0.01, 0.7, 30.0, 3000.0]
PROCESSES = [*((a, 0.0, 0.0) for a in CONCENTRATIONS), (0.7, 0.4, 0.0), (30.0, 0.9, 0.0), (3000.0, 0.1, 7.5)]
N_WORDS = 12


def random_topics(seed, sizes=(0, 1, 5, 12), scale=0.25):
    """Cells of topics of so many words, some of them outside, and each topic's words inside {row: count}.

    Counts are zeros, fractions and large numbers; what is beyond a size is never looked at.
    """
    rng = np.random.default_rng(seed)
    shape = len(sizes), max(sizes) + 2
    rows, values = np.full(shape, N_WORDS + 5, np.int32), np.full(shape, np.nan)
    inside = np.zeros(shape, np.bool_)
    topics = []
    for k, size in enumerate(sizes):
        rows[k, :size] = rng.permutation(N_WORDS)[:size]
        counts = rng.choice([0.0, 1.0, 100.0], size) * rng.gamma(1.0, 3.0, size)
        values[k, :size] = counts / scale
        inside[k, :size] = rng.random(size) < 0.8
        held = [slot for slot in range(size) if inside[k, slot]]
        topics.append({int(rows[k, slot]): float(counts[slot]) for slot in held})
    n = np.array(sizes, np.int64)
    return rows, OrderedCells(rows, values, inside, n, scale), topics


def rows_of(cells):
    return by_row(cells.rows, cells.sizes, N_WORDS)


def process_of(cells, a, b=0.0, beyond=0.0):
    n = len(cells.sizes)
    return Process(np.full(n, a), np.full(n, b), np.full(n, beyond))


def sums_of(cells, *process):
    sums = StickSums(
        np.full(cells.values.shape, np.nan), np.empty(len(cells.sizes)), np.empty(len(cells.sizes))
    )
    stick_sums(cells, process_of(cells, *process), sums)
    return sums


def slots_inside(rows, cells, k):
    return [slot for slot in range(cells.sizes[k]) if cells.inside[k, slot]]


@pytest.mark.parametrize("process", PROCESSES)
@pytest.mark.parametrize("seed", sampled(range(4), 2))
def test_sums_give_every_expected_logarithm(process, seed):
    rows, cells, topics = random_topics(seed)
    sums = sums_of(cells, *process)
    for k, held in enumerate(topics):
        logs, left = oracle.expected_logs(list(held.values()), *process)
        slots = slots_inside(rows, cells, k)
        psi = oracle.digamma(1.0 - process[1] + np.array(list(held.values())))
        assert psi - sums.log_totals[k] - sums.before[k, slots] == pytest.approx(logs, rel=1e-9, abs=1e-9)
        assert sums.leftover[k] == pytest.approx(left, rel=1e-9, abs=1e-9)
        others = [slot for slot in range(cells.sizes[k]) if slot not in slots]
        assert (sums.before[k, others] == -1.0).all()


@pytest.mark.parametrize("a", CONCENTRATIONS)
@pytest.mark.parametrize("seed", sampled(range(4), 2))
def test_weights_of_words_inside_outside_and_unknown(a, seed):
    """A row over its largest weight, in single precision, with the logarithm of what it was divided by."""
    rng = np.random.default_rng(seed + 50)
    _, cells, topics = random_topics(seed)
    positions = np.array([*rng.permutation(N_WORDS), -1])
    outside = rng.normal(-3.0, 2.0, len(positions))
    weights, log_scale = np.full((len(positions), 4), np.nan, np.float32), np.empty(len(positions))
    stick_weights(positions, cells, rows_of(cells), sums_of(cells, a), outside, weights, log_scale)
    for w, row in enumerate(positions.tolist()):
        wanted = []
        for held in topics:
            logs, left = oracle.expected_logs(list(held.values()), a)
            place = list(held).index(row) if row in held else -1
            wanted.append(logs[place] if row in held else left + outside[w])
        assert weights[w].max() == 1.0
        assert log_scale[w] == pytest.approx(max(wanted), rel=1e-9, abs=1e-9)
        relative = np.exp(np.array(wanted) - max(wanted))
        assert weights[w] == pytest.approx(relative, rel=1e-6, abs=1e-12)


def test_weights_too_small_to_count_are_zero():
    """Below exp(-30) of the largest, inside a topic and outside."""
    rows, cells, _ = random_topics(1, sizes=(3, 3))
    sums = sums_of(cells, 5.0)._replace(leftover=np.array([0.0, -40.0]))
    weights, log_scale = np.full((1, 2), np.nan, np.float32), np.empty(1)
    stick_weights(np.array([-1]), cells, rows_of(cells), sums, np.array([-2.0]), weights, log_scale)
    assert weights.tolist() == [[1.0, 0.0]]
    assert log_scale[0] == pytest.approx(-2.0)
    row = int(rows[0, slots_inside(rows, cells, 0)[0]])
    sums = sums._replace(leftover=np.full(2, 90.0))
    stick_weights(np.array([row]), cells, rows_of(cells), sums, np.zeros(1), weights, log_scale)
    assert weights[0, 0] == 0.0


@pytest.mark.parametrize("process", PROCESSES)
@pytest.mark.parametrize("seed", sampled(range(4), 2))
def test_expected_probabilities_and_the_rest(process, seed):
    rows, cells, topics = random_topics(seed)
    probabilities, rests = np.full(cells.values.shape, np.nan), np.empty(4)
    expected_sticks(cells, process_of(cells, *process), probabilities, rests)
    for k, held in enumerate(topics):
        shares, left = oracle.expected(list(held.values()), *process)
        slots = slots_inside(rows, cells, k)
        assert probabilities[k, slots] == pytest.approx(shares, rel=1e-9)
        assert rests[k] == pytest.approx(left, rel=1e-9)
        assert probabilities[k, : cells.sizes[k]].sum() + rests[k] == pytest.approx(1.0)
        others = [slot for slot in range(cells.sizes[k]) if slot not in slots]
        assert (probabilities[k, others] == 0.0).all()


@pytest.mark.parametrize("process", PROCESSES)
@pytest.mark.parametrize("seed", sampled(range(4), 2))
def test_terms_are_the_divergence_of_the_sticks(process, seed):
    _, cells, topics = random_topics(seed)
    numbers, evidence, expected = (np.full(4, np.nan) for _ in range(3))
    stick_terms(cells, process_of(cells, *process), sums_of(cells, *process), numbers, evidence, expected)
    for k, held in enumerate(topics):
        counts = list(held.values())
        logs, left = oracle.expected_logs(counts, *process)
        assert numbers[k] == len(counts)
        nats = sum(n * x for n, x in zip(counts, logs, strict=True)) + (process[2] * left if counts else 0.0)
        assert expected[k] == pytest.approx(nats, rel=1e-9)
        nats = -oracle.divergence(counts, *process)
        assert evidence[k] - expected[k] == pytest.approx(nats, rel=1e-7, abs=1e-7)


def test_evidence_is_the_probability_of_the_tokens():
    """E[prod beta_t^n_t] over sticks drawn from the prior."""
    a, counts = 1.7, [3.0, 1.0, 2.0]
    _, cells, _ = random_topics(0, sizes=(3,), scale=1.0)
    cells = cells._replace(
        values=np.array([[*counts, 0.0, 0.0]]), inside=np.array([[True] * 3 + [False] * 2])
    )
    numbers, evidence, expected = np.empty(1), np.empty(1), np.empty(1)
    stick_terms(cells, process_of(cells, a), sums_of(cells, a), numbers, evidence, expected)
    rng = np.random.default_rng(0)
    sticks = rng.beta(1.0, a, (400_000, 3))
    logs = np.log(sticks) + np.cumsum(np.log1p(-sticks), axis=1) - np.log1p(-sticks)
    draws = np.exp(logs @ np.array(counts))
    assert np.exp(evidence[0]) == pytest.approx(draws.mean(), abs=5 * draws.std() / np.sqrt(len(draws)))
    by_hand = 3 * np.log(a) + gammaln(4) + gammaln(2) + gammaln(3) + gammaln(a) - gammaln(7 + a)
    assert evidence[0] == pytest.approx(by_hand - np.log(a + 3) - np.log(a + 2), rel=1e-9)


@pytest.mark.parametrize("seed", sampled(range(3), 2))
def test_sticks_are_those_of_the_cells_inside(seed):
    """Without the cells between them that have no stick, in whatever topic they are."""
    _, cells, _ = random_topics(seed)
    sizes = cells.inside.sum(axis=1)  # what is beyond a size is not inside
    shape = len(sizes), int(sizes.max())
    rows, values, taken = np.zeros(shape, np.int32), np.zeros(shape), np.full(len(sizes), -1)
    take_inside(cells, rows, values, taken)
    few = cells._replace(rows=rows, values=values, inside=np.ones(shape, np.bool_), sizes=taken)
    assert few.sizes.tolist() == cells.inside.sum(axis=1).tolist()
    sums, same = sums_of(cells, 3.0), sums_of(few, 3.0)
    assert same.leftover == pytest.approx(sums.leftover, rel=1e-12)
    outside, both = np.full(N_WORDS, -1.0), []
    for each, its in ((cells, sums), (few, same)):
        weights, log_scale = np.empty((N_WORDS, 4), np.float32), np.empty(N_WORDS)
        stick_weights(np.arange(N_WORDS), each, rows_of(each), its, outside, weights, log_scale)
        both.append((weights, log_scale))
    assert both[0][0] == pytest.approx(both[1][0], rel=1e-6)
    assert both[0][1] == pytest.approx(both[1][1], rel=1e-12)
