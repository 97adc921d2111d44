"""The section on training sentences, cut into pieces where the grammar's trees cut them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from stickbreaker.core.records import Array
from stickbreaker.grammars.model.grammar_sentences import Sentences as Text
from stickbreaker.grammars.parsing import cuts_of
from stickbreaker.grammars.report.remembered_subtrees import uses_of_texts, uses_text
from stickbreaker.grammars.text_grammar import TextGrammar
from stickbreaker.pages.page import Section
from stickbreaker.pages.shades import legend, level_of
from stickbreaker.pages.text_values import one_line
from stickbreaker.pages.views import Line, MarkedText, Token

if TYPE_CHECKING:
    from stickbreaker.grammars.report.grammar_page import GrammarReport

LIMIT = 40  # sentences shown
MOST_SYMBOLS = 200  # of a sentence that is shown
LEVELS = (0.05, 0.1, 0.2, 0.3, 0.4)  # share of trees that disagree, from which on a piece is shaded more
DOUBT = 0.1  # share of trees from which on a cut within a piece is shown


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece into which a sentence was cut, with how sure this is.

    parts: its text, divided at places where a minority of trees cut it; inside: the share of trees that cut
    at each of these places; sure: of its edges and the places inside, the smallest share of trees that
    agree (cut, or do not cut). customers, tables: of the remembered subtree with this text; 0 if there is
    none.
    """

    parts: Sequence[str]
    inside: Sequence[float]
    sure: float
    customers: int = 0
    tables: int = 0


@dataclass(frozen=True, slots=True)
class SegmentedSentence:
    """A training sentence, cut into pieces; number: its place among all training sentences, from 1."""

    number: int
    pieces: Sequence[Piece]


def sentences(report: GrammarReport) -> Section:
    """Sentences cut into pieces, the subtrees of the symbol `report.piece`.

    The cuts come from the chain's samples (`report.samples`); if it stored none, from trees drawn now.
    """
    title = "Sentences in pieces"
    if not report.sentences:
        return Section("sentences", title, report.no_sentences)
    cut = "in more than half of 100 trees that were drawn for each"
    if report.samples:
        cut = f"in more than half of the samples ({report.samples:,}) that were taken of their trees"
    text = Markup(
        "Sentences of the text that the model has learned from, cut where the parts named "
        "<bdi><strong>{}</strong></bdi> begin and end {}. How sure a piece is: the share of the trees that "
        "agree with its edges and with no cut inside, whichever they agree with least. Point at a piece to "
        "see how often it is used."
    ).format(one_line(report.piece or ""), cut)
    sure = [round(100.0 * (1.0 - level)) for level in LEVELS]
    view = MarkedText(
        [_line(row, report.expected) for row in report.sentences],
        legend(sure, "over {}% sure", "{1} to {0}%", "under {}%"),
        [
            ("solid", "underlined", "a remembered subtree has this text"),
            ("maybe", "", "a tenth of the trees or more cut here"),
        ],
        "Show how sure every piece is",
    )
    return Section("sentences", title, text, [view])


def _line(row: SegmentedSentence, expected: bool) -> Line:
    return Line([_token(one, expected) for one in row.pieces], f"sentence {row.number:,}")


def _token(one: Piece, expected: bool) -> Token:
    """A piece with its shade (how sure its cuts are); expected: numbers of uses are expected values."""
    sure = percent(one.sure)
    uses = (
        f"remembered: {uses_text(one.customers, one.tables, expected)}" if one.customers else "not remembered"
    )
    first, *others = map(one_line, one.parts)
    parts = [
        (part, f"{percent(cut)} of the trees cut here") for part, cut in zip(others, one.inside, strict=False)
    ]
    level = level_of(1.0 - one.sure + 1e-9, LEVELS)
    text = [first, *parts] if parts else first
    return Token(text, level, sure, f"{uses}; {sure} sure", "r" if one.customers else "")


def percent(share: float) -> str:
    return f"{100.0 * share:.0f}%"


