"""The laws that every Gibbs sampler obeys: `SamplerTests`, and for exact chains `ExactSamplerTests`."""

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from stickbreaker.contracts.contract import Sampler
from stickbreaker.core.serialize import Arrays
from stickbreaker.testing.geweke import TINY, geweke_deviations
from stickbreaker.testing.subjects import about

Data = TypeVar("Data")


def bits(arrays: Arrays) -> dict[str, tuple[str, tuple[int, ...], bytes]]:
    """The type, shape and bytes of each array, for comparison."""
    return {name: (values.dtype.str, values.shape, values.tobytes()) for name, values in arrays.items()}


def whole_bits(sampler: Sampler) -> list[object]:
    """All that can be observed of a chain, for exact comparison: snapshot, result, score and figures."""
    params, counts, columns = sampler.fitted()
    learned = {name: item.values for name, item in params.items()}
    table = {"counts": counts, "columns": columns}
    given = {name: values for name, values in table.items() if values is not None}
    return [bits(sampler.snapshot()), bits(learned), bits(given), sampler.score(), sampler.figures()]


def advance(sampler: Sampler, numbers: range, threads: int = 1) -> Sampler:
    """Advance a chain, in place, by the sweeps with these numbers; returns the chain.

    Hyperparameters are updated after each sweep. The states after odd sweeps are recorded as samples.
    """
    for number in numbers:
        sampler.sweep(number, threads)
        sampler.learn()
        if number % 2:
            sampler.keep()
    return sampler


class SamplerTests(ABC):
    """Tests that hold for samplers. Subclass and implement `sampler`, `another` and `log_joint`."""

    @abstractmethod
    def sampler(self, seed: int) -> Sampler:
        """A new chain, always with the same data and first state; `seed` determines its sweeps.

        The data must be large enough that two seeds lead to two states, and include hard cases such as an
        empty document.
        """

    @abstractmethod
    def another(self) -> Sampler:
        """A chain over other data, such as more documents, whose snapshot `sampler(seed)` cannot restore."""

    @abstractmethod
    def log_joint(self, sampler: Sampler) -> float:
        """The right score of a chain, computed from its snapshot by the definition, with plain loops."""

    def test_same_bytes_for_any_number_of_threads(self) -> None:
        """Law 2: the same bytes for any number of threads; another seed gives other states."""
        states = [whole_bits(advance(self.sampler(3), range(5), threads)) for threads in (1, 2, 3, 1)]
        assert all(state == states[0] for state in states[1:])
        assert whole_bits(advance(self.sampler(4), range(5))) != states[0]

    def test_a_restored_chain_goes_on_byte_for_byte(self) -> None:
        """Law 2: a chain restored from a snapshot continues exactly as the first one, from any sweep.

        This includes its samples, and holds whatever the restored chain did before.
        """
        for at in (0, 1, 4):
            whole, rest = advance(self.sampler(3), range(at)), advance(self.sampler(3), range(20, 22))
            rest.restore(whole.snapshot())
            assert whole_bits(rest) == whole_bits(whole)
            for each in (whole, rest):
                advance(each, range(at, at + 4))
            assert whole_bits(rest) == whole_bits(whole)

    def test_a_snapshot_stays_when_its_chain_goes_on(self) -> None:
        """A snapshot's arrays do not change when its chain continues, or one that was restored from it."""
        sampler, other = advance(self.sampler(3), range(2)), self.sampler(3)
        arrays = sampler.snapshot()
        before = bits(arrays)
        other.restore(arrays)
        for each in (other, sampler):
            advance(each, range(2, 6))
            assert bits(arrays) == before
            assert bits(each.snapshot()) != before

    def test_a_snapshot_of_another_chain_is_refused(self) -> None:
        sampler = advance(self.sampler(3), range(2))
        for number in (0, 2):
            with pytest.raises(ValueError):
                sampler.restore(advance(self.another(), range(number)).snapshot())

    def test_the_score_is_the_log_joint_of_a_state(self) -> None:
        sampler = self.sampler(3)
        for number in range(3):
            nats, tokens, kind = advance(sampler, range(number, number + 1)).score()
            expected = self.log_joint(sampler)
            assert np.isfinite(nats)
            assert abs(nats - expected) < 1e-9 * abs(expected), (nats, expected)
            assert tokens > 0.0
            assert kind == "joint"

    def test_reading_changes_nothing(self) -> None:
        """Score, figures, fitted and snapshot can be read at any time without changing the chain."""
        watched = self.sampler(3)
        for number in range(4):
            advance(watched, range(number, number + 1))
            assert whole_bits(watched) == whole_bits(watched)
        assert whole_bits(watched) == whole_bits(advance(self.sampler(3), range(4)))


class ExactSamplerTests(SamplerTests, Generic[Data]):
    """Tests for samplers whose stationary distribution is the posterior: also Geweke's.

    Implement `draw`, `redraw` and `functions` too, with data so small that a sweep is quick.
    """

    states = 500  # number of draws from the prior, each followed by two sweeps
    draws = 3_000  # number of draws from the prior
    sweeps = 5_000  # number of sweeps, each followed by new data

    @abstractmethod
    def draw(self, generator: np.random.Generator) -> tuple[Data, Sampler]:
        """Draw a state and data from the prior by definition; returns the data, and a chain in that state."""

    @abstractmethod
    def redraw(self, data: Data, sampler: Sampler, generator: np.random.Generator) -> tuple[Data, Sampler]:
        """Draw new data given the chain's state; returns it, and a chain over it in the same state."""

    @abstractmethod
    def functions(self, data: Data, sampler: Sampler) -> ArrayLike:
        """The values of test functions, such as counts and their squares.

        They must not depend on the numbering of topics.
        """

    @about("draws")
    def test_sweeps_leave_the_joint_as_it_is(self) -> None:
        """Law 5, in seconds: test functions have the same means before and after two sweeps.

        State and data are drawn from the prior, and sweeps given the data leave their distribution as it is.
        No two draws are correlated, so that few show most of what Geweke's test shows in minutes. All of the
        state must be drawn, also what the next sweep begins by drawing again.
        """
        generator, changes = np.random.default_rng(8), list[NDArray[np.float64]]()
        for state in range(self.states):
            data, sampler = self.draw(generator)
            before = np.asarray(self.functions(data, sampler), np.float64)
            for number in (2 * state, 2 * state + 1):  # draws with one seed differ by the number of the sweep
                sampler.sweep(number, 1)
            changes.append(np.asarray(self.functions(data, sampler), np.float64) - before)
        errors = np.std(changes, axis=0) / np.sqrt(self.states) + TINY
        deviations = np.abs(np.mean(changes, axis=0)) / errors
        assert deviations.max() < 5.0, deviations.round(1)

    @about("long runs")
    def test_geweke(self) -> None:
        """Law 5 (Geweke 2004): two ways to draw data and state together have the same means.

        One draws both from the prior. The other alternates: the state given the data (a sweep), then new data
        given the state.
        """
        generator = np.random.default_rng(3)
        independent: list[ArrayLike] = []
        for _ in range(self.draws):
            data, sampler = self.draw(generator)
            independent.append(self.functions(data, sampler))
        chain: list[ArrayLike] = []
        data, sampler = self.draw(generator)
        for number in range(self.sweeps):
            sampler.sweep(number, 1)
            data, sampler = self.redraw(data, sampler, generator)
            chain.append(self.functions(data, sampler))
        deviations = geweke_deviations(independent, chain)
        assert deviations.max() < 4.0, deviations.round(1)
