"""Chooses the vocabulary of a stored corpus on Spark: only words that are kept reach the driver."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Vocabulary, VocabularyRule
from stickbreaker.corpus.arrow_arrays import strings_in
from stickbreaker.corpus.counting import WordCounts
from stickbreaker.corpus.hashing import hashed_rows
from stickbreaker.corpus.store import StoredFile, StoreSource
from stickbreaker.corpus.vocabulary import LONGEST_WORD
from stickbreaker.engines.spark.session import in_one_line
from stickbreaker.spark.partition_tasks import Batches, mapped, numbered, numbers_in

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COUNTS = "word string, documents long, tokens double"
_COUNTS = pa.schema([("word", pa.string()), ("documents", pa.int64()), ("tokens", pa.float64())])

Keep = Callable[[list[str]], NDArray[np.bool_]]


@dataclass(frozen=True)
class Written:
    """A stored corpus whose documents are written, but not yet its vocabulary; can be sent to executors."""

    directory: Path
    kind: str
    files: tuple[StoredFile, ...]

    def source(self, *files: StoredFile) -> StoreSource:
        """A source of the blocks in the given files, or in all files if none are given."""
        return StoreSource(self.directory, self.kind, files or self.files)

    @property
    def n_documents(self) -> int:
        return sum(sum(file.blocks) for file in self.files)


def choose(
    session: "SparkSession", written: Written, rule: VocabularyRule, analysis: Analysis | None
) -> Vocabulary:
    """The vocabulary that a rule chooses from the documents' words, counted on executors.

    analysis: decides which words are eligible (None: all but too long ones). Raises UserError if no word is
    left.
    """
    found = count_words_of_files(session, written)
    eligible: Keep = _all if analysis is None else analysis.eligible
    with in_one_line():
        chosen = _chosen(found, rule, eligible, written.n_documents)
        if rule.hashed and len(chosen):
            chosen = _hashing(found, chosen, eligible, written.n_documents)
    if not chosen.tokens.any():
        remedy = "give words spelled as the analysis spells them"
        raise UserError("the vocabulary is empty: none of the given words occurs", remedy=remedy)
    return chosen


def count_words_of_files(session: "SparkSession", written: Written) -> "DataFrame":
    """A Spark table with one row per word of a store: the word, its number of documents, and of tokens."""
    from pyspark.sql import functions as F

    def count(batches: Batches) -> Batches:
        for number in numbers_in(batches):
            counts, source = WordCounts(), written.source(written.files[number])
            for block in range(len(source.sizes)):
                counts.add(source.entries(block))
            columns = list(counts.rows), counts.documents, counts.tokens
            yield pa.RecordBatch.from_arrays(
                [pa.array(column, field.type) for column, field in zip(columns, _COUNTS, strict=True)],
                schema=_COUNTS,
            )

    parts = mapped(numbered(session, len(written.files)), count, COUNTS)
    sums = [F.sum(name).alias(name) for name in ("documents", "tokens")]
    return parts.groupBy("word").agg(*sums)


def _all(words: list[str]) -> NDArray[np.bool_]:
    """Whether each word may be in a vocabulary, for documents given as tokens: all but too long words may."""
    return np.array([len(word) <= LONGEST_WORD for word in words], np.bool_)


def _frequent_words(found: "DataFrame", keep: Keep) -> "DataFrame":
    """The rows of a table of words for which `keep` (given the words) is True, tested on executors."""

    def sift(batches: Batches) -> Batches:
        for batch in batches:
            yield batch.filter(pa.array(keep(strings_in(batch.column(0))), pa.bool_()))

    return mapped(found, sift, COUNTS)


def _chosen(found: "DataFrame", rule: VocabularyRule, eligible: Keep, n_documents: int) -> Vocabulary:
    from pyspark.sql import functions as F

    if rule.words is not None:
        wanted = frozenset(rule.words)
        given = _frequent_words(found, lambda words: np.array([word in wanted for word in words], np.bool_))
        return _collected(given).select(rule.words)
    able = _frequent_words(found, eligible)
    total: Any = found.agg(F.sum("tokens")).first()
    length = float(total[0] or 0.0) / max(n_documents, 1)
    kept = able.where(F.col("documents").between(*rule.bounds(n_documents, length)))
    if (
        rule.size is not None
    ):  # ties by spelling: Spark compares UTF-8 bytes, Python code points, with the same result
        kept = kept.orderBy(F.desc("tokens"), "word").limit(rule.size)
    counts = _collected(kept)
    plain = replace(rule, hashed=False)
    if not len(counts):  # the rule reports why, and from how many words
        n_words = found.count()
        counts = Vocabulary(("",) * n_words, np.zeros(n_words, np.int64), np.zeros(n_words))
        return plain.choose(counts, np.arange(len(counts)) < able.count(), n_documents, length)
    return plain.choose(counts, np.ones(len(counts), np.bool_), n_documents, length)


def _collected(frame: "DataFrame") -> Vocabulary:
    """Fetch a table of words and their counts from Spark as a Vocabulary."""
    table: Any = frame.toArrow()
    words, documents, tokens = (table.column(name).to_pylist() for name in _COUNTS.names)
    return Vocabulary(tuple(words), np.array(documents, np.int64), np.array(tokens, np.float64))


def _hashing(found: "DataFrame", chosen: Vocabulary, eligible: Keep, n_documents: int) -> Vocabulary:
    """`Vocabulary.hashing` on Spark: words not chosen share the rows of chosen ones, by their hash.

    Returns `chosen` with the counts of its rows raised by those of these words. Only sums by row reach the
    driver.
    """
    n_rows, listed = len(chosen), frozenset(chosen.words)

    def rows(batches: Batches) -> Batches:
        for batch in batches:
            yield batch.set_column(0, "row", pa.array(hashed_rows(strings_in(batch.column(0)), n_rows)))

    others = _frequent_words(
        found, lambda words: eligible(words) & np.array([word not in listed for word in words], np.bool_)
    )
    sums: Any = mapped(others, rows, "row int, documents long, tokens double").groupBy("row").sum()
    table = sums.toArrow()
    at = np.array(table.column("row").to_pylist(), np.int64)
    documents, tokens = chosen.documents.copy(), chosen.tokens.copy()
    documents[at] += np.array(table.column("sum(documents)").to_pylist(), np.int64)
    tokens[at] += np.array(table.column("sum(tokens)").to_pylist(), np.float64)
    return replace(chosen, documents=np.minimum(documents, n_documents), tokens=tokens, hashed=True)
