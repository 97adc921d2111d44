"""The start of runs with an open vocabulary."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stickbreaker.contracts.contract import Step
from stickbreaker.core.records import Array, Stats, no_rows
from stickbreaker.learning.variational import VariationalRun, VariationalState, admit
from stickbreaker.topics.model.model import TopicModel, topic_model
from stickbreaker.topics.runs.initialization import seed_from_documents

FAINT = 1e-3  # share of noise in addition to seeds from documents


def begin_open(job: VariationalRun, n_topics: int, init: str) -> tuple[VariationalRun, VariationalState]:
    """Start a run with an open vocabulary: learn how words are spelled, and give topics their first counts.
    Returns the run, with these words, and its state.

    Spelling is learned from the first minibatch, or from a list in the settings. Topics start with the first
    minibatch's words: with the counts of a few documents each (`init` "documents"), or with noise ("random").
    With hybrid inference, whose sampling makes topics differ anyway, "random" leaves the table empty.
    """
    model = topic_model(job.model)
    first = next(iter(job.schedule.minibatches(job.source, 0, 0, 0.0, job.seed)))
    shards = list(first.shards)
    found = sorted({word for shard in shards for word in shard.keys or ()})
    model = replace(model, words=model.words.with_first_words(found))
    job = replace(job, model=model)
    job.engine.start(model, np.zeros((0, n_topics)), ())
    state = VariationalState(model.start())
    tokens = sum(float(shard.content.counts.sum()) for shard in shards)
    seeds = _seeds(job, model, n_topics, init, found, tokens)
    if seeds.any():
        rows_of = {word: np.append(row, 2.0) for word, row in zip(found, seeds, strict=True)}
        stats = Stats(no_rows(n_topics), new_rows=rows_of)
        rows, state.params, _ = admit(model, job.engine, state.params, stats, Step(0, 0.0, 1.0, 0.0))
        job.engine.blend(rows, 1.0, 1.0)
    return job, state


def _seeds(
    job: VariationalRun, model: TopicModel, n_topics: int, init: str, found: Sequence[str], tokens: float
) -> Array:
    """Initial counts (words × topics) of the first minibatch's words (`found`). They sum to about `tokens`,
    or are zeros if topics start empty.
    """
    drawn = model.solver.draws
    noise = np.zeros((len(found), n_topics)) if drawn else model.seed(found, tokens, job.seed)
    if init != "documents":
        return noise
    assert job.source.words is not None
    place = {word: row for row, word in enumerate(job.source.words)}
    every = [slice(0, job.source.n_words)]
    starts = seed_from_documents(job.source, every, (), n_topics, 0, job.seed)[:]
    starts -= starts.min(axis=1, keepdims=True)  # without the common part of all topics
    starts = starts[[place[word] for word in found]]
    return starts * (tokens / max(starts.sum(), 1e-300)) + FAINT * noise
