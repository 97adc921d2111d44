"""Completes a stored corpus whose documents executors wrote: checks ids, adds totals, writes corpus.json."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus, Vocabulary, building
from stickbreaker.corpus.building import About
from stickbreaker.corpus.counting import Digest
from stickbreaker.corpus.store import VOCABULARY_FILE, StoreSource
from stickbreaker.engines.spark.session import in_one_line
from stickbreaker.spark.partition_tasks import Batches, mapped, numbered, numbers_in, run_tasks
from stickbreaker.spark.vocabulary_counts import Written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def refuse_twice(session: "SparkSession", written: Written) -> None:
    """Raise UserError if two documents of a new stored corpus have the same id, naming the later row."""
    from pyspark.sql import functions as F

    starts = [0, *accumulate(sum(file.blocks) for file in written.files)]

    def ids(batches: Batches) -> Batches:
        for number in numbers_in(batches):
            source, row = written.source(written.files[number]), starts[number]
            for block, size in enumerate(source.sizes):
                rows = pa.array(np.arange(row, row + size))
                yield pa.RecordBatch.from_pydict(
                    {"id": pa.array(source.ids(block), pa.string()), "row": rows}
                )
                row += size

    found = mapped(numbered(session, len(written.files)), ids, "id string, row long")
    twice = found.groupBy("id").agg(F.count("row").alias("times"), F.max("row").alias("row"))
    with in_one_line():
        first = twice.where("times > 1").orderBy("row").first()
    if first is not None:
        problem = f"the id {first['id']!r} was used before"
        raise UserError(problem, where=f"row {first['row']}", remedy="ids must differ; name another column")


def complete(
    session: "SparkSession", written: Written, vocabulary: Vocabulary, analysis: Analysis | None, about: About
) -> None:
    """Complete a stored corpus whose documents are written: its vocabulary, totals, digests and corpus.json.

    Executors read the documents once more to count and digest them with the vocabulary.
    """
    path, n_files = written.directory / VOCABULARY_FILE, len(written.files)
    vocabulary.write(path)

    def look(number: int) -> Mapping[str, object]:
        """The totals of the store's file `number`; the digests of all documents if there is no such file."""
        if number < n_files:
            source = written.source(written.files[number])
            corpus = Corpus(source, Vocabulary.read(path), analysis, About())
            return {"tokens": corpus.n_tokens, "empty": corpus.n_empty}
        source = written.source()
        metadata = replace(about, content=digest_of_blocks(source) if written.kind == "text" else None)
        whole = Corpus(source, Vocabulary.read(path), analysis, metadata)
        return {"content": metadata.content, "fingerprint": whole.fingerprint}

    *each, whole = run_tasks(session, n_files + 1, look)
    building.finish(
        written.directory,
        written.source(),
        vocabulary,
        analysis,
        replace(about, content=whole["content"]),
        (sum(counts["tokens"] for counts in each), sum(counts["empty"] for counts in each)),
        whole["fingerprint"],
    )


def digest_of_blocks(source: StoreSource) -> str:
    """The digest of a stored corpus's ids and tokens, equal to that of a corpus built without Spark.

    It depends on the order, so one executor reads all blocks.
    """
    digest = Digest()
    for block in range(len(source.sizes)):
        entries = source.entries(block)
        digest.strings("ids", source.ids(block))
        digest.array("lengths", np.diff(entries.offsets))
        digest.strings("tokens", entries.spelled.take(pa.array(entries.codes)))
    return digest.hex()
