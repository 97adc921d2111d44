"""Parsing with a learned grammar: probabilities and trees of sentences."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.core.random_streams import numbered_keys, share_of
from stickbreaker.core.records import Array, Record
from stickbreaker.core.untrusted import refuse_negative
from stickbreaker.grammars import purposes
from stickbreaker.grammars.kernels.grammar_chart import (
    PLAIN,
    Desk,
    Filling,
    Memory,
    Remembered,
    Span,
    Weights,
    close_circles,
    draw_or_give_up,
    fill_chart,
    measure,
)
from stickbreaker.grammars.kernels.grammar_trees import (
    count_cuts_of_draft,
    cuts_within,
    expanded,
    link_derivations,
    longest_beginning,
    measure_derivations,
    mistake_in,
    write_derivations,
)
from stickbreaker.grammars.kernels.tree_sampling import (
    Text,
    fill_to_scale,
    log_sum,
    sentence_of,
    start_random,
)
from stickbreaker.grammars.model.chart_texts import (
    active_symbols,
    chart_fits,
    known_strings,
    no_strings,
    numbered_strings,
    span_starts,
)
from stickbreaker.grammars.model.compiled import Compiled, Integers
from stickbreaker.grammars.model.new_symbols import opened
from stickbreaker.grammars.model.tree_chain import MOST, frequencies_of, new_chart, new_draft
from stickbreaker.kernels.random import seeded

CHUNK = 500  # sentences processed together
LARGEST = 1 << 28  # rules of all derivations, expanded
DRAWS = 100  # trees per sentence for an expectation


class Parse(NamedTuple):
    """The result of parsing a sentence: its log p in nats, and trees, each as its rules in preorder."""

    nats: float  # -inf: it cannot be parsed
    rules: Integers  # of all trees, concatenated
    starts: NDArray[np.int64]  # trees + 1
    tree_nats: Array  # trees: log p of each


class Predictive(NamedTuple):
    """The probabilities of rules and subtrees with which sentences are parsed.

    rules: p(children | parent) of each rule; fresh (adapted symbols): p(the symbol makes a new subtree);
    shares (derivations): p(the symbol uses this remembered subtree).
    """

    rules: Array
    fresh: Array
    shares: Array


@dataclass(frozen=True, eq=False)
class LearnedGrammar:
    """A learned grammar, which parses sentences: uses of its rules, and the subtrees that it remembers.

    A derivation is a remembered subtree, as rules and other derivations. In a state of a chain, one with c
    customers at t tables has p = (c - a t) / (C + b); a new subtree has (b + a T) / (C + b) times p of its
    contents. C and T are the sums of c and t over the symbol's derivations, a and b its discount and
    concentration (Johnson et al. 2007, section 4). Variational inference gives probabilities of its own
    (`predictive`). p of all strings sums to one if it does for the grammar's rules.
    """

    grammar: Compiled
    uses: Array  # rules of the grammar, without prior weights
    discounts: Array  # adapted symbols
    concentrations: Array
    customers: NDArray[Any]  # of derivations
    tables: NDArray[np.int64]
    entries: Integers  # of derivations: a rule, or -1 - (a derivation)
    starts: NDArray[np.int64]  # derivations + 1
    predictive: Predictive | None = None  # None: computed from a state of a chain
    alpha: Array | None = None  # the prior of documents' own weights; None: no such weights

    @classmethod
    def of(cls, params: Record, grammar: Compiled) -> "LearnedGrammar":
        """The learned grammar of a chain's params. Raises ValueError if they do not match `grammar`."""
        held: dict[str, Any] = {name: item.values for name, item in params.items()}
        starts = np.concatenate([[0], np.cumsum(held["sizes"], dtype=np.int64)])
        names = ("uses", "discounts", "concentrations", "customers", "tables", "entries")
        found = cls(grammar, *(np.asarray(held[name]) for name in names), starts=starts)
        found.refuse_nonsense()
        return found

    def refuse_nonsense(self) -> None:
        """Raise ValueError if the arrays do not fit each other and the grammar, or are out of range."""
        n, grammar = len(self.starts) - 1, self.grammar
        if self.uses.shape != (grammar.n_rules,):
            raise ValueError("uses belong to other rules")
        for values in (self.uses, self.discounts):
            refuse_negative(values, "uses or discounts")
        for values in (self.discounts, self.concentrations):
            if values.shape != (len(grammar.adapted),):
                raise ValueError("discounts belong to another grammar")
        above = np.isfinite(self.concentrations) & (self.concentrations > -self.discounts)
        if (self.discounts >= 1.0).any() or not above.all():
            raise ValueError("discounts or concentrations are out of range")
        for values in (self.customers, self.tables):
            if values.shape != (n,) or values.dtype.kind not in "iu" or (n and values.min() < 1):
                raise ValueError("customers belong to another grammar")
        if (self.tables > self.customers).any() or (n and self.customers.max() >= 1 << 31):
            raise ValueError("there are more tables than customers")
        if (np.diff(self.starts) < 1).any() or self.starts[-1] != len(self.entries):
            raise ValueError("derivations are incomplete or too long")
        if self.entries.dtype.kind != "i" or self.entries.ndim != 1:
            raise ValueError("derivations are empty")
        self._refuse_derivations()

    def _refuse_derivations(self) -> None:
        """Raise ValueError unless derivations are valid trees of adapted symbols, sorted by symbol."""
        rules, symbols = self.grammar.rules, self.grammar.symbols
        n = len(self.customers)
        tops = self.entries[self.starts[:-1]] if n else np.zeros(0, np.int32)
        if n and not (tops.min() >= 0 and tops.max() < len(rules.parents)):
            raise ValueError("derivations have unknown rules")
        places = symbols.adapted[rules.parents[tops]]
        if (places < 0).any() or (np.diff(places) < 0).any():
            raise ValueError("derivations belong to symbols that are not adapted")
        inner = self.entries < 0
        if (-1 - self.entries[inner] >= n).any() or (self.entries >= len(rules.parents)).any():
            raise ValueError("derivations contain unknown derivations")
        owners = np.repeat(np.arange(n), np.diff(self.starts))[inner]
        if (places[-1 - self.entries[inner]] <= places[owners]).any():
            raise ValueError("derivations contain themselves")
        sizes = np.zeros(n)
        measure_derivations(self.entries, self.starts, sizes)
        if not sizes.sum() <= LARGEST:
            raise ValueError("derivations are too large")
        yields, offsets = self.yields
        stack = np.zeros(int(np.diff(self.starts).max(initial=0)) * 2 + 4, np.int32)
        for row in range(n):
            content = self.entries[self.starts[row] : self.starts[row + 1]]
            letters = yields[offsets[row] : offsets[row + 1]]
            place = int(places[row])
            symbol = int(self.grammar.adapted[place])
            held = rules, symbols, (places, offsets, yields), stack
            if mistake_in(content, symbol, place, letters, *held) >= 0:
                raise ValueError("derivations are not trees")

    @cached_property
    def wholes(self) -> tuple[Integers, NDArray[np.int64]]:
        """Derivations as plain lists of rules, down to terminals: the rules, and where each list begins."""
        sizes = np.zeros(len(self.customers) + 1, np.int64)
        measure_derivations(self.entries, self.starts, sizes[1:])
        starts = np.cumsum(sizes)
        found = np.empty(int(starts[-1]), np.int32)
        write_derivations(self.entries, self.starts, starts, found)
        return found, starts

    @cached_property
    def yields(self) -> tuple[Integers, NDArray[np.int64]]:
        """The strings that derivations span: terminals, and where those of each begin (derivations + 1)."""
        values, starts = self.wholes
        terminals = self.grammar.rules.terminals[values]
        ends = np.concatenate([[0], np.cumsum(terminals >= 0)])
        return terminals[terminals >= 0], ends[starts]

    @cached_property
    def places(self) -> Integers:
        """The index of each derivation's symbol among the adapted symbols."""
        tops = self.entries[self.starts[:-1]]
        return self.grammar.symbols.adapted[self.grammar.rules.parents[tops]]

    @cached_property
    def probabilities(self) -> Predictive:
        """Probabilities of rules and subtrees: `predictive`, or else those of one state of a chain."""
        if self.predictive is not None:
            return self.predictive
        grammar, places = self.grammar, self.places
        n = len(grammar.adapted)
        counts = grammar.weights + np.where(grammar.rules.counted, self.uses[grammar.sources], 0.0)
        customers = np.bincount(places, self.customers, n)
        tables = np.bincount(places, self.tables, n)
        total = customers + self.concentrations
        with np.errstate(divide="ignore", invalid="ignore"):
            fresh = np.where(customers > 0, (self.concentrations + self.discounts * tables) / total, 1.0)
        shares = (self.customers - self.discounts[places] * self.tables) / total[places]
        return Predictive(grammar.shares(counts), fresh, shares)

    @cached_property
    def opened(self) -> "LearnedGrammar":
        """This grammar, extended by a terminal for symbols that are unseen in training: see `new_symbols`."""
        grammar, moved, added = opened(self.grammar)
        uses = np.append(self.uses, np.zeros(len(added)))
        entries = np.where(self.entries < 0, self.entries, moved[np.maximum(self.entries, 0)])
        predictive = self.predictive
        if predictive is not None:
            counts = grammar.weights + np.where(grammar.rules.counted, uses[grammar.sources], 0.0)
            p, shares = np.zeros(len(counts)), grammar.shares(counts)[added]
            p[moved] = predictive.rules
            left = np.ones(len(grammar.names))
            left[grammar.rules.parents[added]] -= shares
            p *= left[grammar.rules.parents]
            p[added] = shares
            predictive = predictive._replace(rules=p)
        return replace(
            self, grammar=grammar, uses=uses, entries=entries.astype(np.int32), predictive=predictive
        )

    @property
    def new_symbol(self) -> int:
        """The number of the terminal for symbols unseen in training; only in a grammar from `opened`."""
        return len(self.grammar.terminals) - 1

    @cached_property
    def weights(self) -> Weights:
        """The weights of rules and of new subtrees, for charts that sum over trees (not for best trees)."""
        return self._weights(best=False)

    def _weights(self, *, best: bool) -> Weights:
        grammar, (p, fresh, _) = self.grammar, self.probabilities
        found = Weights(p, fresh, np.ones(len(fresh)), np.zeros(grammar.n_closures))
        if len(found.closures):
            close_circles(best, grammar.weighted(found))
        return found

    @cached_property
    def _memory(self) -> tuple[Memory, Array, NDArray[np.int64]]:
        """The derivations indexed by the string that they span, so that a chart can look up those of a span.

        Returns three values: the index as `Memory`; the greatest probability of a derivation (adapted symbols
        × strings); and a trie of the strings (`numbered_strings`).
        """
        yields, offsets = self.yields
        words = [one.tolist() for one in np.split(yields, offsets[1:-1])] if len(self.customers) else []
        children, strings = numbered_strings(words, len(self.grammar.terminals))
        n, places = len(words), self.places
        first = np.full((len(self.grammar.adapted), len(children) + 1), -1, np.int32)
        masses, greatest = np.zeros(first.shape), np.zeros(first.shape)
        following = np.full(n, -1, np.int32)
        shares = self.probabilities.shares
        link_derivations(places, strings, shares, first, following, masses, greatest)
        nothing = np.zeros(n, np.int32)
        memory = Memory(
            customers=shares,
            parts=nothing,
            contents=nothing,
            places=places.astype(np.int32),
            strings=strings.astype(np.int32),
            positions=nothing,
            lengths=np.diff(offsets).astype(np.int32),
            following=following,
            before=nothing,
            first=first,
            masses=masses,
            values=nothing,
            onward=nothing,
            free=np.zeros(6, np.int32),
        )
        return memory, greatest, children

    def text_of(self, letters: Integers, starts: NDArray[np.int64]) -> Text:
        """Prepare sentences for charts: finds each span's string among those of remembered subtrees.

        letters: terminals of all sentences; starts (sentences + 1): where each begins. The result also has
        the symbols that can occur in each sentence, and the scale to try first for its chart.
        """
        grammar, spans = self.grammar, span_starts(starts)
        strings = no_strings(spans)
        _, _, children = self._memory
        known_strings(letters, starts, spans, children, len(grammar.terminals), strings)
        none = np.zeros(len(starts), np.int64)
        held = active_symbols(letters, starts, grammar.start, grammar.rules, grammar.symbols, none)
        scales = np.minimum(np.exp(-self._typical(letters, starts)), MOST)
        sentences = np.zeros(0, np.int32)
        return Text(letters, starts, strings, spans, *held, sentences, grammar.start, scales)

    def parses(
        self, letters: Integers, starts: NDArray[np.int64], n_trees: int, *, best: bool = False, seed: int = 0
    ) -> Iterator[Parse]:
        """Parse sentences: log p of each, and `n_trees` trees drawn given it, or the most probable (`best`).

        Draws depend on the seed and the sentence, not on other sentences. A sentence that cannot be parsed,
        or is too long (`chart_texts`), has log p -inf and no trees. A parse has fewer trees if draws keep
        failing.
        """
        fits = chart_fits(self.grammar, np.diff(starts))
        found = self._parses(*_those(letters, starts, fits), n_trees, best, seed)
        for fit in fits:
            yield next(found) if fit else NOTHING

    def _parses(
        self, letters: Integers, starts: NDArray[np.int64], n_trees: int, best: bool, seed: int
    ) -> Iterator[Parse]:
        """As `parses`, but only for sentences that are short enough for a chart."""
        (memory, greatest, _), none = self._memory, np.zeros(len(self.discounts))
        summed = drawn = self.grammar.weighted(self.weights), Remembered(memory, memory.masses, none)
        if best:
            drawn = self.grammar.weighted(self._weights(best=True)), Remembered(memory, greatest, none)
        for _, text, desk in self._chunks(letters, starts):
            for s, key in enumerate(_keys_of(text, seed)):
                yield Parse(
                    *_parse(s, text, n_trees, best, summed, drawn, desk, self.wholes, start_random(key))
                )

    def nats(self, letters: Integers, starts: NDArray[np.int64]) -> Array:
        """log p of each sentence in nats, as in `parses`; -inf if it cannot be parsed."""
        return self._nats(letters, starts, self.weights)

    def nats_by_rule(self, letters: Integers, starts: NDArray[np.int64]) -> Array:
        """log p of each sentence given the first rule of its tree, in nats (sentences × rules).

        The rules are those of the start symbol, of which each document has its own weights (topics).
        """
        own, found = self.grammar.own_rules, list[Array]()
        for rule in own.tolist():
            rules = self.weights.rules.copy()
            rules[own] = own == rule
            found.append(self._nats(letters, starts, self.weights._replace(rules=rules)))
        return np.stack(found, axis=1)

    def _nats(self, letters: Integers, starts: NDArray[np.int64], weights: Weights) -> Array:
        grammar, masses = self.grammar, self._memory[0].masses
        fits = chart_fits(grammar, np.diff(starts))
        found, nats = np.full(len(starts) - 1, -np.inf), np.zeros(int(fits.sum()))
        for first, text, desk in self._chunks(*_those(letters, starts, fits)):
            out = nats[first : first + len(text.starts) - 1]
            _sum_sentences(text, desk.chart, grammar.weighted(weights), masses, out)
        found[fits] = nats
        return found

    def _chunks(self, letters: Integers, starts: NDArray[np.int64]) -> Iterator[tuple[int, Text, Desk]]:
        """Prepare sentences for parsing, in chunks of `CHUNK` sentences to limit memory.

        Yields for each chunk: the number of its first sentence, its text, and memory for the chart and one
        tree of its longest sentence.
        """
        for first in range(0, len(starts) - 1, CHUNK):
            last = min(first + CHUNK, len(starts) - 1)
            begin = int(starts[first])
            part, own = letters[begin : int(starts[last])], starts[first : last + 1] - begin
            longest = int(np.diff(own).max(initial=1))
            desk = Desk(new_chart(self.grammar, longest), new_draft(self.grammar, longest))
            yield first, self.text_of(part, own), desk

    def cuts(
        self, letters: Integers, starts: NDArray[np.int64], symbol: int, n_trees: int, *, seed: int = 0
    ) -> tuple[Array, NDArray[np.bool_]]:
        """The share of drawn trees in which a subtree of `symbol` begins or ends before each terminal.

        Returns the shares for the terminals of all sentences, concatenated, and whether each sentence can be
        parsed. Trees are those that `parses` draws. A sentence that cannot be parsed, or is too long, has
        shares of 0.
        """
        fits = chart_fits(self.grammar, np.diff(starts))
        own_letters, own_starts = _those(letters, starts, fits)
        shares, parsed = np.zeros(len(own_letters)), np.zeros(len(own_starts) - 1, np.bool_)
        memory, none = self._memory[0], np.zeros(len(self.discounts))
        learned = self.grammar.weighted(self.weights), Remembered(memory, memory.masses, none)
        within = cuts_within(symbol, *self.wholes, self.grammar.rules)
        for first, text, desk in self._chunks(own_letters, own_starts):
            last = first + len(text.starts) - 1
            out = shares[own_starts[first] : own_starts[last]], parsed[first:last]
            _count_cuts(symbol, within, text, _keys_of(text, seed), n_trees, learned, desk, out)
        found, of_all = np.zeros(len(letters)), np.zeros(len(fits), np.bool_)
        found[np.repeat(fits, np.diff(starts))], of_all[fits] = shares, parsed
        return found, of_all

    def beginning(self, letters: Integers) -> int:
        """The length of the longest prefix of `letters` with which a sentence of the grammar can begin.

        It shows where a sentence goes wrong that cannot be parsed.
        """
        grammar = self.grammar
        starts = np.array([0, len(letters)])
        text = self.text_of(letters, starts)
        chart = new_chart(grammar, len(letters))
        active = np.arange(len(grammar.names), dtype=np.int32)
        span = Span(letters, text.strings, 0, 0, len(letters), active)
        filling = Filling(grammar.start, False, float(text.scales[0]), 1.0)
        fill_chart(span, filling, False, self._memory[0].masses, grammar.weighted(self.weights), chart)
        begins = np.zeros((len(grammar.names), len(letters) + 1), np.bool_)
        return longest_beginning(
            letters, chart.by_start, grammar.rules, grammar.symbols, grammar.start, begins
        )

    def _typical(self, letters: Integers, starts: NDArray[np.int64]) -> Array:
        """The approximate log p per symbol of each sentence, by frequencies of terminals, to scale charts."""
        return frequencies_of(letters, starts, len(self.grammar.terminals))


