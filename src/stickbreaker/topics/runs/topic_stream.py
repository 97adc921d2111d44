"""Online learning of topics from one minibatch at a time: a step of a stream, and of `partial_fit`."""

import warnings
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from stickbreaker.contracts.model_source import source_of
from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import stream
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.source import Shards
from stickbreaker.engines import LocalEngine
from stickbreaker.engines.local import local_fork
from stickbreaker.estimators.corpus_facts import about, counted_on, counted_vocabulary, grown
from stickbreaker.estimators.learned import Facts, progress_of
from stickbreaker.estimators.learner import refuse_large_runs
from stickbreaker.estimators.setting_values import seed_of, threads_of
from stickbreaker.estimators.streams.stream_run import warned_of
from stickbreaker.learning.events import records_of
from stickbreaker.learning.fading_counts import FadingCounts
from stickbreaker.learning.online_steps import learn_minibatch
from stickbreaker.learning.run import RunState
from stickbreaker.learning.schedules import Online
from stickbreaker.learning.stream_documents import StreamDocuments
from stickbreaker.learning.trace import TraceRecord, refuse_unreadable
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.topics import purposes
from stickbreaker.topics.evaluation.prequential import count_words, prequential_score
from stickbreaker.topics.learned import TopicsLearned
from stickbreaker.topics.model.model import topic_model
from stickbreaker.topics.plan import plan_of
from stickbreaker.topics.runs.stream_warnings import warning_text, warnings_of
from stickbreaker.topics.runs.topic_runs import start_run
from stickbreaker.topics.settings import TopicSettings

if TYPE_CHECKING:
    from stickbreaker.estimators.learner import Learner

MOST_DOCUMENTS = 2048  # of the sample by which words are ranked
MOST_ENTRIES = 1 << 20  # distinct words of these documents in all: 8 MB


def online_step(
    job: VariationalRun, state: VariationalState, documents: int, shards: Shards, warned: Collection[str] = ()
) -> TraceRecord:
    """Make one online step on a minibatch of a stream: predict it, then learn from it. Returns the record for
    the trace.

    `documents`: the corpus size so far; `warned`: the kinds of warnings given before (see
    `StreamLearner.stream_step`). The first minibatch is not predicted, since topics start from its
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


def learned_more(
    learner: "Learner[TopicSettings, TopicsLearned]",
    settings: TopicSettings,
    before: TopicsLearned | None,
    corpus: Corpus,
) -> TopicsLearned:
    """What is known after one online step on a whole corpus as a minibatch, with documents in their order.
    It runs on this machine, also for a model that was learned on Spark.

    before: what was known, which stays as it is; None: learning begins. Raises UserError for settings that
    have a Spark session, or do not allow such a step.
    """
    if not isinstance(settings.engine, str):
        remedy = 'set engine="local", or put files where `stickbreaker stream` finds them'
        raise UserError("partial_fit does not learn on Spark", remedy=remedy)
    known_number = None if before is None else before.facts.settings.n_topics
    settings = plan_of(settings).settled(known_number if isinstance(known_number, int) else None)
    goes_on = before is not None and not before.began_as_stream and settings.point_topics is None
    plan = plan_of(settings, stream=True, continues_fit=goes_on)
    plan.refuse_combination()
    model = plan.model(corpus.vocabulary, corpus.analysis)
    settings.refuse_unmet_needs()
    refuse_large_runs(*learner.least_memory(settings, corpus), corpus)
    source, schedule, threads = source_of(corpus, model), plan.stream_schedule, threads_of(settings.n_jobs)
    if before is None:
        facts = _first_facts(settings, corpus)
        job = VariationalRun(model, LocalEngine(threads), schedule, source, seed=facts.seed)
        job, state = start_run(plan, job)
    else:
        facts = before.facts
        engine = local_fork(before.engine, model, threads, copied=True)
        job = VariationalRun(model, engine, schedule, source, seed=facts.seed)
        state = replace(before.state, scores=[*before.state.scores])
        for move in model.moves:  # new moves
            state.params = {**move.start(model.n_columns(state.params)), **state.params}
        if not model.documents.grows and before.n_shares != plan.n_topics:
            problem = f"n_topics={plan.n_topics}, but the model has {before.n_shares} topics"
            raise UserError(problem, remedy="call fit to start again")
    known = facts.corpus if before is None else grown(facts.corpus, about(corpus))
    record = online_step(job, state, known["documents"], source.all_shards(), warned_of(facts.trace))
    for warning in record.get("warnings", ()):
        # at the place from which a user called `partial_fit`
        warnings.warn(warning_text(warning), stacklevel=5)
    words = facts.vocabulary
    if before is not None and not model.words.grows:
        words = counted_on(words, corpus)
    more = replace(
        facts,
        settings=settings.but(random_state=facts.seed, callbacks=None, verbose=False),
        vocabulary=words,
        corpus=known,
        trace=[*facts.trace, record],
        progress=replace(progress_of(state), converged=False),  # a stream has no end
    )
    made = TopicsLearned.of(more, topic_model(job.model), job.engine, state)
    if before is None:
        return replace(made, began_as_stream=True)
    names = {name: getattr(before, name) for name in ("given_names", "names_as_read", "merges")}
    return replace(made, **names, began_as_stream=before.began_as_stream)


def _first_facts(settings: TopicSettings, corpus: Corpus) -> Facts[TopicSettings]:
    """The facts from which learning begins, before the first step."""
    return Facts(
        settings=settings.but(random_state=seed_of(settings.random_state)),
        vocabulary=counted_vocabulary(corpus),
        analysis=corpus.analysis or Analysis(),
        corpus=about(corpus),
        trace=(),
        progress=RunState(),
    )
