"""Runs of topic models, new or from a checkpoint."""

from dataclasses import dataclass
from pathlib import Path

from stickbreaker.contracts.model_source import source_of
from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.untrusted import refuse_negative
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.source import Source
from stickbreaker.engines import Engine, LocalEngine
from stickbreaker.estimators.corpus_facts import digest_of_documents
from stickbreaker.estimators.engine_choice import engine_of
from stickbreaker.estimators.saving import held_out_of
from stickbreaker.learning.run import Run, RunState
from stickbreaker.learning.sampling import SamplingState
from stickbreaker.learning.schedules import FRESH
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.saved import Snapshot
from stickbreaker.saved.checkpoints import model_of, state_of
from stickbreaker.saved.own_corpus import fitted_fingerprint
from stickbreaker.topics.evaluation.held_out import HeldOut
from stickbreaker.topics.kernels.document_counts import DocumentTopics
from stickbreaker.topics.learned_topics import LearnedTopics
from stickbreaker.topics.model.model import TopicModel, topic_model
from stickbreaker.topics.model.samplers.tokens import whole_counts
from stickbreaker.topics.report_documents import write_documents
from stickbreaker.topics.runs import gibbs_runs
from stickbreaker.topics.runs.initialization import seeds_of
from stickbreaker.topics.runs.metadata_coding import with_coding
from stickbreaker.topics.runs.online_merges import merge_alike
from stickbreaker.topics.runs.open_initialization import begin_open
from stickbreaker.topics.runs.prevalence_information import with_information
from stickbreaker.topics.runs.word_counting import word_counts_of, word_documents_of
from stickbreaker.topics.topic_shapes import refuse_other_shapes


def new_run(
    estimator: LearnedTopics, corpus: Corpus, seed: int, held_out: float = 0.0, folder: Path | None = None
) -> tuple[Run, RunState]:
    """A new run of the model that the estimator's parameters describe, and its first state: initial counts in
    the table, or new chains for Gibbs sampling.

    held_out: the share of documents not learned from; folder: where the engine can write files.
    """
    model, source, evaluate = _to_learn(estimator, corpus, seed, held_out)
    if estimator._gibbs_settings() is not None:
        job = gibbs_runs.run_of(estimator, model, source, seed, evaluate)
        return job, gibbs_runs.first_state(estimator, model, source, seed)
    return start_run(estimator, _job(estimator, model, source, seed, evaluate, folder))


def resume_run(
    estimator: LearnedTopics, corpus: Corpus, snapshot: Snapshot, folder: Path
) -> tuple[Run, RunState]:
    """Continue a run from a checkpoint: returns the run and its state, as they were when the checkpoint was
    written.

    snapshot: the checkpoint's content; folder: where the engine can write files. Raises ValueError if it is
    invalid.
    """
    seed, held_out = snapshot.manifest["settings"]["random_state"], snapshot.manifest["held_out"]
    model, source, evaluate = _to_learn(estimator, corpus, seed, held_out)
    if estimator._gibbs_settings() is not None:
        job = gibbs_runs.run_of(estimator, model, source, seed, evaluate)
        state = gibbs_runs.restored_state(estimator, model, source, seed, snapshot)
        engine, whole = gibbs_runs.learned_by_chains(estimator, model, state)
        refuse_other_shapes(model, engine.table.shape, whole, corpus.n_words)
        return job, state
    job = _job(estimator, model, source, seed, evaluate, folder)
    return job, restore_state(job, model, snapshot, corpus.n_words)


def learned(
    estimator: LearnedTopics, corpus: Corpus, job: Run, state: RunState
) -> tuple[TopicModel, Engine, VariationalState]:
    """What a run has learned so far, in the same form for variational runs and Gibbs sampling: the model, an
    engine with its table, and the state.
    """
    if isinstance(state, SamplingState):
        model = estimator._topic_model(corpus.vocabulary, corpus.analysis)
        engine, whole = gibbs_runs.learned_by_chains(estimator, model, state)
        return model.restored(whole.params), engine, whole
    assert isinstance(job, VariationalRun)
    assert isinstance(state, VariationalState)
    return topic_model(job.model), job.engine, state


def finish_run(
    estimator: LearnedTopics, corpus: Corpus, job: Run, state: RunState, fixed: JsonObject, folder: Path
) -> Snapshot:
    """Complete a run: set the estimator's fitted attributes, and write documents for the report to `folder`.
    Returns the finished model, to be saved.

    fixed: the entries of the model's manifest that are known since the run began.
    """
    model, engine, whole = learned(estimator, corpus, job, state)
    source = job.source if isinstance(job, VariationalRun) else source_of(corpus, model, fixed["held_out"])
    whole = with_information(model, source, engine, whole, job.seed)
    estimator._take(model, engine, whole)
    counted = word_counts_of(estimator, source, engine, _known_topics(estimator, state))
    estimator.word_documents_ = counted.whole
    figures = write_documents(estimator, source, engine, folder, halves=counted.halves)
    if counted.halves is not None:
        estimator._coherence = figures.get("coherence")
    snapshot = model_of(engine, whole, fixed, "done")
    snapshot.arrays = {**snapshot.arrays, **estimator._counted_arrays()}
    return snapshot


