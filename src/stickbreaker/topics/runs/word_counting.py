"""Counts in how many training documents each topic uses each word, by which topics' words are ranked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from stickbreaker.core.records import Array
from stickbreaker.corpus import Bags, Corpus
from stickbreaker.corpus.source import Source
from stickbreaker.engines import Engine, LocalEngine
from stickbreaker.topics.evaluation.coherence import npmi_of_shares
from stickbreaker.topics.kernels.document_counts import count_documents, count_meetings
from stickbreaker.topics.learned_topics import LearnedTopics
from stickbreaker.topics.model.topic_words import TopicWords
from stickbreaker.topics.model.word_documents import IN_COMPANY, Side, WordDocuments, company_of, keep_first

CELLS = 1 << 25  # words × topics at most: two arrays of 256 MB


def word_documents_of(estimator: LearnedTopics, source: Source, engine: Engine) -> WordDocuments | None:
    """Count in how many documents each topic uses its words, and in how many its top words occur together,
    for ranking words.

    Every document's topics are inferred once, by `engine`. None if the table of counts would be too large:
    more than `CELLS` words × topics, or on Spark more than a quarter of `task_bytes`.
    """
    n_words, n_topics = len(estimator.vocabulary_), len(estimator.alpha_)
    settings = estimator.engine
    most = CELLS if isinstance(settings, str) else settings.task_bytes // (4 * np.dtype(np.float64).itemsize)
    if not 0 < n_words * n_topics <= most:
        return None
    local = isinstance(engine, LocalEngine)  # a copy, dropped with its caches
    sent = estimator._over(estimator.engine_) if local else estimator._without_table()
    counts = _summed(engine, DocumentCounts(sent, source))
    parts = estimator.vocabulary_.parts
    sides = [keep_first(counts[rows, :-1], counts[rows, -1], rows) for rows in parts]
    meetings = _summed(engine, MeetingCounts(sent, source, sides))[0]
    ends = np.cumsum([_size(side) for side in sides])[:-1]
    own = zip(sides, np.split(meetings, ends), strict=True)
    return WordDocuments(tuple(side._replace(company=company_from(side, counted)) for side, counted in own))


class Counts(Protocol):
    """A task that counts in some blocks and returns (None, the counts). The estimator's table is in `engine`,
    or in its own engine if that is None.
    """

    source: Source

    def __call__(self, engine: LocalEngine | None, blocks: range) -> tuple[None, Array]: ...


def _summed(engine: Engine, counts: Counts) -> Array:
    """Run a counting task on all blocks of its documents and add up the counts, in an order that does not
    depend on the engine.
    """
    parts = counts.source.parts()
    if not isinstance(engine, LocalEngine):
        return np.concatenate(engine.map_items_with_sums(counts, parts, _piece)[1], axis=-1)
    total = counts(None, parts[0])[1]
    for part in parts[1:]:  # one at a time, using all threads for its documents, since arrays are large
        total += counts(None, part)[1]
    return total


def _piece(_first: int, values: Array) -> Array:
    return values


@dataclass
class DocumentCounts:
    """A task that counts, in some blocks, the documents in which each topic uses each word, D (words ×
    topics), and in one more column all documents with the word, df; see `word_documents.py`.
    """

    estimator: LearnedTopics
    source: Source

    def __call__(self, engine: LocalEngine | None, blocks: range) -> tuple[None, Array]:
        estimator = self.estimator if engine is None else self.estimator._over(engine)
        n_topics, n_words = estimator._topic_words.shape
        counts = np.zeros((n_words, n_topics + 1))
        for bags in _bags_of(estimator, self.source, blocks):
            add_documents(bags, estimator._infer_shares(bags), estimator._topic_words, counts)
        return None, counts


def add_documents(bags: Bags, theta: Array, topics: TopicWords, counts: Array) -> None:
    """Add documents to the counts of documents by word and topic (words × topics, then a column for all
    documents with the word).

    theta (documents × topics): the documents' topic shares; topics: word probabilities, by which a word's
    topic is judged.
    """
    rows, codes = np.unique(bags.words, return_inverse=True)
    found = np.zeros((len(rows), theta.shape[1]))
    words = np.ascontiguousarray(topics.of(rows).T)
    count_documents(bags.offsets, codes, np.ascontiguousarray(theta), words, found)
    counts[rows, :-1] += found
    counts[rows, -1] += np.bincount(codes, minlength=len(rows))


@dataclass
class MeetingCounts:
    """A task that counts, in some blocks, the documents in which two top words of a topic occur together.

    The counts are one row: for each language topics × words × words, then the number of documents with the
    language. sides: each language's top words of topics.
    """

    estimator: LearnedTopics
    source: Source
    sides: Sequence[Side]

    def __call__(self, engine: LocalEngine | None, blocks: range) -> tuple[None, Array]:
        estimator = self.estimator if engine is None else self.estimator._over(engine)
        n_words = estimator._topic_words.shape[1]
        sums = [np.zeros(_size(side)) for side in self.sides]
        for bags in _bags_of(estimator, self.source, blocks):
            for side, total in zip(self.sides, sums, strict=True):
                total += count_company(bags, side, n_words)
        return None, np.concatenate(sums)[None]


def count_company(bags: Bags, side: Side, n_words: int) -> Array:
    """In how many documents the top words of each topic occur together (topics × words × words, flattened),
    and as the last entry how many documents have the language.

    side: the topics' top words in a language; n_words: of the whole vocabulary.
    """
    first = side.words[:, :IN_COMPANY]
    n_topics, n = first.shape
    order = np.argsort(first.ravel(), kind="stable")
    places = np.searchsorted(first.ravel()[order], np.arange(n_words + 1))
    meetings = np.zeros((n_topics, n, n), np.int64)
    count_meetings(bags.offsets, bags.words, places, order // n, order % n, meetings)
    spoken = (bags.words >= side.rows.start) & (bags.words < side.rows.stop)
    documents = np.diff(np.concatenate([[0], np.cumsum(spoken)])[bags.offsets]) > 0
    return np.append(meetings.ravel(), documents.sum()).astype(np.float64)


def company_from(side: Side, counted: Array) -> Array:
    """How strongly each top word of each topic is associated with the topic's other top words (topics ×
    words), from NPMI of pairs.

    counted: the sum of `count_company` over all documents.
    """
    n = min(IN_COMPANY, side.words.shape[1])
    both = counted[:-1].reshape(-1, n, n) / max(float(counted[-1]), 1.0)
    alone = np.diagonal(both, axis1=1, axis2=2)
    pairs = np.broadcast_arrays(both, alone[:, :, None], alone[:, None, :])
    return company_of(npmi_of_shares(*pairs))


def _size(side: Side) -> int:
    n = min(IN_COMPANY, side.words.shape[1])
    return len(side.words) * n * n + 1


def _bags_of(estimator: LearnedTopics, source: Source, blocks: range) -> Iterator[Bags]:
    """The training documents of each block, read with the model's vocabulary."""
    corpus = source.corpus
    assert isinstance(corpus, Corpus)
    seen = estimator._seen(corpus) if estimator._is_open else corpus
    for block in blocks:
        bags = seen.bags(block)
        numbers = source.numbers(block)
        known = len(numbers) == corpus.block_sizes[block]
        yield bags if known else bags.take(numbers - source.first[block])
