"""Variational runs of syntactic topic models, new or from a checkpoint."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from stickbreaker.core.records import Field, Record
from stickbreaker.corpus import Corpus
from stickbreaker.engines import Engine
from stickbreaker.estimators.engine_choice import engine_of
from stickbreaker.estimators.setting_values import threads_for
from stickbreaker.learning.schedules import Batch
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.saved import Snapshot
from stickbreaker.saved.checkpoints import state_of
from stickbreaker.syntax.model.learned_syntax import LearnedSyntax
from stickbreaker.syntax.model.mean_field_predictions import as_sample
from stickbreaker.syntax.model.syntax_model import SyntaxModel
from stickbreaker.syntax.model.syntax_start import initialise
from stickbreaker.syntax.model.syntax_weights import refuse_params
from stickbreaker.syntax.plan import (
    SCORE_NAMES,
    held_out_score,
    limits_of,
    prior_of,
    schedule_for,
    source_of,
    words_of,
)
from stickbreaker.syntax.settings import SyntaxSettings
from stickbreaker.syntax.tree_words import TreeWords


def new_run(
    settings: SyntaxSettings, corpus: Corpus, seed: int, held_out: float, folder: Path | None
) -> tuple[VariationalRun, VariationalState]:
    """Prepare a new run and its initial state, which a short Markov chain on some documents finds."""
    job = job_of(settings, corpus, seed, held_out, folder)
    assert isinstance(job.model, SyntaxModel)
    start = initialise(job.model, job.source, seed, threads_for(settings.n_jobs))
    job.engine.start(job.model, start.counts)
    return job, job.first_state(start.params)


def resume_run(
    settings: SyntaxSettings, corpus: Corpus, snapshot: Snapshot, folder: Path
) -> tuple[VariationalRun, VariationalState]:
    """The run continued from the checkpoint `snapshot`, and its state. Raises ValueError if it is invalid."""
    seed, held_out = snapshot.manifest["settings"]["random_state"], snapshot.manifest["held_out"]
    job = job_of(settings, corpus, seed, held_out, folder)
    job.engine.restore(job.model, snapshot.arrays, snapshot.keys)
    state = state_of(snapshot)
    refuse_params(state.params)
    assert isinstance(job.model, SyntaxModel)
    found = learned_by(job.engine, job.model, state.params, len(corpus.about.tag_names or ()))
    LearnedSyntax.of(found, job.model.prior.limit)
    return job, state


def job_of(
    settings: SyntaxSettings, corpus: Corpus, seed: int, held_out: float, folder: Path | None
) -> VariationalRun:
    """Set up the variational run that settings describe; its engine has no table yet.

    held_out: the share of documents to hold out; folder: for the engine's files.
    """
    words = words_of(settings, corpus.vocabulary, corpus.about.tag_names or ())
    model, schedule = SyntaxModel(words.n_words, prior_of(settings)), schedule_for(settings)
    source = source_of(corpus, held_out, shard_size=model.shard_size)
    evaluate = None
    if held_out:
        score = held_out_score(settings, source, words, seed)
        evaluate = partial(_held_out_score, score=score, n_tags=len(words.tags))
    return VariationalRun(
        model=model,
        engine=engine_of(settings, model, keep_local=isinstance(schedule, Batch), folder=folder),
        schedule=schedule,
        source=source,
        seed=seed,
        limits=limits_of(settings),
        evaluate=evaluate,
        scores=SCORE_NAMES,
    )


def learned_by(engine: Engine, model: SyntaxModel, params: Record, n_tags: int) -> dict[str, Field]:
    """What a run has learned so far (table of its engine, and params), in the form of one sample of a chain.

    Its counts of tags by topic (n_tags: their number) are zero.
    """
    sample = as_sample(params, np.asarray(engine.table.whole()), model.prior)
    k = model.prior.n_topics
    tags = Field(np.zeros((1, k, n_tags)), ("samples", "topics", "tags"), additive=False)
    return {**sample, "tags": tags}


def finished(job: VariationalRun, params: Record, words: TreeWords) -> dict[str, Field]:
    """The final result of a run, in the form of one sample of a chain.

    Its counts of tags by topic come from one draw of the topics of all training documents.
    """
    assert isinstance(job.model, SyntaxModel)
    found = learned_by(job.engine, job.model, params, len(words.tags))
    learned, counts = LearnedSyntax.of(found, job.model.prior.limit), np.zeros(found["tags"].values.shape)
    for _, trees in job.source.in_order():
        ordered = words.ordered(trees)
        np.add.at(counts[0], (learned.draw_topics(ordered, job.seed), ordered.tags), 1.0)
    return {**found, "tags": Field(counts, found["tags"].axes, additive=False)}


def _held_out_score(
    engine: Engine, model: SyntaxModel, params: Record, score: Callable[[Record], float], n_tags: int
) -> float:
    """Score held-out documents by what a run has learned so far: log p in nats per word.

    score: a function that computes this from learned params; n_tags: of the training corpus.
    """
    return score(learned_by(engine, model, params, n_tags))
