"""How syntactic topic models learn: by Markov chains, or by variational steps."""

from pathlib import Path

from stickbreaker.core import purposes
from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import derived_seed
from stickbreaker.core.records import Record
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.sequences import Trees
from stickbreaker.estimators.learned import Facts
from stickbreaker.estimators.learner import Learner
from stickbreaker.estimators.model_files import corpus_of
from stickbreaker.estimators.setting_values import engine_name, threads_for
from stickbreaker.learning.chains import Chains
from stickbreaker.learning.run import Limits, Run, RunState
from stickbreaker.learning.sampling import SamplingRun, SamplingState
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.saved import Snapshot
from stickbreaker.saved.checkpoints import params_from, sampling_state_of
from stickbreaker.syntax import variational_runs
from stickbreaker.syntax.learned import SyntaxLearned
from stickbreaker.syntax.model.learned_syntax import LearnedSyntax
from stickbreaker.syntax.model.syntax_chain import SyntaxChain
from stickbreaker.syntax.plan import (
    SCORE_NAMES,
    chains_of,
    held_out_score,
    is_sampled,
    limit_of,
    limits_of,
    prior_of,
    schedule_for,
    score_of_chains,
    source_of,
    words_of,
)
from stickbreaker.syntax.settings import SyntaxSettings
from stickbreaker.syntax.tree_words import BLANK, TAG

MUCH = 1 / 3  # of trees' words; if more are missing, the corpus was built without all words


class SyntaxLearner(Learner[SyntaxSettings, SyntaxLearned]):
    """How syntactic topic models learn."""

    score_names = SCORE_NAMES
    reads_trees = True
    shows_documents = True

    def check(
        self,
        settings: SyntaxSettings,
        vocabulary: Vocabulary | None = None,
        analysis: AnyAnalysis | None = None,
    ) -> None:
        engine_name(settings.engine)
        if not is_sampled(settings):
            schedule_for(settings)
            if settings.unknown == TAG:
                problem = 'unknown="tag" needs inference="gibbs"'
                raise UserError(problem, remedy=f'set unknown="{BLANK}" with inference="mean-field"')
        if vocabulary is not None and vocabulary.languages:
            problem = "a text in several languages has no trees"
            raise UserError(problem, remedy="learn a model of each language")

    def limits(self, settings: SyntaxSettings) -> Limits:
        return limits_of(settings)

    def least_memory(self, settings: SyntaxSettings, corpus: Corpus) -> tuple[int, str]:
        k, n = int(settings.n_topics), chains_of(settings)
        state = 8 * k * (corpus.n_documents + corpus.n_words + k + 1) + 4 * int(corpus.n_tokens)
        chains = f", chains={n}" if is_sampled(settings) else ""
        return n * state, f"n_topics={k}{chains}"

    def remark_on(self, settings: SyntaxSettings, corpus: Corpus) -> str | None:
        share = 0.0 if corpus.about.tag_names is None else corpus.wordless_share
        if share <= MUCH:
            return None
        return (
            f"{share:.0%} of the tokens were left out of the corpus: build it with trees=True all_words=True"
        )

    def new_run(
        self,
        settings: SyntaxSettings,
        corpus: Corpus,
        seed: int,
        held_out: float = 0.0,
        folder: Path | None = None,
    ) -> tuple[Run, RunState]:
        if is_sampled(settings):
            return _sampling_run(settings, corpus, seed, held_out)
        return variational_runs.new_run(settings, corpus, seed, held_out, folder)

    def resume_run(
        self, settings: SyntaxSettings, corpus: Corpus, snapshot: Snapshot, folder: Path
    ) -> tuple[Run, RunState]:
        if not is_sampled(settings):
            return variational_runs.resume_run(settings, corpus, snapshot, folder)
        manifest = snapshot.manifest
        seed, held_out = manifest["settings"]["random_state"], manifest["held_out"]
        job, state = _sampling_run(settings, corpus, seed, held_out)
        restored = sampling_state_of(snapshot, state.chains)
        LearnedSyntax.of(restored.chains.fitted().params, limit_of(settings), chains_of(settings))
        return job, restored

    def learned(
        self, facts: Facts[SyntaxSettings], corpus: Corpus, job: Run, state: RunState
    ) -> SyntaxLearned:
        return SyntaxLearned.of(facts, _params_of(facts, job, state))

    def restored(
        self, facts: Facts[SyntaxSettings], snapshot: Snapshot, folder: Path, *, lasts: bool
    ) -> SyntaxLearned:
        self.check(facts.settings, facts.vocabulary)
        if snapshot.manifest["status"] != "running":
            return SyntaxLearned.of(facts, params_from(snapshot))
        corpus = corpus_of(folder, snapshot.manifest)
        return self.learned(facts, corpus, *self.resume_run(facts.settings, corpus, snapshot, folder))


SYNTAX = SyntaxLearner(SyntaxSettings)


def _sampling_run(
    settings: SyntaxSettings, corpus: Corpus, seed: int, held_out: float
) -> tuple[SamplingRun, SamplingState]:
    """A run by Markov chains that has not begun, and its state."""
    source = source_of(corpus, held_out)
    words = words_of(settings, corpus.vocabulary, corpus.about.tag_names or ())
    trees = words.ordered(Trees.join([content for _, content in source.in_order()]))
    seeds = (seed if n == 0 else derived_seed(seed, purposes.CHAIN, n) for n in range(chains_of(settings)))
    samplers = [SyntaxChain(trees, words.n_words, prior_of(settings), own) for own in seeds]
    limits = limits_of(settings)
    burn_in = 3 * limits.max_iter // 8
    every = max(1, (limits.max_iter - burn_in) // settings.samples)
    chains = Chains(samplers, burn_in, every, threads_for(settings.n_jobs))
    evaluate = score_of_chains(held_out_score(settings, source, words, seed)) if held_out else None
    job = SamplingRun(source.n_documents, evaluate, seed=seed, limits=limits, scores=SCORE_NAMES)
    return job, SamplingState(chains)


def _params_of(facts: Facts[SyntaxSettings], job: Run, state: RunState) -> Record:
    """What a run has learned, as samples of the model's parameters.

    Variational inference gives a single sample, its means.
    """
    if isinstance(state, SamplingState):
        return state.chains.fitted().params
    assert isinstance(job, VariationalRun)
    assert isinstance(state, VariationalState)
    words = words_of(facts.settings, facts.vocabulary, facts.corpus["tags"])
    return variational_runs.finished(job, state.params, words)