NOTHING = Parse(-np.inf, np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(0))


def _those(
    letters: Integers, starts: NDArray[np.int64], kept: NDArray[np.bool_]
) -> tuple[Integers, NDArray[np.int64]]:
    """Select the sentences for which `kept` is true: their terminals, and where each begins."""
    if kept.all():
        return letters, starts
    sizes = np.diff(starts)
    return letters[np.repeat(kept, sizes)], np.concatenate([[0], np.cumsum(sizes[kept])])


def _keys_of(text: Text, seed: int) -> NDArray[np.uint64]:
    """The key of each sentence's random stream: it depends on the seed and the sentence's content."""
    content = memoryview(text.letters.astype(np.int32).tobytes()).cast("B")
    ends = (4 * text.starts).tolist()
    shares = [share_of(content[start:end].hex()) for start, end in itertools.pairwise(ends)]
    numbers = (np.array(shares, np.float64) * 2**62).astype(np.int64)
    return numbered_keys(seed, purposes.GRAMMAR_PARSES, 0, numbers)


@njit(**PLAIN)
def _sum_sentences(text, chart, grammar, masses, nats_out):
    """Fill nats_out with log p of each sentence, in nats."""
    for s in range(len(nats_out)):
        filling = Filling(text.start, False, text.scales[s], 1.0)
        nats_out[s], _ = log_sum(sentence_of(s, text), filling, masses, grammar, chart)


