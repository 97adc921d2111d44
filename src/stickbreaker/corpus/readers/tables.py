"""CSV and TSV: a first row that names the columns, then one document per row."""

import csv
import math
import re
import warnings
from collections.abc import Iterator, Set
from dataclasses import replace
from functools import partial
from itertools import chain

from stickbreaker.core.errors import counted
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers.base import Reader, ReadingOptions, date_format_of
from stickbreaker.corpus.readers.field_rules import checked_columns, document_of
from stickbreaker.corpus.readers.limits import too_large
from stickbreaker.corpus.readers.problems import Bad, Problems, ReadingWarning
from stickbreaker.corpus.readers.sources import CarriageReturns, Source, decoded, raw_lines_of
from stickbreaker.corpus.text.dates import is_date_name

# Excel writes it before the names of columns
_SEPARATOR_LINE = re.compile(rb'"?sep=([^"\r\n])"?[\r\n]*', re.IGNORECASE)


_MISSING = frozenset({"", "NA"})
_MISSING_NUMBERS = frozenset({"NaN", "nan", "N/A", "n/a", "null", "NULL"})
_NUMBER = re.compile(
    r"-?(?:0|[1-9][0-9]{0,17})?(?P<fraction>(?<=[0-9])[eE][-+]?[0-9]{1,3}|\.[0-9]{1,18}(?:[eE][-+]?[0-9]{1,3})?)?"
)


class QuotesWarning(ReadingWarning):
    """Warns that quoted cells of a table have lines that look like rows: quotes may be plain characters.

    >>> print(QuotesWarning("a.tsv", 1, 3))
    a.tsv: 1 cell in quotes holds lines that look like rows, in line 3; if quotes are plain characters \
there, give ReadingOptions(quotes="none")
    """

    def __init__(self, where: str, cells: int, line: int) -> None:
        hold, first = ("holds", "in") if cells == 1 else ("hold", "the first in")
        problem = (
            f"{where}: {counted(cells, 'cell')} in quotes {hold} lines that look like rows, {first} line "
            f"{line}; if quotes are plain characters there, give"
        )
        super().__init__(f'{problem} ReadingOptions(quotes="none")')
        self.problem = f"{problem} --quotes none"


def read(source: Source, options: ReadingOptions, problems: Problems, separator: str) -> Iterator[Document]:
    """Yield a document for each row of a table that has a header line.

    Columns without a name are left out, blank rows skipped. Cells may be in quotes, quotes inside them
    doubled; with `quotes="none"` they may not. The separator is that of the options, or else the one that a
    first line `sep=;` names, or else `separator`. In metadata, empty cells and NA are missing, and a column
    of numbers has numbers (see `Numbers`). A wrong row is reported to `problems`; if it consists of several
    rows that a quote joined, all of them are counted. The limit of the csv module on the size of a field,
    which is one for the process, is raised to `options.largest_text` if that is larger.
    """
    csv.field_size_limit(max(csv.field_size_limit(), options.largest_text))  # of the whole process
    numbers = Numbers(options, None if source.is_stream else _columns_of_numbers(source, options, separator))
    lines = _Lines(source, problems, options.largest_text, options.quotes == "double")
    for header, row in _rows(lines, options, problems, separator):
        try:
            record = numbers.converted(_record(header, row))
            yield document_of(record, options, f"{source.label}:{lines.begin}", source.name, lines.begin)
            lines.note_rows_inside()
        except Bad as bad:
            problems.tell(bad, source.name, lines.begin, lines.rows_inside)
    lines.returns.warn()
    if lines.merged:
        warnings.warn(QuotesWarning(source.name, len(lines.merged), lines.merged[0]), stacklevel=2)


