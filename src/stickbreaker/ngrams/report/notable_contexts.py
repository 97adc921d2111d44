"""The contexts of a language model that its report lists: fixed expressions, and the longest ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.topk import descending
from stickbreaker.ngrams.ngram_learned import NgramLearned
from stickbreaker.ngrams.word_numbers import END
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import one_line, percent
from stickbreaker.pages.views import Column, Each, Styled, Table, number, serif, strong

if TYPE_CHECKING:
    from stickbreaker.ngrams.report.language_page import LanguageReport

START = "<s>"  # what stands before the first word of a sentence: the number is that of its end
MOST_ROWS = 30  # of each table
FOLLOWING = 3  # words shown after a context
LEAST_CUSTOMERS = 5  # of a context that mostly continues in one way
LEAST_SHARE = 0.7  # of them, that are at one word
LEAST_P = 0.5  # of that word
MOST_TRIED = 1000  # of such contexts, the fullest

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ContextRow:
    """A context (farthest word first), how many customers it has (counts of words there), and words that may
    follow it, as (word, probability)."""

    words: Sequence[str]
    customers: int
    following: Sequence[tuple[str, float]]


def expressions(report: LanguageReport) -> Section | None:
    if not report.expressions:
        return None
    text = (
        "Contexts of two words or more that mostly continue in one way: seven in ten of their customers, "
        "or more, sit at one word. A customer is a word of the text that was seen there, or a table of a "
        f"longer context. Those with most customers come first; {END} is the end of a sentence, {START} the "
        "beginning."
    )
    columns = [
        Column("context"),
        Column("continues with"),
        Column("probability", "share", meter=True),
        Column("customers", "number"),
    ]
    rows = [
        [phrase(row.words), strong(serif(one_line(word))), p, row.customers]
        for row in report.expressions
        for word, p in row.following
    ]
    return Section("expressions", "Fixed expressions", text, [Table(columns, rows)])


def longest(report: LanguageReport) -> Section | None:
    if not report.longest:
        return None
    text = (
        "The longest contexts in which words of the text sit in the last sample; for each length, those "
        "with most customers first. Contexts with a word that is not known are left out, and those that a "
        f"longer one here ends with. Next to each context are the words that most probably come next; {END} "
        f"is the end of a sentence, {START} the beginning."
    )
    columns = [
        Column("context"),
        Column("continues with"),
        Column("words", "number"),
        Column("customers", "number"),
    ]
    rows = [
        [phrase(row.words), _next(row.following), len(row.words), row.customers] for row in report.longest
    ]
    return Section("longest", "The longest contexts", text, [Table(columns, rows)], link="Longest contexts")


def phrase(words: Sequence[str]) -> Styled:
    """Words of a context as text of a view."""
    return Styled(" ".join(map(one_line, words)), "phrase")


def _next(following: Sequence[tuple[str, float]]) -> Each:
    return Each([[serif(one_line(word)), " ", number(percent(p))] for word, p in following])


def longest_contexts(model: NgramLearned) -> list[ContextRow]:
    """The longest contexts with customers in the last sample, at most `MOST_ROWS`, sorted by length, then by
    customers.

    Left out are contexts with an unknown word, and those that are the end of a longer one in the list.
    """
    customers = _customers(model)
    depths = model.model.contexts.depths
    order = np.lexsort((-customers, -depths))
    order = order[(customers[order] > 0) & (depths[order] > 0)]
    shown: list[ContextRow] = []
    inside: set[int] = set()
    for restaurant in order.tolist():
        words = _words(model, restaurant)
        if restaurant in inside or model.numbers.unknown in words:
            continue
        inside.update(_shorter(model, restaurant))
        shown.append(ContextRow(_spelled(model, words), int(customers[restaurant]), _following(model, words)))
        if len(shown) == MOST_ROWS:
            break
    return shown


def expressions_of(model: NgramLearned) -> list[ContextRow]:
    """Contexts of two words or more that mostly continue in one way, at most `MOST_ROWS`, those with most
    customers first.

    In the last sample, such a context has at least `LEAST_CUSTOMERS` customers, of which at least the share
    `LEAST_SHARE` is of one word, and that word's probability is at least `LEAST_P`. Left out are contexts
    with an unknown word, and those that continue in the same way without their farthest words.
    """
    contexts, customers = model.model.contexts, _customers(model)
    first = _leading_slots(model)
    seats = model.model.customers[-1][first].astype(np.int64)
    full = (contexts.depths >= 2) & (customers >= LEAST_CUSTOMERS) & (first >= 0)
    found = np.flatnonzero(full & (seats >= LEAST_SHARE * customers))
    found = found[np.argsort(-customers[found], kind="stable")][:MOST_TRIED]
    rows: dict[int, tuple[int, ContextRow]] = {}
    for restaurant in found.tolist():
        words, word = _words(model, restaurant), int(contexts.slot_keys[first[restaurant]] % contexts.n_words)
        if model.numbers.unknown in (*words, word):
            continue
        p = _probability(model, words, word)
        if p >= LEAST_P:
            row = ContextRow(_spelled(model, words), int(customers[restaurant]), [(model.words[word], p)])
            rows[restaurant] = word, row
    ways = {restaurant: word for restaurant, (word, _) in rows.items()}
    shown = [
        row
        for restaurant, (word, row) in rows.items()
        if all(ways.get(shorter) != word for shorter in _shorter(model, restaurant))
    ]
    return shown[:MOST_ROWS]


def _leading_slots(model: NgramLearned) -> Integers:
    """For each restaurant (context), the slot (word there) with the most customers in the last sample; -1 if
    it has none."""
    held = model.model
    fullest = np.lexsort((-held.customers[-1].astype(np.int64), held.contexts.restaurants))
    restaurants, places = np.unique(held.contexts.restaurants[fullest], return_index=True)
    slots = np.full(len(held.contexts.depths), -1)
    slots[restaurants] = fullest[places]
    return slots


def _customers(model: NgramLearned) -> Integers:
    """How many customers each context has in the last sample (restaurants)."""
    held = model.model
    totals = np.bincount(held.contexts.restaurants, held.customers[-1], len(held.contexts.depths))
    return totals.astype(np.int64)


def _way_up(model: NgramLearned, restaurant: int) -> Iterator[tuple[int, int]]:
    """Shorten a context word by word: yields its farthest word and the number of the context without it,
    until that is empty."""
    contexts = model.model.contexts
    while restaurant > 0:
        restaurant, word = divmod(int(contexts.restaurant_keys[restaurant - 1]), contexts.n_words)
        yield word, restaurant


def _words(model: NgramLearned, restaurant: int) -> list[int]:
    """The words of a context by number, the farthest first."""
    return [word for word, _ in _way_up(model, restaurant)]


def _shorter(model: NgramLearned, restaurant: int) -> list[int]:
    """The numbers of all contexts that result if a context's farthest words are removed, the empty one
    included."""
    return [shorter for _, shorter in _way_up(model, restaurant)]


def _spelled(model: NgramLearned, words: list[int]) -> list[str]:
    """The words of a context as the page shows them: the mark of a sentence's end, there, is its start."""
    return [START if word == model.numbers.end else model.words[word] for word in words]


def _following(model: NgramLearned, words: list[int]) -> list[tuple[str, float]]:
    """The `FOLLOWING` words that most probably follow a context, with their probabilities."""
    p = model.model.next_words(words, np.exp(model.base.log_p))
    return [(model.words[k], float(p[k])) for k in descending(p, FOLLOWING).tolist()]


def _probability(model: NgramLearned, words: list[int], word: int) -> float:
    """The probability that a word follows a context."""
    symbols = [np.array([symbol]) for symbol in reversed(words)]
    base = np.exp(model.base.log_p[[word]])
    return float(model.model.probabilities(np.array([word]), symbols, base)[0])
