"""Files that arrive in a directory: Spark reads them as a stream, and each micro-batch becomes a corpus."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus, Vocabulary, VocabularyRule
from stickbreaker.corpus.readers import date_format_of
from stickbreaker.corpus.text.dates import iso_date
from stickbreaker.spark.store_from_table import corpus_from_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BROKEN = "_broken"  # a line that is not a JSON object
NEVER = "36500d"  # accept files of any age: by default Spark skips those a week older than the newest
ORDER = ["file_path", "file_block_start", "line"]
MEND = "correct the file, or give --on-error skip"
NO_WORDS = Vocabulary.of(["-"])


@dataclass(frozen=True)
class Arrivals:
    """The files to learn from: JSON Lines (also .gz) that are moved, complete, into `directory`.

    `date_field`: the field with a document's date, if there is one; `date_format` as in `ReadingOptions`;
    `files`: most files per micro-batch (None: all new ones). With `on_error` "fail", a line that cannot be
    read ends the run; with "skip" it is left out.
    """

    directory: str
    text_field: str = "text"
    date_field: str = "date"
    files: int | None = None
    on_error: str = "fail"
    date_format: str | None = None

    def __post_init__(self) -> None:
        field = None if self.date_format is None else date_format_of(self.date_format)[0]
        if field not in (None, self.date_field):
            problem = f"the date format is for the field {field!r}, but the dates are in {self.date_field!r}"
            raise UserError(problem, remedy=f"give --date-field {field}")

    def read(self, session: "SparkSession") -> "DataFrame":
        """A streaming table of the lines in the directory's files.

        Columns: `text`, `date`, the line itself if it is not a JSON object, and the path and offset of its
        part of the file. Raises UserError if there is no such directory.
        """
        from pyspark.sql import functions as F
        from pyspark.sql.types import StringType, StructField, StructType

        directory = Path(self.directory)
        if not directory.is_dir():
            raise UserError("there is no such directory", where=directory, remedy="make it, and put files in")
        names = dict.fromkeys([self.text_field, self.date_field, BROKEN])
        schema = StructType([StructField(name, StringType()) for name in names])
        reader = session.readStream.schema(schema).option("columnNameOfCorruptRecord", BROKEN)
        reader = reader.option("maxFileAge", NEVER)
        if self.files is not None:
            reader = reader.option("maxFilesPerTrigger", self.files)
        frame = reader.json(f"file://{directory.resolve()}")
        return frame.select(
            F.col(f"`{self.text_field}`").alias("text"),
            F.col(f"`{self.date_field}`").alias("date"),
            BROKEN,
            "_metadata.file_path",
            "_metadata.file_block_start",
        )


@dataclass(frozen=True)
class Arrived:
    """The documents of one micro-batch.

    corpus: in the order of the files' lines, None if there are no documents; date: the latest one, in ISO
    8601; skipped: the number of lines left out.
    """

    corpus: Corpus | None
    date: str | None
    skipped: int


def arrived(
    frame: "DataFrame", arrivals: Arrivals, folder: Path, analysis: Analysis, vocabulary: Vocabulary | None
) -> Arrived:
    """Read a micro-batch of new lines as a corpus, which executors write into `folder`.

    frame: rows of `Arrivals.read`; vocabulary: the words to keep (None: all). Raises UserError for a line
    that cannot be read, unless such lines are skipped.
    """
    from pyspark.sql import functions as F

    frame = frame.withColumn("line", F.monotonically_increasing_id())
    parts = frame.sparkSession.sparkContext.defaultParallelism
    frame = frame.repartitionByRange(parts, *ORDER).sortWithinPartitions(*ORDER).persist()
    try:
        skipped = _left_out(frame.where(F.col(BROKEN).isNotNull() | F.col("text").isNull()), arrivals)
        good = frame.where(F.col(BROKEN).isNull() & F.col("text").isNotNull())
        n_documents, dates = good.agg(F.count("text"), F.collect_set("date")).collect()[0]
        if not n_documents:
            return Arrived(None, None, skipped)
        corpus = _corpus(good.select("text"), folder, analysis, vocabulary)
        days = (_iso_date(arrivals.date_format, one) for one in dates)
        return Arrived(corpus, max(filter(None, days), default=None), skipped)
    finally:
        frame.unpersist()


def _iso_date(form: str | None, text: str | None) -> str | None:
    """The date in a field's text, in ISO 8601; None if the text is not a date.

    form: the format of the date (None: the usual formats).
    """
    day = None if form is None else date_format_of(form)[1](text)
    return iso_date(text) if day is None else day.isoformat()


def _corpus(
    documents: "DataFrame", folder: Path, analysis: Analysis, vocabulary: Vocabulary | None
) -> Corpus:
    """A corpus of the documents with the given vocabulary, or with all of their words.

    If none of their words is eligible, the vocabulary is a placeholder, so that no document has a known word.
    """
    try:
        rule = VocabularyRule(1, 1.0)
        return corpus_from_frame(documents, folder, analysis=analysis, rule=rule, vocabulary=vocabulary)
    except UserError:  # a vocabulary has at least one word, a micro-batch may have none
        if vocabulary is not None:
            raise
        shutil.rmtree(folder, ignore_errors=True)
        corpus = corpus_from_frame(documents, folder, analysis=analysis, vocabulary=NO_WORDS)
        for block in range(len(corpus.block_sizes)):
            if analysis.eligible(corpus.source.entries(block).words()).any():
                raise
        return corpus


def _left_out(wrong: "DataFrame", arrivals: Arrivals) -> int:
    """Count the lines that cannot be read (`wrong`), if they are to be skipped.

    Otherwise raises UserError for the first; returns 0 if there is none.
    """
    if arrivals.on_error == "skip":
        return wrong.count()
    row = wrong.first()
    if row is None:
        return 0
    broken = row[BROKEN]
    problem = f"is not a JSON object: {broken[:60]!r}" if broken else f"has no field {arrivals.text_field!r}"
    raise UserError(f"a line {problem}", where=unquote(urlsplit(row["file_path"]).path), remedy=MEND)
