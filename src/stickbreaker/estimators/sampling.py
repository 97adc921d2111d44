"""The documents that a saved model keeps for its report, and what of its corpus the report tells."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.files import atomic_file
from stickbreaker.core.randomness import share_of
from stickbreaker.corpus import Bags, Corpus
from stickbreaker.corpus.blocks import Entries
from stickbreaker.corpus.metadata import metadata_from
from stickbreaker.corpus.source import Source
from stickbreaker.estimators.excerpts import Excerpts
from stickbreaker.estimators.topics import TopicEstimator
from stickbreaker.evaluation.completion import split_halves
from stickbreaker.saved import ModelDirectory

LIMIT = 2000  # documents kept
SALT = 1  # chosen by another hash than held-out documents are
TOPICS = 20  # topics kept of a document, the largest
TITLES = ("title", "subject", "headline", "name")  # metadata fields that may name a document
LONGEST_VALUE = 200  # characters kept of a metadata value
TOP_WORDS = 10  # whose company is a topic's coherence
SMOOTHING = 0.01  # added to a word's count before it predicts held-out documents


def write_documents(estimator: TopicEstimator, corpus: Corpus, path: Path) -> None:
    """Write documents.parquet into a model's directory: at most `LIMIT` documents, chosen by their ids' hash.

    Columns: number, id, title, text (its beginning), metadata (JSON), tokens, topics and shares (lists); and
    of the words of the text: starts and lengths in characters, and their most probable topics. In the file's
    own metadata, "stickbreaker" is a JSON object of figures of the whole corpus, see `figures_of`.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    kept = Kept(estimator, corpus)
    told = figures_of(estimator, corpus, ModelDirectory(path).manifest()["held_out"], kept)
    types = {"starts": pa.uint16(), "lengths": pa.uint16(), "word_topics": pa.uint16()}
    columns = {
        name: pa.array(values, pa.list_(types[name])) if name in types else pa.array(values)
        for name, values in kept.columns.items()
    }
    table = pa.table(columns).replace_schema_metadata({"stickbreaker": json.dumps(told)})
    with atomic_file(path / "documents.parquet") as partial:
        pq.write_table(table, partial, compression="zstd")


class Kept:
    """The rows of documents.parquet, gathered while blocks pass by."""

    def __init__(self, estimator: TopicEstimator, corpus: Corpus) -> None:
        self.estimator = estimator
        self.corpus = corpus
        self.cut = _cut(corpus)
        names = ("number", "id", "title", "text", "metadata", "tokens", "topics", "shares")
        self.columns: dict[str, list[Any]] = {
            name: [] for name in (*names, "starts", "lengths", "word_topics")
        }

    def add(self, block: int, first: int, entries: Entries) -> None:
        """Add the chosen documents of a block; `first` is the number of its first, `entries` its words."""
        ids = self.corpus.ids(block)
        chosen = np.array([i for i, name in enumerate(ids) if share_of(name, SALT) <= self.cut], np.int64)
        if not len(chosen):
            return
        bags = self.corpus.bags(block).take(chosen)
        theta = self.estimator._theta(bags)
        reader = Excerpts(self.corpus, block, entries)
        for row, i in enumerate(chosen.tolist()):
            metadata = {name: _short(value) for name, value in metadata_from(reader.metadata[i]).items()}
            named = [str(metadata[f]) for f in TITLES if metadata.get(f)]
            excerpt, shares = reader.excerpt(i), theta[row]
            top = np.argsort(-shares, kind="stable")[:TOPICS]
            values = (
                first + i,
                ids[i],
                named[0] if named else ids[i],
                excerpt.text,
                json.dumps(metadata, ensure_ascii=False),
                float(bags.counts[bags.offsets[row] : bags.offsets[row + 1]].sum()),
                top.tolist(),
                shares[top].tolist(),
                excerpt.starts,
                excerpt.lengths,
                topics_of(excerpt.words, shares, self.estimator.topic_word_),
            )
            for column, value in zip(self.columns.values(), values, strict=True):
                column.append(value)


