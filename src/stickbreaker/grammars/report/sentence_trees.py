"""The section on the most probable trees of a few short sentences."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stickbreaker.grammars.model.grammar_sentences import Sentences
from stickbreaker.grammars.model.trees import Tree, tree_of
from stickbreaker.grammars.report.remembered_subtrees import uses_of_texts, uses_text
from stickbreaker.grammars.report.segmented_sentences import percent
from stickbreaker.grammars.text_grammar import TextGrammar
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import one_line
from stickbreaker.pages.views import Boxes, Card, Cards, Note, Picture, Styled, View

if TYPE_CHECKING:
    from stickbreaker.grammars.report.grammar_page import GrammarReport

TREES = 6
USUAL = 12  # symbols of a sentence whose tree is easily read
MOST_SYMBOLS = 40  # of a sentence whose tree is drawn

Uses = dict[tuple[str, tuple[str, ...]], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of a drawn tree: symbol, children (nodes and texts), and customers if it is remembered."""

    symbol: str
    children: Sequence[TreeNode | str]
    customers: int = 0


@dataclass(frozen=True, slots=True)
class DrawnTree:
    """The most probable tree of a training sentence, as the report draws it.

    number (from 1), text: of the sentence; nats: log p of the sentence; tree_nats: log p of sentence and tree
    (both in nats); top: the nodes that are drawn; brackets: the whole tree in brackets.
    """

    number: int
    text: str
    nats: float
    tree_nats: float
    top: TreeNode
    brackets: str


def trees(report: GrammarReport) -> Section | None:
    if not report.trees:
        return None
    drawn = (
        "; only symbols that remember subtrees are drawn, dashed if no subtree with this text is remembered"
    )
    text = (
        "The most probable trees of a few short sentences. Each box is a part of the sentence under its "
        f"symbol{drawn if report.symbols else ''}."
    )
    cards = Cards([_card(one, report.expected) for one in report.trees], least=30)
    return Section("trees", "Trees", text, [cards])


def _card(one: DrawnTree, expected: bool) -> Card:
    nats, part = f"{one.nats:.1f}".replace("-", "−"), percent(math.exp(min(one.tree_nats - one.nats, 0.0)))
    about = f"sentence {one.number:,}: log probability {nats} nats, of which probability this tree has {part}"
    whole = Note(Styled(one.brackets, "code"))
    picture = Picture(_boxes(one.top, expected), f"Tree of sentence {one.number:,}")
    views: list[View] = [picture, Note(about, muted=True)]
    return Card("", views=views, more="The whole tree in brackets", hidden=[whole])


def _boxes(one: TreeNode, expected: bool) -> Boxes:
    inside = [
        one_line(child) if isinstance(child, str) else _boxes(child, expected) for child in one.children
    ]
    note = f"remembered, {uses_text(one.customers, None, expected)}" if one.customers else ""
    return Boxes(one_line(one.symbol), inside, bool(one.customers), note)


def trees_of_sentences(model: TextGrammar, sentences: Sentences) -> list[DrawnTree]:
    """Find the most probable trees of a few different sentences, for the report.

    There are at most `TREES`, of lengths near `USUAL`. The drawn nodes are the start symbol and the adapted
    symbols, or all symbols if none is adapted.
    """
    chosen = _chosen(sentences)
    shown = sentences.take(np.isin(np.arange(len(sentences.documents)), chosen))
    drawn = {*model.symbols, model.grammar.start} if model.symbols else set(model.grammar.symbols)
    uses = uses_of_texts(model)
    found: list[DrawnTree] = []
    for number, parse in enumerate(model.parses_of(shown, 1, best=True)):
        if len(parse.starts) < 2:
            continue
        tree = tree_of(parse.rules[: int(parse.starts[1])], model.parser.opened.grammar)
        text = model.join(list(tree.leaves()))
        (top,) = [one for one in _nodes(model, tree, drawn, uses) if isinstance(one, TreeNode)]
        nats = parse.nats, float(parse.tree_nats[0])
        found.append(DrawnTree(int(shown.documents[number]) + 1, text, *nats, top, tree.brackets()))
    return found


def _chosen(sentences: Sentences) -> list[int]:
    """Choose the sentences whose trees are shown: at most `TREES`, different, with lengths near `USUAL`."""
    sizes = np.diff(sentences.starts)
    order = np.argsort(np.abs(sizes - USUAL), kind="stable")
    found: dict[bytes, int] = {}
    for number in order[: 20 * TREES].tolist():
        if sizes[number] <= MOST_SYMBOLS:
            found.setdefault(sentences[number].tobytes(), number)
    return list(found.values())[:TREES]


def _nodes(model: TextGrammar, tree: Tree, drawn: Collection[str], uses: Uses) -> list[TreeNode | str]:
    """Convert a tree into nodes that are drawn; a symbol not in `drawn` is replaced by its children.

    Adjacent terminals are joined into texts. uses: from `uses_of_texts`.
    """
    children: list[TreeNode | str] = []
    letters: list[str] = []
    for one in tree.children:
        for child in _nodes(model, one, drawn, uses) if isinstance(one, Tree) else [one]:
            if isinstance(child, str):
                letters.append(child)
            else:
                children += [model.join(letters)] * bool(letters) + [child]
                letters = []
    if tree.symbol not in drawn:
        return [*children, *letters]
    children += [model.join(letters)] * bool(letters)
    customers, _ = uses.get((tree.symbol, tuple(tree.leaves())), (0, 0))
    return [TreeNode(tree.symbol, children, customers)]
