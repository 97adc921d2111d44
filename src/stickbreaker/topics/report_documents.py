"""The documents, and numbers about the whole corpus, that are saved with a topic model for its report."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stickbreaker.core.random_streams import share_of
from stickbreaker.core.topk import descending, first_largest
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.corpus import Bags, Corpus
from stickbreaker.corpus.blocks import Entries
from stickbreaker.corpus.document import Scalar
from stickbreaker.corpus.metadata import metadata_from
from stickbreaker.corpus.shards import tokens_by_document
from stickbreaker.corpus.source import Source
from stickbreaker.corpus.store import REBUILD
from stickbreaker.engines import Engine, LocalEngine
from stickbreaker.pages.text_values import cut_short
from stickbreaker.saved.manifest_fields import DOCUMENTS, METADATA_SUMS
from stickbreaker.saved.parquet_figures import write_with_figures
from stickbreaker.topics.evaluation.coherence import TopWords
from stickbreaker.topics.evaluation.completion import split_halves
from stickbreaker.topics.evaluation.corpus_scores import spelled_tops
from stickbreaker.topics.learned import TopicsLearned
from stickbreaker.topics.metadata_sums import MetadataSums, write_sums
from stickbreaker.topics.model.topic_words import TopicWords
from stickbreaker.topics.model.word_documents import WordDocuments
from stickbreaker.topics.model.word_ranking import DEFAULT, ranking
from stickbreaker.topics.snippets import Excerpts
from stickbreaker.topics.topic_reader import TopicReader

Halves = tuple[WordDocuments, WordDocuments]  # what ranks words, from each half of the documents

LIMIT = 2000  # stored documents
SALT = 1  # so that they are chosen independently of held-out documents
TOPICS = 20  # stored topics per document, the largest
TITLES = ("title", "subject", "headline", "name")  # metadata fields that may name a document
MOST_VALUES = 50  # stored values of a list
LONGEST_VALUE = 200  # stored characters of a metadata value
TOP_WORDS = 10  # top words for a topic's coherence
SMOOTHING = 0.01  # added to a word's count before it predicts held-out documents
HELD_OUT = "held_out"  # name of the figure for the share of the stored documents not learned from
LEARNED, OTHERS, IN_HALVES = 0, 1, 2  # where coherence is counted: see `collect_documents_and_figures`
SMOOTHED = 1  # how it is counted
OF_OTHERS = "documents"  # name of the figure for documents not learned from: their number
COLUMNS = (
    "number",
    "id",
    "title",
    "text",
    "metadata",
    "tokens",
    "topics",
    "shares",
    "starts",
    "lengths",
    "word_topics",
)


def write_documents(
    learned: TopicsLearned,
    source: Source,
    engine: Engine,
    path: Path,
    *,
    learned_from_these: bool = True,
    halves: Halves | None = None,
) -> Mapping[str, object]:
    """Write what a model's report shows of its documents into the model's directory, as two Parquet files.
    Returns the numbers about the whole corpus, by name.

    documents.parquet has at most `LIMIT` documents, a sample by the hashes of their ids. Columns: number, id,
    title, text (its beginning), metadata (JSON), tokens, topics and shares (lists); and for the words of the
    text: starts and lengths in characters, and their most probable topics. In the file's own metadata,
    "stickbreaker" is a JSON object of numbers about the whole corpus, see `collect_documents_and_figures`.
    metadata-sums.parquet has sums over all documents by metadata field; it is not written if there are no
    fields.

    The corpus is read by the run's `engine`. If the model has not learned from these documents
    (`learned_from_these` False), "documents", their number, replaces "unigram". halves: as for that function.
    """
    documents, figures, sums = collect_documents_and_figures(learned, source, engine, halves)
    if not learned_from_these:
        counted: Any = figures.get("coherence_in")
        if counted is not None:
            figures["coherence_in"] = [*counted[:2], OTHERS, *counted[3:]]
        del figures["unigram"]
        figures[OF_OTHERS] = source.n_documents
    types = {"starts": pa.uint16(), "lengths": pa.uint16(), "word_topics": pa.uint16()}
    columns = {
        name: pa.array(documents[name], pa.list_(types[name])) if name in types else pa.array(documents[name])
        for name in COLUMNS
    }
    write_with_figures(path / DOCUMENTS, columns, figures)
    if sums.fields:
        write_sums(sums, path / METADATA_SUMS)
    return figures


def collect_documents_and_figures(
    learned: TopicsLearned, source: Source, engine: Engine, halves: Halves | None = None
) -> tuple[dict[str, list[Any]], dict[str, object], MetadataSums]:
    """Read a corpus once for the report. Returns the documents to store, as columns; numbers about the whole
    corpus, by name; and its sums of topics' tokens by metadata field.

    The numbers are: "coherence", smoothed NPMI of each topic's ten first words in windows of text, if there
    are two words or more (for a polylingual model the mean over its languages). With `halves`, the counts by
    which each half of the documents ranks words, the words are those of one half, counted in the other, and
    the number is the mean of both ways. Without, words of all documents are counted in those held out if
    there are any. "coherence_in": how many windows, whether they are windows (1) or documents whose words
    have no order (0), where: `LEARNED`, `OTHERS` or `IN_HALVES`, and `SMOOTHED`, which those of earlier
    versions lack, whose NPMI is not. "unigram": nats per word of
    the documents learned from, under their own word shares. "unigram_held_out": nats per word of the held-out
    words that a run's score predicts, under the same shares (smoothed); missing if nothing is held out.
    "held_out": the share of these documents that was held out.
    """
    parts = source.parts(longest=source.n_blocks)  # each with counts of all words
    last = 1.0
    if source.first[-1] > LIMIT:
        hashes = np.concatenate(engine.map_items(Lowest(source), parts))
        last = float(np.partition(hashes, LIMIT - 1)[LIMIT - 1])
    assert isinstance(source.corpus, Corpus)
    held_out = any(len(source.held_out_in(block)) for block in range(source.n_blocks))
    look = Look(learned.reader.without_table(), source, last, _counted_words(learned, halves, held_out))
    looks, terms = engine.map_items_with_sums(
        look, parts, partial(both_terms, source.corpus.vocabulary.ranges)
    )
    figures: dict[str, object] = {HELD_OUT: source.held_out}
    sides = [reduce(TopWords.plus, each) for each in zip(*(look.sides for look in looks), strict=True)]
    scores = [side.smoothed_npmi().per_topic for side in sides if side.texts.total]
    if scores:
        figures["coherence"] = np.mean(scores, axis=0).tolist()
        number = max(side.texts.total for side in sides)
        if halves is not None:  # both halves of the language that has most
            totals = np.reshape([side.texts.total for side in sides], (2, -1))
            number = int(totals.sum(axis=0).max())
        where = IN_HALVES if halves is not None else OTHERS if held_out else LEARNED
        figures["coherence_in"] = [number, int(source.corpus.ordered), where, SMOOTHED]
    figures["unigram"] = nats_of([seen for seen, _ in terms])
    predicted = nats_of([predicted for _, predicted in terms])
    if predicted is not None:
        figures["unigram_held_out"] = predicted
    sums = reduce(MetadataSums.plus, [look.sums for look in looks])
    return {name: [value for look in looks for value in look.rows[name]] for name in COLUMNS}, figures, sums


class CountedWords(NamedTuple):
    """Top words of topics, by language, whose company is counted in some documents: in the `half` 0 or 1 of
    those learned from, else in those held out (`held_out`) or in all.
    """

    top: Mapping[str | None, list[list[str]]]
    half: int | None = None
    held_out: bool = False

    def chosen(self, source: Source, block: int) -> NDArray[np.int64] | None:
        """The positions in a block of the documents in which they are counted; None: all."""
        if self.half is None:
            return source.held_out_in(block) if self.held_out else None
        from stickbreaker.topics.runs.word_counting import of_half

        return source.numbers(block)[of_half(source, block, self.half)] - source.first[block]


def _counted_words(learned: TopicsLearned, halves: Halves | None, held_out: bool) -> list[CountedWords]:
    """The words whose company is counted, and where: with `halves` those of each half in the other one."""
    vocabulary = learned.vocabulary
    if halves is None:
        top = spelled_tops(lambda rows: learned.ranked_words(TOP_WORDS, rows).words, vocabulary)
        return [CountedWords(top, held_out=held_out)]

    def words_of(counted: WordDocuments) -> Mapping[str | None, list[list[str]]]:
        evidence = learned.word_evidence._replace(counted=counted)
        return spelled_tops(lambda rows: ranking(DEFAULT)(evidence, TOP_WORDS, rows).words, vocabulary)

    return [CountedWords(words_of(counted), 1 - half) for half, counted in enumerate(halves)]


@dataclass(frozen=True)
class Lowest:
    """A task that an engine runs on some blocks: it returns the `LIMIT` lowest hashes of their document ids
    (0 to 1, unsorted), or all if there are fewer. The lowest of all blocks are the documents to store.
    """

    source: Source

    def __call__(self, engine: LocalEngine, blocks: range) -> NDArray[np.float64]:
        hashes = np.array(
            [share_of(name, SALT) for block in blocks for name in self.source.corpus.ids(block)]
        )
        return hashes if len(hashes) <= LIMIT else np.partition(hashes, LIMIT - 1)[:LIMIT]


class Seen(NamedTuple):
    """What `Look` collected from some blocks of documents.

    rows: the documents to store, as columns of documents.parquet by name; sides: for each of `Look.words` and
    each language, in how many windows of text top words occur together; sums: topics' tokens by metadata
    field.
    """

    rows: dict[str, list[object]]
    sides: list[TopWords]
    sums: MetadataSums


@dataclass
class Look:
    """A task that an engine runs on some blocks: it collects what the report shows of their documents.

    A call returns a `Seen`, and the counts of each word (2 × V) in the documents learned from, and in the
    held-out halves that are predicted. `reader` has no table of counts and reads the engine's; all calls
    must be for the same model. `last`: the highest hash of an id to store; `words`: those whose company is
    counted.
    """

    reader: TopicReader
    source: Source
    last: float  # hash of the last document to store
    words: Sequence[CountedWords]
    whole: TopicReader | None = None  # set by the first part

    def __call__(self, engine: LocalEngine, blocks: range) -> tuple[Seen, NDArray[np.float64]]:
        source, reader = self.source, self.whole or self.reader.over(engine.sharing_view())
        self.whole, corpus = reader, source.corpus
        assert isinstance(corpus, Corpus)
        seen = reader.with_words(corpus)
        learned, predicted = counts = np.zeros((2, source.n_words))
        kept: dict[str, list[object]] = {name: [] for name in COLUMNS}
        sides = [
            [TopWords(words, language) for language, words in counted.top.items()] for counted in self.words
        ]
        sums = MetadataSums(reader.n_topics)
        for block in blocks:
            entries = corpus.source.entries(block)
            self._keep(reader, seen, block, entries, kept, sums)
            _count(source.block(block)[1], learned)
            if source.held_out > 0.0:
                _count(split_halves(source.block(block, held_out=True)[1])[1], predicted)
            for words, own in zip(self.words, sides, strict=True):
                chosen = words.chosen(source, block)
                for side in own:
                    side.add(entries, chosen)
        return Seen(kept, [side for own in sides for side in own], sums), counts

    def _keep(
        self,
        reader: TopicReader,
        corpus: Corpus,
        block: int,
        entries: Entries,
        kept: dict[str, list[object]],
        sums: MetadataSums,
    ) -> None:
        """Add a block's documents to the results, in place: those of the stored sample, with their topics, to
        the columns `kept`; all documents to `sums`, or only their number if none has metadata.
        """
        ids = corpus.ids(block)
        chosen = [i for i, name in enumerate(ids) if share_of(name, SALT) <= self.last]
        excerpts = Excerpts(corpus, block, entries)
        fields = [{f: _short(v) for f, v in excerpts.metadata(i).items()} for i in range(len(ids))]
        inferred = list(range(len(ids))) if any(fields) else chosen
        if not any(fields):
            sums.documents += len(ids)
        if not inferred:
            return
        places = np.array(inferred, np.int64)
        bags, covariates = corpus.bags(block).take(places), reader.covariates(corpus, block)
        theta = reader.shares(bags, None if covariates is None else covariates[places])
        tokens = tokens_by_document(bags.offsets, bags.counts)
        if any(fields):
            sums.add(fields, tokens, theta)
        rows = {i: row for row, i in enumerate(inferred)}
        for i in chosen:
            metadata, row = fields[i], rows[i]
            excerpt, shares = excerpts.excerpt(i), theta[row]
            top = descending(shares, TOPICS)
            values = (
                int(self.source.first[block]) + i,
                ids[i],
                title_in(metadata) or ids[i],
                excerpt.text,
                json.dumps(metadata, ensure_ascii=False),
                float(tokens[row]),
                top.tolist(),
                shares[top].tolist(),
                excerpt.starts,
                excerpt.lengths,
                likeliest_topics(excerpt.words, shares, reader.topic_words),
            )
            for column, value in zip(kept.values(), values, strict=True):
                column.append(value)


def titles_of(corpus: Corpus, block: int) -> list[str]:
    """The title of each document of a block, as `title_in` finds it in the metadata; "" for a document
    without one.
    """
    metadata: list[str | None] = corpus.source.columns(block, ["metadata"]).column("metadata").to_pylist()
    with making_sense_of(corpus.path, REBUILD):
        return [
            title_in({f: _short(v) for f, v in metadata_from(one).items()}) if one else "" for one in metadata
        ]


def title_in(metadata: Mapping[str, object]) -> str:
    """A document's title: the first of the fields "title", "subject", "headline" and "name" that it has; ""
    if it has none.

    >>> title_in({"year": 1990, "subject": "Boats"})
    'Boats'
    """
    given = (metadata.get(name) for name in TITLES)
    return next((str(value) for value in given if value and not isinstance(value, list)), "")


def _short(value: Scalar) -> Scalar:
    """A metadata value as it is stored: texts are cut to 200 characters, lists to 50 items."""
    if isinstance(value, str):
        return cut_short(value, LONGEST_VALUE)
    if isinstance(value, list):
        return [cut_short(item, LONGEST_VALUE) for item in value[:MOST_VALUES]]
    return value


def likeliest_topics(
    words: NDArray[np.int64], theta: NDArray[np.floating], topics: TopicWords
) -> NDArray[np.int64]:
    """The most probable topic of each of a document's words, argmax_k θ_k φ_kw; the first of ties.

    >>> from stickbreaker.topics.model.topic_words import Dense
    >>> topics = Dense(np.array([[0.9, 0.1], [0.2, 0.8]]))
    >>> likeliest_topics(np.array([0, 1]), np.array([0.5, 0.5]), topics).tolist()
    [0, 1]
    """
    distinct, place = np.unique(words, return_inverse=True)
    return first_largest(topics.of(distinct) * theta[:, None])[place]


def _count(bags: Bags, into: NDArray[np.float64]) -> None:
    into += np.bincount(bags.words, weights=bags.counts, minlength=len(into))


def nats_by_word_shares(
    words: NDArray[np.floating], learned: NDArray[np.floating], ranges: Mapping[str, slice]
) -> float | None:
    """Mean log probability (nats per word) of words under a unigram model, one model per language; None if
    there are no words to score.

    words (V): the counts to score; learned (V): the counts whose shares are the model; ranges: each
    language's rows (empty: one language).

    >>> round(nats_by_word_shares(np.array([1.0, 1.0]), np.array([3.0, 3.0]), {}), 6)
    -0.693147
    """
    return nats_of([unigram_terms(words, learned, ranges)])


def both_terms(
    ranges: Mapping[str, slice], first: int, counts: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """`unigram_terms` of a range of words, for two sets of documents: those learned from, and the held-out
    words to predict. The unigram model is that of the documents learned from, smoothed for held-out words.

    first: the number of the range's first word; counts (2 × words): in the two sets of documents.
    """
    learned, predicted = counts
    return (
        unigram_terms(learned, learned, ranges, first),
        unigram_terms(predicted, learned + SMOOTHING, ranges, first),
    )


def unigram_terms(
    words: NDArray[np.floating], learned: NDArray[np.floating], ranges: Mapping[str, slice], first: int = 0
) -> NDArray[np.float64]:
    """Sums over a range of consecutive words (languages × 3), from which `nats_of` computes the log
    probability of documents under a unigram model.

    words: counts of these words in the documents; learned: their counts that define the unigram model; first:
    the number of the first of them; ranges: each language's rows of the whole vocabulary (empty: one
    language). The three sums for each language, over these words only: words_w · log(learned_w / sum of
    learned), words, and learned.
    """
    terms: list[list[float]] = []
    for rows in ranges.values() or (slice(first, first + len(words)),):
        own = slice(max(rows.start - first, 0), max(rows.stop - first, 0))
        counted, total = words[own] > 0, float(learned[own].sum())
        shares = learned[own] / max(total, 1e-300)
        nats = float((words[own][counted] * np.log(shares[counted])).sum())
        terms.append([nats, float(words[own].sum()), total])
    return np.array(terms)


def nats_of(pieces: Sequence[NDArray[np.float64]]) -> float | None:
    """Mean log probability (nats per word) of documents under a unigram model, from the terms of parts of the
    vocabulary; None if the documents have no words.

    pieces: the `unigram_terms` of ranges of words that together are the whole vocabulary.

    A word's probability is its share of its range × the range's share of all. With l the sum of `learned`
    over a range, and L over all: the sum over the range of w · log(l_w / L) is the sum of w · log(l_w / l) +
    (sum of w) · log(l / L).
    """
    terms = np.array(pieces)
    learned = np.maximum(terms[:, :, 2], 1e-300)
    nats = terms[:, :, 0] + terms[:, :, 1] * np.log(learned / np.maximum(terms[:, :, 2].sum(axis=0), 1e-300))
    words = float(terms[:, :, 1].sum())
    return float(nats.sum()) / words if words > 0 else None
