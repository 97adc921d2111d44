"""The section on topics by context: after which contexts words come from topics, and after which not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import counted
from stickbreaker.core.records import Array
from stickbreaker.core.topk import descending
from stickbreaker.ngrams.model.contexts import Integers, context_words
from stickbreaker.ngrams.model.topic_language_model import TopicLanguageModel
from stickbreaker.ngrams.report.notable_contexts import START, phrase
from stickbreaker.ngrams.topic_ngram_learned import TopicNgramLearned
from stickbreaker.ngrams.word_numbers import END
from stickbreaker.pages.learning_curves import COLOURS
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import percent, rounded
from stickbreaker.pages.views import Bars, Column, Row, Table

if TYPE_CHECKING:
    from stickbreaker.ngrams.report.topic_language_page import TopicLanguageReport

AFTER_CONTEXTS = (
    "The share of topics after a context: how often the next word is of a topic of its document, not of the "
    "common one"
)
IN_CONTEXTS = (
    "The share of topics in a context: how often what a topic has there comes from the topic’s own shorter "
    "context, not from what is common to all topics"
)
LEAST_CUSTOMERS = 20.0  # of a context: with fewer, its share is mostly that of the shorter context
MOST_COMPARED = 1000  # contexts, those with most customers
LISTED = 15  # contexts in a list
BINS = 20
LENGTHS = 3  # with a histogram of their own; longer contexts are in the last


@dataclass(frozen=True, slots=True)
class ContextShare:
    """A context (farthest word first), its customers (counts of words there), and the share of words after it
    that come from topics, not from the common model."""

    words: Sequence[str]
    customers: float
    share: float


@dataclass(frozen=True, slots=True)
class ShareHistogram:
    """A histogram of the share of words that come from topics, over the customers of contexts of one length.

    customers: how many there are in each of equal bins from 0 to 1; longer: whether contexts longer than
    `length` are included.
    """

    length: int
    longer: bool
    customers: Sequence[float]


@dataclass(frozen=True, slots=True)
class TopicsByContext:
    """How many words come from topics, not from the common model, by context: frequent contexts with low,
    middle and high shares.

    histograms: of the shares, by length of context; mean: over all frequent contexts, weighted by customers.
    """

    low: Sequence[ContextShare] = ()
    middle: Sequence[ContextShare] = ()
    high: Sequence[ContextShare] = ()
    histograms: Sequence[ShareHistogram] = ()
    mean: float = 0.0


def contexts(report: TopicLanguageReport) -> Section | None:
    found = report.contexts
    if not found:
        return None
    share = AFTER_CONTEXTS if report.common else IN_CONTEXTS
    text = (
        f"{share}, the mean over the samples. A customer is a word of the text that was seen after the "
        "context, or a table of a longer context. Only contexts with 20 customers or more count; their "
        f"mean share is {percent(found.mean)}. {START} is the beginning of a sentence, {END} its end."
    )
    lists = (
        ("Mostly common", "the lowest share of topics", found.low),
        ("In between", "a share near one half", found.middle),
        ("Mostly topics", "the highest share of topics", found.high),
    )
    tables = [
        Table(
            [Column("context"), Column("share", "share", meter=True), Column("customers", "number")],
            [[phrase(row.words), row.share, round(row.customers)] for row in rows],
            title=name,
            said=f"Frequent contexts with {said}",
        )
        for name, said, rows in lists
        if rows
    ]
    views = [Row([_histogram(row) for row in found.histograms]), Row(tables, least=22)]
    return Section("contexts", "Topics by context", text, views)


def _histogram(row: ShareHistogram) -> Bars:
    length = counted(row.length, "word") + (" or more" if row.longer else "")
    return Bars(
        [f"{round(100 * place / BINS)}%" for place in range(BINS + 1)],
        [rounded(n) or 0.0 for n in row.customers],
        COLOURS["stopping"],
        upright=True,
        shares=True,
        edges=True,
        axis="share of topics",
        title=f"Contexts of {length}",
        said="customers by the share of topics",
        figure=f"topics-by-context-{row.length}",
    )


def topics_by_context(model: TopicNgramLearned) -> TopicsByContext | None:
    """The share of words that come from topics (lambda) by context, the mean over samples; None without a
    common topic, or if no context counts.

    Contexts count that are not empty and have at least `LEAST_CUSTOMERS` customers (the mean over samples).
    The `MOST_COMPARED` with most customers, without those that have an unknown word, are compared. Each list
    has those with most customers among a tenth of them: that with the lowest shares, with shares nearest to
    one half, and with the highest shares.
    """
    found = model.model
    if found.switches is None:
        return None
    customers, shares = customers_of_contexts(found), found.switches.mean(axis=0)
    depths, symbols = found.contexts.depths, context_words(found.contexts)
    full = (customers >= LEAST_CUSTOMERS) & (depths > 0)
    if not full.any():
        return None
    numbers = model.numbers
    unknown = numbers.n_words if numbers.spelled else numbers.unknown
    listed = np.flatnonzero(full & (symbols != unknown).all(axis=1))
    listed = listed[descending(customers[listed], MOST_COMPARED)]

    def fullest(sizes: Array) -> list[ContextShare]:
        tenth = listed[descending(sizes, max(len(listed) // 10, min(LISTED, len(listed) // 3)))]
        return [
            _row(model, symbols[place], float(customers[place]), float(shares[place]))
            for place in tenth[descending(customers[tenth], LISTED)].tolist()
        ]

    own = shares[listed]
    return TopicsByContext(
        fullest(1.0 - own),
        fullest(-np.abs(own - 0.5)),
        fullest(own),
        _histograms(depths[full], customers[full], shares[full]),
        float(shares[full] @ customers[full] / customers[full].sum()),
    )


def customers_of_contexts(model: TopicLanguageModel) -> Array:
    """How many customers each context has in all topics together, the mean over samples (restaurants)."""
    slots = model.slots.astype(np.int64)
    n = len(model.contexts.depths)
    return np.bincount(model.contexts.restaurants[slots], model.customers, n) / model.n_samples


def _row(model: TopicNgramLearned, symbols: Integers, customers: float, share: float) -> ContextShare:
    words = symbols[symbols >= 0][::-1].tolist()
    spelled = [START if word == model.numbers.end else model.words[word] for word in words]
    return ContextShare(spelled, customers, share)


def _histograms(depths: Integers, customers: Array, shares: Array) -> list[ShareHistogram]:
    places = np.minimum((shares * BINS).astype(np.int64), BINS - 1)
    longest = int(depths.max())
    found: list[ShareHistogram] = []
    for length in range(1, min(longest, LENGTHS) + 1):
        longer = length == LENGTHS < longest
        here: NDArray[np.bool_] = depths >= length if longer else depths == length
        sums = np.bincount(places[here], customers[here], BINS)
        found.append(ShareHistogram(length, longer, sums.tolist()))
    return found
