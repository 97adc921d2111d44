"""Topic shares and scores of documents, inferred by executors: for rows of a table, or a stored corpus."""

import functools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import atomic_directory, digest_of
from stickbreaker.core.records import Array
from stickbreaker.corpus import Bags, Corpus
from stickbreaker.corpus.store import StoreSource
from stickbreaker.engines.spark.failures import SHARED, refuse_unseen_folder
from stickbreaker.engines.spark.session import local_path, scratch
from stickbreaker.estimators import model_files
from stickbreaker.spark.partition_tasks import (
    Batches,
    attempt_folder,
    discard_attempts,
    mapped,
    run_tasks,
    take,
)
from stickbreaker.spark.vectors import bags_of_vectors
from stickbreaker.topics.evaluation.corpus_scores import (
    HeldOutScore,
    completion_of_blocks,
    unigram_probabilities,
)
from stickbreaker.topics.evaluation.open_vocabulary import StringScore, completion_of_string_blocks
from stickbreaker.topics.learned import TopicsLearned, load_topics, topics_in
from stickbreaker.topics.open_topics import open_topics_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MANIFEST = "model.json"
SHARES = pa.schema([("id", pa.string()), ("topics", pa.list_(pa.float64()))])

AnyModel = Any  # a fitted estimator, what it has learned, or the path of a saved model


@dataclass(frozen=True)
class Placed:
    """A saved model where executors can find it; each process loads it when it needs it.

    digest: of its manifest, by which a replaced model is noticed.
    """

    path: Path
    digest: str

    @classmethod
    def at(cls, path: Path) -> "Placed":
        """The model saved at a path. Raises UserError if there is none."""
        path = path.resolve()
        if not (path / MANIFEST).is_file():
            raise UserError("no model", where=path, remedy="save one there")
        return cls(path, digest_of(path / MANIFEST))

    @classmethod
    def of(cls, model: "AnyModel | Placed", session: "SparkSession") -> "Placed":
        """A model where executors can find it: its directory, or a temporary one in which it is saved."""
        if isinstance(model, Placed):
            return model
        if isinstance(model, str | Path):
            return cls.at(local_path(model))
        learned = topics_in(model, "transform")
        path = scratch(session) / "model"
        model_files.save(learned, path, overwrite=False)
        return cls.at(path)

    @property
    def is_there(self) -> bool:
        """Whether the directory still has this model, not another one."""
        manifest = self.path / MANIFEST
        return manifest.is_file() and digest_of(manifest) == self.digest

    @contextmanager
    def read(self) -> Iterator[TopicsLearned]:
        """A context with the model loaded to use one thread, for a task on an executor.

        Its table stays in files. Raises UserError if another model was written in its place meanwhile.
        """
        try:
            yield _loaded(self)
        except UserError as error:
            of_model = Path(str(error.where)).is_relative_to(self.path)
            if not of_model or not (self.path / MANIFEST).is_file() or self.is_there:
                raise
            remedy = "a run that is learning replaces it: copy its directory, and score with the copy"
            raise UserError("the model was replaced meanwhile", where=self.path, remedy=remedy) from None


@functools.lru_cache(maxsize=2)
def _loaded(placed: Placed) -> TopicsLearned:
    if not (placed.path / MANIFEST).is_file():
        raise UserError("an executor cannot see the model", where=placed.path, remedy=SHARED)
    if placed.is_there:
        learned = load_topics(placed.path, "transform", threads=1, in_place=True)
        if placed.is_there:
            return learned
    raise UserError("is another model", where=placed.path)


# A table's rows


