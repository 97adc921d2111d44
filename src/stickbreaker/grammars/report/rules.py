"""The section on the rules of a grammar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stickbreaker.grammars.model.grammar import Grammar, Terminal
from stickbreaker.pages.template_page import Section

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


class Rules(Section["GrammarReport"]):
    anchor, heading = "grammar", "The grammar"
    needs = ("rules",)
    template = "rules.html.j2"
    styles = ("sentences.css", "grammar.css")

    def values(self, report: GrammarReport) -> dict[str, object]:
        return {
            "rules": report.rules[:MOST_RULES],
            "more_rules": max(len(report.rules) - MOST_RULES, 0),
            "symbols": bool(report.symbols),
        }


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
