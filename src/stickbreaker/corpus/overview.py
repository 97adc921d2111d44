"""A short overview of a corpus or a fitted estimator, as a table for notebooks."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from stickbreaker.corpus.text.letters import JOINERS

MOST_ROWS = 30  # of topics, or symbols


class Overview(NamedTuple):
    """What a notebook shows of a corpus or model: a title line, a table, and a note on what was left out."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


def as_html(overview: Overview, text: str) -> str:
    """An overview as an HTML table for a notebook, below a line with the object's `repr` (`text`).

    It takes its colours from the surrounding page, light or dark, and has no script.

    >>> "&lt;b&gt;" in as_html(Overview("1 topic", ["words"], [["<b>"]]), "LDA()")
    True
    """
    cell = "text-align: left; padding: 0.15em 1.2em 0.15em 0; border: 0; color: inherit; background: none"
    head = "".join(f'<th scope="col" style="{cell}">{_text(name)}</th>' for name in overview.columns)
    rows = "".join(
        "<tr>" + "".join(f'<td dir="auto" style="{cell}">{_text(value)}</td>' for value in row) + "</tr>"
        for row in overview.rows
    )
    note = f"<div>{_text(overview.note)}</div>" if overview.note else ""
    return (
        f'<div style="color: inherit"><div><code style="color: inherit; background: none">'
        f"{_text(text)}</code></div><div>{_text(overview.title)}</div>"
        f'<table style="border-collapse: collapse; border: 0; color: inherit"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>{note}</div>"
    )


def _text(text: str) -> str:
    """Text escaped for HTML, with U+FFFD in place of characters that cannot be shown."""
    shown = (one if one.isprintable() or one in JOINERS else "\N{REPLACEMENT CHARACTER}" for one in text)
    return escape("".join(shown))