def learned_sentences(model: TextGrammar) -> Text:
    """The training sentences that a model stores; `documents` numbers the sentences, from 0.

    Raises ValueError if they do not fit the model's grammar.
    """
    letters = np.asarray(model.params["letters"].values)
    lengths = np.asarray(model.params["lengths"].values)
    shape = (len(model.symbols), len(letters))
    if (
        letters.dtype.kind not in "iu"
        or lengths.dtype.kind not in "iu"
        or letters.ndim != 1
        or lengths.ndim != 1
    ):
        raise ValueError("sentences that are none")
    if (lengths < 1).any() or int(lengths.sum()) != len(letters):
        raise ValueError("sentences that do not end where they should")
    if len(letters) and not (letters.min() >= 0 and letters.max() < len(model.compiled.terminals)):
        raise ValueError("symbols of another grammar")
    if np.shape(model.params["cuts"].values) != shape or np.ndim(model.params["kept"].values):
        raise ValueError("cuts of other sentences")
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Text(letters.astype(np.int32), starts, np.arange(len(lengths)))


def piece_symbol(model: TextGrammar) -> str | None:
    """The symbol by which `segment` cuts sentences; None if each sentence would be one piece."""
    symbol = model.symbol_number(None)
    return None if model.has_topics or symbol == model.compiled.start else model.compiled.names[symbol]


def samples_of(model: TextGrammar, piece: str) -> int:
    """How many samples of the chain are stored that show where the symbol `piece` cuts sentences.

    If 0, trees must be drawn instead.
    """
    return int(model.params["kept"].values) if piece in model.symbols else 0


def segmented_sentences(model: TextGrammar, sentences: Text, piece: str) -> list[SegmentedSentence]:
    """Cut up to `LIMIT` different training sentences, spread evenly, by the symbol named `piece`."""
    chosen = _chosen(sentences)
    shown = sentences.take(np.isin(np.arange(len(sentences.documents)), chosen))
    uses = uses_of_texts(model)
    rows: list[SegmentedSentence] = []
    shares = cuts_of(model, shown, piece).shares
    for number in range(len(shown.documents)):
        cuts = shares[shown.starts[number] : shown.starts[number + 1]]
        text = [model.compiled.terminals[letter] for letter in shown[number]]
        pieces = [
            _piece(
                model,
                text,
                np.clip(cuts, 0.0, 1.0),
                start,
                end,
                uses.get((piece, tuple(text[start:end])), (0, 0)),
            )
            for start, end in _spans(cuts, len(text))
        ]
        rows.append(SegmentedSentence(int(shown.documents[number]) + 1, pieces))
    return rows


def _chosen(sentences: Text) -> list[int]:
    """Choose the sentences to show: different ones, evenly spaced, of 2 to `MOST_SYMBOLS` symbols."""
    sizes = np.diff(sentences.starts)
    fitting = np.flatnonzero((sizes >= 2) & (sizes <= MOST_SYMBOLS))
    spread = np.linspace(0, len(fitting) - 1, min(len(fitting), 4 * LIMIT)).round().astype(int)
    different = {sentences[number].tobytes(): number for number in reversed(fitting[spread].tolist())}
    found = sorted(different.values())
    places = np.linspace(0, len(found) - 1, min(len(found), LIMIT)).round().astype(int)
    return [found[place] for place in places.tolist()]


def _spans(cuts: Array, n: int) -> list[tuple[int, int]]:
    """The (start, end) of each piece of a sentence with n symbols, cut where more than half the trees cut.

    cuts: the share of trees that cut before each symbol.
    """
    places = [0, *(at for at in range(1, n) if cuts[at] > 0.5), n]
    return list(itertools.pairwise(places))


def _piece(
    model: TextGrammar, text: Sequence[str], cuts: Array, start: int, end: int, uses: tuple[int, int]
) -> Piece:
    """Make the record of the piece of a sentence from `start` to `end`.

    It is divided into parts where at least a share `DOUBT` of the trees cut it. cuts: the share of trees that
    cut before each symbol of the sentence; uses: the piece's customers and tables.
    """
    n = len(text)
    edges = [float(cuts[at]) for at in (start, end) if 0 < at < n]
    inner = [float(cuts[at]) for at in range(start + 1, end)]
    doubtful = [at for at in range(start + 1, end) if cuts[at] >= DOUBT]
    places = [start, *doubtful, end]
    parts = [model.join(text[at:to]) for at, to in itertools.pairwise(places)]
    sure = min([1.0, *edges, *(1.0 - share for share in inner)])
    return Piece(parts, [float(cuts[at]) for at in doubtful], sure, *uses)
