"""The page about a learned grammar: its header, its sections, and what these share of a model."""

from __future__ import annotations

import math
from functools import cached_property

from stickbreaker.grammars.learned import GrammarLearned
from stickbreaker.grammars.model.named import BY_NAME
from stickbreaker.grammars.plan import is_sampled
from stickbreaker.grammars.report.learning import (
    HELD_OUT,
    SEGMENTATION,
    SENTENCES,
    ScoreCurve,
    curves_of,
    learning,
)
from stickbreaker.grammars.report.remembered_subtrees import adapted_symbols_of, memory
from stickbreaker.grammars.report.rules import rules, rules_of
from stickbreaker.grammars.report.segmented_sentences import (
    SegmentedSentence,
    learned_sentences,
    piece_symbol,
    samples_of,
    segmented_sentences,
    sentences,
)
from stickbreaker.grammars.report.sentence_trees import trees, trees_of_sentences
from stickbreaker.grammars.report.subtree_evolution import (
    Turnover,
    changes,
    changes_of_grammar,
    turnovers_of,
)
from stickbreaker.grammars.text_grammar import TextGrammar
from stickbreaker.pages.saved_models import SavedReport, settings_of
from stickbreaker.saved import ModelDirectory

MOST_SYMBOLS = 20  # adapted ones that are shown


class GrammarReport(SavedReport[GrammarLearned]):
    """The report page on a grammar; its properties are what sections share, computed when first used."""

    estimator, noun = GrammarLearned, "a grammar that was learned"
    sections = (sentences, memory, changes, trees, learning, rules)
    repeat_note = "The same sentences with these settings give the same model again."

    @property
    def grammar(self) -> TextGrammar:
        """The grammar, as what reads texts."""
        return self.model.model

    @cached_property
    def subtitle(self) -> str:
        grammar = self.model.facts.settings.grammar
        known = isinstance(grammar, str) and grammar in BY_NAME
        named = f"The grammar “{grammar}”" if known else "A grammar"
        return f"{named}, learned from {self._n_sentences:,} {self._unit}"

    @cached_property
    def settings(self) -> list[tuple[str, str]]:
        rows = settings_of(self.manifest)
        return [(name, value) for name, value in rows if name != "grammar" or _short(value)]

    @cached_property
    def facts(self) -> list[tuple[str, str]]:
        model, params, sampled = self.grammar, self.model.params, not self.expected
        facts = [
            (self._unit, f"{self._n_sentences:,}"),
            *([("symbols in them", f"{len(params['letters'].values):,}")] if sampled else []),
            ("different symbols", f"{len(model.compiled.terminals):,}"),
            ("adapted symbols", str(len(model.symbols))),
            ("subtrees remembered", f"{len(model.parser.customers):,}"),
            *([("samples", str(int(params["kept"].values)))] if sampled else []),
        ]
        if model.settings.unparsed == "skip":
            facts.append(("sentences skipped", f"{self.model.skipped:,}"))
        for curve in self.curves:
            if curve.kind == SENTENCES:
                facts.append(
                    ("nats per symbol, each sentence given all others", f"{curve.lines[0].points[-1][1]:.3f}")
                )
            if curve.kind == SEGMENTATION:
                facts.append(("F1 of words", f"{curve.lines[0].points[-1][1]:.3f}"))
            if curve.kind == HELD_OUT:
                facts.append(("nats per symbol, held out", f"{curve.lines[0].points[-1][1]:.3f}"))
        bound = self.model.final_score
        if math.isfinite(bound):
            facts.append(("nats per symbol, with the trees", f"{-bound:.3f}"))
        return facts

    @property
    def _n_sentences(self) -> int:
        """The number of training sentences; for variational inference, which stores few, of documents."""
        return self.grammar.n_documents if self.expected else len(self.model.params["lengths"].values)

    @property
    def _unit(self) -> str:
        """The noun for what `_n_sentences` counts: "sentences" or "documents"."""
        return "documents" if self.expected else "sentences"

    @cached_property
    def curves(self) -> list[ScoreCurve]:
        return curves_of(self.model.facts.trace, "document" if self.grammar.has_topics else "sentence")

    _all_symbols = cached_property(lambda self: adapted_symbols_of(self.grammar))
    symbols = cached_property(lambda self: self._all_symbols[:MOST_SYMBOLS])
    # how many adapted symbols are not shown
    more_symbols = cached_property(lambda self: len(self._all_symbols) - len(self.symbols))
    # whether uses are not counted but expected, as in variational inference, which knows no tables
    expected = cached_property(lambda self: not is_sampled(self.model.facts.settings))
    # the snapshots of the run
    evolution = cached_property(lambda self: ModelDirectory(self.path).evolution())
    changes = cached_property(lambda self: changes_of_grammar(self.model, self.evolution, len(self.symbols)))

    @cached_property
    def turnovers(self) -> list[Turnover]:
        known = self.changes is not None and self.changes.moments
        return turnovers_of(self.grammar, self.evolution, len(self.symbols)) if known else []

    _text = cached_property(lambda self: learned_sentences(self.grammar))
    piece = cached_property(lambda self: piece_symbol(self.grammar))  # the symbol by which sentences are cut
    # how many of the sampler's states say where sentences are cut; 0: trees were drawn
    samples = cached_property(lambda self: samples_of(self.grammar, self.piece) if self.piece else 0)

    @cached_property
    def sentences(self) -> list[SegmentedSentence]:
        return segmented_sentences(self.grammar, self._text, self.piece) if self.piece else []

    @cached_property
    def no_sentences(self) -> str:
        """A sentence for the page that says why no sentences are shown in pieces; "" if some are."""
        if self.sentences:
            return ""
        if self.grammar.has_topics:
            return "The sentences of this grammar are single words, so that there is nothing to cut."
        if self.piece is None:
            return "No symbol of this grammar stands for a part of a sentence by which it could be cut."
        return "No sentence has from two to 200 symbols."

    trees = cached_property(lambda self: trees_of_sentences(self.grammar, self._text))
    rules = cached_property(lambda self: rules_of(self.grammar.grammar))


def _short(value: str) -> bool:
    """Whether a setting's value can be listed; the text of a whole grammar is too long, and has a section."""
    return "\n" not in value and "->" not in value


grammar_page_of = GrammarReport.page_of
