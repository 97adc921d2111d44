"""Scores of a grammar: how well it cuts and predicts sentences."""

import warnings
from dataclasses import dataclass

from stickbreaker.core.errors import naming, noun_for
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus import Corpus
from stickbreaker.estimators.document_scores import learned_from_lines
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.grammars.grammar_scores import scores_of
from stickbreaker.grammars.learned import GrammarLearned
from stickbreaker.grammars.segmentation_agreement import Agreement
from stickbreaker.grammars.verbs.given_texts import GivenTexts
from stickbreaker.grammars.verbs.settings import ScoreSettings
from stickbreaker.grammars.verbs.symbol_counts import new_symbols_line
from stickbreaker.saved.own_corpus import share_of_own_corpus

AGREEMENT = ("token", "boundary", "type")  # what is compared with the words


@dataclass(frozen=True, kw_only=True, repr=False)
class GrammarScores(VerbResult):
    """Log probability of sentences per symbol and, if spaces show words, how well they are found.

    `unparsed` sentences cannot be parsed and are not scored; `new_symbols` were not learned from, and
    `with_new_symbols` sentences have some. `token`, `boundary`, `type`: agreement of the pieces with the
    words. `learned_from`: the share of the sentences that the grammar was learned from; None: not known.
    """

    sentences: int
    unparsed: int
    new_symbols: int
    with_new_symbols: int
    symbols: int
    nats_per_symbol: float
    token: Agreement | None = None
    boundary: Agreement | None = None
    type: Agreement | None = None
    learned_from: float | None

    def as_json(self) -> JsonObject:
        values = super().as_json()
        return {name: value for name, value in values.items() if value is not None or name not in AGREEMENT}

    def __str__(self) -> str:
        unparsed = f", {self.unparsed:,} of which cannot be parsed" if self.unparsed else ""
        lines = [
            f"{self.sentences:,} {noun_for(self.sentences, 'sentence')}{unparsed}; "
            f"{self.nats_per_symbol:.4f} nats/symbol of {self.symbols:,}",
            *learned_from_lines(self.learned_from),
        ]
        if self.token is not None:
            lines.append("            precision  recall     f1")
        for name in AGREEMENT:
            part: Agreement | None = getattr(self, name)
            if part is not None:
                lines.append(f"  {name:<9} {part.precision:9.3f} {part.recall:7.3f} {part.f1:6.3f}")
        return "\n".join(lines)


def evaluate(learned: GrammarLearned, given: GivenTexts, settings: ScoreSettings) -> GrammarScores:
    """Score texts by a grammar. Warns (UserWarning) about symbols that are new to it.

    Raises UserError if no sentence can be parsed.
    """
    with naming(given.name):
        scores = scores_of(learned.model, given.texts, settings.nonterminal)
    new_symbols = new_symbols_line(scores["with_new_symbols"], scores["new_symbols"], scores["sentences"])
    if new_symbols is not None:
        warnings.warn(new_symbols, UserWarning, stacklevel=2)
    own = None
    if len(set(given.ids)) == len(given.ids):  # as those of every corpus do, they differ
        seen_by = {"analysis": learned.facts.analysis, "vocabulary": learned.vocabulary}
        corpus = Corpus.from_texts(given.texts, given.ids, **seen_by)
        own = share_of_own_corpus(learned.facts.corpus, learned.facts.held_out, corpus)
    agreement: JsonObject = {name: Agreement(**scores.pop(name)) for name in AGREEMENT if name in scores}
    return GrammarScores(**scores, **agreement, learned_from=own)
