"""From a saved grammar to the records of its report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stickbreaker.core.errors import UserError
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.estimators.saving import load
from stickbreaker.grammars.model.grammar import Grammar, Terminal
from stickbreaker.grammars.model.named import BY_NAME
from stickbreaker.grammars.plain_grammar import PlainAdaptorGrammar
from stickbreaker.grammars.report.grammar_page import GrammarPage
from stickbreaker.grammars.report.grammar_page_data import RuleRow, ScoreCurve, ScoreLine
from stickbreaker.grammars.report.remembered_subtrees import adapted_symbols_of
from stickbreaker.grammars.report.segmented_sentences import (
    learned_sentences,
    piece_symbol,
    samples_of,
    segmented_sentences,
)
from stickbreaker.grammars.report.sentence_trees import trees_of_sentences
from stickbreaker.grammars.report.subtree_evolution import changes_of_grammar, turnovers_of
from stickbreaker.pages.saved_models import readable_manifest, settings_of
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.evolution import Evolution
from stickbreaker.saved.manifest import RESTORE

TREES, SENTENCES, HELD_OUT = "trees", "sentences", "held-out"  # kinds of curves
STEPS, SEGMENTATION = "steps", "segmentation"
CURVES = {  # of a sampler: what each is called, and in which field of the trace it is
    TREES: ("Sentences, trees and remembered subtrees together", "score"),
    SENTENCES: ("Each sentence, given the trees of all others", "nats_per_symbol"),
    HELD_OUT: ("Sentences held out, never learned from", "held_out"),
}
CURVES_OF_STEPS = {STEPS: ("The sentences of each step", "score"), HELD_OUT: CURVES[HELD_OUT]}
F1 = {"words": "token_f1", "boundaries": "boundary_f1"}  # lines, and where the trace has them
MOST_SYMBOLS = 20  # adapted ones that are shown
MOST_RULES = 60  # symbols whose rules are shown
MOST_ALTERNATIVES = 80  # right sides of each


def grammar_page_of(path: Path, title: str) -> GrammarPage:
    """The report of the grammar at `path`.

    Raises UserError for what is not one (a run that is not finished is none).
    """
    manifest = readable_manifest(path)
    model = load(path, verb="report")
    if not isinstance(model, PlainAdaptorGrammar):
        raise UserError("is not a grammar that was learned", where=path)
    with making_sense_of(path, RESTORE):
        return page_of_grammar(model, manifest, title, ModelDirectory(path).evolution())


def page_of_grammar(
    model: PlainAdaptorGrammar, manifest: dict[str, Any], title: str, evolution: Evolution | None = None
) -> GrammarPage:
    """The report of a grammar, by its manifest and the snapshots of its run.

    Raises ValueError for parts that do not fit.
    """
    sentences, piece = learned_sentences(model), piece_symbol(model)
    known = isinstance(model.grammar, str) and model.grammar in BY_NAME
    named = f"The grammar “{model.grammar}”" if known else "A grammar"
    symbols, rules = adapted_symbols_of(model), rules_of(model.grammar_)
    rows = segmented_sentences(model, sentences, piece) if piece else []
    n_shown, evolution = min(len(symbols), MOST_SYMBOLS), evolution or Evolution()
    changes = changes_of_grammar(model, evolution, n_shown)
    return GrammarPage(
        title=title,
        subtitle=f"{named}, learned from {_n_sentences(model):,} {_unit_of(model)}",
        facts=_facts(model),
        settings=[
            (name, value) for name, value in settings_of(manifest) if name != "grammar" or _short(value)
        ],
        curves=curves_of(model.trace_, "document" if model.of_topics else "sentence"),
        symbols=symbols[:MOST_SYMBOLS],
        more_symbols=max(len(symbols) - MOST_SYMBOLS, 0),
        changes=changes,
        changed=[one.name for one in symbols[:n_shown]] if changes else (),
        turnovers=turnovers_of(model, evolution, n_shown) if changes and changes.moments else (),
        piece=piece or "",
        samples=samples_of(model, piece) if piece else 0,
        sentences=rows,
        no_sentences="" if rows else _why_none(model, piece),
        trees=trees_of_sentences(model, sentences),
        rules=rules[:MOST_RULES],
        more_rules=max(len(rules) - MOST_RULES, 0),
        expected=not model.sampled,
    )


def _short(value: str) -> bool:
    """Whether a setting is a name, and not a whole grammar, which has a section of its own."""
    return "\n" not in value and "->" not in value


def _why_none(model: PlainAdaptorGrammar, piece: str | None) -> str:
    """Why no sentence is shown in pieces."""
    if model.of_topics:
        return "The sentences of this grammar are single words, so that there is nothing to cut."
    if piece is None:
        return "No symbol of this grammar stands for a part of a sentence by which it could be cut."
    return "No sentence has from two to 200 symbols."


def curves_of(trace: Sequence[dict[str, Any]], reads: str = "sentence") -> list[ScoreCurve]:
    """-log p in nats a symbol, by sweep; of several chains a line each where the trace has them.

    Of learning by steps by what was seen, sentences or documents (`reads`), with F1 where it was measured.

    >>> curves_of([{"pass": 1, "score": -2.0}, {"pass": 2}, {"pass": 3, "score": -1.5}])[0].lines[0].points
    [(1, 2.0), (3, 1.5)]
    """
    chains = max((len(record.get("chains", ())) for record in trace), default=0)
    in_steps = any("rate" in record for record in trace)
    at, unit, kinds = ("documents", reads, CURVES_OF_STEPS) if in_steps else ("pass", "sweep", CURVES)
    found = [
        ScoreCurve(kind, name, _lines(trace, field, at, chains), unit)
        for kind, (name, field) in kinds.items()
    ]
    return [*_segmentation(trace, unit), *(curve for curve in found if curve.lines)]


def _segmentation(trace: Sequence[dict[str, Any]], unit: str) -> list[ScoreCurve]:
    """F1 of the sentences whose words are known, where it was measured."""
    measured = [
        (int(record["documents"]), record[SEGMENTATION]) for record in trace if SEGMENTATION in record
    ]
    if not measured:
        return []
    lines = [
        ScoreLine(name, [(seen, float(one[field])) for seen, one in measured]) for name, field in F1.items()
    ]
    number = measured[-1][1]["documents"]
    are = "sentence whose words are known is" if number == 1 else "sentences whose words are known are"
    name = f"How well {number:,} {are} cut"
    return [ScoreCurve(SEGMENTATION, name, lines, unit)]


def _lines(trace: Sequence[dict[str, Any]], field: str, at: str, chains: int) -> list[ScoreLine]:
    """The lines of a field by another, `at`: of the score one a chain, where there are several."""
    if field == "score" and chains > 1:
        each = [
            [(r[at], r["chains"][i]) for r in trace if len(r.get("chains", ())) > i] for i in range(chains)
        ]
        lines = [ScoreLine(f"chain {i + 1}", _points(one)) for i, one in enumerate(each)]
    else:
        lines = [ScoreLine("", _points([(r[at], r[field]) for r in trace if r.get(field) is not None]))]
    return [line for line in lines if line.points]


def _points(pairs: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """(sweep or documents, -log p) where it is a number that can be drawn."""
    return [(int(sweep), -float(nats)) for sweep, nats in pairs if math.isfinite(nats) and nats <= 0.0]


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


def _n_sentences(model: PlainAdaptorGrammar) -> int:
    """How many sentences were learned from; of variational inference, which does not keep all, documents."""
    return len(model.params_["lengths"].values) if model.sampled else int(model.corpus_["documents"])


def _unit_of(model: PlainAdaptorGrammar) -> str:
    """What `_n_sentences` counts."""
    return "sentences" if model.sampled else "documents"


def _facts(model: PlainAdaptorGrammar) -> list[tuple[str, str]]:
    """The cards at the top."""
    params = model.params_
    sampled = model.sampled
    facts = [
        (_unit_of(model), f"{_n_sentences(model):,}"),
        *([("symbols in them", f"{len(params['letters'].values):,}")] if sampled else []),
        ("different symbols", f"{len(model.compiled_.terminals):,}"),
        ("adapted symbols", str(len(model.symbols_))),
        ("subtrees remembered", f"{len(model.learned_.customers):,}"),
        *([("samples", str(int(params["kept"].values)))] if sampled else []),
    ]
    if model.unparsed == "skip":
        facts.append(("sentences skipped", f"{model.skipped_:,}"))
    for curve in curves_of(model.trace_):
        if curve.kind == SENTENCES:
            facts.append(
                ("nats a symbol, each sentence given all others", f"{curve.lines[0].points[-1][1]:.3f}")
            )
        if curve.kind == SEGMENTATION:
            facts.append(("F1 of words", f"{curve.lines[0].points[-1][1]:.3f}"))
        if curve.kind == HELD_OUT:
            facts.append(("nats a symbol, held out", f"{curve.lines[0].points[-1][1]:.3f}"))
    if math.isfinite(model.bound_):
        facts.append(("nats a symbol, with the trees", f"{-model.bound_:.3f}"))
    return facts
