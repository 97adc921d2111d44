"""A corpus that executors write is the one that `Corpus.from_frame` makes of the same rows."""

import datetime
import json
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus, Vocabulary, VocabularyRule
from stickbreaker.corpus.store import StoredFile
from stickbreaker.corpus.text.polylingual import PolylingualAnalysis
from stickbreaker.spark import corpus_from_frame
from stickbreaker.spark import vocabulary_counts as counting
from stickbreaker.spark.partition_tasks import PARTS, attempt_folder
from stickbreaker.spark.store_files import write_parts
from stickbreaker.spark.vectors import corpus_from_vectors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

WORDS = ("river", "bank", "money", "boat", "The", "of", "Ärger", "水", "loans", "q", "naïve", "houses")


def texts(n: int, seed: int = 0) -> list[str]:
    """Texts of a few words, Zipf-like; some are empty."""
    rng = np.random.default_rng(seed)
    shares = 1.0 / np.arange(1, len(WORDS) + 1)
    drawn = rng.choice(len(WORDS), size=(n, 12), p=shares / shares.sum())
    return [" ".join(WORDS[w] for w in row[: i % 13]) + "." * (i % 2) for i, row in enumerate(drawn)]


def table_of(n: int = 60) -> pa.Table:
    return pa.table(
        {"text": texts(n), "year": [1900 + i for i in range(n)], "id": [f"d{i}" for i in range(n)]}
    )


def parted(spark: "SparkSession", table: pa.Table, n: int = 3) -> "DataFrame":
    """A table in `n` partitions, its rows in order."""
    rows = spark.sparkContext.parallelize(list(map(tuple, map(dict.values, table.to_pylist()))), n)
    return spark.createDataFrame(rows, spark.createDataFrame(table).schema)


def assert_same(ours: Corpus, theirs: Corpus) -> None:
    assert ours.fingerprint == theirs.fingerprint
    assert ours.vocabulary.words == theirs.vocabulary.words
    assert ours.vocabulary.hashed == theirs.vocabulary.hashed
    assert ours.vocabulary.documents.tolist() == theirs.vocabulary.documents.tolist()
    assert ours.vocabulary.tokens.tolist() == theirs.vocabulary.tokens.tolist()
    assert (ours.n_tokens, ours.n_empty) == (theirs.n_tokens, theirs.n_empty)
    assert ours.about.content == theirs.about.content
    assert ours.languages == theirs.languages
    assert ours.metadata_fields == theirs.metadata_fields
    assert ours.about.rule == theirs.about.rule
    assert (ours.analysis is None) == (theirs.analysis is None)
    mine = [d for block in range(len(ours.block_sizes)) for d in ours.documents(block)]
    others = [d for block in range(len(theirs.block_sizes)) for d in theirs.documents(block)]
    assert mine == others


