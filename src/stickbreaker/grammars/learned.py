"""A learned adaptor grammar: what can be read of it, and what it says of new sentences."""

from dataclasses import dataclass

import numpy as np

from stickbreaker.contracts.contract import Fitted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.records import Record
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.overview import Overview
from stickbreaker.engines import LocalEngine
from stickbreaker.estimators.learned import Facts, Learned
from stickbreaker.grammars.document_shares import log_p_of_all
from stickbreaker.grammars.model.compiled import compiled
from stickbreaker.grammars.model.sentence_parser import LearnedGrammar
from stickbreaker.grammars.plan import grammar_of, has_topics
from stickbreaker.grammars.settings import GrammarSettings
from stickbreaker.grammars.text_grammar import TextGrammar
from stickbreaker.grammars.text_symbols import whole
from stickbreaker.grammars.training_sentences import refuse_other_sums
from stickbreaker.learning.variational import VariationalState
from stickbreaker.saved import Snapshot
from stickbreaker.saved.checkpoints import fitted_of, model_of


@dataclass(frozen=True, eq=False, repr=False)
class GrammarLearned(Learned[GrammarSettings]):
    """What an adaptor grammar has learned.

    `params`: of the model, as files have them; `model`: the same, to read texts. `engine` and `state`: the
    table and the state of variational inference, to save it and to learn more (None: it was a chain).
    `agreement`: of its pieces with the words of the text, if a run in a directory ended so (None: not known).
    """

    params: Record
    model: TextGrammar
    engine: LocalEngine | None = None
    state: VariationalState | None = None
    agreement: JsonObject | None = None

    @classmethod
    def of(cls, facts: Facts[GrammarSettings], params: Record) -> "GrammarLearned":
        """What a chain has learned. Raises ValueError if the params do not fit the facts."""
        settings, documents = facts.settings, facts.corpus["documents"]
        grammar = grammar_of(settings, facts.vocabulary, documents)
        parser = LearnedGrammar.of(params, compiled(grammar))
        return cls(facts, params, _text_grammar(facts, params, parser))

    @classmethod
    def of_sticks(
        cls,
        facts: Facts[GrammarSettings],
        engine: LocalEngine,
        state: VariationalState,
        parser: LearnedGrammar,
    ) -> "GrammarLearned":
        """What variational inference has learned: the table in `engine`, the run's `state`, and both as a
        grammar. Raises ValueError if they do not fit the facts."""
        return cls(facts, state.params, _text_grammar(facts, state.params, parser), engine, state)

    @property
    def skipped(self) -> int:
        """The number of sentences that were skipped."""
        return int(self.params["skipped"].values)

    def sizes(self) -> dict[str, int]:
        symbols = self.model.symbols
        places = np.bincount(self.model.parser.places, minlength=len(symbols))
        return {f"{name}_subtrees": int(n) for name, n in zip(symbols, places, strict=True) if n}

    def overview(self) -> Overview:
        from stickbreaker.grammars.report.grammar_overview import overview_of_grammar

        return overview_of_grammar(self.model)

    def next_verb(self) -> str | None:
        return "report" if has_topics(self.facts.settings) else None

    def log_probability(self, corpus: Corpus) -> tuple[float, float]:
        """The total log p, in nats, of the sentences that can be parsed, and their number of symbols."""
        model, symbols = self.model, self.model.symbols_read
        corpus = corpus if symbols is self.vocabulary else corpus.with_vocabulary(symbols)
        sentences = model.sentences_in(whole(corpus))
        nats = model.nats_of(sentences)
        sizes = np.diff(sentences.starts)[np.isfinite(nats)]
        return log_p_of_all(model.parser.opened, sentences, nats), float(sizes.sum())

    def snapshot(self, fixed: JsonObject) -> Snapshot:
        if self.engine is not None and self.state is not None:
            return model_of(self.engine, self.state, fixed, "done")
        return fitted_of(Fitted(self.params), self.facts.progress, fixed)


def _text_grammar(facts: Facts[GrammarSettings], params: Record, parser: LearnedGrammar) -> TextGrammar:
    """A learned grammar as what reads texts. Raises ValueError if params do not fit it."""
    refuse_other_sums(params, parser.grammar)
    settings, vocabulary, documents = facts.settings, facts.vocabulary, facts.corpus["documents"]
    grammar = grammar_of(settings, vocabulary, documents)
    return TextGrammar(settings, vocabulary, facts.analysis, documents, grammar, parser, params)