def _short(value: Any) -> Any:
    """A metadata value, cut where it is long: whole headers are no label."""
    if isinstance(value, str) and len(value) > LONGEST_VALUE:
        return value[: LONGEST_VALUE - 1] + "…"
    return value


def topics_of(
    words: NDArray[np.int64], theta: NDArray[np.floating], topic_word: NDArray[np.floating]
) -> NDArray[np.int64]:
    """The most probable topic of each of a document's words, argmax_k θ_k φ_kw.

    >>> topics_of(np.array([0, 1]), np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.2, 0.8]])).tolist()
    [0, 1]
    """
    distinct, place = np.unique(words, return_inverse=True)
    return (topic_word[:, distinct] * theta[:, None]).argmax(axis=0)[place]


def figures_of(estimator: TopicEstimator, corpus: Corpus, held_out: float, kept: Kept) -> dict[str, Any]:
    """Figures of the whole corpus, for which its blocks are read once; `kept` is filled on the way.

    "coherence": NPMI of each topic's ten top words over all documents, where there are two words or more; of
    a polylingual model the mean over its languages, each over the documents that have it;
    "unigram" and "unigram_held_out": nats a word of the documents learned from under their own word shares,
    and of the held-out words that a run's score predicts; the second is left out where nothing is held out.
    """
    from stickbreaker.evaluation.coherence import TopWords  # needs scipy, which the report does without
    from stickbreaker.evaluation.documents import spelled_top_words

    source = Source(corpus, held_out)
    learned, predicted = np.zeros(corpus.n_words), np.zeros(corpus.n_words)
    top = spelled_top_words(estimator.topic_word_, estimator.vocabulary_, TOP_WORDS)
    sides = [TopWords(words, language) for language, words in top.items()]
    for block in range(len(corpus.block_sizes)):
        entries = corpus.source.entries(block)
        kept.add(block, int(source.first[block]), entries)
        _count(source.block(block)[1], learned)
        if held_out > 0.0:
            _count(split_halves(source.block(block, held_out=True)[1])[1], predicted)
        for side in sides:
            side.add(entries)
    told: dict[str, Any] = {}
    scores = [side.npmi().per_topic for side in sides if side.documents.total]
    if scores:
        told["coherence"] = np.mean(scores, axis=0).tolist()
    ranges = corpus.vocabulary.ranges
    told["unigram"] = unigram(learned, learned, ranges)
    if predicted.any():
        told["unigram_held_out"] = unigram(predicted, learned + SMOOTHING, ranges)
    return told


def _count(bags: Bags, into: NDArray[np.float64]) -> None:
    into += np.bincount(bags.words, weights=bags.counts, minlength=len(into))


def unigram(
    words: NDArray[np.floating], learned: NDArray[np.floating], ranges: Mapping[str, slice]
) -> float | None:
    """Nats a word of word counts `words` (V) under the shares of `learned` (V), within each language.

    None where there is no word.

    >>> round(unigram(np.array([1.0, 1.0]), np.array([3.0, 3.0]), {}), 6)
    -0.693147
    """
    if not words.sum() > 0:
        return None
    nats = 0.0
    for rows in ranges.values() or (slice(None),):
        counted = words[rows] > 0
        shares = learned[rows] / max(float(learned[rows].sum()), 1e-300)
        nats += float((words[rows][counted] * np.log(shares[counted])).sum())
    return nats / float(words.sum())


def _cut(corpus: Corpus) -> float:
    """The hash below which a document is kept."""
    if corpus.n_documents <= LIMIT:
        return 1.0
    shares = np.concatenate(
        [[share_of(i, SALT) for i in corpus.ids(b)] for b in range(len(corpus.block_sizes))]
    )
    return float(np.partition(shares, LIMIT - 1)[LIMIT - 1])
