"""Text that spreadsheets show and do not run: for every cell of a CSV file that holds text of others."""

import re

_BLANK = "\\s\x00-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
_SIGNS = "=+\\-@＝＋－＠﹦﹢﹣﹫"  # wide and small forms: spreadsheets of East Asia take them for the same
_RUN = re.compile(f"[\t\r\n']|[{_BLANK}]*[{_SIGNS}]")


def text_cell(text: str) -> str:
    """The text of a cell, behind a single quote if a spreadsheet could take it for a formula.

    Those are texts that begin with = + - @, also after blanks and invisible characters, or with a tab or the
    end of a line (https://owasp.org/www-community/attacks/CSV_Injection). A text that begins with a single
    quote gets one more, so that `without_quote` gives every text back and different texts stay different.

    >>> text_cell("=1+1"), text_cell("'tis"), text_cell("a=b")
    ("'=1+1", "''tis", 'a=b')
    """
    return "'" + text if _RUN.match(text) else text


def without_quote(cell: str) -> str:
    """The text of which `text_cell` made a cell.

    >>> without_quote("'=1+1")
    '=1+1'
    """
    return cell.removeprefix("'")
