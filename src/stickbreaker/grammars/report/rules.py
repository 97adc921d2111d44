"""The rules of a grammar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stickbreaker.grammars.model.grammar import Grammar, Terminal
from stickbreaker.pages.page import Section

if TYPE_CHECKING:
    from stickbreaker.grammars.report.grammar_page import GrammarReport

MOST_RULES = 60  # symbols whose rules are shown
MOST_ALTERNATIVES = 80  # right sides of each


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A symbol of the grammar, whether it is adapted, its right sides, and how many more it has."""

    symbol: str
    adapted: bool
    alternatives: Sequence[str]
    more: int = 0


class Rules(Section["GrammarReport"]):
    anchor, heading = "grammar", "The grammar"
    needs = ("rules",)
    template = "rules.html.j2"
    styles = ("sentences.css", "grammar.css")

    def values(self, report: GrammarReport) -> dict[str, Any]:
        return {
            "rules": report.rules[:MOST_RULES],
            "more_rules": max(len(report.rules) - MOST_RULES, 0),
            "symbols": bool(report.symbols),
        }


def rules_of(grammar: Grammar) -> list[RuleRow]:
    """The rules by the symbol that they rewrite, in the grammar's order."""
    found: list[RuleRow] = []
    for symbol, rules in grammar.by_parent.items():
        sides = [_side(rule.children, rule.weight) for rule in rules[:MOST_ALTERNATIVES]]
        found.append(RuleRow(symbol, symbol in grammar.adapted, sides, len(rules) - len(sides)))
    return found


def _side(children: Sequence[str], weight: float) -> str:
    """A right side as PyAdaGram writes it: terminals in quotes, a weight other than 1 in brackets."""
    quotes = [("'" if '"' in one else '"') if isinstance(one, Terminal) else "" for one in children]
    parts = [f"{quote}{one}{quote}" for one, quote in zip(children, quotes, strict=True)]
    return " ".join(parts if weight == 1.0 else [*parts, f"[{weight:g}]"])