OPTIONS: dict[str, dict[str, Any]] = {
    "by default": {},
    "stems, the most frequent": {
        "analysis": Analysis(stemming=True, stop_words="none"),
        "rule": VocabularyRule(size=3),
    },
    "no language, bounds": {"analysis": Analysis(None), "rule": VocabularyRule(12, 0.7)},
    "stop words, hashed": {
        "analysis": Analysis(extra_stop_words=("river",), min_length=1),
        "rule": VocabularyRule(size=4, hashed=True),
    },
    "given, hashed": {"rule": VocabularyRule(words=("boat", "absent"), hashed=True)},
    "fixed": {"vocabulary": Vocabulary.of(["absent", "bank", "river"])},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_the_same_as_from_frame(spark: "SparkSession", out: Path, options: dict[str, Any]) -> None:
    table = table_of()
    ours = corpus_from_frame(parted(spark, table), out, **options)
    assert_same(ours, Corpus.from_frame(table, out=out.with_name("theirs"), **options))
    assert len(ours.about.path and list(ours.about.path.glob("documents-*"))) == 3


def test_token_lists_are_taken_as_they_are(spark: "SparkSession", out: Path) -> None:
    table = pa.table({"words": [text.split() for text in texts(30)]})
    ours = corpus_from_frame(parted(spark, table), out, "words")
    assert_same(ours, Corpus.from_frame(table, "words"))
    assert ours.analysis is None
    analysed = corpus_from_frame(parted(spark, table), out, "words", analysis=Analysis(), overwrite=True)
    theirs = Corpus.from_frame(table, "words", analysis=Analysis())
    assert analysed.fingerprint == theirs.fingerprint
    assert analysed.vocabulary.words == theirs.vocabulary.words != ours.vocabulary.words


@pytest.mark.parametrize("ids", [None, ["x", None, "", "y"], [30, None, 11, None]])
def test_ids_and_their_gaps(spark: "SparkSession", out: Path, ids: list[Any] | None) -> None:
    columns: dict[str, Any] = {"text": ["a cat", "", "the dog", "cat and dog"]}
    table = pa.table(columns | ({} if ids is None else {"id": ids}))
    ours = corpus_from_frame(parted(spark, table, 3), out)
    theirs = Corpus.from_frame(table)
    blocks = range(len(ours.block_sizes))
    assert [name for block in blocks for name in ours.ids(block)] == theirs.ids(0)
    assert ours.fingerprint == theirs.fingerprint


def test_other_columns_become_metadata(spark: "SparkSession", out: Path) -> None:
    day = datetime.date(2020, 2, 29)
    table = pa.table(
        {
            "key": ["one", "two"],
            "body": ["a cat", "a dog"],
            "day": [day, None],
            "at": [datetime.datetime(2020, 2, 29, 12, 30), None],
            "price": [Decimal("1.50"), None],
            "rating": pa.array([1.5, float("nan")], pa.float32()),
            "good": [True, None],
            "tags": [["x"], []],
        }
    )
    ours = corpus_from_frame(parted(spark, table, 2), out, "body", "key")
    first, second = (ours.documents(block)[0] for block in (0, 1))
    assert (first.id, second.id) == ("one", "two")
    at = first.metadata["at"]
    assert isinstance(at, str)
    assert at.startswith("2020-02-29T12:30:00")
    assert {**first.metadata, "at": None} == {
        "day": "2020-02-29", "at": None, "price": 1.5, "rating": 1.5, "good": True, "tags": ["x"]
    }  # fmt: skip
    assert second.metadata == {
        "day": None,
        "at": None,
        "price": None,
        "rating": None,
        "good": None,
        "tags": [],
    }


def test_empty_partitions_and_long_ones(spark: "SparkSession", out: Path) -> None:
    table = pa.table({"text": texts(2500)})
    frame = parted(spark, table, 1).union(parted(spark, table.slice(0, 3), 5))
    ours = corpus_from_frame(frame, out)
    assert ours.block_sizes == (1024, 1024, 452, 1, 1, 1)
    assert ours.fingerprint == Corpus.from_texts(texts(2500) + texts(2500)[:3]).fingerprint


MISTAKES: dict[str, tuple[dict[str, list[Any]], dict[str, Any], str]] = {
    "null": ({"text": ["a", "b", "c d", None]}, {}, "row 3: the field 'text' is null; "),
    "numbers": ({"text": [1, 2]}, {}, "row 0: the field 'text' is not a string; "),
    "null token": ({"text": [["a"], ["b", None]]}, {}, "row 1: the field 'text' is not a string; "),
    "no column": ({"body": ["a cat"]}, {}, "the table: no column 'text' \\(columns: body\\); "),
    "no id column": ({"text": ["a cat"]}, {"id_field": "key"}, "the table: no column 'key'"),
    "no id": (
        {"text": ["a", "b"], "key": ["x", None]},
        {"id_field": "key"},
        "row 1: no id in the field 'key'; ",
    ),
    "no kind of id": ({"text": ["cat"], "id": [True]}, {}, "row 0: the id in the field 'id' is not a string"),
    "twice": ({"text": list("abcd"), "id": list("xyzx")}, {}, "row 3: the id 'x' was used before; ids must"),
    "twice in one": (
        {"text": list("abcd"), "id": list("xyzz")},
        {},
        "row 3: the id 'z' was used before; ids",
    ),
    "nothing left": (
        {"text": ["the of"]},
        {},
        "the vocabulary is empty: all 2 distinct words are stop words",
    ),
    "never often": (
        {"text": ["cat dog", "bird"]},
        {"rule": VocabularyRule(min_documents=2)},
        "the vocabulary is empty: of 3 distinct words none occurs in 2 to 10 documents",
    ),
    "no words": ({"text": ["", "…"]}, {}, "the vocabulary is empty: no document contains a word"),
    "unknown words": (
        {"text": ["cat dog"]},
        {"rule": VocabularyRule(words=("Cat",))},
        "the vocabulary is empty: none of the given words occurs",
    ),
    "languages": (
        {"text": ["cat"]},
        {"analysis": PolylingualAnalysis.of(Analysis(), ["en", "de"])},
        "the table: a Spark table is read in one language; ",
    ),
}


@pytest.mark.parametrize(("columns", "options", "told"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_one_line_and_leave_nothing(
    spark: "SparkSession", out: Path, columns: dict[str, list[Any]], options: dict[str, Any], told: str
) -> None:
    frame = parted(spark, pa.table(columns), 2)
    with pytest.raises(UserError, match="^" + told):
        corpus_from_frame(frame, out, **options)
    assert list(out.parent.iterdir()) == []


def test_no_rows(spark: "SparkSession", out: Path) -> None:
    with pytest.raises(UserError, match="the table: no document found: the corpus would be empty"):
        corpus_from_frame(spark.createDataFrame([], "text string"), out)


def test_what_is_in_the_way(spark: "SparkSession", out: Path) -> None:
    frame = parted(spark, table_of(6), 2)
    first = corpus_from_frame(frame, out)
    with pytest.raises(UserError, match="already exists"):
        corpus_from_frame(frame, out)
    assert corpus_from_frame(frame, out, overwrite=True).fingerprint == first.fingerprint
    assert list(out.parent.iterdir()) == [out]


def test_a_table_that_changes_is_refused(spark: "SparkSession", out: Path, tmp_path: Path) -> None:
    lines = tmp_path / "lines"
    lines.mkdir()

    def grow(batches: Any) -> Any:
        """One row more with each look."""
        (lines / str(len(list(lines.iterdir())))).touch()
        yield from batches
        yield pa.RecordBatch.from_pydict({"text": ["more"] * len(list(lines.iterdir()))})

    frame = parted(spark, pa.table({"text": ["a cat"]}), 1).mapInArrow(grow, "text string")
    with pytest.raises(UserError, match="the table: its rows differ from one reading to the next; write it"):
        corpus_from_frame(frame, out)


def test_attempts_that_spark_did_not_take_leave_nothing(spark: "SparkSession", tmp_path: Path) -> None:
    """A task that is run twice, as speculation does, and one that is killed after it wrote."""
    frame = parted(spark, pa.table({"text": ["a", "b", "c"]}), 3)

    def write(batches: Any, start: int, folder: Path) -> Any:
        rows = sum(batch.num_rows for batch in batches)
        other = attempt_folder(folder.parent.parent, start)  # the attempt whose result does not count
        (other / "documents-00000.parquet").write_text(f"lost {start}")
        (folder / "documents-00000.parquet").write_text(f"taken {start}")
        file = StoredFile("documents-00000.parquet", 7, "digest", (rows,))
        return (file,), {"en": rows}, (f"field{start % 2}",)

    written, about = write_parts(frame, write, tmp_path, "text")
    assert [(tmp_path / file.name).read_text() for file in written.files] == ["taken 0", "taken 1", "taken 2"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [file.name for file in written.files]
    assert not (tmp_path / PARTS).exists()
    assert (about.languages, about.metadata_fields) == ({"en": 3}, ("field0", "field1"))


def test_a_directory_that_executors_cannot_see(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"an executor cannot see the directory; give a path that the driver"):
        attempt_folder(tmp_path / "gone", 0)


def test_the_driver_gets_only_the_words_kept(
    spark: "SparkSession", out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[int] = []
    collected = counting._collected
    monkeypatch.setattr(counting, "_collected", lambda f: fetched.append(len(v := collected(f))) or v)
    table = pa.table({"text": [f"often word{i} rare{i % 7}" for i in range(40)]})
    corpus_from_frame(parted(spark, table), out, rule=VocabularyRule(min_documents=2, max_share=1.0, size=5))
    assert fetched == [5]


# Vectors


def vector_rows(n: int = 40) -> csr_array:
    rng = np.random.default_rng(3)
    return csr_array(rng.poisson(0.3, size=(n, 9)).astype(np.float64))


def vector_frame(spark: "SparkSession", matrix: csr_array, n: int = 3) -> "DataFrame":
    """Sparse and dense vectors, and a zero that is written out."""
    from pyspark.ml.linalg import Vectors

    rows = []
    for i, row in enumerate(np.asarray(matrix.todense())):
        places = np.flatnonzero(row) if i % 4 else np.arange(len(row))
        sparse = Vectors.sparse(len(row), places.tolist(), row[places].tolist())
        rows.append((Vectors.dense(row.tolist()) if i % 3 == 1 else sparse,))
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, n), ["features"])


def test_vectors_are_bags(spark: "SparkSession", out: Path) -> None:
    matrix = vector_rows()
    ours = corpus_from_vectors(vector_frame(spark, matrix), out, "features")
    theirs = Corpus.from_matrix(matrix)
    assert ours.kind == "bag"
    assert ours.vocabulary.words == theirs.vocabulary.words
    assert ours.vocabulary.tokens.tolist() == theirs.vocabulary.tokens.tolist()
    assert ours.vocabulary.documents.tolist() == theirs.vocabulary.documents.tolist()
    assert (ours.n_tokens, ours.n_empty) == (theirs.n_tokens, theirs.n_empty)
    assert ours.fingerprint == theirs.fingerprint
    assert json.loads((out / "corpus.json").read_text())["kind"] == "bag"


def test_vectors_with_words(spark: "SparkSession", out: Path) -> None:
    words = Vocabulary.of(list("ihgfedcba"))
    ours = corpus_from_vectors(vector_frame(spark, vector_rows()), out, "features", words)
    assert ours.fingerprint == Corpus.from_matrix(vector_rows(), words.words).fingerprint


def test_wrong_vectors_are_one_line(spark: "SparkSession", out: Path) -> None:
    from pyspark.ml.linalg import Vectors, VectorUDT
    from pyspark.sql.types import StructField, StructType

    good = Vectors.dense([1.0, 2.0])
    schema = StructType([StructField("f", VectorUDT())])
    for wrong, told in (
        (None, "row 2: the vector is null; "),
        (Vectors.sparse(3, [0], [1.0]), "row 2: the vector has 3 entries, the model 2 words; "),
        (Vectors.dense([1.0, -2.0]), "rows 0 to 2: the weight -2.0 cannot be used; "),
    ):
        frame = spark.createDataFrame([(good,), (good,), (wrong,)], schema).coalesce(1)
        with pytest.raises(UserError, match="^" + told):
            corpus_from_vectors(frame, out, "f")
        assert not out.exists()