def take_run(estimator: LearnedTopics, corpus: Corpus, job: Run, state: RunState) -> None:
    """Complete a run in memory: set the estimator's fitted attributes, and count in how many documents each
    topic uses each word, for ranking words.
    """
    model, engine, whole = learned(estimator, corpus, job, state)
    variational = isinstance(job, VariationalRun)
    source = job.source if variational else source_of(corpus, model, estimator._least_held_out())
    estimator._take(model, engine, with_information(model, source, engine, whole, job.seed))
    engine = job.engine if variational else estimator.engine_
    estimator.word_documents_ = word_documents_of(estimator, source, engine, _known_topics(estimator, state))


def _known_topics(estimator: LearnedTopics, state: RunState) -> DocumentTopics | None:
    """The topics of the documents learned from, if a run ends with them: those of the tokens of a chain. None
    if they have to be inferred.
    """
    if not isinstance(state, SamplingState):
        return None
    return gibbs_runs.topics_of_documents(state.chains, estimator.topic_columns_)


def write_report_documents(estimator: LearnedTopics, corpus: Corpus, folder: Path) -> None:
    """Save what the report shows of a corpus's documents in a model's directory, for a model that is already
    fitted. The corpus need not be the one that it learned from, which is noted in the file.

    For an open vocabulary, all words of the documents are read, as they are when the model learns from them.
    """
    if estimator._is_open:
        corpus = corpus.with_all_words()
    fitted = corpus.fingerprint == fitted_fingerprint(estimator.corpus_)
    learned = fitted or digest_of_documents(corpus) in {one.fingerprint for one in estimator.updates_}
    source = source_of(corpus, estimator._model, held_out_of(estimator) if fitted else 0.0)
    engine = estimator.engine_
    halves = word_counts_of(estimator, source, engine, whole=False).halves if fitted else None
    write_documents(estimator, source, engine, folder, learned_from_these=learned, halves=halves)


def start_run(estimator: LearnedTopics, job: VariationalRun) -> tuple[VariationalRun, VariationalState]:
    """Prepare a variational run: give the table its initial counts. Returns the run and its first state.

    Raises UserError if documents are to be sampled and have weights that are not whole numbers.
    """
    model = topic_model(job.model)
    if model.words.grows:
        job, state = begin_open(job, estimator._n_topics_at_start(), estimator.init)
    else:
        job.engine.start(model, seeds_of(estimator, job.source, model, job.seed))
        state = job.first_state(model.start())
    solvers, corpus = (model.solver, estimator._fold_in_solver()), job.source.corpus
    draws = model.documents.by_document or any(solver.draws for solver in solvers)
    if isinstance(corpus, Corpus) and corpus.kind == "bag" and draws:
        job.engine.map_items(WholeCounts(job.source), job.source.parts())  # else it would fail mid-run
    return job, state


def restore_state(
    job: VariationalRun, model: TopicModel, snapshot: Snapshot, n_words: int
) -> VariationalState:
    """Continue a run from a checkpoint: load its table into the engine, and return the run's state.

    n_words: of the corpus. Raises ValueError if the checkpoint does not fit the model, or is invalid.
    """
    engine = job.engine
    engine.restore(model, snapshot.arrays, snapshot.keys)
    state = state_of(snapshot)
    refuse_other_shapes(model, engine.table.shape, state, n_words)
    if any(name not in state.params for name in model.start()):
        raise ValueError("moves have not begun")
    records = engine.locals.values() if isinstance(engine, LocalEngine) else ()
    if any(name not in local for local in records for name in model.solver.goes_on_from):
        raise ValueError("documents' records lack topics")
    for local in records:
        if "gamma" in local:
            refuse_negative(local["gamma"].values, "gamma")
    return state


@dataclass(frozen=True)
class WholeCounts:
    """A task that an engine runs on some blocks: it raises UserError if a word's weight in a document is not
    a whole number.
    """

    source: Source

    def __call__(self, engine: LocalEngine, blocks: range) -> None:
        for block in blocks:
            whole_counts(self.source.block(block)[1].counts)


def _to_learn(
    estimator: LearnedTopics, corpus: Corpus, seed: int, held_out: float
) -> tuple[TopicModel, Source, HeldOut | None]:
    """The model to learn, the documents to learn from, and a function that scores held-out documents (None if
    none are held out).

    Raises UserError if there is no document to learn from, or none of the held-out ones has a known word.
    """
    model = estimator._topic_model(corpus.vocabulary, corpus.analysis)
    if Source(corpus, held_out).n_documents == 0:
        raise UserError("there is no document to learn from", remedy="lower the held-out share")
    model = with_coding(model, corpus, held_out)
    source = source_of(corpus, model, held_out)
    evaluate = HeldOut(source, seed) if held_out > 0.0 else None
    if evaluate is not None and evaluate.is_empty:
        raise UserError("no held-out document has a known word", remedy="raise the held-out share")
    return model, source, evaluate


def _job(
    estimator: LearnedTopics,
    model: TopicModel,
    source: Source,
    seed: int,
    evaluate: HeldOut | None,
    folder: Path | None,
) -> VariationalRun:
    schedule = estimator._learning_schedule()
    carried = schedule.keeps_reports and bool(model.solver.goes_on_from)
    return VariationalRun(
        model=model,
        engine=engine_of(estimator, model, keep_local=estimator.keep_local or carried, folder=folder),
        schedule=schedule,
        source=source,
        seed=seed,
        limits=estimator._limits(),
        scores=estimator._score_names,
        evaluate=evaluate,
        fresh_passes=FRESH if carried and not estimator.keep_local else 0,
        revise=merge_alike if estimator._merges_by_documents(model) else None,
    )