def transform_frame(
    model: "AnyModel | Placed", frame: "DataFrame", text_field: str = "text", output: str = "topics"
) -> "DataFrame":
    """The table with an added column `output` of topic shares E[theta] (array<double>, one share per topic).

    `model` is a fitted estimator, or the directory of one, which executors must see. The text column holds
    strings, lists of tokens, or pyspark.ml's vectors of counts; a null in it is an error of the job. Spark
    computes the result whenever it is used. Raises UserError if the text column is missing, or if the table
    already has a column `output`.
    """
    from pyspark.sql.types import ArrayType, DoubleType, StructField, StructType

    refuse_columns(frame, text_field, output)
    placed, place = Placed.of(model, frame.sparkSession), frame.columns.index(text_field)

    def score(batches: Batches) -> Batches:
        for batch in batches:
            with placed.read() as learned:
                theta = [learned.shares_of_bags(bags) for bags in bags_in(learned, batch.column(place))]
            shares = pa.array(list(np.concatenate(theta)) if theta else [], pa.list_(pa.float64()))
            yield pa.RecordBatch.from_arrays([*batch.columns, shares], [*batch.schema.names, output])

    fields = [*frame.schema.fields, StructField(output, ArrayType(DoubleType()))]
    return mapped(frame, score, StructType(fields))


def refuse_columns(frame: "DataFrame", wanted: str, output: str) -> None:
    """Raise UserError if a table lacks the column `wanted`, or has a column `output` already."""
    if wanted not in frame.columns:
        known = ", ".join(frame.columns[:8])
        raise UserError(f"no column {wanted!r} (columns: {known})", where="the table", remedy="name another")
    if output in frame.columns:
        raise UserError(f"there is a column {output!r}", where="the table", remedy="name another for topics")


def bags_in(learned: TopicsLearned, column: Any) -> Iterator[Bags]:
    """The documents of an Arrow column as bags of words with the model's vocabulary, block by block.

    column: texts, token lists or vectors. Raises UserError if a document is null.
    """
    if column.null_count:
        raise UserError("a document is null", where="the table", remedy="leave such rows out")
    if not len(column):
        return
    if pa.types.is_struct(column.type):
        yield bags_of_vectors(column, len(learned.vocabulary))
        return
    documents = column.to_pylist()
    if pa.types.is_list(column.type):
        joins = learned.facts.analysis if learned.facts.analysis.phrases else None
        corpus = Corpus.from_tokens(documents, analysis=joins, vocabulary=learned.vocabulary)
    else:
        corpus = Corpus.from_texts(documents, analysis=learned.facts.analysis, vocabulary=learned.vocabulary)
    for block in range(len(corpus.block_sizes)):
        yield corpus.bags(block)


# A store's documents


def transform_corpus(
    model: AnyModel, session: "SparkSession", corpus: Corpus, out: str | Path, *, overwrite: bool = False
) -> Path:
    """Write the topic shares of a stored corpus's documents as Parquet files in the directory `out`.

    Columns: id, and topics (a list, one share per topic); one file for each of the store's, in its order. The
    store and `out` must be seen by all executors. Raises UserError for a corpus held in memory, and if
    `out` exists and may not be overwritten.
    """
    if corpus.path is None:
        raise UserError(
            "the corpus is held in memory", remedy="save it with corpus.write(path), and open that"
        )
    placed, store, fingerprint = Placed.of(model, session), corpus.path.resolve(), corpus.fingerprint
    firsts = _first_blocks(corpus)
    check = functools.partial(_refuse_others, Path(out), overwrite)
    with atomic_directory(Path(out), overwrite=overwrite, check=check) as new:
        directory = new.resolve()  # on executors, a relative path may mean another

        def work(number: int) -> Mapping[str, object]:
            folder, file = attempt_folder(directory, number), "topics"
            with placed.read() as by, pq.ParquetWriter(folder / file, SHARES, compression="zstd") as writer:
                known = _opened(store, fingerprint).with_vocabulary(by.vocabulary)
                for block in range(firsts[number], firsts[number + 1]):
                    theta: Array = by.shares_of_bags(known.bags(block))
                    columns = dict(zip(SHARES.names, (known.ids(block), list(theta)), strict=True))
                    writer.write_table(pa.table(columns, schema=SHARES))
            return {"attempt": folder.name}

        for number, result in enumerate(run_tasks(session, len(firsts) - 1, work)):
            take(directory, result["attempt"], "topics", f"topics-{number:05d}.parquet")
        discard_attempts(directory)
    return Path(out)


