"""The section on lengths of contexts: discounts, concentrations, and how many words stop at each length."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from stickbreaker.ngrams.ngram_learned import NgramLearned
from stickbreaker.pages.learning_curves import COLOURS
from stickbreaker.pages.page import Section
from stickbreaker.pages.views import Bars, Lines, Row, Series, View

WORDS = "words of the context"


@dataclass(frozen=True, slots=True)
class Spread:
    """A number's mean, smallest and largest value over the samples of a model."""

    mean: float
    least: float
    most: float

    def at(self, x: int) -> tuple[float, float, float, float]:
        """A point of a chart of lines: x, the mean and the range."""
        return x, self.mean, self.least, self.most


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


def lengths_section(report: WithLengths) -> Section | None:
    rows = [row for row in report.lengths if math.isfinite(row.discount.mean + row.concentration.mean)]
    if not rows:
        return None
    text = (
        "Each length of context has a discount and a concentration. With larger values, more of a word’s "
        "probability comes from the context that is one word shorter, and in the end from no context at "
        "all. A dot is the mean over the samples, the line through it their range."
    )
    discounts = [row.discount.at(row.length) for row in rows]
    concentrations = [row.concentration.at(row.length) for row in rows]
    views: list[View] = [
        Lines(
            [Series(discounts, COLOURS["discounts"])],
            WORDS,
            most=1.0,
            title="Discounts",
            said="what each table takes off the count of its word",
            figure="discounts",
        ),
        Lines(
            [Series(concentrations, COLOURS["concentrations"])],
            WORDS,
            most=1.05 * max(*(row.concentration.most for row in rows), 1e-9),
            title="Concentrations",
            said="added to the count of every context",
            figure="concentrations",
        ),
    ]
    if report.counts_stops:
        text += (
            " Each word of the text draws how long its context is; the bars are how many stop at each length."
        )
        stops = Bars(
            [str(row.length) for row in rows],
            [row.words.mean for row in rows],
            COLOURS["stopping"],
            upright=True,
            shares=True,
            unit="word",
            axis=WORDS,
            title="Words that stop at each length",
            said="words of the text, the mean over the samples",
            figure="context-lengths",
        )
        views.append(stops)
    return Section("lengths", "By length of context", text, [Row(views)])


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
