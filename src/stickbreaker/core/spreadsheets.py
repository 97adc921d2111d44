"""Cells of CSV files that spreadsheets show as text, and do not run as formulas."""

import re

_BLANK = "\\s\x00-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
_SIGNS = "=+\\-@＝＋－＠﹦﹢﹣﹫"  # with wide and small forms, which East Asian spreadsheets treat alike
_RUN = re.compile(f"[\t\r\n']|[{_BLANK}]*[{_SIGNS}]")


def text_cell(text: str) -> str:
    """The text of a cell, with a single quote before it if a spreadsheet could take it for a formula.

    Those are texts that begin with = + - @, also after spaces and invisible characters, or with a tab or a
    line break (https://owasp.org/www-community/attacks/CSV_Injection). A text that begins with a single quote
    gets one more, so that `without_quote` restores every text and different texts stay different.

    >>> text_cell("=1+1"), text_cell("'tis"), text_cell("a=b")
    ("'=1+1", "''tis", 'a=b')
    """
    return "'" + text if _RUN.match(text) else text


def without_quote(cell: str) -> str:
    """The text from which `text_cell` made the spreadsheet cell: without the leading apostrophe.

    >>> without_quote("'=1+1")
    '=1+1'
    """
    return cell.removeprefix("'")
