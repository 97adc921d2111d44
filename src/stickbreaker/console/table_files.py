"""Writes tables as Parquet, CSV or Excel files."""

import sys
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import atomic_file, refuse_file
from stickbreaker.core.spreadsheets import text_cell

if TYPE_CHECKING:
    import pyarrow as pa

STANDARD_OUTPUT = Path("-")  # as CSV
ENDINGS = (".parquet", ".csv", ".xlsx")
CREATED = datetime(1980, 1, 1)  # of every workbook, as of the files in it
LONGEST_CELL = 32_767  # characters, in Excel
MOST_ROWS, MOST_COLUMNS = 1 << 20, 1 << 14  # of a sheet, including the names of columns


def refuse_other_ending(out: Path) -> None:
    """Raise UserError unless the ending of `out`'s name is of a format in which tables can be written.

    UserError also if it is Excel's and the package for that is missing. "-", standard output, is allowed.
    """
    if out == STANDARD_OUTPUT:
        return
    if out.suffix not in ENDINGS:
        remedy = f"end the name in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
        raise UserError("cannot tell the format", where=out, remedy=remedy)
    if out.suffix == ".xlsx":
        try:
            import xlsxwriter  # noqa: F401
        except ModuleNotFoundError:
            remedy = "pip install 'stickbreaker[excel]', or write .csv"
            raise UserError("a workbook needs xlsxwriter", where=out, remedy=remedy) from None


def refuse_table(out: Path, overwrite: bool, *, printed: bool = False) -> None:
    """Raise UserError if a table cannot be written to `out`: unknown format, or the file exists.

    Standard output ("-") is refused too, unless the table may be `printed`.
    """
    refuse_other_ending(out)
    if out == STANDARD_OUTPUT:
        if printed:
            return
        raise UserError("the table needs a file", remedy=f"end its name in {', '.join(ENDINGS)}")
    refuse_file(out, overwrite)


def write_tables(
    tables: "Iterable[pa.Table]",
    schema: "pa.Schema",
    out: Path,
    *,
    raw: bool = False,
    overwrite: bool = False,
) -> None:
    """Write tables of one schema, one after another, in the format of `out`'s ending ("-": print CSV).

    In CSV, text that a spreadsheet would run as a formula gets a single quote before it, unless `raw`. Raises
    UserError if a workbook cannot hold it, or `out` exists and not `overwrite`.
    """
    if out == STANDARD_OUTPUT:
        _write_csv(tables, schema, sys.stdout.buffer, raw)
        sys.stdout.flush()
        return
    with atomic_file(out, overwrite=overwrite) as partial:
        if out.suffix == ".parquet":
            import pyarrow.parquet as pq

            with pq.ParquetWriter(partial, schema) as writer:
                for table in tables:
                    writer.write_table(table)
        elif out.suffix == ".csv":
            _write_csv(tables, schema, partial, raw)
        else:
            _write_workbook(tables, schema, partial, out)


def _write_csv(tables: "Iterable[pa.Table]", schema: "pa.Schema", out: "Path | BinaryIO", raw: bool) -> None:
    import pyarrow as pa
    from pyarrow.csv import CSVWriter

    texts = [number for number, type in enumerate(schema.types) if pa.types.is_string(type)]
    named = schema if raw else pa.schema([own.with_name(text_cell(own.name)) for own in schema])
    with CSVWriter(out, named) as writer:
        for table in tables:
            columns = table.columns
            for number in () if raw else texts:
                cells = [one if one is None else text_cell(one) for one in columns[number].to_pylist()]
                columns[number] = pa.chunked_array([pa.array(cells, pa.string())])
            writer.write_table(pa.table(columns, schema=named))


def _write_workbook(tables: "Iterable[pa.Table]", schema: "pa.Schema", partial: Path, out: Path) -> None:
    """Write an Excel file of one sheet, the columns' names first; text is never a formula or a link.

    Equal tables give equal bytes. partial: the file to write; out: the path for errors. Raises UserError for
    what Excel cannot hold, OSError if the file cannot be written.
    """
    from xlsxwriter.exceptions import FileCreateError

    try:
        _write_sheet(tables, schema, partial, out)
    except FileCreateError as error:  # what xlsxwriter makes of an OSError
        cause = error.args[0] if error.args else None
        raise cause if isinstance(cause, OSError) else OSError(None, str(error), str(out)) from None


def _write_sheet(tables: "Iterable[pa.Table]", schema: "pa.Schema", partial: Path, out: Path) -> None:
    import xlsxwriter

    if len(schema) > MOST_COLUMNS:
        raise UserError(f"a sheet has {MOST_COLUMNS:,} columns at most", where=out, remedy="write .csv")
    # rows first go to a file of their own, and are joined at the end
    with xlsxwriter.Workbook(partial, {"constant_memory": True}) as book:
        book.set_properties({"created": CREATED})  # else the time of the run
        sheet, row = book.add_worksheet("documents"), 0
        for column, name in enumerate(schema.names):
            sheet.write_string(0, column, name)
        for table in tables:
            if row + len(table) >= MOST_ROWS:
                raise UserError(f"a sheet has {MOST_ROWS:,} rows at most", where=out, remedy="write .csv")
            for values in zip(*(column.to_pylist() for column in table.columns), strict=True):
                row += 1
                for column, value in enumerate(values):
                    if isinstance(value, str):
                        if len(value) > LONGEST_CELL:
                            problem = f"row {row}: a cell has {LONGEST_CELL:,} characters at most"
                            raise UserError(problem, where=out, remedy="write .csv")
                        sheet.write_string(row, column, value)
                    elif isinstance(value, bool):
                        sheet.write_boolean(row, column, value)
                    elif value is not None:
                        sheet.write_number(row, column, value)
