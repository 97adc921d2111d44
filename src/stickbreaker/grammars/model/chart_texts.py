"""Sentences prepared for charts: strings by number, symbols that can occur, and memory limits."""

import os
from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.grammars.kernels.grammar_chart import PLAIN, span_at
from stickbreaker.grammars.kernels.tree_sampling import Text
from stickbreaker.grammars.model.compiled import Compiled, Integers
from stickbreaker.kernels.kernel_parts import kernel_part

LARGEST_CHART = 2 << 30  # bytes for a sentence's chart and drafts of its trees
ENTRY = 56  # bytes of an entry of a draft and its stack


def draft_entries(grammar: Compiled, lengths: NDArray[np.int64] | int) -> NDArray[np.int64]:
    """An upper bound on the entries of a drafted tree of a sentence, to reserve memory.

    lengths: the sentence's number of terminals, or an array of such numbers. Remembered subtrees count as
    written out.
    """
    n = 2 * np.asarray(lengths, np.int64) * (grammar.symbols.unary + 1) + 2
    if grammar.n_closures:  # each remembered subtree can have that many unary steps
        n *= len(grammar.adapted) + 1
    return n


def chart_bytes(grammar: Compiled, lengths: NDArray[np.int64] | int) -> NDArray[np.float64]:
    """The bytes of memory to parse a sentence of each length: its chart, and a draft of one tree."""
    chart = 16.0 * len(grammar.names) * (np.asarray(lengths, np.float64) + 1.0) ** 2
    return chart + ENTRY * draft_entries(grammar, lengths).astype(np.float64)


