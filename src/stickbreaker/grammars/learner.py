"""How adaptor grammars learn: by Markov chains over trees, or by variational steps."""

import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from stickbreaker.contracts.contract import Fitted
from stickbreaker.core import purposes
from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.random_streams import derived_seed
from stickbreaker.core.records import Field
from stickbreaker.core.serialize import refuse_other_sizes
from stickbreaker.corpus import Corpus, Vocabulary, VocabularyRule
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.source import Source
from stickbreaker.estimators.learned import Facts
from stickbreaker.estimators.learner import Learner
from stickbreaker.estimators.model_files import corpus_of
from stickbreaker.estimators.setting_values import threads_for
from stickbreaker.grammars import grammar_of_sticks
from stickbreaker.grammars.gold_sample import agreement_with_blanks
from stickbreaker.grammars.grammar_of_sticks import INTEGER_PARAMS
from stickbreaker.grammars.grammar_stream import learned_more
from stickbreaker.grammars.learned import GrammarLearned
from stickbreaker.grammars.model.compiled import Compiled, compiled
from stickbreaker.grammars.model.grammar_sentences import Sentences
from stickbreaker.grammars.model.sentence_parser import LearnedGrammar
from stickbreaker.grammars.model.tree_chain import AdaptorChain
from stickbreaker.grammars.plan import (
    SCORE_NAMES,
    given_grammar,
    grammar_of,
    has_topics,
    is_sampled,
    limits_of,
    moves_of,
    refuse_settings,
    refuse_vocabulary,
    schedule_for,
)
from stickbreaker.grammars.segmentation_agreement import TRACE_FIELDS
from stickbreaker.grammars.settings import BATCH_SIZE, GrammarSettings
from stickbreaker.grammars.text_grammar import joined
from stickbreaker.grammars.text_symbols import analysis_of_symbols
from stickbreaker.grammars.training_sentences import NothingParsed, held_out_sentences, training_sentences
from stickbreaker.grammars.unused_names import remark_on_unused_names
from stickbreaker.learning.chains import Chains
from stickbreaker.learning.run import Limits, Run, RunState
from stickbreaker.learning.sampling import SamplingRun, SamplingState
from stickbreaker.learning.schedules import Online
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.checkpoints import params_from, sampling_state_of

if TYPE_CHECKING:
    from stickbreaker.grammars.subtree_snapshots import EvolvingSubtrees

FEW_SENTENCES = 1_000
EVERY = 10  # sweeps from one score to the next
WHOLE = ("customers", "tables", "sizes", "entries", *INTEGER_PARAMS)


