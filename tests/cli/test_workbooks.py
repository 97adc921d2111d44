"""Workbooks that the program writes."""

import zipfile

import pyarrow as pa
import pytest
from xlsxwriter.exceptions import FileCreateError

from stickbreaker.console import table_files
from stickbreaker.console.table_files import write_tables

TABLE = pa.table({"word": ["a", "=1"], "count": [1, 2]})


def test_equal_tables_give_equal_bytes_at_any_time(tmp_path):
    for name in ("first.xlsx", "second.xlsx"):
        write_tables([TABLE], TABLE.schema, tmp_path / name)
    assert (tmp_path / "first.xlsx").read_bytes() == (tmp_path / "second.xlsx").read_bytes()
    with zipfile.ZipFile(tmp_path / "first.xlsx") as book:
        assert b">1980-01-01T00:00:00Z<" in book.read("docProps/core.xml"), "not the time of the run"
        assert {entry.date_time[0] for entry in book.infolist()} == {1980}


def test_a_full_disk_is_an_error_of_the_system(tmp_path, monkeypatch):
    def full(*_):
        raise FileCreateError(OSError(28, "No space left on device"))

    monkeypatch.setattr(table_files, "_write_sheet", full)
    with pytest.raises(OSError, match="No space left"):
        write_tables([TABLE], TABLE.schema, tmp_path / "t.xlsx")
    assert not list(tmp_path.iterdir())
