"""Syntactic topic models without scikit-learn: runs, results, saving and loading."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from stickbreaker.contracts.contract import Fitted
from stickbreaker.core import purposes
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.random_streams import derived_seed
from stickbreaker.core.records import Record
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.sequences import Trees
from stickbreaker.estimators.saving import corpus_of, held_out_of
from stickbreaker.learning.chains import Chains
from stickbreaker.learning.run import Run, RunState
from stickbreaker.learning.sampling import SamplingRun, SamplingState
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.saved import Snapshot
from stickbreaker.saved.checkpoints import fitted_of, params_from, run_state_of, sampling_state_of
from stickbreaker.syntax import variational_runs
from stickbreaker.syntax.model.learned_syntax import LearnedSyntax
from stickbreaker.syntax.model.syntax_chain import SyntaxChain
from stickbreaker.syntax.report_documents import Lens, write_documents
from stickbreaker.syntax.syntax_estimator import SyntaxEstimator


class PlainSyntacticTopics(SyntaxEstimator):
    __doc__ = SyntaxEstimator.__doc__

    def _new_run(
        self, corpus: Corpus, seed: int, held_out: float = 0.0, folder: Path | None = None
    ) -> tuple[Run, RunState]:
        if not self._sampled:
            return variational_runs.new_run(self, corpus, seed, held_out, folder)
        source = self._source_of(corpus, held_out)
        words = self._words_of(corpus.vocabulary, corpus.about.tag_names or ())
        trees = words.ordered(Trees.join([content for _, content in source.in_order()]))
        seeds = (seed if n == 0 else derived_seed(seed, purposes.CHAIN, n) for n in range(self._n_chains))
        samplers = [SyntaxChain(trees, words.n_words, self.prior(), own) for own in seeds]
        sweeps = self._limits().max_iter
        burn_in = 3 * sweeps // 8
        every = max(1, (sweeps - burn_in) // self.samples)
        chains = Chains(samplers, burn_in, every, self._threads)
        evaluate = None
        if held_out:
            evaluate = partial(_held_out_score, score=self._held_out_score(source, words, seed))
        job = SamplingRun(
            source.n_documents, evaluate, seed=seed, limits=self._limits(), scores=self._score_names
        )
        return job, SamplingState(chains)

    def _resume_run(self, corpus: Corpus, snapshot: Snapshot, folder: Path) -> tuple[Run, RunState]:
        if not self._sampled:
            return variational_runs.resume_run(self, corpus, snapshot, folder)
        manifest = snapshot.manifest
        job, state = self._new_run(corpus, manifest["settings"]["random_state"], manifest["held_out"], folder)
        assert isinstance(state, SamplingState)
        restored = sampling_state_of(snapshot, state.chains)
        LearnedSyntax.of(restored.chains.fitted().params, self.limit or "none", self._n_chains)
        return job, restored

    # From a run to the learned model

    def _take_run(self, corpus: Corpus, job: Run, state: RunState) -> None:
        self._take_learned(self._learned_by(job, state), state)

    def _learned_by(self, job: Run, state: RunState) -> Record:
        """The result of a run as params, stored as samples of the model's parameters.

        Variational inference gives a single sample, its means.
        """
        if isinstance(state, SamplingState):
            return state.chains.fitted().params
        assert isinstance(job, VariationalRun)
        assert isinstance(state, VariationalState)
        words = self._words_of(self.vocabulary_, self.corpus_["tags"])
        return variational_runs.finished(job, state.params, words)

    def _finish_run(
        self, corpus: Corpus, job: Run, state: RunState, fixed: JsonObject, folder: Path
    ) -> Snapshot:
        self._take_run(corpus, job, state)
        write_documents(self._lens(), corpus, folder, fixed["held_out"], learned_from=True)
        return self._snapshot(fixed)

    def _write_report_documents(self, corpus: Corpus, folder: Path) -> None:
        learned_from = corpus.fingerprint == self.corpus_["fingerprint"]
        held_out = held_out_of(self) if learned_from else 0.0
        write_documents(self._lens(), corpus, folder, held_out, learned_from=learned_from)

    def _lens(self) -> Lens:
        """What infers the topics of the report's documents: the learned model, its words and the seed."""
        return Lens(self.learned_, self.tree_words_, self.seed_)

    # Saving and loading

    def _snapshot(self, fixed: dict[str, object]) -> Snapshot:
        return fitted_of(Fitted(self.params_), self.state_, fixed)

    def _restore(self, snapshot: Snapshot, folder: Path, *, lasts: bool) -> None:
        self._refuse_params(self.vocabulary_)
        if snapshot.manifest["status"] == "running":
            job, state = self._resume_run(corpus_of(folder, snapshot.manifest), snapshot, folder)
            self._take_learned(self._learned_by(job, state), state)
            return
        self._take_learned(params_from(snapshot), run_state_of(snapshot))


def _held_out_score(fitted: Fitted, score: Callable[[Record], float]) -> float:
    """Score held-out documents by what the chains have learned so far: log p in nats per word.

    score: a function that computes this from learned params.
    """
    return score(fitted.params)
