"""Trees of sentences, as a person reads them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from numpy.typing import NDArray

from stickbreaker.models.grammars.compiled import Compiled

ESCAPED = str.maketrans({"(": "-LRB-", ")": "-RRB-"})


class Tree(NamedTuple):
    """A symbol of the grammar, and what it is made of: trees, and symbols of the text.

    >>> Tree("Word", (Tree("Char", ("a",)), Tree("Char", ("(",)))).brackets()
    '(Word (Char a) (Char -LRB-))'
    """

    symbol: str
    children: "tuple[Tree | str, ...]"

    def brackets(self) -> str:
        """The tree in brackets, as treebanks have them; round brackets of the text are -LRB- and -RRB-."""
        parts = [one.brackets() if isinstance(one, Tree) else _escaped(one) for one in self.children]
        return f"({_escaped(self.symbol)} {' '.join(parts)})"

    def leaves(self) -> Iterator[str]:
        """The symbols of the text."""
        for one in self.children:
            if isinstance(one, Tree):
                yield from one.leaves()
            else:
                yield one

    def spans(self, start: int = 0) -> "Iterator[tuple[str, int, int]]":
        """Symbols with where their texts begin and end, from below."""
        at = start
        for one in self.children:
            if isinstance(one, Tree):
                last = at
                for symbol, begin, last in one.spans(at):
                    yield symbol, begin, last
                at = last
            else:
                at += 1
        yield self.symbol, start, at


def _escaped(text: str) -> str:
    return "_".join(text.translate(ESCAPED).split()) or "_"


def tree_of(values: NDArray[Any], grammar: Compiled) -> Tree:
    """The tree of rules from the top, left before right; symbols that part a right side are left out."""
    rules, place = grammar.rules, iter(values.tolist())

    def grown() -> "list[Tree | str]":
        rule = next(place)
        if rules.lefts[rule] < 0:
            children: list[Tree | str] = [grammar.terminals[rules.terminals[rule]]]
        else:
            children = grown()
            if rules.rights[rule] >= 0:
                children += grown()
        if grammar.sources[rule] < 0:
            return children
        return [Tree(grammar.names[rules.parents[rule]], tuple(children))]

    (whole,) = grown()
    assert isinstance(whole, Tree)
    return whole