class GrammarLearner(Learner[GrammarSettings, GrammarLearned]):
    """How adaptor grammars learn."""

    score_names = SCORE_NAMES
    trace_fields = TRACE_FIELDS

    # Before a run

    def check(
        self,
        settings: GrammarSettings,
        vocabulary: Vocabulary | None = None,
        analysis: AnyAnalysis | None = None,
    ) -> None:
        refuse_settings(settings)
        if vocabulary is not None:
            refuse_vocabulary(settings, vocabulary)

    def limits(self, settings: GrammarSettings) -> Limits:
        return limits_of(settings)

    def reads_texts_by(self, settings: GrammarSettings) -> tuple[AnyAnalysis | None, VocabularyRule | None]:
        if has_topics(settings):
            return None, None
        return analysis_of_symbols(settings.symbols), VocabularyRule(1, 1.0)

    def remark_on(self, settings: GrammarSettings, corpus: Corpus) -> str | None:
        """A remark to the user that there are too few sentences for variational inference; None if not so."""
        if is_sampled(settings) or corpus.n_documents >= FEW_SENTENCES:
            return None
        number = counted(corpus.n_documents, "sentence")
        return (
            f"{number} are few for inference={settings.inference!r}: a chain is as fast, predicts better and "
            "segments the text better; leave out inference, or set it to mcmc"
        )

    # A run, and what it has learned

    def new_run(
        self,
        settings: GrammarSettings,
        corpus: Corpus,
        seed: int,
        held_out: float = 0.0,
        folder: Path | None = None,
    ) -> tuple[Run, RunState]:
        given = given_grammar(settings)
        remark = given and remark_on_unused_names(given, set(corpus.vocabulary.words))
        if remark:
            warnings.warn(remark, UserWarning, stacklevel=2)
        if not is_sampled(settings):
            return grammar_of_sticks.new_run(settings, corpus, seed, held_out, folder)
        return _sampling_run(settings, corpus, seed, held_out, start=True)

    def resume_run(
        self, settings: GrammarSettings, corpus: Corpus, snapshot: Snapshot, folder: Path
    ) -> tuple[Run, RunState]:
        seed, held_out = snapshot.manifest["settings"]["random_state"], snapshot.manifest["held_out"]
        if not is_sampled(settings):
            return grammar_of_sticks.resume_run(settings, corpus, snapshot, folder)
        job, state = _sampling_run(settings, corpus, seed, held_out, start=False)
        return job, sampling_state_of(snapshot, state.chains)

    def evolution(
        self, settings: GrammarSettings, job: Run, state: RunState, directory: ModelDirectory
    ) -> "EvolvingSubtrees | None":
        if not (isinstance(job, VariationalRun) and isinstance(state, VariationalState)):
            return None
        from stickbreaker.grammars.subtree_snapshots import EvolvingSubtrees, SubtreeMoments

        moments = SubtreeMoments(directory.evolution(), partial(joined, settings))
        return EvolvingSubtrees(moments, job, state)

    def learned(
        self, facts: Facts[GrammarSettings], corpus: Corpus, job: Run, state: RunState
    ) -> GrammarLearned:
        if isinstance(state, SamplingState):
            return GrammarLearned.of(facts, state.chains.fitted().params)
        assert isinstance(job, VariationalRun)
        assert isinstance(state, VariationalState)
        return grammar_of_sticks.learned_by(facts, job.engine, state)

    def finished(
        self,
        facts: Facts[GrammarSettings],
        corpus: Corpus,
        job: Run,
        state: RunState,
        fixed: JsonObject,
        folder: Path,
    ) -> tuple[GrammarLearned, Snapshot]:
        learned, snapshot = super().finished(facts, corpus, job, state, fixed, folder)
        agreement = agreement_with_blanks(learned.model, corpus, fixed["held_out"])
        return replace(learned, agreement=agreement), snapshot

    def minibatch(self, settings: GrammarSettings) -> int:
        schedule = schedule_for(settings)
        return schedule.batch_size if isinstance(schedule, Online) else BATCH_SIZE

    def learn_more(
        self, settings: GrammarSettings, learned: GrammarLearned | None, corpus: Corpus
    ) -> GrammarLearned | None:
        """What is known after one more step with all sentences of a corpus; with None: after the first.

        Returns `learned` with a warning if no sentence can be parsed and unparsed="skip". Raises UserError if
        the settings do not allow it, and if no sentence can be parsed otherwise.
        """
        try:
            return learned_more(self, settings, learned, corpus)
        except NothingParsed as nothing:
            if settings.unparsed != "skip":
                raise
            # at the place from which a user called `partial_fit`
            warnings.warn(f"{nothing.problem}: nothing was learned from them", UserWarning, stacklevel=4)
            return learned

    def restored(
        self, facts: Facts[GrammarSettings], snapshot: Snapshot, folder: Path, *, lasts: bool
    ) -> GrammarLearned:
        self.check(facts.settings, facts.vocabulary)
        if not is_sampled(facts.settings):
            return grammar_of_sticks.restored(facts, snapshot, folder)
        if snapshot.manifest["status"] == "running":
            corpus = corpus_of(folder, snapshot.manifest)
            return self.learned(facts, corpus, *self.resume_run(facts.settings, corpus, snapshot, folder))
        params = params_from(snapshot, WHOLE)
        refuse_other_sizes(params, {})
        return GrammarLearned.of(facts, params)


GRAMMARS = GrammarLearner(GrammarSettings)


def _sampling_run(
    settings: GrammarSettings, corpus: Corpus, seed: int, held_out: float, *, start: bool
) -> tuple[SamplingRun, SamplingState]:
    """A run of Markov chains, and its state.

    start: whether to draw the first trees; if not, the state is to be restored from a checkpoint.
    """
    source = Source(corpus, held_out, unit=Sequences)
    grammar = compiled(grammar_of(settings, corpus.vocabulary, corpus.n_documents))
    sentences, skipped = training_sentences(settings, corpus, source, grammar)
    moves, sweeps = moves_of(settings), limits_of(settings).max_iter
    given = {"skipped": Field(np.array(skipped), (), additive=False)}
    samplers = [
        AdaptorChain(grammar, sentences.letters, sentences.starts, own, moves, given, start=start)
        for own in (seed if n == 0 else derived_seed(seed, purposes.START, n) for n in range(settings.chains))
    ]
    threads = min(threads_for(settings.n_jobs), settings.chains)
    chains = Chains(samplers, sweeps // 2, min(EVERY, max(1, sweeps // 4)), threads)
    evaluate = None
    if held_out:
        held_apart = held_out_sentences(settings, source, corpus, grammar)
        evaluate = partial(_held_out_score, grammar=grammar, sentences=held_apart)
    limits = limits_of(settings)
    job = SamplingRun(source.n_documents, evaluate, seed=seed, limits=limits, scores=SCORE_NAMES)
    return job, SamplingState(chains)


def _held_out_score(fitted: Fitted, grammar: Compiled, sentences: Sentences) -> float:
    """Score held-out sentences by the best chain's present state: log p in nats per symbol."""
    learned = LearnedGrammar.of(fitted.params, grammar).opened
    return float(learned.nats(sentences.letters, sentences.starts).sum()) / len(sentences.letters)