def chart_fits(grammar: Compiled, lengths: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether sentences of these lengths are short enough for a chart in memory."""
    return chart_bytes(grammar, lengths) <= LARGEST_CHART


def longest_that_fits(grammar: Compiled) -> int:
    """The length of the longest sentence, in symbols, whose chart fits into the allowed memory."""
    low, high = 0, 1
    while chart_fits(grammar, np.array([high]))[0]:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if chart_fits(grammar, np.array([middle]))[0] else (low, middle)
    return low


def why_too_long(grammar: Compiled, length: int) -> str:
    """For an error message: that a sentence of `length` symbols is too long for a chart in memory."""
    gigabytes = float(chart_bytes(grammar, length)) / (1 << 30)
    return (
        f"a sentence of {length:,} symbols would take {gigabytes:.1f} GB, more than {LARGEST_CHART >> 30} GB"
    )


def chart_text(grammar: Compiled, letters: Integers, starts: NDArray[np.int64]) -> tuple[Text, int]:
    """Prepare sentences for a Markov chain over their trees, which parses them again and again.

    letters: the terminal numbers of all sentences; starts: where each sentence begins. Returns the prepared
    text, and the number of repeated strings plus one. Strings that occur at least twice in the text are
    numbered from 1. Others have 0, since no remembered subtree can have such a string while its only
    occurrence is parsed again.
    """
    longest = int(grammar.symbols.longest[grammar.adapted].max(initial=0))
    strings, spans, n_strings = repeated_strings(letters, starts, len(grammar.terminals), longest)
    active, actives = active_symbols(
        letters, starts, grammar.start, grammar.rules, grammar.symbols, np.zeros(len(starts), np.int64)
    )
    sentences = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
    scales = np.ones(len(starts) - 1)  # the chain sets them, for each sweep
    text = Text(letters, starts, strings, spans, active, actives, sentences, grammar.start, scales)
    return text, n_strings


def span_starts(starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """(sentences + 1) Where the spans of each sentence begin in an array of all spans.

    A sentence of n symbols has n (n + 1) / 2 spans.
    """
    sizes = np.diff(starts)
    return np.concatenate([[0], np.cumsum(sizes * (sizes + 1) // 2)])


def no_strings(spans: NDArray[np.int64]) -> Integers:
    """An array of zeros for the string number of each span, to be filled.

    spans: from `span_starts`. Raises UserError if the array would exceed the machine's memory.
    """
    size = 4 * int(spans[-1])
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if size > memory:
        longest = int(np.sqrt(2 * np.diff(spans).max()))
        problem = f"the parts of sentences of up to {longest:,} symbols would take {size / (1 << 30):,.0f} GB"
        raise UserError(problem, remedy="cut long texts into sentences")
    return np.zeros(int(spans[-1]), np.int32)


def repeated_strings(
    letters: Integers, starts: NDArray[np.int64], n_terminals: int, longest: int
) -> tuple[Integers, NDArray[np.int64], int]:
    """Number the strings of up to `longest` terminals that occur at least twice in a text, from 1.

    Returns the string number of each span (0: it occurs once, or is longer), where the spans of each sentence
    begin, and the number of strings plus one. Strings are found by increasing length: a repeated string has a
    repeated prefix.
    """
    spans = span_starts(starts)
    strings = no_strings(spans)
    at = np.arange(len(letters), dtype=np.int64)  # where strings of the present length begin in the text
    sentence = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    before = np.zeros(len(letters), np.int64)  # the number of each without its last letter
    last, size = 1, 1
    while len(at) and size <= longest:
        keys = before * n_terminals + letters[at + size - 1]
        _, places, counts = np.unique(keys, return_inverse=True, return_counts=True)
        kept = counts > 1
        numbers = np.where(kept, np.cumsum(kept) - 1 + last, 0)
        last += int(kept.sum())
        here = kept[places]
        at, before = at[here], numbers[places[here]]
        owner = sentence[at]
        i, n = at - starts[owner], starts[owner + 1] - starts[owner]
        strings[spans[owner] + i * n - i * (i - 1) // 2 + size - 1] = before
        inside = i + size < n
        at, before = at[inside], before[inside]
        size += 1
    return strings, spans, last


@njit(**PLAIN)
def known_strings(letters, starts, spans, children, n_terminals, strings):
    """Fill `strings` (spans of all sentences) with each span's number in a trie of strings.

    Spans that are not in it keep 0, the value of all before. children: the trie, from `numbered_strings`.
    """
    for s in range(len(starts) - 1):
        n = starts[s + 1] - starts[s]
        for i in range(n):
            number = np.int64(0)
            for j in range(i + 1, n + 1):
                key = number * n_terminals + letters[starts[s] + j - 1]
                place = np.searchsorted(children[:, 0], key)
                if place == len(children) or children[place, 0] != key:
                    break
                number = children[place, 1]
                strings[spans[s] + span_at(i, j, n)] = number


def numbered_strings(
    words: Sequence[Sequence[int]], n_terminals: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number some strings of terminals (`words`), and all their prefixes, from 1: the nodes of a trie.

    Returns the trie and the number of each of `words`. The trie has a row per node, sorted: the number of the
    string without its last terminal × n_terminals + this terminal, and the number of the whole string.
    """
    numbers: dict[int, int] = {}
    found = np.zeros(len(words), np.int64)
    for place, word in enumerate(words):
        at = 0
        for letter in word:
            at = numbers.setdefault(at * n_terminals + letter, len(numbers) + 1)
        found[place] = at
    children = np.array(sorted(numbers.items()), np.int64).reshape(-1, 2)
    return children, found


@kernel_part(**PLAIN)
def _productive(letters, rules, alive, found):
    """Mark the symbols that derive some string over these terminals, whatever their order and number.

    They are marked in `alive` (symbols), which is all False before, and listed in `found`. Returns their
    number.
    """
    number = 0
    for letter in letters:
        for at in range(rules.terminals_at[letter], rules.terminals_at[letter + 1]):
            symbol = rules.parents[rules.of_terminal[at]]
            if not alive[symbol]:
                alive[symbol] = True
                found[number] = symbol
                number += 1
    before = -1
    while number > before:
        before, k = number, 0
        while k < number:
            for at in range(rules.lefts_at[found[k]], rules.lefts_at[found[k] + 1]):
                rule = rules.of_left[at]
                parent, right = rules.parents[rule], rules.rights[rule]
                if not alive[parent] and (right < 0 or alive[right]):
                    alive[parent] = True
                    found[number] = parent
                    number += 1
            k += 1
    return number


@kernel_part(**PLAIN)
def _reachable(start, rules, symbols, alive, reached, found):
    """Mark the symbols that can be reached from `start` by rules whose children are all `alive`.

    They are marked in `reached` (symbols), which is all False before, and listed in `found`. Returns their
    number; 0 if `start` is not alive.
    """
    if not alive[start]:
        return 0
    reached[start] = True
    found[0], number, k = start, 1, 0
    while k < number:
        for rule in range(symbols.first[found[k]], symbols.inner[found[k]]):
            left, right = rules.lefts[rule], rules.rights[rule]
            if not alive[left] or (right >= 0 and not alive[right]):
                continue
            for child in (left, right):
                if child >= 0 and not reached[child]:
                    reached[child] = True
                    found[number] = child
                    number += 1
        k += 1
    return number


@njit(**PLAIN)
def active_symbols(letters, starts, start, rules, symbols, actives):
    """The symbols that may occur in each sentence's trees, so that its chart can leave out all others.

    Returns them, ascending in each sentence and concatenated, and `actives` (sentences + 1): those of
    sentence s are at actives[s] to actives[s + 1]. `actives` is filled from its second entry on; its first
    must be 0. Only the set of the sentence's terminals is looked at, not their order.
    """
    n_symbols = len(symbols.shortest)
    alive, reached = np.zeros(n_symbols, np.bool_), np.zeros(n_symbols, np.bool_)
    below, above = np.zeros(n_symbols, np.int32), np.zeros(n_symbols, np.int32)
    found, number = np.zeros(1024, np.int32), 0
    for s in range(len(starts) - 1):
        n_below = _productive(letters[starts[s] : starts[s + 1]], rules, alive, below)
        n_above = _reachable(start, rules, symbols, alive, reached, above)
        if number + n_above > len(found):
            more = np.zeros(2 * (number + n_above), np.int32)
            more[:number] = found[:number]
            found = more
        found[number : number + n_above] = np.sort(above[:n_above])
        number += n_above
        actives[s + 1] = number
        for symbol in below[:n_below]:
            alive[symbol] = False
        for symbol in above[:n_above]:
            reached[symbol] = False
    return found[:number].copy(), actives
