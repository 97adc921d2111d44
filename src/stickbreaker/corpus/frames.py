"""A corpus's documents as data frames, and in notebooks."""

import json
from collections.abc import Collection, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa

from stickbreaker.core.errors import UserError, counted
from stickbreaker.corpus.document import Scalar
from stickbreaker.corpus.metadata import metadata_from
from stickbreaker.corpus.overview import Overview, as_html
from stickbreaker.corpus.shards import tokens_by_document
from stickbreaker.corpus.text.dates import ISO_DATE, date_of, is_date_name

if TYPE_CHECKING:
    import pandas as pd

    from stickbreaker.corpus.arrow_arrays import ArrowArray
    from stickbreaker.corpus.corpus import Corpus

ID, METADATA = "id", "metadata"
SHOWN = 5  # documents in a notebook
LONGEST = 120  # characters shown of each


class MetadataColumns:
    """The metadata fields of a corpus as columns of Arrow tables.

    A column has whole numbers, numbers, truth values or else text, whichever fits all its values; a list
    becomes text joined by "; "; in a field that is named like a date, a day such as 29,April,2002 becomes
    2002-04-29. A field named like one of `taken`, the other columns, is called "metadata.id"
    and so on; fields in `without` are left out.
    """

    def __init__(self, corpus: "Corpus", taken: Collection[str], without: Collection[str] = ()) -> None:
        self.corpus, self.taken, self.without = corpus, taken, without

    @cached_property
    def _types(self) -> "dict[str, pa.DataType]":
        """The type of each field, in order of first occurrence. Reads all metadata."""
        kinds: dict[str, set[type]] = {}
        for block in range(len(self.corpus.block_sizes)):
            for row in self._rows(block):
                for name, value in row.items():
                    kinds.setdefault(name, set()).add(_kind_of(value))
        kept = {name: own for name, own in kinds.items() if name not in self.without}
        return {name: _type_for(own - {type(None)}) for name, own in kept.items()}

    @property
    def fields(self) -> "list[tuple[str, pa.DataType]]":
        """The names and Arrow types of the columns."""
        return [
            (f"{METADATA}.{name}" if name in self.taken else name, kind) for name, kind in self._types.items()
        ]

    def of(self, block: int) -> "list[ArrowArray]":
        """The metadata of a block's documents: an Arrow array for each column."""
        rows = list(self._rows(block)) if self._types else []
        columns: list[ArrowArray] = []
        for name, kind in self._types.items():
            values = [row.get(name) for row in rows]
            if pa.types.is_string(kind):
                values = list(map(_as_day if is_date_name(name) else _as_text, values))
            columns.append(pa.array(values, kind))
        return columns

    def _rows(self, block: int) -> Iterator[dict[str, Scalar]]:
        column = self.corpus.source.columns(block, [METADATA]).column(METADATA)
        return map(metadata_from, column.to_pylist())


def _kind_of(value: Scalar) -> type:
    """The Python type that decides a column's type; whole numbers of more than 64 bits count as text."""
    too_long = isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 1 << 63
    return str if too_long else type(value)


def _type_for(kinds: set[type]) -> pa.DataType:
    """The Arrow type of a metadata column whose values have these Python types."""
    if kinds == {bool}:
        return pa.bool_()
    if kinds == {int}:
        return pa.int64()
    return pa.float64() if kinds and kinds <= {int, float} else pa.string()


def _as_day(value: Scalar) -> str | None:
    """`_as_text`, and in ISO 8601 if the value is a day in another form, without a time."""
    text = _as_text(value)
    if text is None or ISO_DATE.fullmatch(text) or ":" in text or not any(map(str.isdigit, text)):
        return text
    day = date_of(text)
    return text if day is None else day.isoformat()


def _as_text(value: Scalar) -> str | None:
    """A metadata value as text, for a column of text: lists joined by "; ", other values as JSON."""
    if value is None or isinstance(value, str):
        return value
    return "; ".join(value) if isinstance(value, list) else json.dumps(value)


def as_frame(table: pa.Table) -> "pd.DataFrame":
    """An Arrow table as a pandas DataFrame. Raises UserError if pandas is not installed."""
    try:
        return table.to_pandas()  # pyright: ignore[reportUnknownMemberType]
    except ModuleNotFoundError:
        raise UserError("a frame needs pandas", remedy="pip install pandas") from None


def frame_of(corpus: "Corpus") -> "pd.DataFrame":
    """A pandas DataFrame with a row per document of a corpus, for `Corpus.to_frame`.

    Columns are id, text (not for bags), tokens (how many are known), and each metadata field.
    """
    text = corpus.kind == "text"
    first = [(ID, pa.string()), *([("text", pa.string())] if text else []), ("tokens", pa.float64())]
    columns = MetadataColumns(corpus, [name for name, _ in first])
    schema = pa.schema([*first, *columns.fields])
    tables: list[pa.Table] = []
    for block in range(len(corpus.block_sizes)):
        bags = corpus.bags(block)
        tokens = tokens_by_document(bags.offsets, bags.counts)
        texts = [corpus.source.columns(block, ["text"]).column("text").combine_chunks()] if text else []
        own = [pa.array(corpus.ids(block)), *texts, pa.array(tokens), *columns.of(block)]
        tables.append(pa.table(own, schema=schema))
    return as_frame(pa.concat_tables(tables) if tables else schema.empty_table())


def html_of(corpus: "Corpus") -> str:
    """HTML for notebooks: a corpus's sizes, and the beginnings of its first five documents."""
    rows: list[tuple[str, ...]] = []
    for number, document in zip(range(SHOWN), corpus, strict=False):
        words = (
            document.text if document.text is not None else " ".join(document.tokens or document.words or ())
        )
        begin = " ".join(words[: 2 * LONGEST].split())[:LONGEST]
        rows.append((str(number), document.id or "", begin + ("…" if len(words) > LONGEST else "")))
    sizes = counted(corpus.n_documents, "document"), counted(int(corpus.n_tokens), "token")
    figures = ", ".join((*sizes, f"{corpus.n_words:,} words"))
    more = corpus.n_documents - len(rows)
    note = f"and {counted(more, 'document')} more" if more else ""
    return as_html(Overview(figures, ("number", "id", "begins"), rows, note), repr(corpus))
