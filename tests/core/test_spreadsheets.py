"""Cells of text that no spreadsheet runs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker.core.spreadsheets import text_cell, without_quote

RUN = ("=1", "+1", "-1", "@A1", "\t1", "\r1", "\n1", "  =1", "\xa0=1", "\ufeff=1", "\x00=1", "\u200b-1")
WIDE = ("＝1", "＋1", "－1", "＠A1", "﹦1", " ＝1")
SAFE = ("", "a", "a=1", "1-2", '"=1"', " a", "d-1", "#1", "\u2212")


@pytest.mark.parametrize("text", RUN + WIDE)
def test_what_could_run_stands_behind_a_quote(text):
    assert text_cell(text) == "'" + text


@pytest.mark.parametrize("text", SAFE)
def test_other_text_stays(text):
    assert text_cell(text) == text


@given(st.text() | st.text("'=+-@ \t\ra"))
def test_every_text_comes_back(text):
    cell = text_cell(text)
    assert without_quote(cell) == text
    assert not cell.lstrip().startswith(("=", "+", "-", "@"))
