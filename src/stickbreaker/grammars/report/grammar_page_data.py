"""The records that the report of a learned grammar is made of: plain data, knowing nothing of models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A line of a curve: `points` are (sweep, or sentences seen; nats a symbol, or F1)."""

    name: str
    points: Sequence[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class ScoreCurve:
    """Nats a symbol, a line a chain; `kind` is "trees", "sentences", "steps" or "held-out". Or F1,
    "segmentation", a line for words and one for boundaries. `unit`: what is counted along the curve."""

    kind: str
    name: str
    lines: Sequence[ScoreLine]
    unit: str = "sweep"


@dataclass(frozen=True, slots=True)
class SubtreeRow:
    """A remembered subtree: its text, how many symbols that has, its customers and tables."""

    text: str
    length: int
    customers: int
    tables: int


@dataclass(frozen=True, slots=True)
class AdaptedSymbol:
    """What an adapted symbol remembers.

    `most_used` and `longest` are some of its subtrees; `lengths` says how many there are of each length
    (from 0), and `ranked` how many customers the most used have, at (rank, customers).
    """

    name: str
    subtrees: int
    customers: int
    tables: int
    discount: float
    concentration: float
    most_used: Sequence[SubtreeRow] = ()
    longest: Sequence[SubtreeRow] = ()
    lengths: Sequence[int] = ()
    ranked: Sequence[tuple[int, int]] = ()


@dataclass(frozen=True, slots=True)
class Turnover:
    """Strings that came lately among the fifty most used of a symbol, and those that fell out lately.

    `came` are (string, rank at the end, step at which it was there first); `fell` are (string, the last rank
    known, the step at which it had that, its uses at the end: 0 where it is forgotten).
    """

    symbol: str
    came: Sequence[tuple[str, int, int]] = ()
    fell: Sequence[tuple[str, int, int, float]] = ()


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a sentence: `parts` of it, the share of trees that cut between them, and how sure it is.

    `sure` is the least share of trees that agree with one of its edges, or with no cut at a place within.
    `customers` and `tables` are those of the remembered subtree of its text; none where there is none.
    """

    parts: Sequence[str]
    inside: Sequence[float]
    sure: float
    customers: int = 0
    tables: int = 0


@dataclass(frozen=True, slots=True)
class SegmentedSentence:
    """The sentence of a number (from 1), in pieces."""

    number: int
    pieces: Sequence[Piece]


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A symbol of a tree, and what it is made of: nodes, and texts. Its customers, where it is remembered."""

    symbol: str
    children: Sequence[TreeNode | str]
    customers: int = 0


@dataclass(frozen=True, slots=True)
class DrawnTree:
    """The most probable tree of a sentence: its text, log p of the sentence and of both (nats), the parts
    that are drawn, and the whole in brackets."""

    number: int
    text: str
    nats: float
    tree_nats: float
    top: TreeNode
    brackets: str


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A symbol of the grammar, whether it is adapted, its right sides, and how many more it has."""

    symbol: str
    adapted: bool
    alternatives: Sequence[str]
    more: int = 0
