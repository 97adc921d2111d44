"""Switches: draws of lambda against moments and quadrature, tables against enumeration."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import beta
from tests.oracle.topic_seatings import Given, seatings

from stickbreaker.ngrams.kernels.pitman_yor import CUSTOMERS, TABLES
from stickbreaker.ngrams.kernels.switch_tables import draw_shares, seat_switches
from stickbreaker.ngrams.model.contexts import Contexts
from stickbreaker.ngrams.model.switches import SwitchState

pytestmark = [pytest.mark.kernels, pytest.mark.usefixtures("wrapping_integers")]

DRAWS = 2_000
NAMES = [(), (0,), (1,), (0, 1)]
MASSES = np.array([0.8, 1.7, 0.6])


def state_of(masses=MASSES, most=12):
    """Empty switches of the empty context, two of one word, and one of two words."""
    contexts = Contexts(2, np.array([0, 1, 3]), np.array([0, 1, 2, 4, 6]))
    state = SwitchState(contexts, np.full(4, most))
    state.held.priors.concentrations[:] = masses
    return state


def put(state, restaurant, common, topics):
    """Customers and tables of a restaurant's switches (customers, tables)."""
    seating = state.held.seating
    seating.seats[2 * restaurant, :2], seating.seats[2 * restaurant + 1, :2] = common, topics
    seating.totals[restaurant] = np.add(common, topics)


def drawn(state, draws=DRAWS):
    found = np.empty((draws, 4))
    for number in range(draws):
        draw_shares(state.held, np.uint64(number * 7919 + 1))
        found[number] = state.held.shares
    return found


def test_shares_have_the_moments_that_they_should():
    """Root's is Beta; of longer contexts, by quadrature over that of the shorter one."""
    state = state_of()
    put(state, 0, (5, 2), (2, 2))
    put(state, 1, (1, 1), (4, 2))
    put(state, 2, (3, 1), (0, 0))
    found = drawn(state)
    grid = (np.arange(4000) + 0.5) / 4000
    roots = beta.pdf(grid, MASSES[0] / 2 + 2, MASSES[0] / 2 + 5)
    roots /= roots.sum()
    expected = [(roots @ grid, roots @ grid**2)]
    for topics, common in ((4, 1), (0, 3)):
        a, n = MASSES[1] * grid + topics, MASSES[1] + topics + common
        expected.append((roots @ (a / n), roots @ (a * (a + 1) / (n * (n + 1)))))
    for restaurant, (mean, square) in enumerate(expected):
        shares = found[:, restaurant]
        for values, wanted in ((shares, mean), (shares**2, square)):
            assert abs(values.mean() - wanted) < 4.0 * values.std() / np.sqrt(DRAWS)
    assert np.allclose([mean for mean, _ in expected], state.expected()[:3], atol=1e-3)


@pytest.mark.parametrize("mass", [1e-1, 1e-3, 1e-6])
def test_small_concentrations_make_shares_of_none_or_all(mass):
    """Log Gamma numbers are far below -700 then: a share is near 0 as often as near 1."""
    state = state_of(np.full(3, mass))
    found = drawn(state)
    assert ((found > 0.0) & (found < 1.0)).all()
    assert (np.abs(found.mean(axis=0) - 0.5) < 4.0 * 0.5 / np.sqrt(DRAWS)).all()
    if mass < 1e-2:
        assert (np.minimum(found, 1.0 - found).mean(axis=0) < 0.02).all()
    put(state, 1, (3, 1), (0, 0))
    put(state, 0, (1, 1), (0, 0))
    shares = drawn(state)[:, :2].mean(axis=0)
    assert (shares < mass).all()


def test_tables_come_as_often_as_they_should():
    """Customers of each switch, seated again given lambda: against all seatings of a few."""
    state = state_of()
    state.held.shares[:] = [0.3, 0.6, 0.8, 0.9]
    own = np.zeros(8, np.int64)
    own[[0, 1, 2, 3, 6, 7]] = 1, 2, 1, 2, 1, 3
    customers = [(NAMES[s // 2], s % 2) for s in np.repeat(np.arange(8), own).tolist()]
    exact = exact_tables(customers, dict(zip(NAMES, state.held.shares.tolist(), strict=True)))
    counted = Counter()
    for number in range(DRAWS):
        seat_switches(own, state.held, np.uint64(number * 104729 + 5))
        seats = state.held.seating.seats
        counted[tuple(seats[:, TABLES].tolist())] += 1
        check(state, own)
    assert set(counted) <= set(exact)
    assert sum(exact.values()) == pytest.approx(1.0)
    for tables, p in exact.items():
        error = np.sqrt(p * (1.0 - p) / DRAWS)
        assert abs(counted[tables] / DRAWS - p) < 4.5 * error + 1e-3, (tables, p)


def check(state, own):
    """Sizes and totals are those of the customers, and tables are customers of the shorter context."""
    held, seats = state.held, state.held.seating.seats
    sent = own.copy()
    inner = held.layout.parents >= 0
    np.add.at(sent, held.layout.parents[inner], seats[inner, TABLES])
    assert (sent == seats[:, CUSTOMERS]).all()
    assert (held.seating.totals == seats[:, :2].reshape(4, 2, 2).sum(axis=1)).all()
    for slot, (customers, tables, kinds) in enumerate(seats.tolist()):
        first = held.layout.places[slot]
        sizes = held.seating.sizes[first : first + kinds]
        assert len(set(sizes[:, 0].tolist())) == kinds
        assert (sizes > 0).all()
        assert sizes.prod(axis=1).sum() == customers
        assert sizes[:, 1].sum() == tables


def exact_tables(customers, shares):
    """Numbers of tables by slot given lambda: each restaurant's seats by its own concentration times what
    the shorter context's lambda says."""
    found = {(): 1.0}
    sent = Counter((name, label) for name, label in customers)
    ways = [(dict(sent), {}, 1.0)]
    for name in reversed(NAMES):
        following = []
        for waiting, tables, p in ways:
            for label_p, opened in both(waiting, name, shares):
                after = dict(waiting)
                for label, number in enumerate(opened):
                    if name:
                        after[name[:-1], label] = after.get((name[:-1], label), 0) + number
                following.append((after, {**tables, name: opened}, p * label_p))
        ways = following
    found = Counter()
    for _, tables, p in ways:
        found[tuple(n for name in NAMES for n in tables[name])] += p
    return found


def both(waiting, name, shares):
    """Numbers of tables of the two switches of a context, with their chances."""
    share = shares[name[:-1]] if name else 0.5
    masses = MASSES[len(name)] * np.array([1.0 - share, share])
    ways = [numbers(waiting.get((name, label), 0), masses[label]) for label in (0, 1)]
    for first, p in ways[0].items():
        for second, q in ways[1].items():
            yield p * q, (first, second)


def numbers(customers, mass):
    """How many tables some customers have in a restaurant of one dish: sums over all seatings."""
    given = Given(np.ones(1), np.zeros(1), np.array([mass]))
    found = Counter()
    for state, p in seatings([(1, (), 0)] * customers, given).items():
        found[sum(len(tables) for _, tables in state)] += p
    return found
