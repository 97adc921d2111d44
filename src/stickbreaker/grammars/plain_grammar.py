"""Adaptor grammars without scikit-learn: learning, scoring and saving."""

import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from stickbreaker.contracts.contract import Fitted
from stickbreaker.core import purposes
from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.random_streams import derived_seed
from stickbreaker.core.records import Field, Record, TruncatedCounts
from stickbreaker.core.serialize import refuse_other_sizes
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.overview import Overview
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.source import Source
from stickbreaker.engines import Engine, LocalEngine
from stickbreaker.engines.local import local_fork
from stickbreaker.estimators.model_files import corpus_of
from stickbreaker.estimators.setting_values import threads_of
from stickbreaker.grammars import grammar_of_sticks
from stickbreaker.grammars.document_shares import log_p_of_all
from stickbreaker.grammars.gold_sample import agreement_with_blanks
from stickbreaker.grammars.grammar_estimator import GrammarEstimator
from stickbreaker.grammars.grammar_of_sticks import TOLD
from stickbreaker.grammars.grammar_settings import refuse_settings, refuse_vocabulary
from stickbreaker.grammars.model.compiled import Compiled, compiled
from stickbreaker.grammars.model.grammar_sentences import Sentences
from stickbreaker.grammars.model.online_grammar import OnlineGrammar
from stickbreaker.grammars.model.parser import LearnedGrammar
from stickbreaker.grammars.model.tree_chain import AdaptorChain, Moves
from stickbreaker.grammars.parameters import BATCH_SIZE
from stickbreaker.grammars.text_symbols import whole
from stickbreaker.grammars.training_sentences import held_out_sentences, refuse_other_sums, training_sentences
from stickbreaker.grammars.unused_names import remark_on_unused_names
from stickbreaker.learning.chains import Chains
from stickbreaker.learning.run import Run, RunState
from stickbreaker.learning.sampling import SamplingRun, SamplingState
from stickbreaker.learning.schedules import Online
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.saved import ModelDirectory, Snapshot
from stickbreaker.saved.checkpoints import fitted_of, model_of, params_from, run_state_of, sampling_state_of

if TYPE_CHECKING:
    from stickbreaker.grammars.subtree_snapshots import EvolvingSubtrees

FEW_SENTENCES = 1_000
EVERY = 10  # sweeps from one score to the next
WHOLE = ("customers", "tables", "sizes", "entries", *TOLD)


