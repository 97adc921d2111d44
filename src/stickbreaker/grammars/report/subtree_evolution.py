"""The section on how remembered subtrees rose, fell and left while a grammar was learned in steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from stickbreaker.grammars.learned import GrammarLearned
from stickbreaker.grammars.plan import is_sampled
from stickbreaker.grammars.report.remembered_subtrees import number_text
from stickbreaker.grammars.text_grammar import TextGrammar
from stickbreaker.pages.changes import Changes, changes_of, paths_of, sizes_of
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import one_line
from stickbreaker.pages.views import Column, Each, Note, Table, Text, View, muted
from stickbreaker.saved.evolution import Evolution

if TYPE_CHECKING:
    from stickbreaker.grammars.report.grammar_page import GrammarReport

LATEST = 8  # strings of a symbol that came, and that fell out
FIGURES = 3  # symbols
MOVES = (
    "This grammar was learned step by step: subtrees that it draws are remembered, and those that are "
    "hardly used are forgotten. Each column has the most used subtrees of the chosen symbol at one moment "
    "of the run, and a line leads to the same subtree in the next column. The box holds those that came "
    "among the fifty most used since the column before; a line that ends leads to one that is no longer "
    "there. Numbers are ranks: 1 is used most."
)
LATELY = (
    "What came last among the fifty most used of each symbol and is there at the end, and what fell out "
    "last: some of it is still remembered, some is forgotten."
)
REMEMBERED = (
    "How many subtrees all symbols together remembered in the course of the run, how many entered and how "
    "many left."
)


@dataclass(frozen=True, slots=True)
class Turnover:
    """For an adapted symbol, strings that recently joined or left its fifty most used ones.

    came: (string, final rank, step at which it joined them); fell: (string, last known rank, the step of that
    rank, its uses at the end: 0 if it is forgotten).
    """

    symbol: str
    came: Sequence[tuple[str, int, int]] = ()
    fell: Sequence[tuple[str, int, int, float]] = ()


def changes(report: GrammarReport) -> Section | None:
    found = report.changes
    if not found:
        return None
    views: list[View] = []
    figures: list[View] = []
    if found.moments:
        names = [one_line(one.name) for one in report.symbols]
        views += [Note(MOVES), paths_of(found, "Symbol", names=names)]
        known = [place for place, one in enumerate(found.wordings) if one]
        for number, place in enumerate(known[:FIGURES], 1):
            one = replace(found, wordings=[found.wordings[place]])
            path = paths_of(one, "", names=[names[place]], figure=f"changes-{number}")
            figures.append(replace(path, title=f"How {names[place]} changed"))
    if report.turnovers:
        rows = [_row(one) for one in report.turnovers]
        columns = [Column("symbol"), Column("came", wide=40), Column("fell out", wide=40)]
        views += [Note(LATELY, title="Lately"), Table(columns, rows, stacks=True)]
    if found.vocabulary:
        views.append(Note(REMEMBERED, title="How much is remembered"))
        views.append(sizes_of(found, "", "remembered-subtrees"))
    return Section("changes", "What enters and leaves", "", views, figures=figures)


def _row(one: Turnover) -> list[Text]:
    came: list[Text] = [
        [one_line(text), " ", muted(f"rank {rank}, since step {step:,}")] for text, rank, step in one.came
    ]
    fell: list[Text] = [
        [one_line(text), " ", muted(f"rank {rank} at step {step:,}, {_now(left)}")]
        for text, rank, step, left in one.fell
    ]
    return [one_line(one.symbol), Each(came), Each(fell)]


def _now(left: float) -> str:
    return f"{number_text(left)} uses now" if left > 0 else "forgotten"


def changes_of_grammar(learned: GrammarLearned, evolution: Evolution, n_symbols: int) -> Changes | None:
    """For the report: how the most used subtrees of adapted symbols, and their number, changed in a run.

    Only for the first `n_symbols` adapted symbols. None for a Markov chain, and for a run without changes to
    show, such as one of one step.
    """
    if is_sampled(learned.facts.settings):
        return None
    changes = changes_of(evolution, range(n_symbols), learned.facts.trace)
    if changes is None:
        return None
    if len(changes.moments) < 2 or not any(changes.wordings):
        changes = replace(changes, moments=(), wordings=())
    if len(changes.vocabulary) < 2 or not any(row[1] for row in changes.vocabulary):
        changes = replace(changes, vocabulary=())
    if not changes.moments and not changes.vocabulary:
        return None
    reads = "document" if learned.model.has_topics else "sentence"
    return replace(changes, noun="subtree", reads=reads, of="the symbol")


def turnovers_of(model: TextGrammar, evolution: Evolution, n_symbols: int) -> list[Turnover]:
    """For each adapted symbol, which strings recently joined or left its most used ones.

    Only for the first `n_symbols` symbols; those without such strings are left out.
    """
    uses: dict[str, dict[str, float]] = {name: {} for name in model.symbols}
    for one in model.subtrees():
        text = model.join(one.text)
        uses[one.symbol][text] = uses[one.symbol].get(text, 0.0) + one.customers
    tops = [moment.top() for moment in evolution.moments]
    steps = [moment.step for moment in evolution.moments]
    found: list[Turnover] = []
    for place, name in enumerate(model.symbols[:n_symbols]):
        ranks = [{word: rank for rank, (word, _) in enumerate(top.get(place, ()), 1)} for top in tops]
        found.append(_turnover(name, ranks, steps, uses[name]))
    return [one for one in found if one.came or one.fell]


def _turnover(
    name: str, ranks: Sequence[Mapping[str, int]], steps: Sequence[int], uses: Mapping[str, float]
) -> Turnover:
    """Find the strings that recently joined or left a symbol's most used ones: the latest `LATEST` of each.

    name: of the symbol; ranks: for each snapshot of the run, {string: rank} of the most used strings; steps:
    the step of each snapshot; uses: of all strings at the end.
    """
    came: dict[str, int] = {}
    last: dict[str, int] = {}
    for moment, own in enumerate(ranks):
        for word in own:
            if last.get(word, -2) != moment - 1:
                came[word] = moment
            last[word] = moment
    end = len(ranks) - 1
    new = [(word, came[word]) for word in (ranks[end] if ranks else ()) if came[word] > 0]
    gone = [(word, moment) for word, moment in last.items() if moment < end]
    return Turnover(
        name,
        [(word, ranks[end][word], steps[at]) for word, at in sorted(new, key=lambda one: -one[1])[:LATEST]],
        [
            (word, ranks[at][word], steps[at], uses.get(word, 0.0))
            for word, at in sorted(gone, key=lambda one: (-one[1], ranks[one[1]][one[0]]))[:LATEST]
        ],
    )
