"""Topic shares from executors are those of `transform` here, to the last bit."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stickbreaker import LDA, Corpus, UserError
from stickbreaker.estimators import model_files
from stickbreaker.spark import transform_corpus, transform_frame
from stickbreaker.spark.scoring import Placed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TRAINING = ["river bank boat", "money bank loan", "boat river water", "loan money interest"] * 6
NEW = ["the river and a boat", "", "money money loan zebra", "zebra", "Bank, interest; LOAN"] * 7


@pytest.fixture(scope="module")
def lda() -> LDA:
    """A small model. Tests must not change it."""
    return LDA(3, random_state=1, max_iter=20, n_jobs=1).fit(TRAINING)


@pytest.fixture(scope="module")
def saved(lda: LDA, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same model in a directory."""
    path = tmp_path_factory.mktemp("scoring") / "model"
    lda.save(path)
    return path


def test_texts(spark: "SparkSession", lda: LDA, saved: Path) -> None:
    table = pa.table({"text": NEW, "year": list(range(len(NEW)))})
    scored = transform_frame(saved, spark.createDataFrame(table).repartitionByRange(3, "year"))
    assert scored.schema.simpleString() == "struct<text:string,year:bigint,topics:array<double>>"
    rows = sorted(scored.collect(), key=lambda row: row["year"])
    assert [row["text"] for row in rows] == NEW
    assert np.array_equal(np.array([row["topics"] for row in rows]), lda.transform(NEW))


def test_token_lists_and_a_model_in_memory(spark: "SparkSession", lda: LDA) -> None:
    tokens = [text.lower().split() for text in NEW]
    frame = spark.createDataFrame(pa.table({"words": tokens})).coalesce(1)
    scored = transform_frame(lda, frame, "words", "shares").select("shares").collect()
    assert np.array_equal(np.array([row[0] for row in scored]), lda.transform(tokens))


def test_no_rows(spark: "SparkSession", saved: Path) -> None:
    assert transform_frame(saved, spark.createDataFrame([], "text string")).collect() == []


def test_wrong_columns_are_told_at_once(spark: "SparkSession", saved: Path, tmp_path: Path) -> None:
    frame = spark.createDataFrame(pa.table({"text": ["a"], "topics": [1]}))
    with pytest.raises(UserError, match=r"the table: no column 'body' \(columns: text, topics\); "):
        transform_frame(saved, frame, "body")
    with pytest.raises(UserError, match="the table: there is a column 'topics'; "):
        transform_frame(saved, frame)
    with pytest.raises(UserError, match=r"none: no model; "):
        transform_frame(tmp_path / "none", frame, output="shares")


def test_a_null_is_an_error_of_the_job(spark: "SparkSession", saved: Path) -> None:
    frame = transform_frame(saved, spark.createDataFrame(pa.table({"text": ["a", None]})))
    with pytest.raises(Exception, match="UserError: the table: a document is null; leave such rows out"):
        frame.collect()


def test_a_model_that_is_replaced_is_not_taken_for_the_old_one(lda: LDA, tmp_path: Path) -> None:
    lda.save(tmp_path / "model")
    placed = Placed.at(tmp_path / "model")
    assert placed.is_there
    with placed.read() as model:
        assert np.array_equal(model.components, lda.components_)
    LDA(2, random_state=0, max_iter=2).fit(TRAINING).save(tmp_path / "model", overwrite=True)
    assert not placed.is_there
    with Placed.at(tmp_path / "model").read() as model:
        assert len(model.alpha) == 2
    replaced = "the model was replaced meanwhile; a run that is learning replaces it: copy"
    with pytest.raises(UserError, match=replaced), Placed(tmp_path / "model", "of another").read():
        pass
    with pytest.raises(UserError, match=replaced), placed.read():
        raise UserError("a block of the table is missing", where=tmp_path / "model" / "rows-1" / "0.arrow")
    with pytest.raises(UserError, match="the table: a document is null"), placed.read():
        raise UserError("a document is null", where="the table")
    with (
        pytest.raises(UserError, match="an executor cannot see the model; give a path that"),
        Placed(tmp_path / "nowhere", "of another").read(),
    ):
        pass


@pytest.fixture
def store(tmp_path: Path) -> Corpus:
    """The new texts in a store of one file."""
    return Corpus.from_texts(NEW, ids=[f"n{i}" for i in range(len(NEW))]).write(tmp_path / "store")


def test_a_store(spark: "SparkSession", lda: LDA, saved: Path, tmp_path: Path, store: Corpus) -> None:
    out = transform_corpus(saved, spark, store, tmp_path / "shares")
    assert sorted(path.name for path in out.iterdir()) == ["topics-00000.parquet"]
    table = pq.read_table(out)
    assert table.column("id").to_pylist() == store.ids(0)
    assert np.array_equal(np.array(table.column("topics").to_pylist()), lda.transform(store))
    assert spark.read.parquet(str(out)).schema.simpleString() == "struct<id:string,topics:array<double>>"


def test_a_store_of_several_files(
    spark: "SparkSession", lda: LDA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stickbreaker.corpus.blocks.BLOCK_DOCUMENTS", 4)
    monkeypatch.setattr("stickbreaker.corpus.store.FILE_BLOCKS", 2)
    store = Corpus.from_texts(NEW).write(tmp_path / "store")
    out = transform_corpus(lda, spark, store, tmp_path / "shares")
    parts = [pq.read_table(path) for path in sorted(out.iterdir())]
    assert [part.num_rows for part in parts] == [8, 8, 8, 8, 3]
    whole = pa.concat_tables(parts)
    assert whole.column("id").to_pylist() == [str(i) for i in range(len(NEW))]
    assert np.array_equal(np.array(whole.column("topics").to_pylist()), lda.transform(NEW))


def test_what_is_in_the_way_of_shares(
    spark: "SparkSession", saved: Path, tmp_path: Path, store: Corpus
) -> None:
    out = transform_corpus(saved, spark, store, tmp_path / "shares")
    with pytest.raises(UserError, match="shares: already exists"):
        transform_corpus(saved, spark, store, out)
    transform_corpus(saved, spark, store, out, overwrite=True)
    with pytest.raises(UserError, match="store: exists and does not hold topic shares"):
        transform_corpus(saved, spark, store, tmp_path / "store", overwrite=True)
    with pytest.raises(UserError, match="the corpus is held in memory; save it with"):
        transform_corpus(saved, spark, Corpus.from_texts(NEW), tmp_path / "other")


def test_a_damaged_store_is_one_line_and_leaves_nothing(
    spark: "SparkSession", saved: Path, tmp_path: Path, store: Corpus
) -> None:
    path = tmp_path / "store" / "documents-00000.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:40] + bytes([whole[40] ^ 1]) + whole[41:])
    with pytest.raises(UserError, match=r"documents-00000.parquet: the file is damaged"):
        transform_corpus(saved, spark, store, tmp_path / "shares")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["store"]


def test_a_plain_estimator_may_be_given(spark: "SparkSession", lda: LDA, saved: Path) -> None:
    frame = spark.createDataFrame(pa.table({"text": NEW[:3]})).coalesce(1)
    scored = transform_frame(model_files.load(saved), frame).collect()
    assert np.array_equal(np.array([row["topics"] for row in scored]), lda.transform(NEW[:3]))
