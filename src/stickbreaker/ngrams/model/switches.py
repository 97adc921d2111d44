"""The switches between the common topic and the other topics, context by context."""

from collections.abc import Mapping

import numpy as np
from scipy.special import gammaln

from stickbreaker.core.records import AnyArray, Array
from stickbreaker.ngrams.kernels.pitman_yor import CUSTOMERS, KINDS, TABLES, Layout, Priors, Seating
from stickbreaker.ngrams.kernels.switch_tables import Switches
from stickbreaker.ngrams.model.contexts import Contexts, Integers
from stickbreaker.ngrams.model.hyperparameters import RATE, all_positive, draw_concentration
from stickbreaker.ngrams.model.seatings import counted_seating, room_for_sizes

CONCENTRATION = 1.0  # at the start
HALF = 0.5  # expected lambda of the empty context without customers
ARRAYS = ("switch_seats", "switch_sizes", "switch_concentrations")


class SwitchState:
    """The switches in a chain's state: a restaurant per context, from whose seating lambda follows.

    lambda is the probability that a word in the context comes from a topic other than the common one; the
    customers of a switch are choices between the two (`kernels.switch_tables`).
    """

    def __init__(self, contexts: Contexts, most: Integers) -> None:
        """Create restaurants without customers; most (restaurants): the most customers that each can get."""
        n, n_depths = len(contexts.depths), int(contexts.depths.max()) + 1
        above = np.concatenate([[-1], contexts.restaurant_keys // contexts.n_words])[:, None]
        parents = np.where(above >= 0, 2 * above + np.arange(2), -1).ravel()
        places = room_for_sizes(np.repeat(most, 2))
        layout = Layout(parents, np.repeat(np.arange(n), 2), contexts.depths, places)
        seats, sizes = np.zeros((2 * n, 3), np.int32), np.zeros((int(places[-1]), 2), np.int32)
        priors = Priors(np.full(2, HALF), np.zeros(n_depths), np.full(n_depths, CONCENTRATION))
        self.held = Switches(
            layout, Seating(seats, sizes, np.zeros((n, 2), np.int32)), priors, np.full(n, HALF)
        )

    def expected(self) -> Array:
        """Expected lambda given the seating: the probability, in each context, that a word comes from a topic
        other than the common one (restaurants)."""
        layout, seats = self.held.layout, self.held.seating.seats
        above = layout.parents[1::2] // 2
        customers = seats[:, CUSTOMERS].reshape(-1, 2).astype(np.float64)
        found = np.empty(len(customers))
        for depth, mass in enumerate(self.held.priors.concentrations.tolist()):
            here = np.flatnonzero(layout.depths == depth)
            shorter = found[above[here]] if depth else HALF
            found[here] = (mass * shorter + customers[here, 1]) / (mass + customers[here].sum(axis=1))
        return found

    def draw_concentrations(self, generator: np.random.Generator) -> None:
        """Draw the concentration of the switches for each depth (context length), given their seating."""
        concentrations = self.held.priors.concentrations
        for depth in range(len(concentrations)):
            customers, tables = self._totals(depth)
            concentrations[depth] = draw_concentration(
                concentrations[depth], customers, int(tables.sum()), generator
            )

    def log_p(self) -> float:
        """log p(seating of the switches, their concentrations) in nats."""
        seating, layout = self.held.seating, self.held.layout
        nats = 0.0
        for depth, mass in enumerate(self.held.priors.concentrations.tolist()):
            customers, tables = self._totals(depth)
            nats += float(tables.sum()) * np.log(mass) - RATE * mass
            nats += float((gammaln(mass) - gammaln(mass + customers)).sum())
        slots = np.repeat(np.arange(len(layout.parents)), np.diff(layout.places))
        used = np.arange(len(slots)) - layout.places[slots] < seating.seats[slots, KINDS]
        sizes = seating.sizes[used].astype(np.float64)
        nats += float(sizes[:, 1] @ gammaln(sizes[:, 0]))
        return float(nats + seating.seats[:2, TABLES].sum() * np.log(HALF))

    def _totals(self, depth: int) -> tuple[Integers, Integers]:
        """The customers and the tables of each occupied restaurant at a depth."""
        totals = self.held.seating.totals[self.held.layout.depths == depth].astype(np.int64)
        totals = totals[totals[:, CUSTOMERS] > 0]
        return totals[:, CUSTOMERS], totals[:, TABLES]

    def to_arrays(self) -> dict[str, AnyArray]:
        """The seating and the concentrations as arrays of a checkpoint, for `take`."""
        seating = self.held.seating
        values = seating.seats.copy(), seating.sizes.copy(), self.held.priors.concentrations.copy()
        return dict(zip(ARRAYS, values, strict=True))

    def take(self, arrays: Mapping[str, AnyArray], own: Integers) -> None:
        """Restore the state from what `to_arrays` returned. Raises ValueError if it belongs to another text.

        own (slots of switches): the customers that are not sent by the switch of a longer context.
        """
        seats, sizes, concentrations = (arrays[name].copy() for name in ARRAYS)
        held = self.held.seating.seats, self.held.seating.sizes, self.held.priors.concentrations
        if any(
            a.shape != b.shape or a.dtype != b.dtype
            for a, b in zip((seats, sizes, concentrations), held, strict=True)
        ):
            raise ValueError("switches belong to another text")
        if not all_positive(concentrations):
            raise ValueError("concentrations are out of range")
        totals = counted_seating(self.held.layout, seats, sizes, own)
        self.held = self.held._replace(
            seating=Seating(seats, sizes, totals),
            priors=self.held.priors._replace(concentrations=concentrations),
        )
