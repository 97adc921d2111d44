"""Runs of topic models, new or from a checkpoint."""

from dataclasses import dataclass, replace
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
from stickbreaker.estimators.learned import Facts
from stickbreaker.learning.run import Run, RunState
from stickbreaker.learning.sampling import SamplingState
from stickbreaker.learning.schedules import FRESH
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.saved import Snapshot
from stickbreaker.saved.checkpoints import model_of, state_of
from stickbreaker.saved.own_corpus import fitted_fingerprint
from stickbreaker.topics.evaluation.held_out import HeldOut
from stickbreaker.topics.kernels.document_counts import DocumentTopics
from stickbreaker.topics.learned import TopicsLearned
from stickbreaker.topics.model.model import TopicModel, topic_model
from stickbreaker.topics.model.samplers.tokens import whole_counts
from stickbreaker.topics.plan import AnyPlan, plan_of
from stickbreaker.topics.report_documents import write_documents
from stickbreaker.topics.runs import gibbs_runs
from stickbreaker.topics.runs.initialization import seeds_of
from stickbreaker.topics.runs.metadata_coding import with_coding
from stickbreaker.topics.runs.online_merges import merge_alike
from stickbreaker.topics.runs.open_initialization import begin_open
from stickbreaker.topics.runs.prevalence_information import with_information
from stickbreaker.topics.runs.word_counting import word_counts_of
from stickbreaker.topics.settings import TopicSettings
from stickbreaker.topics.topic_shapes import refuse_other_shapes
from stickbreaker.topics.trace_fields import SCORE_NAMES


def new_run(
    plan: AnyPlan, corpus: Corpus, seed: int, held_out: float = 0.0, folder: Path | None = None
) -> tuple[Run, RunState]:
    """A new run of the model that the settings describe, and its first state: initial counts in
    the table, or new chains for Gibbs sampling.

    held_out: the share of documents not learned from; folder: where the engine can write files.
    """
    model, source, evaluate = _to_learn(plan, corpus, seed, held_out)
    if plan.sampling is not None:
        job = gibbs_runs.run_of(plan, model, source, seed, evaluate)
        return job, gibbs_runs.first_state(plan, model, source, seed)
    return start_run(plan, _job(plan, model, source, seed, evaluate, folder))


def resume_run(plan: AnyPlan, corpus: Corpus, snapshot: Snapshot, folder: Path) -> tuple[Run, RunState]:
    """Continue a run from a checkpoint: returns the run and its state, as they were when the checkpoint was
    written.

    snapshot: the checkpoint's content; folder: where the engine can write files. Raises ValueError if it is
    invalid.
    """
    seed, held_out = snapshot.manifest["settings"]["random_state"], snapshot.manifest["held_out"]
    model, source, evaluate = _to_learn(plan, corpus, seed, held_out)
    if plan.sampling is not None:
        job = gibbs_runs.run_of(plan, model, source, seed, evaluate)
        state = gibbs_runs.restored_state(plan, model, source, seed, snapshot)
        engine, whole = gibbs_runs.learned_by_chains(plan, model, state)
        refuse_other_shapes(model, engine.table.shape, whole, corpus.n_words)
        return job, state
    job = _job(plan, model, source, seed, evaluate, folder)
    return job, restore_state(job, model, snapshot, corpus.n_words)


def learned(
    plan: AnyPlan, corpus: Corpus, job: Run, state: RunState
) -> tuple[TopicModel, Engine, VariationalState]:
    """What a run has learned so far, in the same form for variational runs and Gibbs sampling: the model, an
    engine with its table, and the state.
    """
    if isinstance(state, SamplingState):
        model = plan.model(corpus.vocabulary, corpus.analysis)
        engine, whole = gibbs_runs.learned_by_chains(plan, model, state)
        return model.restored(whole.params), engine, whole
    assert isinstance(job, VariationalRun)
    assert isinstance(state, VariationalState)
    return topic_model(job.model), job.engine, state


def finish_run(
    facts: Facts[TopicSettings], corpus: Corpus, job: Run, state: RunState, fixed: JsonObject, folder: Path
) -> tuple[TopicsLearned, Snapshot]:
    """Complete a run in a model's directory: returns what it has learned, and the finished model, to be
    saved. What the report shows of documents is written to `folder`.

    fixed: the entries of the model's manifest that are known since the run began.
    """
    model, engine, whole = learned(plan_of(facts.settings), corpus, job, state)
    source = job.source if isinstance(job, VariationalRun) else source_of(corpus, model, fixed["held_out"])
    whole = with_information(model, source, engine, whole, job.seed)
    found = TopicsLearned.of(facts, model, engine, whole)
    counted = word_counts_of(found.reader, facts.settings, source, engine, _known_topics(found, state))
    found = replace(found, counted=counted.whole)
    figures = write_documents(found, source, engine, folder, halves=counted.halves)
    if counted.halves is not None:
        found = replace(found, coherence=figures.get("coherence"))
    snapshot = model_of(engine, whole, fixed, "done")
    snapshot.arrays = {**snapshot.arrays, **found.counted_arrays()}
    return found, snapshot


