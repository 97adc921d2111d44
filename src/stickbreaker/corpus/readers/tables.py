"""CSV and TSV: a first row that names the columns, then a row a document."""

import csv
from collections.abc import Iterator
from functools import partial
from typing import Any

from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers.base import Reader, ReadingOptions
from stickbreaker.corpus.readers.field_rules import checked_columns, document_of
from stickbreaker.corpus.readers.limits import too_large
from stickbreaker.corpus.readers.problems import Bad, Problems
from stickbreaker.corpus.readers.sources import Source, decoded, raw_lines_of


def read(source: Source, options: ReadingOptions, problems: Problems, separator: str) -> Iterator[Document]:
    """Yield a document for each row; columns without a name are left out, blank rows passed over.

    A cell that holds the separator, a quote or a line's end stands in quotes, quotes inside it doubled.
    """
    csv.field_size_limit(max(csv.field_size_limit(), options.largest_text))  # of the whole process
    lines = _Lines(source, problems, options.largest_text)
    rows = csv.reader(lines, delimiter=options.separator or separator, strict=True)
    header: list[str] = []
    while True:
        try:
            row = _next_row(rows, lines)
            if row is None:
                return
            if header:
                record = _record(header, row)
                yield document_of(record, options, f"{source.label}:{lines.begin}", source.name, lines.begin)
            else:
                names = [name.strip() for name in row]
                checked_columns([name for name in names if name], options)
                header = names
        except Bad as bad:
            problems.tell(bad, source.name, lines.begin)
            if not header:
                return


class _Lines:
    """The lines of a source for the csv module. `begin` is the line where the row being read begins.

    A line that is no text is remembered in `bad`: the row that it is a part of must be left out. So must one
    that lacks a line (`lacking`), which was too large and is reported already. Raises Bad where the lines of
    a row are larger than `largest` bytes: what an unclosed quote may take up.
    """

    def __init__(self, source: Source, problems: Problems, largest: int) -> None:
        self.numbered = raw_lines_of(source, problems, largest)
        self.largest = largest
        self.last = 0
        self.begin_row()

    def begin_row(self) -> None:
        """The next line is the first of a row."""
        self.begin, self.size = self.last + 1, 0
        self.bad: Bad | None = None
        self.lacking = False

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        before = self.last
        self.last, line = next(self.numbered)
        if self.last > before + 1:
            self.lacking = self.size > 0
            self.begin = self.begin if self.lacking else self.last
        self.size += len(line)
        if self.size > self.largest:
            raise too_large("the row", self.largest)
        try:
            return decoded(line)
        except Bad as bad:
            self.bad = self.bad or bad
            return line.decode("utf-8", "replace")


def _next_row(rows: Any, lines: _Lines) -> list[str] | None:
    """The next row that is not blank; None at the end. Raises Bad; the row after may be read then."""
    row: list[str] | None = []
    while row == []:
        lines.begin_row()
        try:
            row = next(rows, None)
        except csv.Error as error:
            if lines.bad is None and not lines.lacking:
                raise _malformed(error, lines) from None
        if lines.bad is not None:
            raise lines.bad
        if lines.lacking and row is not None:
            row = []
    return row


def _malformed(error: csv.Error, lines: _Lines) -> Bad:
    problem = f"malformed row, up to line {lines.last} ({error})"
    if "new-line" in str(error):
        return Bad("malformed row", "a carriage return outside quotes", "end lines by LF or CR LF")
    remedy = "a cell in quotes ends with its closing quote; quotes inside it are doubled"
    return Bad("malformed row", problem, remedy)


def _record(header: list[str], row: list[str]) -> dict[str, str]:
    if len(row) != len(header):
        problem = f"the row has {len(row)} cells, the first row {len(header)}"
        remedy = "give a cell for each column; put cells that hold the separator in quotes"
        raise Bad("ragged row", problem, remedy)
    return {name: cell for name, cell in zip(header, row, strict=True) if name}


CSV = Reader("csv", "CSV, the first row naming the columns", (".csv",), "text", partial(read, separator=","))
TSV = Reader("tsv", "the same, by tabs", (".tsv", ".tab"), "text", partial(read, separator="\t"))
