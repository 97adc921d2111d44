"""What a grammar has learned: the subtrees that its symbols remember, and how often its rules are used."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from stickbreaker.core.errors import noun_for
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.grammars.learned import GrammarLearned
from stickbreaker.grammars.plan import is_sampled
from stickbreaker.grammars.text_grammar import Subtree
from stickbreaker.grammars.verbs.settings import RulesSettings


@dataclass(frozen=True)
class SymbolRules:
    """What an adapted symbol remembers: its process's parameters, its most used subtrees, and how many it
    has (`all`)."""

    discount: float
    concentration: float
    subtrees: tuple[Subtree, ...]
    all: int


@dataclass(frozen=True)
class RuleUses:
    """A rule of the grammar, and how often it is used in trees and remembered subtrees."""

    rule: str
    uses: float


@dataclass(frozen=True, repr=False)
class GrammarRules(VerbResult):
    """The remembered subtrees by adapted symbol, and the uses of rules.

    `expected`: uses are expected ones, by variational inference; `whole`: it is about all symbols, so that
    the text has the rules too.
    """

    expected: bool
    symbols: Mapping[str, SymbolRules]
    rules: tuple[RuleUses, ...]
    whole: bool = field(default=True, compare=False)
    join: Callable[[Sequence[str]], str] = field(default=" ".join, compare=False)

    def as_json(self) -> JsonObject:
        symbols = {
            name: {
                "discount": one.discount,
                "concentration": one.concentration,
                "subtrees": [
                    {"text": list(tree.text), "customers": tree.customers, "tables": tree.tables}
                    for tree in one.subtrees
                ],
                "all": one.all,
            }
            for name, one in self.symbols.items()
        }
        rules = [{"rule": one.rule, "uses": one.uses} for one in self.rules]
        return {"expected": self.expected, "symbols": symbols, "rules": rules}

    def __str__(self) -> str:
        lines: list[str] = []
        uses = ", expected uses" if self.expected else ""
        for symbol, one in self.symbols.items():
            process = f"discount {one.discount:.3f}, concentration {one.concentration:.1f}"
            lines.append(f"{symbol}: {one.all:,} {noun_for(one.all, 'subtree')}{uses}, {process}")
            lines += [f"{tree.customers:9,.0f}  {self.join(tree.text)}" for tree in one.subtrees]
        if self.whole:
            lines.append("Uses of rules, in trees and remembered subtrees:")
            lines += [f"{one.uses:9,.0f}  {one.rule}" for one in self.rules]
        return "\n".join(lines)


def rules(learned: GrammarLearned, settings: RulesSettings) -> GrammarRules:
    """The subtrees that a grammar remembers, most used first. Raises UserError for a symbol that is not
    adapted."""
    grammar, symbol = learned.model, settings.nonterminal
    found: dict[str, SymbolRules] = {}
    for name in grammar.symbols if symbol is None else (symbol,):
        subtrees, place = grammar.subtrees(name), grammar.symbols.index(name)
        found[name] = SymbolRules(
            float(grammar.discounts[place]),
            float(grammar.concentrations[place]),
            tuple(subtrees[: settings.top] if settings.top else subtrees),
            len(subtrees),
        )
    uses = zip(grammar.grammar.rules, grammar.parser.uses, strict=True)
    return GrammarRules(
        not is_sampled(grammar.settings),
        found,
        tuple(RuleUses(str(rule), float(n)) for rule, n in uses),
        symbol is None,
        grammar.join,
    )
