"""Discounts and concentrations by depth, drawn given a seating (Teh 2006b, section 4.3 there)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from stickbreaker.core.records import Array
from stickbreaker.ngrams.kernels.pitman_yor import Priors

# of one depth: customers and tables of its occupied restaurants, and numbers of tables by size
DepthCounts = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]

SHAPE, RATE = 1.0, 1.0  # of the Gamma prior of a concentration; a discount is uniform in [0, 1)
LEAST, MOST = 1e-9, 1.0 - 1e-9  # of a sampled discount


def draw_discount_and_concentration(
    discount: float,
    concentration: float,
    customers: NDArray[np.int64],
    tables: NDArray[np.int64],
    sizes: NDArray[np.int64],
    generator: np.random.Generator,
) -> tuple[float, float]:
    """Draw the discount a and the concentration b of one depth (context length) given its seating, by
    auxiliary variables; returns both.

    discount, concentration: the current values; customers, tables: of the depth's occupied restaurants;
    sizes: number of tables of each size, from 0. A seating has

        p = prod_u [prod_{i=1}^{T_u - 1} (b + a i) / prod_{j=1}^{C_u - 1} (b + j)]
            prod_{tables of m} prod_{j=1}^{m - 1} (j - a).

    Each factor b + a i or j - a is a sum of two terms, of which an auxiliary variable picks one; equal
    factors are drawn together, from a binomial. The denominators become an integral over x_u ~ Beta(b + 1,
    C_u - 1).
    """
    log_x = _log_fractions(concentration, customers, generator)
    opened = _more_than(np.bincount(tables, minlength=2))[1:]  # restaurants with more than 1, 2, ... tables
    steps = np.arange(1, len(opened) + 1)
    picked = generator.binomial(opened, concentration / (concentration + discount * steps)).sum()
    joined = _more_than(sizes)[1:]  # tables with more than 1, 2, ... customers
    steps = np.arange(1, len(joined) + 1)
    left = generator.binomial(joined, (steps - 1.0) / (steps - discount)).sum()
    drawn = generator.beta(1.0 + opened.sum() - picked, 1.0 + joined.sum() - left)
    return float(np.clip(drawn, LEAST, MOST)), float(generator.gamma(SHAPE + picked, 1.0 / (RATE - log_x)))


def draw_concentration(
    concentration: float, customers: NDArray[np.int64], tables: int, generator: np.random.Generator
) -> float:
    """Draw the concentration that several Dirichlet processes have in common, given their seating, by
    auxiliary variables (Escobar and West 1995).

    customers: of the occupied restaurants; tables: of all restaurants together. This is
    `draw_discount_and_concentration` with a discount of 0.
    """
    log_x = _log_fractions(concentration, customers, generator)
    return float(generator.gamma(SHAPE + tables - len(customers), 1.0 / (RATE - log_x)))


def _log_fractions(
    concentration: float, customers: NDArray[np.int64], generator: np.random.Generator
) -> float:
    """Draw x_u ~ Beta(b + 1, C_u - 1) for each restaurant u with at least two customers, where b is the
    concentration; returns the sum of log x_u."""
    full = customers[customers >= 2]
    return float(np.log(generator.beta(concentration + 1.0, full - 1.0)).sum()) if len(full) else 0.0


def _more_than(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many items are larger than 0, 1, 2, …; numbers: how many items are 0, 1, 2, …."""
    return numbers[::-1].cumsum()[::-1][1:]


def log_seating(
    discount: float,
    concentration: float,
    customers: NDArray[np.int64],
    tables: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> float:
    """log p(seating of one depth's restaurants | discount, concentration), in nats (Teh 2006, equation 5).

    customers, tables: of these restaurants; sizes: number of tables of each size, from 0.
    """
    used = customers > 0
    c, t = customers[used].astype(np.float64), tables[used].astype(np.float64)
    ratio = concentration / discount
    nats = (t * np.log(discount) + gammaln(ratio + t) - gammaln(ratio)).sum()
    nats -= (gammaln(concentration + c) - gammaln(concentration)).sum()
    steps = np.arange(1, len(sizes))
    return float(nats + sizes[1:] @ (gammaln(steps - discount) - gammaln(1.0 - discount)))


def draw_by_depth(priors: Priors, by_depth: Sequence[DepthCounts], generator: np.random.Generator) -> None:
    """Draw the discount and concentration of each depth (context length) given its seating, and write them to
    `priors`.

    by_depth: for each depth, customers and tables of its occupied restaurants, and numbers of tables by size.
    """
    for depth, parts in enumerate(by_depth):
        held = priors.discounts[depth], priors.concentrations[depth]
        drawn = draw_discount_and_concentration(*held, *parts, generator)
        priors.discounts[depth], priors.concentrations[depth] = drawn


def log_by_depth(priors: Priors, by_depth: Sequence[DepthCounts]) -> float:
    """log p(seating, discounts, concentrations) in nats, summed over all depths (context lengths); G0 is not
    included.

    by_depth: for each depth, customers and tables of its occupied restaurants, and numbers of tables by size.
    """
    nats = log_prior(priors.discounts, priors.concentrations)
    for depth, parts in enumerate(by_depth):
        nats += log_seating(priors.discounts[depth], priors.concentrations[depth], *parts)
    return nats


def with_draws(priors: Priors, discounts: Array, concentrations: Array) -> Priors:
    """A copy of `priors` with the discounts and concentrations of a checkpoint. Raises ValueError if they are
    out of range."""
    if not ((discounts > 0.0) & (discounts < 1.0)).all() or not all_positive(concentrations):
        raise ValueError("discounts or concentrations out of range")
    return priors._replace(discounts=discounts, concentrations=concentrations)


def all_positive(values: Array) -> bool:
    """Whether all values are finite and positive."""
    return bool(((values > 0.0) & np.isfinite(values)).all())


def log_prior(discounts: Array, concentrations: Array) -> float:
    """The log density of the hyperparameters' prior, summed over depths: discounts are uniform on [0, 1),
    concentrations Gamma(SHAPE, RATE), with SHAPE = 1."""
    return float(len(discounts) * SHAPE * np.log(RATE) - RATE * np.sum(concentrations))