class Completed(NamedTuple):
    """The scores of a stored corpus by document completion: part of each document predicts the rest.

    scored: over known words; spelled: over all strings, for an open vocabulary; documents, empty: how many
    there are, and how many have no known word; unseen_share: the share of tokens whose word is not known.
    """

    scored: HeldOutScore
    spelled: StringScore | None
    documents: int
    empty: int
    unseen_share: float


def completion_on(model: AnyModel, session: "SparkSession", corpus: Corpus, share: float = 0.5) -> Completed:
    """Score a stored corpus by document completion, on executors.

    share: the part of each document from which the rest is predicted. As `evaluation.completion_of`, or
    `completion_of_strings` for an open vocabulary. Raises UserError for a corpus held in memory, and if there
    is no word to score.
    """
    if corpus.path is None:
        remedy = "build a corpus of the files, in a directory that all machines see"
        raise UserError("the documents are held in memory", remedy=remedy)
    placed, store, fingerprint = Placed.of(model, session), corpus.path.resolve(), corpus.fingerprint
    firsts = _first_blocks(corpus)

    def work(number: int) -> Mapping[str, object]:
        counted, blocks = np.zeros(3), range(firsts[number], firsts[number + 1])

        def read(known: Corpus) -> Iterator[Bags]:
            """The bags of words of all blocks; adds their documents and unseen words to `counted`."""
            for block in blocks:
                bags = known.bags(block)
                empty = float((np.diff(bags.offsets) == 0).sum())
                counted[:] += [empty, bags.unseen.sum(dtype=np.float64), bags.counts.sum(dtype=np.float64)]
                yield bags

        with placed.read() as by:
            known = _opened(store, fingerprint).with_vocabulary(by.vocabulary)
            if by.model.words.grows:
                scored, *letters = completion_of_string_blocks(open_topics_of(by), known, blocks, share)
                for _ in read(known):
                    pass
            else:
                unigram, letters = unigram_probabilities(known.vocabulary), []
                scored = completion_of_blocks(
                    by.shares_of_bags, by.topic_words.of, unigram, by.reader.digests, read(known), share
                )
        return {"sums": [*scored, *counted.tolist(), *letters]}

    sums = [each["sums"] for each in run_tasks(session, len(firsts) - 1, work)]
    nats, unigram, tokens, empty, unseen, known, *letters = np.sum(sums, axis=0).tolist()
    if tokens == 0.0:
        raise UserError("no word to score", remedy="score longer documents, or of the same vocabulary")
    scored = HeldOutScore(nats, unigram, tokens)
    spelled = StringScore(scored, *letters) if letters else None
    return Completed(scored, spelled, corpus.n_documents, int(empty), unseen / max(unseen + known, 1.0))


def _first_blocks(corpus: Corpus) -> list[int]:
    """For each file of a stored corpus, the number of its first block; then the number of all blocks."""
    assert isinstance(corpus.source, StoreSource)
    return np.cumsum([0, *(len(file.blocks) for file in corpus.source.files)]).tolist()


@functools.lru_cache(maxsize=2)
def _opened(store: Path, fingerprint: str) -> Corpus:
    refuse_unseen_folder(store, "corpus")
    corpus = Corpus.open(store)
    if corpus.fingerprint != fingerprint:
        raise UserError("the corpus was replaced meanwhile", where=store, remedy="score again")
    return corpus


def _refuse_others(path: Path, overwrite: bool) -> None:
    """Raise UserError if something at the path must not be replaced.

    With `overwrite`, a directory of topic shares may be replaced, and nothing else.
    """
    if path.exists():
        if not overwrite:
            raise UserError("already exists", where=path, remedy="give another path, or overwrite it")
        if not (path.is_dir() and all(one.match("topics-*.parquet") for one in path.iterdir())):
            raise UserError("exists and does not hold topic shares", where=path, remedy="give another path")
