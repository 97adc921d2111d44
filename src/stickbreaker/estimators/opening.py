"""How a run over an open vocabulary begins."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
from scipy.sparse import csr_array

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Stats, no_rows
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.metadata import storable
from stickbreaker.learning.loop import Run, RunState, admit
from stickbreaker.learning.source import Source
from stickbreaker.models.contract import Model, Step
from stickbreaker.models.topics import Hybrid, OpenWords, TopicModel
from stickbreaker.models.topics.spelling import CharacterModel


def corpus_of_tokens(documents: Sequence[Sequence[str]]) -> Corpus:
    """Documents of tokens as bags of all their words, without what a corpus that is kept needs besides.

    Raises UserError for what is no list of strings.

    >>> corpus_of_tokens([["sea", "ship", "sea"]]).n_tokens
    3.0
    """
    for number, tokens in enumerate(documents):
        if isinstance(tokens, str) or not all(issubclass(kind, str) for kind in set(map(type, tokens))):
            told = f"document {number} is not a list of strings"
            raise UserError(told, remedy="give a list of strings for each document")
    flat = list(chain.from_iterable(documents))
    spelled = {word: storable(word) for word in dict.fromkeys(flat)}
    index = {word: place for place, word in enumerate(dict.fromkeys(spelled.values()))}
    places = {word: index[kept] for word, kept in spelled.items()}
    codes = np.fromiter(map(places.__getitem__, flat), np.int32, len(flat))
    ends = np.cumsum([0, *map(len, documents)])
    counts = csr_array((np.ones(len(flat)), codes, ends), shape=(len(documents), max(len(index), 1)))
    counts.sum_duplicates()
    return Corpus.from_matrix(counts, list(index) or ["-"])


def source_of(corpus: Corpus, model: Model, held_out: float = 0.0) -> Source:
    """The documents to learn from, their words told by spelling where the model's are open."""
    return Source(corpus, held_out, corpus.vocabulary.words if model.ordered else None)


def begin_open(job: Run, n_topics: int) -> tuple[Run, RunState]:
    """A run over an empty table, with the spelling of its first minibatch or of a list, and its state.

    Sampled documents part topics that are alike; where nothing is drawn they begin with noise in the first
    minibatch's words, or they would stay alike.
    """
    assert isinstance(job.model, TopicModel)
    assert isinstance(job.model.words, OpenWords)
    first = next(iter(job.schedule.minibatches(job.source, 0, 0, 0.0, job.seed)))
    shards = list(first.shards)
    found = sorted({word for shard in shards for word in shard.keys or ()})
    settings = job.model.words.settings.spelling
    characters = CharacterModel.learn(settings.word_list() or found, settings)
    model = replace(job.model, words=replace(job.model.words, characters=characters))
    job = replace(job, model=model)
    job.engine.start(model, np.zeros((0, n_topics)), ())
    state = RunState(model.start())
    if not isinstance(model.solver, Hybrid):
        noise = model.seed(found, sum(float(shard.counts.sum()) for shard in shards), job.seed)
        rows_of = {word: np.append(row, 2.0) for word, row in zip(found, noise, strict=True)}
        stats = Stats(no_rows(n_topics), found=rows_of)
        rows, state.small, _ = admit(model, job.engine, state.small, stats, Step(0, 0.0, 1.0, 0.0))
        job.engine.blend(rows, 1.0, 1.0)
    return job, state
