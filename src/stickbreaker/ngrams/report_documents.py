"""Documents saved for the report of a topic n-gram model, with topics word by word."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array
from stickbreaker.core.topk import descending
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.source import Source
from stickbreaker.ngrams import purposes
from stickbreaker.ngrams.model.contexts import Integers
from stickbreaker.ngrams.model.topic_documents import (
    MarkedDocuments,
    log_probabilities,
    marked,
    mean_of,
    topic_shares,
    word_topics,
)
from stickbreaker.ngrams.model.topic_language_model import TopicLanguageModel
from stickbreaker.ngrams.sentence_scores import log_base_of
from stickbreaker.ngrams.word_numbers import Base
from stickbreaker.saved.documents_with_topics import document_row, whose, write_rows

LIMIT = 1000  # documents
MOST_READ = 2_000_000  # words of all documents
EXCERPTS = 12
LEAST_WORDS = 4  # of a document, to have an excerpt
EXCERPT_WORDS = 150  # ends of sentences included
WORDS_IN_CONTEXT = 2000  # longer documents are cut
WINDOWS = 40  # in a document, for which shares are shown
LEAST_WINDOW = 20  # words and ends in a window
WINDOW_TOPICS = 8  # the largest topics, which are shown
EXCERPT = (
    *("first", "read", "tokens", "known", "ends", "nats", "best", "sure", "specific"),
    *("window", "window_topics", "window_shares"),
)


class TopicLens(NamedTuple):
    """What processing documents for a report needs: a model with topics, G0 of words, and a seed."""

    model: TopicLanguageModel
    base: Base
    seed: int


class _Place(NamedTuple):
    """Where a document is in a corpus: the number of its block, and its position in the block."""

    block: int
    document: int


def write_topic_documents(
    lens: TopicLens, corpus: Corpus, folder: Path, held_out: float, *, learned_from: bool
) -> None:
    """Write documents.parquet for a model's report: documents with topic shares, and excerpts.

    At most `LIMIT` documents are drawn uniformly, with `MOST_READ` words together; `EXCERPTS` of them have an
    excerpt, held-out ones if there are any. learned_from: whether the corpus is the training text.

    Columns: id, words (how many), held_out, topics and shares (lists: the largest expected shares of topics,
    by the last sample, without words of the common topic), excerpts (a list of at most one record). In the
    file's own metadata, "stickbreaker" is a JSON object: {"documents": how many there are, "excerpts":
    "held-out", "learned" or "other"}.

    An excerpt consists of consecutive sentences. It is computed in the context of the document's first
    `WORDS_IN_CONTEXT` words at most; `read` is their number (ends of sentences included), `first` the
    position of the excerpt's first word among them. Lists with an item per word or end: tokens, known, ends
    (whether it is the end of a sentence), nats (log p given all that comes before it in the document), best
    (the most probable topic that is not the common one), sure (its probability), specific (the probability of
    a topic that is not the common one).

    Along the document: window (how many words and ends a window has), window_topics (the largest topics),
    window_shares (windows × topics + 1, row by row: the expected shares of these topics in a window, then
    that of the common topic). Probabilities are means over samples.
    """
    source = Source(corpus, held_out, unit=Sequences)
    chosen, excerpts = _chosen(source, lens.seed)
    rows = [row for block, own in enumerate(chosen) for row in _rows(lens, source, block, own, excerpts)]
    whole, flags, reals = pa.list_(pa.int32()), pa.list_(pa.bool_()), pa.list_(pa.float64())
    types = (pa.int32(), pa.int32(), pa.list_(pa.string()), flags, flags, reals, whole, reals, reals)
    fields = dict(zip(EXCERPT, (*types, pa.int32(), whole, reals), strict=True))
    of = whose(held_out, learned_from=learned_from)
    write_rows(folder, rows, "excerpts", fields, n=corpus.n_documents, of=of)


def _chosen(source: Source, seed: int) -> tuple[list[NDArray[np.int64]], set[_Place]]:
    """The documents that the report shows, as positions in each block, and those of them that get an excerpt.

    Documents for excerpts are drawn first: held-out ones if documents are held out, with at least
    `LEAST_WORDS` words. Others follow, up to the limits.
    """
    generator = stream(seed, purposes.NGRAM_REPORT)
    found = [_sizes(source, block) for block in range(source.n_blocks)]
    sizes, places = np.concatenate([np.empty(0, np.int64), *found]), generator.permutation(source.first[-1])
    shown = source.training != (source.held_out > 0.0)
    long = shown[places] & (sizes[places] >= LEAST_WORDS)
    first = places[long][:EXCERPTS]
    order = np.concatenate([first, places[~np.isin(places, first)]])[:LIMIT]
    fits = np.cumsum(sizes[order]) <= MOST_READ
    fits[: len(first)] = True
    documents = np.sort(order[fits])
    cuts = np.searchsorted(documents, source.first)
    blocks = [documents[cuts[n] : cuts[n + 1]] - source.first[n] for n in range(source.n_blocks)]
    owners = np.searchsorted(source.first, first, side="right") - 1
    inside = (first - source.first[owners]).tolist()
    return blocks, {_Place(block, place) for block, place in zip(owners.tolist(), inside, strict=True)}


def _sizes(source: Source, block: int) -> NDArray[np.int64]:
    """The number of words of each document of a block."""
    return np.diff(source.content(block).offsets)


def _rows(
    lens: TopicLens, source: Source, block: int, chosen: NDArray[np.int64], excerpts: set[_Place]
) -> list[dict[str, object]]:
    """The rows of documents.parquet for the chosen documents of a block."""
    if not len(chosen):
        return []
    content, ids = source.content(block), source.corpus.ids(block)
    own, numbers = content.take(chosen), lens.base.numbers
    words = numbers.numbered(own.words)
    documents = marked(words, own.starts, own.offsets, numbers.end, lens.base.log_p)
    shares = topic_shares(lens.model, documents, [lens.model.n_samples - 1])
    learned_from = source.training_in(block)
    places: list[int] = chosen.tolist()
    return [
        {
            **document_row(ids[place], int(size), bool(learned_from[place]), share),
            "excerpts": [_excerpt(lens, source, block, place)] if _Place(block, place) in excerpts else [],
        }
        for place, size, share in zip(places, np.diff(own.offsets), shares, strict=True)
    ]


class _Context(NamedTuple):
    """The beginning of a document as a model reads it, and its tokens as texts, without sentence ends."""

    documents: MarkedDocuments
    tokens: list[str]


def _context(lens: TopicLens, source: Source, block: int, place: int) -> _Context:
    """The beginning of a document as the model reads it: at most `WORDS_IN_CONTEXT` words, in complete
    sentences if possible.

    place: the document's position in the block.
    """
    corpus, numbers = source.corpus, lens.base.numbers
    assert isinstance(corpus, Corpus)
    content = Sequences.of_block(corpus, block)
    start, stop = content.offsets[place : place + 2].tolist()
    edges = np.append(content.starts[(content.starts > start) & (content.starts < stop)], stop)
    edges = edges[edges <= start + WORDS_IN_CONTEXT]
    tokens = slice(start, int(edges[-1]) if len(edges) else start + WORDS_IN_CONTEXT)
    words: Integers = numbers.numbered(content.words[tokens])
    starts, offsets = np.append(0, edges[:-1] - start), np.array([0, len(words)])
    found = marked(words, starts, offsets, numbers.end, lens.base.log_p)
    log_base = found.log_base.copy()
    log_base[found.words != numbers.end] = log_base_of(words, corpus, block, lens.base, tokens)
    entries = corpus.source.entries(block)
    spelled = entries.spellings(entries.codes[tokens])
    return _Context(found._replace(log_base=log_base), spelled)


def _excerpt(lens: TopicLens, source: Source, block: int, place: int) -> dict[str, object]:
    """The record of an excerpt and of topic shares along its document: see `write_topic_documents`."""
    documents, spelled = _context(lens, source, block, place)
    model, numbers = lens.model, lens.base.numbers
    topics = np.mean([word_topics(model, documents, n) for n in range(model.n_samples)], axis=0)
    nats = mean_of(log_probabilities(model, documents, lens.seed))
    generator = stream(lens.seed, purposes.NGRAM_REPORT, 1, int(source.first[block]) + place)
    first, last = _sentences(documents.positions, generator)
    words, shown = documents.words[first:last], topics[first:last]
    ends, best = words == numbers.end, shown.argmax(axis=1)
    spellings = iter(spelled[first - int((documents.words[:first] == numbers.end).sum()) :])
    tokens = [numbers.names[numbers.end] if end else next(spellings) for end in ends.tolist()]
    columns = (
        *(first, len(topics), tokens, ((words != numbers.unknown) & (words >= 0)).tolist(), ends.tolist()),
        *(nats[first:last].tolist(), best.tolist(), shown.max(axis=1).tolist()),
        np.minimum(shown.sum(axis=1), 1.0).tolist(),
        *_along(topics),
    )
    return dict(zip(EXCERPT, columns, strict=True))


def _sentences(positions: Integers, generator: np.random.Generator) -> tuple[int, int]:
    """Draw an excerpt of consecutive sentences, its first sentence uniformly; returns where it begins, and
    where it ends (exclusive), among the words and marks.

    positions: of each word and end mark in its sentence. The excerpt has at most `EXCERPT_WORDS` words and
    marks; a longer sentence is cut.
    """
    starts = np.flatnonzero(positions == 0)
    rooms = starts[len(positions) - starts >= min(EXCERPT_WORDS, len(positions))]
    first = int(rooms[generator.integers(len(rooms))])
    edges = np.append(starts, len(positions))
    whole = edges[(edges > first) & (edges <= first + EXCERPT_WORDS)]
    return first, int(whole[-1]) if len(whole) else first + EXCERPT_WORDS


def _along(topics: Array) -> tuple[int, list[int], list[float]]:
    """Topic shares along a document: the number of words per window, the largest topics, and their shares in
    each window as a flat list.

    The last share of each window is the common topic's. topics (words × topics): p(topic | word, document).
    """
    sums = topics.sum(axis=0)
    top = descending(sums, WINDOW_TOPICS)
    top = top[sums[top] > 0.0]
    size = max(LEAST_WINDOW, -(-len(topics) // WINDOWS))
    edges = np.arange(0, len(topics), size)
    counts = np.diff(np.append(edges, len(topics)))[:, None]
    common = np.maximum(1.0 - topics.sum(axis=1, keepdims=True), 0.0)
    shares = np.add.reduceat(np.hstack([topics[:, top], common]), edges, axis=0) / counts
    return size, top.tolist(), shares.ravel().tolist()
