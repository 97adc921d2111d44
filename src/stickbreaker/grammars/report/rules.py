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
    """A symbol of a grammar, whether it is adapted, the right-hand sides of its rules that are shown, and the
    number of those that are not.
    """

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
    """The rules of a grammar by the symbol that they rewrite, in the order of the grammar."""
    found: list[RuleRow] = []
    for symbol, rules in grammar.by_parent.items():
        sides = [_side(rule.children, rule.weight) for rule in rules[:MOST_ALTERNATIVES]]
        found.append(RuleRow(symbol, symbol in grammar.adapted, sides, len(rules) - len(sides)))
    return found


def _side(children: Sequence[str], weight: float) -> str:
    """A rule's right-hand side as PyAdaGram writes it: terminals in quotes, weights but 1 in brackets."""
    quotes = [("'" if '"' in one else '"') if isinstance(one, Terminal) else "" for one in children]
    parts = [f"{quote}{one}{quote}" for one, quote in zip(children, quotes, strict=True)]
    return " ".join(parts if weight == 1.0 else [*parts, f"[{weight:g}]"])
