"""The section on lengths of contexts: discounts, concentrations, and how many words stop at each length."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from stickbreaker.ngrams.ngram_learned import NgramLearned
from stickbreaker.pages.learning_curves import COLOURS
from stickbreaker.pages.page import ChartSection


@dataclass(frozen=True, slots=True)
class Spread:
    """A number's mean, smallest and largest value over the samples of a model."""

    mean: float
    least: float
    most: float

    def payload(self) -> list[float]:
        return [float(f"{value:.6g}") for value in (self.mean, self.least, self.most)]


@dataclass(frozen=True, slots=True)
class LengthRow:
    """The contexts of one length (in words): their parameters, and how many words of the text stop there,
    with a context of this length."""

    length: int
    discount: Spread
    concentration: Spread
    words: Spread


class WithLengths(Protocol):
    """A report that has a row for each length of context; `counts_stops`: whether to show how many words stop
    at each."""

    lengths: Sequence[LengthRow]
    counts_stops: bool


class ContextLengths(ChartSection[Any]):
    """The section on lengths of contexts, for a report `WithLengths`."""

    anchor, heading, box = "lengths", "By length of context", "length-charts"
    needs = ("lengths",)
    scripts = ("length_charts.js", "context_lengths.js")

    def lead(self, report: WithLengths) -> str:
        said = (
            "Each length of context has a discount and a concentration. With larger values, more of a "
            "word’s probability comes from the context that is one word shorter, and in the end from no "
            "context at all. A dot is the mean over the samples, the line through it their range."
        )
        if not report.counts_stops:
            return said
        return said + (
            " Each word of the text draws how long its context is; the bars are how many stop at each length."
        )

    def payload(self, report: WithLengths) -> dict[str, object]:
        rows = [row for row in report.lengths if math.isfinite(row.discount.mean + row.concentration.mean)]
        return {
            "colours": COLOURS,
            "lengths": [row.length for row in rows],
            "discounts": [row.discount.payload() for row in rows],
            "concentrations": [row.concentration.payload() for row in rows],
            "stopping": [row.words.payload() for row in rows] if report.counts_stops else [],
        }


def context_lengths(model: NgramLearned) -> list[LengthRow]:
    """A row for each length of context that occurs: discounts, concentrations, and how many words of the text
    stop there (use a context of this length).

    These are the customers in contexts of the length, less those sent by tables of longer contexts.
    """
    held = model.model
    depths = held.contexts.depths[held.contexts.restaurants]
    n = held.longest + 2
    stopping = np.array(
        [
            np.bincount(depths, customers, n)[:-1] - np.bincount(depths, tables, n)[1:]
            for customers, tables in zip(held.customers, held.tables, strict=True)
        ]
    )
    return length_rows(held.discounts, held.concentrations, stopping)


def length_rows(
    discounts: NDArray[np.number], concentrations: NDArray[np.number], stopping: NDArray[np.number]
) -> list[LengthRow]:
    """A row for each length of context, from arrays (samples × lengths) of discounts, concentrations and
    words that stop there: mean, smallest and largest value over samples."""
    values = (discounts, concentrations, stopping)
    return [LengthRow(d, *(_spread(each[:, d]) for each in values)) for d in range(stopping.shape[1])]


def _spread(values: NDArray[np.number]) -> Spread:
    return Spread(float(values.mean()), float(values.min()), float(values.max()))
