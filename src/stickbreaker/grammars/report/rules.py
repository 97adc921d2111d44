"""The section on the rules of a grammar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stickbreaker.grammars.model.grammar import Grammar, Terminal
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import one_line
from stickbreaker.pages.views import Column, Styled, Table, Text, muted, strong

if TYPE_CHECKING:
    from stickbreaker.grammars.report.grammar_page import GrammarReport

MOST_RULES = 60  # symbols whose rules are shown
MOST_ALTERNATIVES = 80  # right sides of each


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A symbol's rules as the report shows them: some right-hand sides, and how many `more` there are."""

    symbol: str
    adapted: bool
    alternatives: Sequence[str]
    more: int = 0


def rules(report: GrammarReport) -> Section | None:
    if not report.rules:
        return None
    shown, more = report.rules[:MOST_RULES], max(len(report.rules) - MOST_RULES, 0)
    text = (
        "What each symbol is rewritten as; the first begins. Symbols of the text are in quotes, a weight "
        "other than 1 in brackets."
    )
    text += " Those in bold are adapted." if report.symbols else ""
    text += f" The rules of {more} more symbols are not shown." if more else ""
    table = Table(
        [Column("symbol", wide=25), Column("is rewritten as")], [_row(rule) for rule in shown], stacks=True
    )
    return Section("grammar", "The grammar", text, [table])


def _row(rule: RuleRow) -> list[Text]:
    symbol = f"{one_line(rule.symbol)} →"
    sides: list[Text] = [Styled(one_line(side), "code") for side in rule.alternatives]
    more = [muted(f"… and {rule.more} more")] if rule.more else []
    alternatives: list[Text] = [part for side in sides for part in (muted(" | "), side)][1:]
    return [
        Styled(strong(symbol) if rule.adapted else symbol, "code"),
        [*alternatives, " " * bool(more), *more],
    ]


def rules_of(grammar: Grammar) -> list[RuleRow]:
    """The rules of a grammar for the report, grouped by symbol; at most `MOST_ALTERNATIVES` of each."""
    found: list[RuleRow] = []
    for symbol, rules in grammar.by_parent.items():
        sides = [_side(rule.children, rule.weight) for rule in rules[:MOST_ALTERNATIVES]]
        found.append(RuleRow(symbol, symbol in grammar.adapted, sides, len(rules) - len(sides)))
    return found


def _side(children: Sequence[str], weight: float) -> str:
    """A rule's right-hand side as PyAdaGram writes it: quoted terminals, [weight] unless it is 1."""
    quotes = [("'" if '"' in one else '"') if isinstance(one, Terminal) else "" for one in children]
    parts = [f"{quote}{one}{quote}" for one, quote in zip(children, quotes, strict=True)]
    return " ".join(parts if weight == 1.0 else [*parts, f"[{weight:g}]"])
