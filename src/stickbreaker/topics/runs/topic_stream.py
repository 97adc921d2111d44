"""Online learning of topics from one minibatch at a time: a step of a stream, and `partial_fit`."""

import warnings
from collections.abc import Collection
from dataclasses import replace

import numpy as np

from stickbreaker.contracts.model_source import source_of
from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import stream
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.source import Shards
from stickbreaker.engines import LocalEngine
from stickbreaker.engines.local import local_fork
from stickbreaker.estimators.corpus_facts import about, counted_on, counted_vocabulary, grown
from stickbreaker.estimators.estimator import refuse_to_begin
from stickbreaker.estimators.setting_values import params_as_text, seed_of, threads_of
from stickbreaker.estimators.streams.stream_run import warned_of
from stickbreaker.learning.events import records_of
from stickbreaker.learning.fading_counts import FadingCounts
from stickbreaker.learning.online_steps import learn_minibatch
from stickbreaker.learning.schedules import Online
from stickbreaker.learning.stream_documents import StreamDocuments
from stickbreaker.learning.trace import TraceRecord, refuse_unreadable
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.topics import purposes
from stickbreaker.topics.evaluation.prequential import count_words, prequential_score
from stickbreaker.topics.learned_topics import LearnedTopics
from stickbreaker.topics.model.model import topic_model
from stickbreaker.topics.runs.stream_warnings import warning_text, warnings_of
from stickbreaker.topics.runs.topic_runs import start_run

MOST_DOCUMENTS = 2048  # of the sample by which words are ranked
MOST_ENTRIES = 1 << 20  # distinct words of these documents in all: 8 MB


def online_step(
    job: VariationalRun, state: VariationalState, documents: int, shards: Shards, warned: Collection[str] = ()
) -> TraceRecord:
    """Make one online step on a minibatch of a stream: predict it, then learn from it. Returns the record for
    the trace.

    `documents`: the corpus size so far; `warned`: the kinds of warnings given before (see
    `StreamLearner._stream_step`). The first minibatch is not predicted, since topics start from its
    documents.
    """
    model, predicted = topic_model(job.model), None
    fading = FadingCounts() if state.fading is None else state.fading.copy()  # a step may fail
    if state.step > 0:
        predicted = prequential_score(job.engine, model, state.params, shards, job.seed, state.step, fading)
    count_words(fading, shards)
    sample = _sample(job, state, shards)
    record = learn_minibatch(job, state, documents, shards)
    record |= _open_and_close(job, state, documents, shards, record)
    state.fading, state.sample = fading, sample
    if predicted is not None:
        record["prequential"] = predicted._asdict()
    refuse_unreadable(record)
    totals = job.engine.table.totals().sum(axis=0)
    totals = totals[model.in_use(totals)]
    found = warnings_of(totals, state.step, grows=model.documents.grows, before=warned)
    return {**record, "warnings": found} if found else record


def _sample(job: VariationalRun, state: VariationalState, shards: Shards) -> StreamDocuments | None:
    """The sample of the stream's documents with those of a minibatch: each remains with the same probability
    at every step, so that older ones fade. None for a stream that continues what was learned without one.
    """
    if state.step > 0 and state.sample is None:
        return None
    generator, numbers = stream(job.seed, purposes.SAMPLE, state.step), shards.numbers()
    if len(numbers) > MOST_DOCUMENTS:
        numbers = np.sort(generator.choice(numbers, MOST_DOCUMENTS, replace=False))
    fresh = StreamDocuments.of(shards.source.read(numbers), shards.source.words)
    whole = fresh if state.sample is None else state.sample.plus(fresh)
    return whole.sampled(MOST_DOCUMENTS, MOST_ENTRIES, generator)


def _open_and_close(
    job: VariationalRun, state: VariationalState, documents: int, shards: Shards, record: TraceRecord
) -> TraceRecord:
    """Open new topics and close unneeded ones after a step, if the model does that. Returns what changes in
    the step's record; empty if nothing was opened or closed.
    """
    model, schedule = topic_model(job.model), job.schedule
    assert isinstance(schedule, Online)
    if not model.births:
        return {}
    from stickbreaker.topics.runs.stream_births import open_and_close  # brings scipy

    weight = record["rate"] * schedule.total_of(documents) / max(1, shards.n_documents)
    changes = open_and_close(job, state, shards, weight)
    if not changes.events:
        return {}
    state.latest = None  # its topics are not the table's any more
    found = model.figures(state.params, job.engine.table.totals()) | records_of(changes.events, model.table)
    if model.table.keyed:
        words = record["vocabulary"]
        size, entered = job.engine.table.shape[0], words["entered"] + changes.entered
        found["vocabulary"] = {**words, "size": size, "entered": entered}
    return found


def partial_fit(estimator: LearnedTopics, corpus: Corpus, begun: bool) -> None:
    """Make one online step on a whole corpus as a minibatch, with documents in their order, and set the
    estimator's fitted attributes. It runs on this machine, also for a model that was learned on Spark.

    `begun`: the estimator has learned before. Raises UserError for an estimator that has a Spark session.
    """
    if not isinstance(estimator.engine, str):
        remedy = 'set engine="local", or put files where `stickbreaker stream` finds them'
        raise UserError("partial_fit does not learn on Spark", remedy=remedy)
    schedule = estimator._stream_schedule()
    if not begun:
        estimator._topics_of_documents = None
        estimator.seed_ = seed_of(estimator.random_state)
    estimator._refuse_stream()
    model = estimator._topic_model(corpus.vocabulary, corpus.analysis, stream=True)
    refuse_to_begin(estimator, corpus, stream=True)
    source = source_of(corpus, model)
    threads = threads_of(estimator.n_jobs)
    if begun:  # a copy: a step that fails leaves the model unchanged
        engine = local_fork(estimator.engine_, model, threads, copied=True)
    else:
        engine = LocalEngine(threads)
    job = VariationalRun(model, engine, schedule, source, seed=estimator.seed_)
    if begun:
        state = replace(estimator.state_, scores=[*estimator.state_.scores])  # a copy, too
        for move in model.moves:  # new moves
            state.params = {**move.start(model.n_columns(state.params)), **state.params}
    else:
        job, state = start_run(estimator, job)
        estimator._began_as_stream = True
    n_topics = estimator._n_topics_at_start()
    if begun and not model.documents.grows and len(estimator.alpha_) != n_topics:
        problem = f"n_topics={n_topics}, but the model has {len(estimator.alpha_)} topics"
        raise UserError(problem, remedy="call fit to start again")
    known = about(corpus) if not begun else grown(estimator.corpus_, about(corpus))
    warned = warned_of(estimator.trace_) if begun else ()
    record = online_step(job, state, known["documents"], source.all_shards(), warned)
    for warning in record.get("warnings", ()):
        warnings.warn(warning_text(warning), stacklevel=3)
    if not begun:
        estimator.vocabulary_, estimator.analysis_, estimator.trace_ = (
            counted_vocabulary(corpus),
            corpus.analysis or Analysis(),
            [],
        )
    elif not model.words.grows:
        estimator.vocabulary_ = counted_on(estimator.vocabulary_, corpus)
    estimator.corpus_ = known
    estimator._learned_with = params_as_text(estimator)
    estimator.trace_.append(record)
    estimator._take(topic_model(job.model), engine, state)
    estimator.converged_ = False  # a stream has no end
