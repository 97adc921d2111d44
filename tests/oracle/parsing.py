"""Probabilities of strings by a grammar's rules, by definition: sums over all ways to part a string."""

from collections.abc import Mapping
from functools import cache

from stickbreaker.grammars.model.grammar import Grammar, Symbol, Terminal

ROUNDS = 300  # of sums over trees with one unary step more


def probability(grammar: Grammar, weights: Mapping[int, float], text: str) -> float:
    """p(text | start), given p of each rule: trees of more and more steps, until nothing changes."""
    spans = [(i, j) for size in range(1, len(text) + 1) for i, j in _spans(len(text), size)]
    p = {(symbol, i, j): 0.0 for symbol in grammar.symbols for i, j in spans}
    for _ in range(ROUNDS):
        before = dict(p)

        @cache
        def row(children: tuple[tuple[Symbol, bool], ...], i: int, j: int, before=before) -> float:
            """p(text i to j | some symbols one after the other)."""
            (first, ends), rest = children[0], children[1:]
            if not rest:
                return _one(first, ends, i, j, before, text)
            return sum(_one(first, ends, i, k, before, text) * row(rest, k, j) for k in range(i + 1, j))

        p = dict.fromkeys(p, 0.0)
        for number, rule in enumerate(grammar.rules):
            children = tuple((child, isinstance(child, Terminal)) for child in rule.children)
            for i, j in spans:
                p[rule.parent, i, j] += weights[number] * row(children, i, j)
        if all(abs(p[key] - before[key]) <= 1e-15 * p[key] for key in p):
            break
    return p[grammar.start, 0, len(text)]


def _spans(n: int, size: int) -> list[tuple[int, int]]:
    return [(i, i + size) for i in range(n - size + 1)]


def _one(child: str, ends: bool, i: int, j: int, p: Mapping[tuple[str, int, int], float], text: str) -> float:
    if ends:
        return float(j == i + 1 and text[i] == child)
    return p[child, i, j]


def prior_weights(grammar: Grammar) -> dict[int, float]:
    """p of each rule by the weights alone."""
    totals: dict[str, float] = {}
    for rule in grammar.rules:
        totals[rule.parent] = totals.get(rule.parent, 0.0) + rule.weight
    return {number: rule.weight / totals[rule.parent] for number, rule in enumerate(grammar.rules)}