class PlainAdaptorGrammar(GrammarEstimator):
    __doc__ = GrammarEstimator.__doc__

    _agreement: JsonObject | None = None  # with the text's words, if the run ended here

    @property
    def _minibatch(self) -> int:
        schedule = self._learning_schedule()
        return schedule.batch_size if isinstance(schedule, Online) else BATCH_SIZE

    def _learn_more(self, corpus: Corpus) -> None:
        from stickbreaker.grammars.grammar_stream import partial_fit

        partial_fit(self, corpus, begun=True)

    # From parameters to a run

    def _refuse_params(
        self, vocabulary: Vocabulary | None = None, analysis: AnyAnalysis | None = None
    ) -> None:
        refuse_settings(self)
        if vocabulary is not None:
            refuse_vocabulary(self, vocabulary)

    def _new_run(
        self, corpus: Corpus, seed: int, held_out: float = 0.0, folder: Path | None = None
    ) -> tuple[Run, RunState]:
        given = self._given_grammar()
        remark = given and remark_on_unused_names(given, set(corpus.vocabulary.words))
        if remark:
            warnings.warn(remark, UserWarning, stacklevel=2)
        if not self._sampled:
            return grammar_of_sticks.new_run(self, corpus, seed, held_out, folder)
        return self._run_of(corpus, seed, held_out, start=True)

    def _run_of(
        self, corpus: Corpus, seed: int, held_out: float, *, start: bool
    ) -> tuple[Run, SamplingState]:
        """Prepare a run of Markov chains, and its state.

        start: whether to draw the first trees; if not, the state is to be restored from a checkpoint.
        """
        source = Source(corpus, held_out, unit=Sequences)
        grammar = compiled(self._grammar_of(corpus.vocabulary, corpus.n_documents))
        sentences, self.skipped_ = training_sentences(self, corpus, source, grammar)
        learned = self._moves()
        given = {"skipped": Field(np.array(self.skipped_), (), additive=False)}
        samplers = [
            AdaptorChain(grammar, sentences.letters, sentences.starts, own, learned, given, start=start)
            for own in (seed if n == 0 else derived_seed(seed, purposes.START, n) for n in range(self.chains))
        ]
        threads = min(self._threads, self.chains)
        chains = Chains(samplers, self._n_passes // 2, min(EVERY, max(1, self._n_passes // 4)), threads)
        evaluate = None
        if held_out:
            kept_apart = held_out_sentences(self, source, corpus, grammar)
            evaluate = partial(_held_out_score, grammar=grammar, sentences=kept_apart)
        job = SamplingRun(
            source.n_documents, evaluate, seed=seed, limits=self._limits(), scores=self._score_names
        )
        return job, SamplingState(chains)

    def _moves(self) -> Moves:
        hot = self.temperature > 1.0
        cooling = self._n_passes // 2 if self.cooling is None else int(self.cooling)
        return Moves(
            incremental=self.init == "incremental",
            relabel=self.relabel,
            learn_processes=self.processes == "learned",
            learn_rules=self.weights == "learned",
            hottest=float(self.temperature),
            cooling=cooling if hot else 0,
        )

    def _resume_run(self, corpus: Corpus, snapshot: Snapshot, folder: Path) -> tuple[Run, RunState]:
        seed, held_out = snapshot.manifest["settings"]["random_state"], snapshot.manifest["held_out"]
        if not self._sampled:
            return grammar_of_sticks.resume_run(self, corpus, snapshot, folder)
        job, state = self._run_of(corpus, seed, held_out, start=False)
        return job, sampling_state_of(snapshot, state.chains)

    def _evolution(self, job: Run, state: RunState, directory: ModelDirectory) -> "EvolvingSubtrees | None":
        if not (isinstance(job, VariationalRun) and isinstance(state, VariationalState)):
            return None
        from stickbreaker.grammars.subtree_snapshots import EvolvingSubtrees, SubtreeMoments

        return EvolvingSubtrees(SubtreeMoments(directory.evolution(), self._join), job, state)

    def _remark_on(self, corpus: Corpus) -> str | None:
        """A remark to the user that there are too few sentences for variational inference; None if not so."""
        if self._sampled or corpus.n_documents >= FEW_SENTENCES:
            return None
        number = counted(corpus.n_documents, "sentence")
        return (
            f"{number} are few for inference={self.inference!r}: a chain is as fast, predicts better and "
            "segments the text better; leave out inference, or set it to mcmc"
        )

    # From a run to the learned grammar

    def _finish_run(
        self, corpus: Corpus, job: Run, state: RunState, fixed: JsonObject, folder: Path
    ) -> Snapshot:
        finished = super()._finish_run(corpus, job, state, fixed, folder)
        self._agreement = agreement_with_blanks(self, corpus, fixed["held_out"])
        return finished

    def _take_run(self, corpus: Corpus, job: Run, state: RunState) -> None:
        if isinstance(state, SamplingState):
            params = state.chains.fitted().params
            grammar = compiled(self._grammar_of(self.vocabulary_, self.corpus_["documents"]))
            self._take(params, state, LearnedGrammar.of(params, grammar))
            return
        assert isinstance(job, VariationalRun)
        assert isinstance(state, VariationalState)
        self._take_sticks(job.engine, state)

    def _take_sticks(self, engine: Engine, state: VariationalState) -> None:
        """Set the fitted attributes from a variational run's state and its engine, which has the table."""
        model = engine.model if isinstance(engine, LocalEngine) else None
        assert isinstance(model, OnlineGrammar)
        self.engine_ = local_fork(engine, model, threads_of(self.n_jobs), copied=False)
        counts = self.engine_.table.whole()
        assert isinstance(counts, TruncatedCounts)
        self._take(state.params, state, model.learned(state.params, counts))

    def _take(self, params: Record, state: RunState, learned: LearnedGrammar) -> None:
        """Set the fitted attributes. Raises ValueError if params do not match the grammar."""
        self._take_learned(params, state, learned)
        refuse_other_sums(params, self.compiled_)

    def _overview(self) -> Overview:
        from stickbreaker.grammars.report.grammar_overview import overview_of_grammar

        return overview_of_grammar(self)

    def _score_documents(self, corpus: Corpus) -> tuple[float, float]:
        """The total log p, in nats, of the sentences that can be parsed, and their number of symbols."""
        symbols = self._symbols_read
        corpus = corpus if symbols is self.vocabulary_ else corpus.with_vocabulary(symbols)
        sentences = self._sentences_in(whole(corpus))
        nats = self._nats_of(sentences)
        parsed = np.isfinite(nats)
        return log_p_of_all(self.learned_.opened, sentences, nats), float(
            np.diff(sentences.starts)[parsed].sum()
        )

    # Saving and loading

    def _snapshot(self, fixed: dict[str, object]) -> Snapshot:
        if isinstance(self.state_, VariationalState):
            return model_of(self.engine_, self.state_, fixed, "done")
        return fitted_of(Fitted(self.params_), self.state_, fixed)

    def _restore(self, snapshot: Snapshot, folder: Path, *, lasts: bool) -> None:
        self._refuse_params(self.vocabulary_)
        if not self._sampled:
            self._take_sticks(*grammar_of_sticks.restored(self, snapshot, folder))
            return
        if snapshot.manifest["status"] == "running":
            job, state = self._resume_run(corpus_of(folder, snapshot.manifest), snapshot, folder)
            self._take_run(corpus_of(folder, snapshot.manifest), job, state)
            return
        params = params_from(snapshot, WHOLE)
        refuse_other_sizes(params, {})
        grammar = compiled(self._grammar_of(self.vocabulary_, self.corpus_["documents"]))
        self._take(params, run_state_of(snapshot), LearnedGrammar.of(params, grammar))


def _held_out_score(fitted: Fitted, grammar: Compiled, sentences: Sentences) -> float:
    """Score held-out sentences by the best chain's present state: log p in nats per symbol."""
    learned = LearnedGrammar.of(fitted.params, grammar).opened
    return float(learned.nats(sentences.letters, sentences.starts).sum()) / len(sentences.letters)