@njit(**PLAIN)
def _count_cuts(symbol, within, text, keys, n_trees, learned, desk, out):
    """Draw trees, and fill `out`: the share of trees in which `symbol` cuts before each terminal, for `cuts`.

    out: the shares, and whether each sentence was parsed. within: `cuts_within` of the remembered subtrees;
    keys (sentences): of random streams; learned: a `WeightedGrammar`, and the `Remembered` subtrees.
    """
    (grammar, remembered), (shares_out, parsed_out) = learned, out
    longest = 0
    for s in range(len(keys)):
        longest = max(longest, text.starts[s + 1] - text.starts[s])
    counts, stamps = np.zeros(longest + 1, np.int64), np.zeros(longest + 1, np.int64)
    random, stamp = np.zeros(2, np.uint64), 0
    for s in range(len(keys)):
        span, filling = sentence_of(s, text), Filling(text.start, False, text.scales[s], 1.0)
        nats, filling = log_sum(span, filling, remembered.masses, grammar, desk.chart)
        number = 0
        if nats > -np.inf:
            seeded(keys[s], random)
            while number < n_trees and draw_or_give_up(
                span, filling, False, grammar, remembered, desk, random
            ):
                number += 1
                stamp += 1
                count_cuts_of_draft(desk.draft, symbol, within, stamp, stamps, grammar.rules, counts)
        parsed_out[s] = number > 0
        for k in range(len(span.letters)):
            shares_out[text.starts[s] + k] = counts[k] / max(1, number)
        counts[:] = 0


