"""The Markov chain over seatings of a hierarchical Pitman-Yor language model (Teh 2006)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from stickbreaker.contracts.contract import Fitted, Sampler, Score
from stickbreaker.core.random_streams import numbered_keys, stream
from stickbreaker.core.records import AnyArray, Array, Field, Record
from stickbreaker.ngrams import purposes
from stickbreaker.ngrams.kernels.pitman_yor import (
    CUSTOMERS,
    TABLES,
    Layout,
    Priors,
    Seating,
    Stops,
    count_sizes,
    seat_all,
    sweep,
    sweep_unbounded,
)
from stickbreaker.ngrams.model.contexts import Contexts, Integers
from stickbreaker.ngrams.model.hyperparameters import DepthCounts, draw_by_depth, log_by_depth, with_draws
from stickbreaker.ngrams.model.seatings import counted_seating, places_of, stops_and_passes

DISCOUNT, CONCENTRATION = 0.5, 1.0  # at the start
LEAST = 1e-300  # of G0 of a word: that of hundreds of letters could underflow
START = 2  # context length of the initial seating in unbounded models
STOP, GO_ON = 4.0, 1.0  # Beta prior of the share of words that stop in a context (Mochihashi & Sumita 2008)


class Events(NamedTuple):
    """The words of a text, ends of sentences included, as counts by slot; a chain samples their seats.

    A slot is a word in a context. Each word is counted under its deepest slot, that of its longest context.
    """

    contexts: Contexts
    own: NDArray[np.int32]  # slots: how many words have it as their deepest
    base: Array  # words: G0, the base of the empty context
    unbounded: bool  # whether context lengths are sampled


def events_of(contexts: Contexts, deepest: Integers, base: Array, *, unbounded: bool) -> Events:
    """The events of a text: what a chain samples seats of.

    contexts, deepest (words): all contexts and each word's slot (a word in a context) in its longest context,
    as `contexts_of` returns them; base (words): G0; unbounded: whether context lengths are sampled.
    """
    own = np.bincount(deepest, minlength=len(contexts.slot_keys)).astype(np.int32)
    return Events(contexts, own, np.maximum(base, LEAST), unbounded)


class TextEvents(NamedTuple):
    """What a chain over documents learns from: the events, and for each word of the text, in order, its
    document and its deepest slot (the word in its longest context)."""

    events: Events
    deepest: Integers  # words: the slot of the longest context
    documents: Integers  # words
    n_documents: int


class PitmanYorChain(Sampler):
    """Collapsed Gibbs sampling of the seating of a text's words; distributions of words are integrated out.

    A sweep reseats every word, then draws discounts and concentrations by depth (context length). For each
    slot (a word in a context), only the number of tables of each size is stored, which is sufficient. Sweeps
    are sequential and use one thread.
    """

    def __init__(self, events: Events, seed: int, given: Record = MappingProxyType({})) -> None:
        """Start a chain: all words are seated in empty restaurants, one by one.

        `given`: further params of the model, such as its G0, which become part of `fitted`.
        """
        self._events, self._seed, self._given = events, seed, given
        contexts = events.contexts
        self._layout = Layout(
            contexts.parents, contexts.restaurants, contexts.depths, places_of(contexts, events.own)
        )
        n_slots, n_restaurants = len(contexts.slot_keys), len(contexts.depths)
        self._depths = np.arange(int(contexts.depths.max()) + 1)
        self._ends = np.searchsorted(contexts.depths, np.append(self._depths, len(self._depths)))
        self._priors = Priors(
            events.base, np.full(len(self._depths), DISCOUNT), np.full(len(self._depths), CONCENTRATION)
        )
        n_sizes = int(self._layout.places[-1])
        self._seating = Seating(
            np.zeros((n_slots, 3), np.int32),
            np.zeros((n_sizes, 2), np.int32),
            np.zeros((n_restaurants, 2), np.int32),
        )
        n_words, counted = (int(events.own.sum()), n_restaurants) if events.unbounded else (0, 0)
        self._stops = Stops(np.zeros(n_words, np.int32), np.zeros((counted, 2), np.int32), STOP, GO_ON)
        self._samples: list[dict[str, AnyArray]] = []
        self._nats = np.empty(0)  # log p of all words in the last sweep: one number, or none before the first
        longest = START if events.unbounded else len(self._depths)
        seat_all(events.own, longest, self._layout, self._seating, self._priors, self._stops, self._key(-1))

    def sweep(self, number: int, threads: int) -> None:
        key = self._key(number)
        held = self._events.own, self._layout, self._seating, self._priors
        unbounded = self._events.unbounded
        self._nats = np.array([sweep_unbounded(*held, self._stops, key) if unbounded else sweep(*held, key)])
        generator = stream(self._seed, purposes.NGRAM_HYPERPARAMETERS, number)
        draw_by_depth(self._priors, self._by_depth(), generator)

    def learn(self) -> None:
        """Do nothing: discounts and concentrations are drawn in every sweep."""

    def score(self) -> Score:
        """log p(words, seating, lengths of contexts, discounts, concentrations), in nats."""
        nats = log_by_depth(self._priors, self._by_depth())
        opened = self._seating.seats[: self._events.contexts.n_words, TABLES]
        nats += float(opened[opened > 0] @ np.log(self._events.base[opened > 0]))
        counts = self._stops.counts
        nats += float((betaln(counts[:, 0] + STOP, counts[:, 1] + GO_ON) - betaln(STOP, GO_ON)).sum())
        return Score(nats, float(self._events.own.sum()), "joint")

    def figures(self) -> Mapping[str, float]:
        """Numbers to show during a run: occupied contexts, tables, and the perplexity of the last sweep.

        The perplexity is exp(-mean log p(word | context)), each p given all other words at the time when the
        word was reseated; it is missing before the first sweep.
        """
        totals = self._seating.totals
        counts = {"contexts": int((totals[:, CUSTOMERS] > 0).sum()), "tables": int(totals[:, TABLES].sum())}
        if not len(self._nats):
            return counts
        return {**counts, "perplexity": float(np.exp(-self._nats[0] / self._events.own.sum()))}

    def keep(self) -> None:
        self._samples.append(self._sample())

    def fitted(self) -> Fitted:
        """All samples stored so far, or the current state if there are none, as the params of a finished
        model.

        Only contexts that are occupied in some sample are included.
        """
        samples = self._samples or [self._sample()]
        anyone = np.zeros((1, len(self._events.own)), np.bool_)
        for sample in samples:
            anyone |= sample["customers"] > 0
        contexts, slots, restaurants = used_contexts(self._events.contexts, anyone)
        fields = {
            "restaurant_keys": Field(contexts.restaurant_keys, ("restaurants",)),
            "slot_keys": Field(contexts.slot_keys, ("slots",)),
            "customers": Field(_stacked(samples, "customers", slots), ("samples", "slots")),
            "tables": Field(_stacked(samples, "tables", slots), ("samples", "slots")),
            "discounts": Field(_stacked(samples, "discounts"), ("samples", "depths")),
            "concentrations": Field(_stacked(samples, "concentrations"), ("samples", "depths")),
        }
        if self._events.unbounded:
            ends = np.empty((len(samples), len(restaurants)))
            for row, sample in zip(ends, samples, strict=True):
                row[:] = stop_shares(sample["stops"][restaurants])
            fields["ends"] = Field(ends, ("samples", "restaurants"))
        parameters = {name: item._replace(additive=False) for name, item in fields.items()}
        return Fitted({**parameters, **self._given})

    def snapshot(self) -> dict[str, AnyArray]:
        """The chain's state as arrays of a checkpoint: seating, discounts, concentrations, context lengths,
        samples."""
        arrays = {
            "seats": self._seating.seats.copy(),
            "sizes": self._seating.sizes.copy(),
            "discounts": self._priors.discounts.copy(),
            "concentrations": self._priors.concentrations.copy(),
            "depths": self._stops.depths.copy(),
            "nats": self._nats.copy(),
            "samples": np.array(len(self._samples)),
        }
        for number, sample in enumerate(self._samples):
            arrays |= {f"sample/{number}/{name}": values for name, values in sample.items()}
        return arrays

    def restore(self, arrays: Mapping[str, AnyArray]) -> None:
        for name, held in {
            **self._seating._asdict(),
            **self._priors._asdict(),
            "depths": self._stops.depths,
        }.items():
            if name in arrays and (arrays[name].shape != held.shape or arrays[name].dtype != held.dtype):
                raise ValueError(f"{name} belongs to another text")
        seats, sizes = arrays["seats"].copy(), arrays["sizes"].copy()
        depths = arrays["depths"].copy()
        sitting, counts = self._sitting(depths)
        totals = counted_seating(self._layout, seats, sizes, sitting)
        self._seating = Seating(seats, sizes, totals)
        self._stops = self._stops._replace(depths=depths, counts=counts)
        discounts, concentrations = arrays["discounts"].copy(), arrays["concentrations"].copy()
        self._priors = with_draws(self._priors, discounts, concentrations)
        self._nats = nats_of_last_sweep(arrays)
        like = self._sample()
        self._samples = []
        if int(arrays["samples"]) < 0:
            raise ValueError("the number of samples is negative")
        for number in range(int(arrays["samples"])):
            sample = {name: arrays[f"sample/{number}/{name}"] for name in like}
            if any(sample[name].shape != like[name].shape for name in like):
                raise ValueError("a sample belongs to another text")
            if any(values.min(initial=0) < 0 for values in sample.values()):
                raise ValueError("a sample has negative numbers")
            whole = {name: np.int32 if like[name].dtype.kind == "u" else np.float64 for name in like}
            self._samples.append({name: narrowed(sample[name].astype(whole[name])) for name in like})

    def _key(self, number: int) -> np.uint64:
        return numbered_keys(self._seed, purposes.NGRAMS, number + 1, np.zeros(1, np.int64))[0]

    def _by_depth(self) -> list[DepthCounts]:
        """For each context length: customers and tables of its occupied restaurants, and how many tables have
        each size (from 0)."""
        n_sizes = int(self._seating.seats[:, CUSTOMERS].max(initial=0)) + 1
        sizes = np.zeros((len(self._depths), n_sizes), np.int64)
        count_sizes(self._layout, self._seating, sizes)
        found: list[DepthCounts] = []
        for depth in self._depths:
            totals = self._seating.totals[self._ends[depth] : self._ends[depth + 1]].astype(np.int64)
            totals = totals[totals[:, CUSTOMERS] > 0]
            last = int(np.flatnonzero(sizes[depth])[-1:].sum())
            found.append((totals[:, CUSTOMERS], totals[:, TABLES], sizes[depth, : last + 1]))
        return found

    def _sample(self) -> dict[str, AnyArray]:
        """The current state as arrays to be stored as a sample, counts in the smallest integer type."""
        sample = {
            "customers": narrowed(self._seating.seats[:, CUSTOMERS]),
            "tables": narrowed(self._seating.seats[:, TABLES]),
            "discounts": self._priors.discounts.copy(),
            "concentrations": self._priors.concentrations.copy(),
        }
        return {**sample, "stops": narrowed(self._stops.counts)} if self._events.unbounded else sample

    def _sitting(self, depths: NDArray[np.int32]) -> tuple[Integers, NDArray[np.int32]]:
        """From the length of each word's context: how many words sit in each slot (a word in a context), and
        how many stop at and pass each restaurant (restaurants × 2).

        Raises ValueError if the lengths (`depths`) do not fit the text. With a fixed context length they are
        not used.
        """
        if not self._events.unbounded:
            return self._events.own.astype(np.int64), self._stops.counts
        restaurants, parents = self._layout.restaurants, self._layout.parents
        at = np.repeat(np.arange(len(self._events.own)), self._events.own)
        deepest = self._layout.depths[restaurants[at]]
        if (depths < 0).any() or (depths > deepest).any():
            raise ValueError("context lengths belong to other contexts")
        for _ in self._depths:
            at = np.where(self._layout.depths[restaurants[at]] > depths, parents[at], at)
        counts = stops_and_passes(self._layout, at, depths < deepest)
        return np.bincount(at, minlength=len(self._events.own)), counts


def nats_of_last_sweep(arrays: Mapping[str, AnyArray]) -> Array:
    """The score of the last sweep from the arrays of a checkpoint: the sum of log p of all words, as an array
    of one number, or of none before the first sweep.

    Raises ValueError if it is invalid.
    """
    nats = arrays["nats"].copy()
    if nats.shape not in ((0,), (1,)) or nats.dtype != np.float64 or not np.isfinite(nats).all():
        raise ValueError("the score of the last sweep is invalid")
    return nats


def used_contexts(
    contexts: Contexts, customers: NDArray[np.integer | np.bool_]
) -> tuple[Contexts, Integers, Integers]:
    """Only the contexts and words that are occupied in some sample, numbered again, and the old numbers of
    their slots (words in a context) and restaurants (contexts).

    customers (samples × slots). All words of the empty context are kept. An occupied context has sent
    customers to all shorter ones, so the trie stays connected.
    """
    first = np.arange(len(contexts.slot_keys)) < contexts.n_words
    slots = np.flatnonzero(customers.any(axis=0) | first)
    slot_keys, n = contexts.restaurants[slots], contexts.n_words
    restaurants = slot_keys[np.flatnonzero(np.diff(slot_keys, prepend=-1))]  # they ascend
    number = np.full(len(contexts.depths), -1)
    number[restaurants] = np.arange(len(restaurants))
    np.take(number, slot_keys, out=slot_keys)
    slot_keys *= n
    slot_keys += contexts.slot_keys[slots] % n
    keys = contexts.restaurant_keys[restaurants[1:] - 1]
    return Contexts(n, number[keys // n] * n + keys % n, slot_keys), slots, restaurants


def _stacked(samples: list[dict[str, AnyArray]], name: str, places: Integers | None = None) -> AnyArray:
    """The array `name` of all samples as a table with a row per sample, restricted to `places` if given."""
    rows = [sample[name] for sample in samples]
    width = len(rows[0]) if places is None else len(places)
    found = np.empty((len(rows), width), np.result_type(*rows))
    for row, values in zip(found, rows, strict=True):
        row[:] = values if places is None else values[places]
    return found


def stop_shares(counts: NDArray[np.integer]) -> Array:
    """The expected share of words whose context ends at each restaurant, among those whose context is at
    least that long (samples × restaurants).

    counts (samples × restaurants × 2): words that stop there, and words that pass on to longer contexts.
    """
    return (counts[..., 0] + STOP) / (counts.sum(axis=-1) + STOP + GO_ON)


def narrowed(values: AnyArray) -> AnyArray:
    """Non-negative integers converted to the smallest type that holds them; other arrays unchanged."""
    return values.astype(np.min_scalar_type(values.max(initial=0))) if values.dtype.kind in "iu" else values
