"""Sums over the training documents by which topics' words are ranked: in how many documents each topic uses
each word, how far documents support it, and how often a topic's top words occur together. Also by halves of
the documents: words that are chosen by one half are counted in the other, to see whether a topic holds there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.random_streams import share_of
from stickbreaker.core.records import Array
from stickbreaker.corpus import Bags, Corpus
from stickbreaker.corpus.shards import entries_of_documents, tokens_by_document
from stickbreaker.corpus.source import Source
from stickbreaker.engines import Engine, LocalEngine
from stickbreaker.learning.stream_documents import StreamDocuments
from stickbreaker.topics.evaluation.coherence import npmi_of_shares
from stickbreaker.topics.evaluation.cooccurrence import Tokens
from stickbreaker.topics.kernels.document_counts import DocumentTopics, count_meetings, count_words
from stickbreaker.topics.model.word_documents import IN_COMPANY, Side, WordDocuments, keep_first, stacked
from stickbreaker.topics.model.word_scores import company_of
from stickbreaker.topics.model.word_support import keep_supported
from stickbreaker.topics.settings import TopicSettings
from stickbreaker.topics.topic_reader import TopicReader

CELLS = 1 << 25  # words × topics at most: four arrays of 256 MB
SUMS = 4  # columns of sums for each topic
AT_ONCE = 64  # columns of sums that are ranked together
LEAST = 0.5  # tokens of a document: topics that explain fewer are none of its topics
HALF_SALT = 2  # so that halves are chosen independently of held-out and stored documents
WINDOW = 200  # most words of a window of text in which words are company


class WordCounts(NamedTuple):
    """What ranks the words of topics, from all documents (`whole`), and from each half of them (`halves`);
    None if not counted.
    """

    whole: WordDocuments | None
    halves: tuple[WordDocuments, WordDocuments] | None


def word_counts_of(
    reader: TopicReader,
    settings: TopicSettings,
    source: Source,
    engine: Engine,
    known: DocumentTopics | None = None,
    *,
    whole: bool = True,
    halves: bool = True,
) -> WordCounts:
    """Count what ranks topics' words: in how many documents each topic uses them, how far documents support
    them, and how often the top words occur together; with `whole` in all documents, with `halves` in each
    half of them, which are cut by a hash of their ids (`of_half`). What is not asked for is None.

    Every document's topics are inferred once, by `engine`, unless they are `known`. None if the table of sums
    would be too large: more than `CELLS` words × topics, or on Spark more than a quarter of `task_bytes` of
    the engine in `settings`. Those of halves are None for more than half of that, and if a half has no
    document with a known word. On Spark, documents of one half are inferred twice.
    """
    vocabulary, where = reader.vocabulary, settings.where
    n_words, n_topics = len(vocabulary), reader.n_topics
    cell = SUMS * np.dtype(np.float64).itemsize
    most = CELLS if isinstance(where, str) else where.task_bytes // (4 * cell)
    if not 0 < n_words * n_topics <= most:
        return WordCounts(None, None)
    local = isinstance(engine, LocalEngine)  # a copy, dropped with its caches
    sent = reader.for_many() if local else reader.without_table()
    parts = vocabulary.parts
    documents = DocumentSums(sent, source, parts, known)
    halves = halves and n_words * n_topics <= most // 2
    if halves and local:
        documents.second = np.zeros((n_words, SUMS * n_topics + 1))
    sums = _summed(engine, documents)
    second = documents.second
    if halves and not local:
        second = _summed(engine, DocumentSums(sent, source, parts, known, half=1))
    of_all = None
    if whole:
        counted = sides_of(sums, parts)
        of_all = with_company(counted, _summed(engine, MeetingCounts(sent, source, counted))[0])
    if second is None or not 0.0 < second[:, -1].sum() < sums[:, -1].sum():
        return WordCounts(of_all, None)
    found = [sides_of(np.maximum(sums - second, 0.0), parts), sides_of(second, parts)]
    one, other = (
        with_company(side, _summed(engine, MeetingCounts(sent, source, side, half))[0])
        for half, side in enumerate(found)
    )
    return WordCounts(of_all, (one, other))


def of_half(source: Source, block: int, half: int) -> NDArray[np.int64]:
    """The documents of a block that are learned from and belong to a half of all documents, 0 or 1: their
    places among those that are learned from.
    """
    assert isinstance(source.corpus, Corpus)
    ids = source.corpus.ids(block)
    own = [share_of(ids[i], HALF_SALT) < 0.5 for i in _places(source, block)]
    return np.flatnonzero(np.array(own, np.bool_) == bool(half))


def _places(source: Source, block: int) -> NDArray[np.int64]:
    """The positions in a block of its documents that are learned from."""
    return source.numbers(block) - source.first[block]


def count_sample(reader: TopicReader, sample: StreamDocuments) -> WordDocuments | None:
    """The same counts as of `word_counts_of`, in a sample of a stream's documents, whose order of words is
    unknown. None if the table of sums would be too large: more than a quarter of `CELLS`.
    """
    vocabulary = reader.vocabulary
    n_words, n_topics = len(vocabulary), reader.n_topics
    if not 0 < n_words * n_topics <= CELLS // 4:
        return None
    bags = sample.bags
    if sample.spelled is not None:
        bags = _with_rows(bags, vocabulary.lookup(sample.spelled))
    topics = topics_of_documents(reader.for_many().shares(bags), bags)
    sums = np.zeros((n_words, SUMS * n_topics + 1))
    words = reader.topic_words.by_word(np.arange(n_words))
    add_documents(bags, topics, words, vocabulary.parts, sums)
    counted = sides_of(sums, vocabulary.parts)
    return with_company(counted, count_meetings_of(Tokens(bags.offsets, bags.words), bags, counted, n_words))


def _with_rows(bags: Bags, rows: NDArray[np.int32]) -> Bags:
    """Documents whose word w is the row rows[w] of the vocabulary, in ascending order; -1: it has none."""
    words = rows[bags.words]
    known = words >= 0
    offsets = np.concatenate([[0], np.cumsum(known)])[bags.offsets]
    words, counts = words[known], bags.counts[known]
    order = np.lexsort((words, np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))))
    return Bags(offsets, words[order], counts[order], bags.unseen)


class Counts(Protocol):
    """A task that counts in some blocks and returns (None, the counts). The reader's table is in `engine`, or
    in its own engine if that is None.
    """

    source: Source

    def __call__(self, engine: LocalEngine | None, blocks: range) -> tuple[None, Array]: ...


def _summed(engine: Engine, counts: Counts) -> Array:
    """Run a counting task on all blocks of its documents and add up the counts, in an order that does not
    depend on the engine's threads.
    """
    if not isinstance(engine, LocalEngine):
        return np.concatenate(engine.map_items_with_sums(counts, counts.source.parts(), _piece)[1], axis=-1)
    return counts(None, range(counts.source.n_blocks))[1]  # at once: arrays are large, inference has threads


def _piece(_first: int, values: Array) -> Array:
    return values


@dataclass
class DocumentSums:
    """A task that computes, for some blocks, the sums of `add_documents`: words × 4 K + 1.

    parts: the rows of the languages, which a reader without its table does not know; known: the topics of
    all documents of the source in order, None if they are to be inferred. `second`: if it is an array of the
    same shape, on this machine, the documents of the second half are added to it too. `half`: only this half
    of the documents counts, 0 or 1.
    """

    reader: TopicReader
    source: Source
    parts: Sequence[slice]
    known: DocumentTopics | None = None
    second: Array | None = None
    half: int | None = None

    def __call__(self, engine: LocalEngine | None, blocks: range) -> tuple[None, Array]:
        reader = self.reader if engine is None else self.reader.over(engine.sharing_view())
        n_topics, n_words = reader.topic_words.shape
        probabilities = reader.topic_words.by_word(np.arange(n_words))
        sums = np.zeros((n_words, SUMS * n_topics + 1))
        done = 0
        for block, bags in zip(blocks, _bags_of(reader, self.source, blocks), strict=True):
            topics = self._topics_of(reader, block, bags, done)
            done += len(bags.unseen)
            if self.half is not None:
                chosen = of_half(self.source, block, self.half)
                bags, topics = bags.take(chosen), _topics_of_some(topics, chosen)
            add_documents(bags, topics, probabilities, self.parts, sums)
            if self.second is not None:
                chosen = of_half(self.source, block, 1)
                add_documents(
                    bags.take(chosen), _topics_of_some(topics, chosen), probabilities, self.parts, self.second
                )
        return None, sums

    def _topics_of(self, reader: TopicReader, block: int, bags: Bags, first: int) -> DocumentTopics:
        """The topics of the documents of a block, the first of which has the number `first` of all."""
        if self.known is None:
            rows = self.source.rows_of(self.source.numbers(block))
            return topics_of_documents(reader.shares(bags, rows), bags)
        starts = self.known.starts[first : first + len(bags.offsets)]
        own = slice(int(starts[0]), int(starts[-1]))
        return DocumentTopics(starts - starts[0], self.known.topics[own], self.known.shares[own])


def _topics_of_some(topics: DocumentTopics, chosen: NDArray[np.int64]) -> DocumentTopics:
    starts, entries = entries_of_documents(np.asarray(topics.starts, np.int64), chosen)
    return DocumentTopics(starts, topics.topics[entries], topics.shares[entries])


def topics_of_documents(theta: Array, bags: Bags) -> DocumentTopics:
    """The topics of documents that explain at least `LEAST` of a token, or the largest of them if none does.
    A document without tokens has none.

    theta (documents × topics): the documents' topic shares. What is left out is mostly the prior's: a few
    topics stay of hundreds, and words are ranked as well by them (docs/decisions/0045).
    """
    tokens = tokens_by_document(bags.offsets, bags.counts)
    chosen = theta * tokens[:, None] >= np.minimum(LEAST, theta.max(axis=1) * tokens)[:, None]
    chosen[tokens <= 0.0] = False
    documents, topics = np.nonzero(chosen)
    starts = np.searchsorted(documents, np.arange(len(theta) + 1))
    return DocumentTopics(starts, topics.astype(np.int32), theta[documents, topics])


def add_documents(
    bags: Bags, topics: DocumentTopics, probabilities: Array, parts: Sequence[slice], sums_out: Array
) -> None:
    """Add documents to sums, words × 4 K + 1: those of `count_words`, and the number of documents with each
    word.

    topics: the documents' topics and shares; probabilities (words × topics): of the words, by which a word's
    topic is judged; parts: the rows of the languages, in each of which a document's weights are summed alone.
    """
    damped = np.log1p(bags.counts.astype(np.float64))
    documents = np.repeat(np.arange(len(bags.offsets) - 1), np.diff(bags.offsets))
    for part in parts:
        entries = np.flatnonzero((bags.words >= part.start) & (bags.words < part.stop))
        count_words(entries, documents, bags.words, damped, topics, probabilities, sums_out)
    sums_out[:, -1] += np.bincount(bags.words, minlength=len(sums_out))


def sides_of(sums: Array, parts: Sequence[slice]) -> WordDocuments:
    """The words of each topic whose counts are stored, from the sums of `add_documents` over all documents,
    for each language (`parts`). Their company is still missing.
    """
    return WordDocuments(tuple(_side_of(sums[rows], rows) for rows in parts))


def _side_of(sums: Array, rows: slice) -> Side:
    """One language's words of each topic, from its rows of the sums. Topics are taken a few at a time, whose
    sums are copied so that those of a topic are adjacent.
    """
    weights = sums[:, 1:-1:SUMS].sum(axis=1)
    overall = weights / max(float(weights.sum()), 1e-300)
    found: list[Side] = []
    for start in range(0, sums.shape[1] - 1, AT_ONCE):
        own = np.ascontiguousarray(sums[:, start : min(start + AT_ONCE, sums.shape[1] - 1)].T)
        side = keep_first(own[::SUMS], sums[:, -1], rows)
        support = keep_supported(own[1::SUMS], own[2::SUMS], own[3::SUMS], overall, rows)
        found.append(side._replace(support=support))
    return stacked(found)


@dataclass
class MeetingCounts:
    """A task that counts, in some blocks, how often two top words of a topic occur together.

    The counts are one row: for each language those of `count_company` in documents and, for the best
    supported words, in windows of text. `half`: count only in this half of the documents, 0 or 1.
    """

    reader: TopicReader
    source: Source
    counted: WordDocuments
    half: int | None = None

    def __call__(self, engine: LocalEngine | None, blocks: range) -> tuple[None, Array]:
        reader = self.reader if engine is None else self.reader.over(engine)
        n_words = reader.topic_words.shape[1]
        corpus = _seen_corpus(reader, self.source)
        rows: list[Array] = []
        for block, bags in zip(blocks, _bags_of(reader, self.source, blocks), strict=True):
            texts = _texts_of(corpus, self.source, block) if corpus.ordered else bags
            if self.half is not None:
                chosen = of_half(self.source, block, self.half)
                bags = bags.take(chosen)
                texts = _some_of(texts, chosen) if isinstance(texts, Tokens) else bags
            row = count_meetings_of(Tokens(bags.offsets, bags.words), texts, self.counted, n_words)
            rows = [row if not rows else rows[0] + row]
        return None, rows[0][None]


def count_meetings_of(documents: Tokens, texts: Bags | Tokens, counted: WordDocuments, n_words: int) -> Array:
    """How often the top words of topics occur together, as one row of counts (see `MeetingCounts`).

    documents: each with its distinct words; texts: the same documents with their tokens in order, which are
    cut into windows, or bags, which are not. n_words: of the whole vocabulary.
    """
    row: list[Array] = []
    for side in counted.sides:
        own = documents
        there = Tokens(texts.offsets, texts.words)
        if len(counted.sides) > 1:
            own, there = (_of_language(each, side.rows) for each in (own, there))
        if isinstance(texts, Tokens):
            there = there._replace(offsets=window_offsets(there.offsets, WINDOW))
        row.append(count_company(own, side.words, n_words))
        if side.support is not None:
            row.append(count_company(there, side.support.words, n_words))
    return np.concatenate(row)


def _of_language(tokens: Tokens, rows: slice) -> Tokens:
    """The tokens whose words are in these rows of the vocabulary."""
    kept = (tokens.words >= rows.start) & (tokens.words < rows.stop)
    return Tokens(np.concatenate([[0], np.cumsum(kept)])[tokens.offsets], tokens.words[kept])


def window_offsets(offsets: NDArray[np.integer], width: int) -> NDArray[np.int64]:
    """Cut documents into as few windows of at most `width` tokens as possible, of nearly equal lengths;
    returns the offsets of the windows. A document without tokens has none.

    offsets: of the documents in their tokens.

    >>> window_offsets(np.array([0, 3, 3, 8]), 4).tolist()
    [0, 3, 5, 8]
    """
    lengths = np.diff(offsets).astype(np.int64)
    windows = -(-lengths // width)
    first = np.cumsum(windows) - windows
    number = np.arange(int(windows.sum())) - np.repeat(first, windows)
    starts = np.repeat(offsets[:-1], windows) + number * np.repeat(lengths, windows) // np.repeat(
        windows, windows
    )
    return np.append(starts, offsets[-1]).astype(np.int64)


def count_company(tokens: Tokens, words: NDArray[np.int64], n_words: int) -> Array:
    """In how many documents (or windows) the top words of each topic occur together (topics × words × words,
    flattened), and as the last entry the number of those that are not empty.

    words: the topics' top words, best first, of which the first 30 count; n_words: of the whole vocabulary.
    """
    first = words[:, :IN_COMPANY]
    n_topics, n = first.shape
    order = np.argsort(first.ravel(), kind="stable")
    places = np.searchsorted(first.ravel()[order], np.arange(n_words + 1))
    meetings = np.zeros((n_topics, n, n), np.int64)
    count_meetings(tokens.offsets, tokens.words, places, order // n, order % n, meetings)
    filled = np.count_nonzero(np.diff(tokens.offsets))
    return np.append(meetings.ravel(), filled).astype(np.float64)


def with_company(counted: WordDocuments, meetings: Array) -> WordDocuments:
    """Add the company of top words to what was counted. meetings: the sum of `count_meetings_of`."""
    sides: list[Side] = []
    for side in counted.sides:
        size = _size(side.words)
        side = side._replace(company=company_from(side.words, meetings[:size]))
        meetings = meetings[size:]
        if side.support is not None:
            size = _size(side.support.words)
            company = company_from(side.support.words, meetings[:size])
            side = side._replace(support=side.support._replace(company=company))
            meetings = meetings[size:]
        sides.append(side)
    return WordDocuments(tuple(sides))


def company_from(words: NDArray[np.int64], counted: Array) -> Array:
    """How strongly each top word of each topic is associated with the topic's other top words (topics ×
    words), from NPMI of pairs.

    words: the topics' top words; counted: the sum of `count_company` over all documents.
    """
    n = min(IN_COMPANY, words.shape[1])
    both = counted[:-1].reshape(-1, n, n) / max(float(counted[-1]), 1.0)
    alone = np.diagonal(both, axis1=1, axis2=2)
    pairs = np.broadcast_arrays(both, alone[:, :, None], alone[:, None, :])
    return company_of(npmi_of_shares(*pairs))


def _size(words: NDArray[np.int64]) -> int:
    n = min(IN_COMPANY, words.shape[1])
    return len(words) * n * n + 1


def _seen_corpus(reader: TopicReader, source: Source) -> Corpus:
    """The training corpus, read with the model's vocabulary."""
    corpus = source.corpus
    assert isinstance(corpus, Corpus)
    return reader.with_words(corpus)


def _bags_of(reader: TopicReader, source: Source, blocks: range) -> Iterator[Bags]:
    """The training documents of each block, read with the model's vocabulary."""
    seen = _seen_corpus(reader, source)
    for block in blocks:
        bags = seen.bags(block)
        places = _places(source, block)
        yield bags if len(places) == seen.block_sizes[block] else bags.take(places)


def _texts_of(corpus: Corpus, source: Source, block: int) -> Tokens:
    """The tokens of a block's training documents in order, as rows of the vocabulary; -1: unknown words."""
    texts = corpus.sequences(block)
    whole = Tokens(texts.offsets, texts.words)
    places = _places(source, block)
    return whole if len(places) == corpus.block_sizes[block] else _some_of(whole, places)


def _some_of(texts: Tokens, chosen: NDArray[np.int64]) -> Tokens:
    """The documents of these positions."""
    offsets, entries = entries_of_documents(np.asarray(texts.offsets, np.int64), chosen)
    return Tokens(offsets, texts.words[entries])