@njit(**PLAIN)
def _parse(s, text, n_trees, best, summed, drawn, desk, wholes, random):
    """Parse sentence `s` of a text, and draw trees of it, or find the most probable one (`best`).

    Returns its log p, the rules of all trees, where those of each tree begin, and log p of each tree. Trees
    are fewer than n_trees if a draw fails. summed, drawn: a `WeightedGrammar` and the `Remembered` subtrees,
    for log p and for trees.
    """
    span, draft = sentence_of(s, text), desk.draft
    n = len(span.letters)
    found, ends, nats = np.zeros(4 * n + 16, np.int32), np.zeros(n_trees + 1, np.int64), np.zeros(n_trees)
    filling = Filling(text.start, False, text.scales[s], 1.0)
    grammar, remembered = summed
    whole, filling = log_sum(span, filling, remembered.masses, grammar, desk.chart)
    if whole == -np.inf:
        return whole, found[:0], ends[:1], nats[:0]
    grammar, remembered = drawn
    if best:
        filling = fill_to_scale(span, filling, True, remembered.masses, grammar, desk.chart)
    number = 0
    for k in range(n_trees):
        if not draw_or_give_up(span, filling, best, grammar, remembered, desk, random):
            return whole, found[:number].copy(), ends[: k + 1].copy(), nats[:k].copy()
        measure(draft, 1.0, grammar, remembered)
        last = expanded(draft, wholes, found, number)
        while last < 0:
            more = np.zeros(2 * len(found), np.int32)
            more[:number] = found[:number]
            found = more
            last = expanded(draft, wholes, found, number)
        number = last
        ends[k + 1] = number
        place = grammar.symbols.adapted[text.start]
        nats[k] = draft.nats[0] + (
            np.log(grammar.weights.fresh[place]) if place >= 0 and draft.values[0] >= 0 else 0.0
        )
    return whole, found[:number].copy(), ends, nats
