"""Trees of sentences in readable form."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stickbreaker.core.records import AnyArray
from stickbreaker.grammars.model.compiled import Compiled

ESCAPED = str.maketrans({"(": "-LRB-", ")": "-RRB-"})


class Tree(NamedTuple):
    """A tree: a symbol of the grammar, and its children, which are trees or symbols of the text.

    >>> Tree("Word", (Tree("Char", ("a",)), Tree("Char", ("(",)))).brackets()
    '(Word (Char a) (Char -LRB-))'
    """

    symbol: str
    children: "tuple[Tree | str, ...]"

    def brackets(self) -> str:
        """The tree in treebanks' bracket notation.

        Round brackets of the text become -LRB- and -RRB-, and spaces within a symbol become "_".
        """
        found: list[str] = []
        for one in self._walk():
            if isinstance(one, Tree):
                found.append(f" ({_escaped(one.symbol)}")
            else:
                found.append(")" if one is None else f" {_escaped(one)}")
        return "".join(found)[1:]

    def leaves(self) -> Iterator[str]:
        """The symbols of the text."""
        return (one for one in self._walk() if isinstance(one, str))

    def spans(self, start: int = 0) -> "Iterator[tuple[str, int, int]]":
        """Yield (symbol, start, end) for each subtree, inner ones first: it spans terminals start to end - 1.

        The argument `start` is the position of the whole tree's first terminal.
        """
        at, around = start, list[tuple[str, int]]()
        for one in self._walk():
            if isinstance(one, Tree):
                around.append((one.symbol, at))
            elif one is None:
                yield *around.pop(), at
            else:
                at += 1

    def _walk(self) -> "Iterator[Tree | str | None]":
        """Walk through the tree in preorder: yields each tree, each terminal, and None after each tree.

        Without recursion, since a tree can be as deep as its sentence is long.
        """
        waiting: list[Tree | str | None] = [self]
        while waiting:
            one = waiting.pop()
            yield one
            if isinstance(one, Tree):
                waiting += [None, *reversed(one.children)]


def _escaped(text: str) -> str:
    return "_".join(text.translate(ESCAPED).split()) or "_"


def tree_of(values: AnyArray, grammar: Compiled, text: Sequence[str] | None = None) -> Tree:
    """Build a readable tree from the numbers of its rules in preorder.

    Symbols added by binarisation are left out. text: the sentence's symbols as they are spelled, for the
    leaves; None: the grammar's terminals.
    """
    rules = grammar.rules
    last = len(text) if text is not None else 0
    grown: list[list[Tree | str]] = []
    for rule in reversed(values.tolist()):
        if rules.lefts[rule] < 0:
            last -= 1
            terminal = grammar.terminals[rules.terminals[rule]] if text is None else text[last]
            children: list[Tree | str] = [terminal]
        else:
            children = grown.pop()
            if rules.rights[rule] >= 0:
                children += grown.pop()
        if grammar.sources[rule] >= 0:
            children = [Tree(grammar.names[rules.parents[rule]], tuple(children))]
        grown.append(children)
    ((whole,),) = grown
    assert isinstance(whole, Tree)
    return whole
