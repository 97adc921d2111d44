"""Samples of a chain over topics: collected during a run, and turned into the fields of a finished model."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import AnyArray, Field
from stickbreaker.ngrams.kernels.topic_tables import CUSTOMERS, TABLES, TOPIC, Rooms, Seats
from stickbreaker.ngrams.model.chain import narrowed, stop_shares, used_contexts
from stickbreaker.ngrams.model.contexts import Contexts
from stickbreaker.ngrams.model.topic_rooms import used

Sample = dict[str, AnyArray]
CELLS = ("cell_slots", "cell_topics", "cell_customers", "cell_tables")  # integer arrays of a sample's cells
STACKED = ("discounts", "concentrations", "prior")  # of the same shape in all samples
PREFIX = "sample"  # of the arrays of a checkpoint


def sample_of(rooms: Rooms, seats: Seats) -> Sample:
    """The current seating as arrays of a sample: its cells (a slot and a topic with customers there), sorted
    by slot, then by topic."""
    rows = np.flatnonzero(used(rooms.cells, seats.n_cells) & (seats.cells[:, CUSTOMERS] > 0))
    slots = np.searchsorted(rooms.cells, rows, side="right") - 1
    cells = seats.cells[rows]
    order = np.lexsort((cells[:, TOPIC], slots))
    columns = slots, cells[:, TOPIC], cells[:, CUSTOMERS], cells[:, TABLES]
    return {name: narrowed(column[order]) for name, column in zip(CELLS, columns, strict=True)}


class TopicSamples:
    """The samples of a chain over topics, and how often each word has each topic, summed over samples."""

    def __init__(self, contexts: Contexts, n_topics: int, *, unbounded: bool) -> None:
        """Start without samples. `n_topics`: the common one included; `unbounded`: whether context lengths
        are sampled."""
        self._contexts, self._unbounded = contexts, unbounded
        self._samples: list[Sample] = []
        self._word_topics = np.zeros((contexts.n_words, n_topics), np.int64)

    def __len__(self) -> int:
        return len(self._samples)

    def add(self, sample: Sample, word_topics: NDArray[np.int64]) -> None:
        """Add a sample. word_topics (words × topics): how often each word has each topic in it."""
        self._samples.append(sample)
        self._word_topics = self._word_topics + word_topics

    def to_fields(self) -> dict[str, Field]:
        """The fields of a finished model, with only those contexts that are occupied in some sample.

        The cells (a slot and a topic with customers there) of all samples are concatenated; the field `cells`
        (samples + 1) has where those of each begin. There must be a sample.
        """
        samples = self._samples
        anyone = np.zeros((1, len(self._contexts.slot_keys)), np.bool_)
        for sample in samples:
            anyone[0, sample["cell_slots"]] = True
        contexts, slots, restaurants = used_contexts(self._contexts, anyone)
        numbers = np.cumsum(anyone[0] | (np.arange(anyone.shape[1]) < self._contexts.n_words)) - 1
        joined = {name: np.concatenate([sample[name] for sample in samples]) for name in CELLS}
        joined["cell_slots"] = numbers[joined["cell_slots"]]
        assert len(slots) == int(numbers[-1]) + 1
        sizes = [len(sample["cell_slots"]) for sample in samples]
        fields = {
            "restaurant_keys": Field(contexts.restaurant_keys, ("restaurants",)),
            "slot_keys": Field(contexts.slot_keys, ("slots",)),
            "cells": Field(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), ("samples",)),
            **{name: Field(narrowed(joined[name]), ("cells",)) for name in CELLS},
            "discounts": Field(self._stack("discounts"), ("samples", "depths")),
            "concentrations": Field(self._stack("concentrations"), ("samples", "depths")),
            "prior": Field(self._stack("prior"), ("samples", "topics")),
            "word_topics": Field(self._word_topics / len(samples), ("words", "topics")),
        }
        if len(samples[0]["switches"]):
            fields["switches"] = Field(self._stack("switches")[:, restaurants], ("samples", "restaurants"))
        if self._unbounded:
            ends = stop_shares(self._stack("stops")[:, restaurants])
            fields["ends"] = Field(ends, ("samples", "restaurants"))
        return {name: item._replace(additive=False) for name, item in fields.items()}

    def _stack(self, name: str) -> AnyArray:
        return np.stack([sample[name] for sample in self._samples])

    def to_arrays(self) -> Sample:
        """The samples as arrays of a checkpoint."""
        arrays = {"samples": np.array(len(self._samples)), "word_topics": self._word_topics.copy()}
        for number, sample in enumerate(self._samples):
            arrays |= {f"{PREFIX}/{number}/{name}": values for name, values in sample.items()}
        return arrays

    def take(self, arrays: Mapping[str, AnyArray]) -> None:
        """Restore the samples from what `to_arrays` returned. Raises ValueError for those of another text."""
        n_samples, sums = int(arrays["samples"]), arrays["word_topics"]
        if (
            n_samples < 0
            or sums.shape != self._word_topics.shape
            or sums.dtype != np.int64
            or (sums < 0).any()
        ):
            raise ValueError("samples belong to another text")
        names = (*CELLS, *STACKED, "switches", *(("stops",) if self._unbounded else ()))
        samples = [{name: arrays[f"{PREFIX}/{n}/{name}"].copy() for name in names} for n in range(n_samples)]
        for sample in samples:
            self._refuse(sample, samples[0])
        self._samples, self._word_topics = samples, sums.copy()

    def _refuse(self, sample: Sample, first: Sample) -> None:
        """Raise ValueError if a sample does not fit the text, or its arrays differ in shape from those of
        `first`."""
        slots, topics = sample["cell_slots"].astype(np.int64), sample["cell_topics"].astype(np.int64)
        n_slots, n_topics = len(self._contexts.slot_keys), self._word_topics.shape[1]
        if any(sample[name].ndim != 1 or len(sample[name]) != len(slots) for name in CELLS):
            raise ValueError("a sample belongs to another text")
        if any(sample[name].dtype.kind not in "iu" or sample[name].min(initial=0) < 0 for name in CELLS):
            raise ValueError("a sample has negative numbers")
        if (slots >= n_slots).any() or (topics >= n_topics).any():
            raise ValueError("a sample belongs to another text")
        if any(sample[name].shape != first[name].shape for name in (*STACKED, "switches")):
            raise ValueError("a sample belongs to another text")
        if self._unbounded and sample["stops"].shape != (len(self._contexts.depths), 2):
            raise ValueError("a sample belongs to another text")
