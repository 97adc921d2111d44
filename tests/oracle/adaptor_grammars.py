"""Adaptor grammars by their definition: every state of a few short sentences, with its probability."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from stickbreaker.grammars.model.grammar import Grammar, Terminal

Tree = tuple[Any, ...]  # (rule, children...); of a remembered subtree ("table", number)


class Restaurants(NamedTuple):
    """What was used so far: rules by number, and tables in the order in which they were opened."""

    uses: tuple[int, ...]
    tables: tuple[tuple[str, str, Tree, int], ...]  # symbol, string, subtree, customers


def trees_of(
    grammar: Grammar, symbol: str, text: str, held: Restaurants, *, learned: bool = True
) -> Iterator[tuple[float, Tree, Restaurants]]:
    """All trees of a string below a symbol with who sits where, p of each given what is held, and what is
    held then."""
    if symbol not in grammar.adapted:
        yield from _rewritten(grammar, symbol, text, held, learned=learned)
        return
    a, b, _ = grammar.adapted[symbol]
    own = [table for table in held.tables if table[0] == symbol]
    customers, opened = sum(table[3] for table in own), len(own)
    for number, (other, string, content, n) in enumerate(held.tables):
        if other == symbol and string == text:
            seated = (*held.tables[:number], (other, string, content, n + 1), *held.tables[number + 1 :])
            yield (n - a) / (customers + b), ("table", number), held._replace(tables=seated)
    fresh = (b + a * opened) / (customers + b) if customers else 1.0
    number = len(held.tables)
    at_table = held._replace(tables=(*held.tables, (symbol, "", (), 1)))  # counts while its subtree is drawn
    for p, content, after in _rewritten(grammar, symbol, text, at_table, learned=learned):
        tables = (*after.tables[:number], (symbol, text, content, 1), *after.tables[number + 1 :])
        yield fresh * p, ("table", number), after._replace(tables=tables)


def _rewritten(
    grammar: Grammar, symbol: str, text: str, held: Restaurants, *, learned: bool
) -> Iterator[tuple[float, Tree, Restaurants]]:
    own = [number for number, rule in enumerate(grammar.rules) if rule.parent == symbol]
    weights = {number: grammar.rules[number].weight + learned * held.uses[number] for number in own}
    total = sum(weights.values())
    for number in own:
        uses = (*held.uses[:number], held.uses[number] + 1, *held.uses[number + 1 :])
        children = grammar.rules[number].children
        for p, below, after in _row(grammar, children, text, held._replace(uses=uses), learned=learned):
            yield weights[number] / total * p, (number, *below), after


def _row(
    grammar: Grammar, children: tuple[str, ...], text: str, held: Restaurants, *, learned: bool
) -> Iterator[tuple[float, tuple[Tree, ...], Restaurants]]:
    """Several symbols one after the other."""
    if not children:
        if not text:
            yield 1.0, (), held
        return
    first, rest = children[0], children[1:]
    if isinstance(first, Terminal):
        if text.startswith(str(first)):
            yield from _row(grammar, rest, text[len(first) :], held, learned=learned)
        return
    for size in range(1, len(text) - len(rest) + 1):
        for p, tree, after in trees_of(grammar, first, text[:size], held, learned=learned):
            for q, others, last in _row(grammar, rest, text[size:], after, learned=learned):
                yield p * q, (tree, *others), last


def states_of(
    grammar: Grammar, sentences: list[str], *, learned: bool = True
) -> dict[tuple[Tree, ...], float]:
    """p(sentences, state) of every state: each sentence's tree, tables named in the order of opening."""
    found: dict[tuple[Tree, ...], float] = {}
    empty = Restaurants((0,) * len(grammar.rules), ())

    def go_on(at: int, p: float, trees: tuple[Tree, ...], held: Restaurants) -> None:
        if at == len(sentences):
            state = tuple(spelled(tree, held) for tree in trees)
            named = _named(state)
            found[named] = found.get(named, 0.0) + p
            return
        for q, tree, after in trees_of(grammar, grammar.start, sentences[at], held, learned=learned):
            go_on(at + 1, p * q, (*trees, tree), after)

    go_on(0, 1.0, (), empty)
    return found


def spelled(tree: Tree, held: Restaurants) -> Tree:
    """A tree with what its tables have: ("table", number, subtree)."""
    if tree[0] == "table":
        return ("table", tree[1], spelled(held.tables[tree[1]][2], held))
    return (tree[0], *(spelled(child, held) for child in tree[1:]))


def _named(trees: tuple[Tree, ...]) -> tuple[Tree, ...]:
    """The same with tables numbered in the order in which they are met."""
    names: dict[int, int] = {}

    def rename(tree: Tree) -> Tree:
        if tree[0] == "table":
            name = names.setdefault(tree[1], len(names))
            return ("table", name, rename(tree[2]))
        return (tree[0], *(rename(child) for child in tree[1:]))

    return tuple(rename(tree) for tree in trees)