def learned_by_run(facts: Facts[TopicSettings], corpus: Corpus, job: Run, state: RunState) -> TopicsLearned:
    """What a run in memory has learned, with counts of the documents in which each topic uses each word, for
    ranking words.
    """
    plan = plan_of(facts.settings)
    model, engine, whole = learned(plan, corpus, job, state)
    variational = isinstance(job, VariationalRun)
    source = job.source if variational else source_of(corpus, model, plan.least_held_out)
    whole = with_information(model, source, engine, whole, job.seed)
    found = TopicsLearned.of(facts, model, engine, whole)
    engine = job.engine if variational else found.engine
    known = _known_topics(found, state)
    counted = word_counts_of(found.reader, facts.settings, source, engine, known, halves=False)
    return replace(found, counted=counted.whole)


def _known_topics(found: TopicsLearned, state: RunState) -> DocumentTopics | None:
    """The topics of the documents learned from, if a run ends with them: those of the tokens of a chain. None
    if they have to be inferred.
    """
    if not isinstance(state, SamplingState):
        return None
    return gibbs_runs.topics_of_documents(state.chains, found.columns)


def write_report_documents(found: TopicsLearned, corpus: Corpus, folder: Path) -> None:
    """Save what the report shows of a corpus's documents in a model's directory, for a model that has learned
    already. The corpus need not be the one that it learned from, which is noted in the file.

    For an open vocabulary, all words of the documents are read, as they are when the model learns from them.
    """
    if found.is_open:
        corpus = corpus.with_all_words()
    facts, engine = found.facts, found.engine
    fitted = corpus.fingerprint == fitted_fingerprint(facts.corpus)
    known = fitted or digest_of_documents(corpus) in {one.fingerprint for one in facts.updates}
    source = source_of(corpus, found.model, facts.held_out if fitted else 0.0)
    halves = None
    if fitted:
        halves = word_counts_of(found.reader, facts.settings, source, engine, whole=False).halves
    write_documents(found, source, engine, folder, learned_from_these=known, halves=halves)


def start_run(plan: AnyPlan, job: VariationalRun) -> tuple[VariationalRun, VariationalState]:
    """Prepare a variational run: give the table its initial counts. Returns the run and its first state.

    Raises UserError if documents are to be sampled and have weights that are not whole numbers.
    """
    model = topic_model(job.model)
    if model.words.grows:
        job, state = begin_open(job, plan.n_topics, plan.settings.init)
    else:
        job.engine.start(model, seeds_of(plan, job.source, model, job.seed))
        state = job.first_state(model.start())
    solvers, corpus = (model.solver, plan.fold_in_solver), job.source.corpus
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
    plan: AnyPlan, corpus: Corpus, seed: int, held_out: float
) -> tuple[TopicModel, Source, HeldOut | None]:
    """The model to learn, the documents to learn from, and a function that scores held-out documents (None if
    none are held out).

    Raises UserError if there is no document to learn from, or none of the held-out ones has a known word.
    """
    model = plan.model(corpus.vocabulary, corpus.analysis)
    if Source(corpus, held_out).n_documents == 0:
        raise UserError("there is no document to learn from", remedy="lower the held-out share")
    model = with_coding(model, corpus, held_out)
    source = source_of(corpus, model, held_out)
    evaluate = HeldOut(source, seed) if held_out > 0.0 else None
    if evaluate is not None and evaluate.is_empty:
        raise UserError("no held-out document has a known word", remedy="raise the held-out share")
    return model, source, evaluate


def _job(
    plan: AnyPlan,
    model: TopicModel,
    source: Source,
    seed: int,
    evaluate: HeldOut | None,
    folder: Path | None,
) -> VariationalRun:
    schedule, keep_local = plan.schedule, plan.settings.keep_local
    carried = schedule.keeps_reports and bool(model.solver.goes_on_from)
    return VariationalRun(
        model=model,
        engine=engine_of(plan.settings, model, keep_local=keep_local or carried, folder=folder),
        schedule=schedule,
        source=source,
        seed=seed,
        limits=plan.limits,
        scores=SCORE_NAMES,
        evaluate=evaluate,
        fresh_passes=FRESH if carried and not keep_local else 0,
        revise=merge_alike if plan.merges_by_documents(model) else None,
    )
