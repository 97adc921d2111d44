"""The section on the most probable trees of a few short sentences."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from stickbreaker.grammars.grammar_estimator import GrammarEstimator
from stickbreaker.grammars.model.grammar_sentences import Sentences
from stickbreaker.grammars.model.trees import Tree, tree_of
from stickbreaker.grammars.report.remembered_subtrees import uses_of_texts, uses_text
from stickbreaker.grammars.report.segmented_sentences import percent
from stickbreaker.pages.template_page import Section
from stickbreaker.pages.text_values import clean

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


class Trees(Section["GrammarReport"]):
    anchor, heading = "trees", "Trees"
    needs = ("trees",)
    template = "trees.html.j2"
    styles = ("sentences.css", "grammar.css")

    def values(self, report: GrammarReport) -> dict[str, object]:
        return {
            "trees": [_shown(one) for one in report.trees],
            "symbols": bool(report.symbols),
            "uses": partial(uses_text, expected=report.expected),
        }


def _shown(one: DrawnTree) -> dict[str, object]:
    return {
        "number": f"{one.number:,}",
        "nats": f"{one.nats:.1f}".replace("-", "−"),
        "share": percent(math.exp(min(one.tree_nats - one.nats, 0.0))),
        "top": one.top,
        "brackets": clean(one.brackets),
    }


def trees_of_sentences(model: GrammarEstimator, sentences: Sentences) -> list[DrawnTree]:
    """Find the most probable trees of a few different sentences, for the report.

    There are at most `TREES`, of lengths near `USUAL`. The drawn nodes are the start symbol and the adapted
    symbols, or all symbols if none is adapted.
    """
    chosen = _chosen(sentences)
    shown = sentences.take(np.isin(np.arange(len(sentences.documents)), chosen))
    drawn = {*model.symbols_, model.grammar_.start} if model.symbols_ else set(model.grammar_.symbols)
    uses = uses_of_texts(model)
    found: list[DrawnTree] = []
    for number, parse in enumerate(model._parses_of(shown, 1, best=True)):
        if len(parse.starts) < 2:
            continue
        tree = tree_of(parse.rules[: int(parse.starts[1])], model.learned_.opened.grammar)
        text = model._join(list(tree.leaves()))
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


def _nodes(model: GrammarEstimator, tree: Tree, drawn: Collection[str], uses: Uses) -> list[TreeNode | str]:
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
                children += [model._join(letters)] * bool(letters) + [child]
                letters = []
    if tree.symbol not in drawn:
        return [*children, *letters]
    children += [model._join(letters)] * bool(letters)
    customers, _ = uses.get((tree.symbol, tuple(tree.leaves())), (0, 0))
    return [TreeNode(tree.symbol, children, customers)]