def _rows(
    lines: "_Lines", options: ReadingOptions, problems: Problems, separator: str
) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the names of the columns and the cells of each row; wrong rows are reported to `problems`.

    After a wrong first row nothing follows.
    """
    named = _separator_in(lines)
    delimiter = options.separator or named or separator
    quoting = csv.QUOTE_NONE if options.quotes == "none" else csv.QUOTE_MINIMAL
    rows = csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True)
    header: list[str] = []
    while True:
        try:
            row = _next_row(rows, lines)
            if row is None:
                return
            if not header:
                numbers = [str(number) for number in range(1, len(row) + 1)]
                names = [name.strip() for name in row] if options.header == "first" else numbers
                checked_columns([name for name in names if name], options, is_text_table=True)
                header = names
                lines.between = delimiter, len(row) - 1
                if options.header == "first":
                    continue
        except Bad as bad:
            problems.tell(bad, lines.name, lines.begin, lines.rows_inside)
            if not header:
                return
            continue
        yield header, row


class Numbers:
    """Converts the cells of a table's metadata: those of columns of numbers to numbers, missing ones to None.

    `columns`: the columns of which all cells are numbers or missing; None if the table cannot be read twice:
    a column then has numbers up to its first other cell. Missing are empty cells and NA, in columns of
    numbers also NaN, N/A and null; they are counted in the options' notes.

    >>> Numbers(ReadingOptions(), {"n"}).converted({"text": "12", "n": "1.50", "group": "NA", "zip": "01"})
    {'text': '12', 'n': 1.5, 'group': None, 'zip': '01'}
    """

    def __init__(self, options: ReadingOptions, columns: Set[str] | None) -> None:
        self.columns, self.missing = columns, options.notes.missing
        self.others = _not_metadata(options) | set(options.without)
        self.options = options
        self.text_columns: set[str] = set()  # if `columns` is None: those with a cell that is not a number

    def converted(self, record: dict[str, str]) -> dict[str, str | int | float | None]:
        """The record with the values of its metadata converted."""
        found: dict[str, str | int | float | None] = {}
        for name, cell in record.items():
            if name in self.others:
                found[name] = cell
            elif cell in _MISSING or (cell in _MISSING_NUMBERS and self._has_numbers(name)) or cell.isspace():
                self.missing[name] = self.missing.get(name, 0) + 1
                found[name] = None
            else:
                found[name] = self._value(name, cell)
        return found

    def _has_numbers(self, name: str) -> bool:
        return name not in self.text_columns if self.columns is None else name in self.columns

    def _value(self, name: str, cell: str) -> str | int | float:
        number = number_in(cell, name, self.options) if self._has_numbers(name) else None
        if number is None and self.columns is None:
            self.text_columns.add(name)
        return cell if number is None else number


def number_in(cell: str, name: str, options: ReadingOptions) -> int | float | None:
    """The number in a cell of the column `name`; None if it is not one, or stands for something else.

    These are numbers with more than 18 digits or leading zeros, which are identifiers; dates that the options
    have a format for; and fractions in a column with the name of a date, as 2004.10.

    >>> [number_in(cell, "n", ReadingOptions()) for cell in ("12", "-1.50", "007", "1,5", "1e3")]
    [12, -1.5, None, None, 1000.0]
    """
    cell = cell.strip()
    found = _NUMBER.fullmatch(cell) if cell not in ("", "-") else None
    if found is None:
        return None
    is_date = is_date_name(name)
    wanted = "" if options.date_format is None else date_format_of(options.date_format)[0]
    if wanted == name or (wanted is None and is_date):
        return None
    if found["fraction"] is None:
        return int(cell)
    number = float(cell)
    return number if math.isfinite(number) and not is_date else None


def _not_metadata(options: ReadingOptions) -> set[str]:
    """The names of the columns with texts, ids and languages."""
    others = (options.id_column, options.language_field)
    return options.text_columns | {name for name in others if name is not None}


def _columns_of_numbers(source: Source, options: ReadingOptions, separator: str) -> set[str]:
    """The columns of metadata in a table that have numbers, and no cell that is neither a number nor missing.

    The file is read up to the row by which there is no such column left.
    """
    quiet = Problems(skip=True)
    lines = _Lines(replace(source, position=None), quiet, options.largest_text, options.quotes == "double")
    others = _not_metadata(options) | set(options.without)
    left: dict[int, str] | None = None
    with_numbers: set[str] = set()
    for header, row in _rows(lines, replace(options, met=set()), quiet, separator):
        if left is None:
            left = {place: name for place, name in enumerate(header) if name and name not in others}
        if len(row) != len(header):
            continue
        for place, name in list(left.items()):
            cell = row[place]
            if cell in _MISSING or cell in _MISSING_NUMBERS or cell.isspace():
                continue
            if number_in(cell, name, options) is None:
                del left[place]
            else:
                with_numbers.add(name)
        if not left:
            break
    return with_numbers & set((left or {}).values())


def _separator_in(lines: "_Lines") -> str | None:
    """Read and consume a first line such as "sep=;", which Excel writes; returns the separator.

    Returns None, and consumes nothing, if the first line is another.
    """
    first = next(lines.numbered, None)
    found = None if first is None else _SEPARATOR_LINE.fullmatch(first[1])
    if first is not None and found is None:
        lines.numbered = chain([first], lines.numbered)
    elif first is not None:
        lines.last = first[0]
        lines.begin_row()
    return None if found is None else found[1].decode("latin-1")


class _Lines:
    """The lines of a table for the csv module, with notes on the row being read, which may have several.

    `begin` is the number of the row's first line. The row must be left out if `bad` is set (a line was not
    text), or `lacking` (a line was too large; that has been reported). Raises Bad if a row has more than
    `largest` bytes, as after an unclosed quote.

    A CR inside a line becomes a space, unless it is in a cell in quotes (if there are `quoted` cells). To
    notice quotes that join rows by mistake: `between`, set when the header has been read, is the separator
    and how often it occurs in a row. `merged` has the first line's number of each row that consists of
    several lines which all look like rows.
    """

    def __init__(self, source: Source, problems: Problems, largest: int, quoted: bool) -> None:
        self.name = source.name
        self.numbered = raw_lines_of(source, problems, largest)
        self.largest, self.quoted = largest, quoted
        self.returns = CarriageReturns(source.name)
        self.last = 0
        self.between: tuple[str, int] | None = None
        self.merged: list[int] = []
        self.begin_row()

    def begin_row(self) -> None:
        """Let a new row begin with the next line, and forget the notes on the row before."""
        self.begin, self.size = self.last + 1, 0
        self.bad: Bad | None = None
        self.lacking = False
        self.first = ""
        self.others = self.alike = 0  # lines after the first, and those of them that look like rows

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        before = self.last
        self.last, content = next(self.numbered)
        if self.last > before + 1:
            self.lacking = self.size > 0
            self.begin = self.begin if self.lacking else self.last
        try:
            line = decoded(content)
        except Bad as bad:
            self.bad = self.bad or bad
            line = content.decode("utf-8", "replace")
        line = self.returns.replaced(line, self.last, quoted=self.quoted, inside=self.size > 0)
        if self.size:
            self.others += 1
            self.alike += self._looks_like_row(line)
        else:
            self.first = line
        self.size += len(content)
        if self.size > self.largest:
            raise too_large("the row", self.largest)
        return line

    def _looks_like_row(self, line: str) -> bool:
        if self.between is None or line.isspace():
            return False
        separator, number = self.between
        return line.count(separator) == number

    @property
    def rows_inside(self) -> int:
        """The number of lines of this row that look like rows by their separators; at least 1."""
        return max(1, self.alike + self._looks_like_row(self.first)) if self.others else 1

    def note_rows_inside(self) -> None:
        """If this row has several lines which all look like rows, note where it begins, for a warning."""
        if self.others and self.rows_inside == self.others + 1:
            self.merged.append(self.begin)


def _next_row(rows: Iterator[list[str]], lines: _Lines) -> list[str] | None:
    """The next row that is not blank; None at the end. Raises Bad, after which reading can continue."""
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
    other = next((one for one in ";\t|" if f'"{one}"' in lines.first), None)
    if lines.between is None and other is not None:
        separator = "--format tsv" if other == "\t" else f"--separator '{other}'"
        return Bad("malformed row", problem, f"give {separator}, since it seems to separate the cells")
    remedy = (
        "a cell in quotes ends with its closing quote, and quotes inside it are doubled; if quotes are plain "
        "characters, give --quotes none"
    )
    return Bad("malformed row", problem, remedy)


def _record(header: list[str], row: list[str]) -> dict[str, str]:
    if len(row) != len(header):
        problem = f"the row has {len(row)} cells, the first row {len(header)}"
        remedy = "give a cell for each column; put cells that hold the separator in quotes"
        raise Bad("ragged row", problem, remedy)
    return {name: cell for name, cell in zip(header, row, strict=True) if name}


CSV = Reader("csv", "CSV, the first row naming the columns", (".csv",), "text", partial(read, separator=","))
TSV = Reader("tsv", "the same, separated by tabs", (".tsv", ".tab"), "text", partial(read, separator="\t"))
