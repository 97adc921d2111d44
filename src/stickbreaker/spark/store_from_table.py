"""Makes a stored corpus from a Spark table; executors write it."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus, Document, ReadingOptions, Vocabulary, VocabularyRule
from stickbreaker.corpus.building import Recipe, new_directory, on_disk
from stickbreaker.corpus.readers import text_fields
from stickbreaker.corpus.readers.arrow_tables import frame_documents
from stickbreaker.corpus.readers.field_rules import checked_columns
from stickbreaker.corpus.readers.problems import Bad, Problems
from stickbreaker.corpus.text.polylingual import PolylingualAnalysis
from stickbreaker.spark.partition_tasks import Batches
from stickbreaker.spark.store_completion import complete, refuse_twice
from stickbreaker.spark.store_files import TABLE, Part, write_parts
from stickbreaker.spark.vocabulary_counts import choose

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

NO_WORDS = Vocabulary.of([])


def corpus_from_frame(
    frame: "DataFrame",
    out: str | Path,
    text_field: str = "text",
    id_field: str | None = None,
    *,
    analysis: Analysis | None = None,
    rule: VocabularyRule | None = None,
    vocabulary: Vocabulary | None = None,
    overwrite: bool = False,
) -> Corpus:
    """A corpus of a Spark table's rows, written by executors into the directory `out`, which all must see.

    As in `Corpus.from_frame`: the text column holds strings, or lists of strings, which are taken as tokens;
    other columns become metadata. Ids default to the column "id" if there is one, or to the number of the
    row, in the order of the partitions. The table is read twice, and must be the same both times.

    Raises UserError naming the row that is wrong.
    """
    from pyspark.sql.types import StringType

    options = _options(frame, text_field, id_field, analysis, vocabulary)
    recipe = Recipe("text", analysis, rule or VocabularyRule(), vocabulary)
    analysed = analysis is not None or isinstance(frame.schema[text_field].dataType, StringType)
    used = (analysis or Analysis()).resolved() if analysed else None
    with new_directory(Path(out), overwrite) as directory:
        write = partial(text_part, options=options, recipe=recipe)
        written, about = write_parts(frame, write, directory, "text")
        if (id_field or "id") in frame.columns:
            refuse_twice(frame.sparkSession, written)
        if vocabulary is None:
            vocabulary = choose(frame.sparkSession, written, recipe.rule, used)
        complete(frame.sparkSession, written, vocabulary, used, replace(about, rule=recipe.rule))
    return Corpus.open(out)


def _options(
    frame: "DataFrame",
    text_field: str,
    id_field: str | None,
    analysis: Analysis | None,
    vocabulary: Vocabulary | None,
) -> ReadingOptions:
    """The options for reading the table's columns. Raises UserError if the table does not have them."""
    options = ReadingOptions(text_field=text_field, id_field=id_field)
    if "+" in text_field and text_field not in frame.columns:
        remedy = "put the texts into one column first"
        raise UserError(f"a Spark table has no column {text_field!r}", where=TABLE, remedy=remedy)
    several = isinstance(text_fields(text_field), dict) or isinstance(analysis, PolylingualAnalysis)
    if several or (vocabulary is not None and vocabulary.languages):
        remedy = "build the corpus with: stickbreaker corpus build"
        raise UserError("a Spark table is read in one language", where=TABLE, remedy=remedy)
    try:
        checked_columns(frame.columns, options)
    except Bad as bad:
        raise bad.at(TABLE) from None
    return options


# On executors


def text_part(batches: Batches, start: int, folder: Path, options: ReadingOptions, recipe: Recipe) -> Part:
    """Analyse and write one partition (with at least one row) of a table of texts, on an executor.

    Called by `write_parts`. start: the number of the partition's first row; folder: where to write the files.
    """
    named = _with_ids(batches, options, start)
    first = next(named)
    reader = pa.RecordBatchReader.from_batches(first.schema, chain([first], named))
    # no words are chosen here: they are counted when all partitions are written
    own = replace(recipe, vocabulary=recipe.vocabulary or NO_WORDS)
    source, _, _, about = on_disk(_documents(reader, options, start), own, Problems(False), TABLE, folder)
    return Part(source.files, about.languages, about.metadata_fields)


def _with_ids(batches: Batches, options: ReadingOptions, start: int) -> Batches:
    """The batches with a column "id", unless another column was named as that of ids.

    Missing or empty ids become the rows' numbers, from `start` on; whole numbers become strings. A column of
    another type stays as it is, and is refused when it is read.
    """
    for batch in batches:
        numbers = [str(start + row) for row in range(batch.num_rows)]
        start += batch.num_rows
        place = batch.schema.get_field_index("id")
        if options.id_field is not None:
            yield batch
        elif place < 0:
            yield batch.append_column("id", pa.array(numbers, pa.string()))
        elif pa.types.is_integer(batch.column(place).type) or pa.types.is_string(batch.column(place).type):
            given = batch.column(place).cast(pa.string()).to_pylist()
            filled = [name or number for name, number in zip(given, numbers, strict=True)]
            yield batch.set_column(place, "id", pa.array(filled, pa.string()))
        else:  # without an id, which is refused when it is read
            yield batch


def _documents(reader: pa.RecordBatchReader, options: ReadingOptions, start: int) -> Iterator[Document]:
    """Read the documents of a partition, whose first row has the number `start`.

    Each document, and each error, names its row.
    """
    row = start
    try:
        for document in frame_documents(reader, options):
            yield replace(document, where=f"row {row}")
            row += 1
    except UserError as error:
        raise error.replace(where=f"row {row}", line=None) from None
