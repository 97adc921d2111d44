"""Sections of text, tables and charts, and how they become Markdown and one HTML page."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from chart import Line, key, svg
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

TEMPLATE = Path(__file__).parent / "page.html.j2"


class Link(NamedTuple):
    """A cell that leads somewhere."""

    text: str
    url: str


Cell = str | float | int | bool | Link | None


@dataclass
class Table:
    """Columns and rows of cells."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]


@dataclass
class Chart:
    """Lines over seconds; `level` is a dashed line with its name. Shown in the HTML page alone."""

    title: str
    x: str
    y: str
    lines: Sequence[Line]
    level: tuple[str, float] | None = None


@dataclass
class Section:
    """A title, and paragraphs, tables and charts in order."""

    title: str
    blocks: Sequence[str | Table | Chart]


def shown(cell: Cell) -> str:
    """A cell as text.

    >>> shown(0.12345), shown(12345.6), shown(True), shown(None)
    ('0.123', '12,346', 'yes', '–')
    """
    if cell is None:
        return "–"
    if isinstance(cell, Link):
        return cell.text
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.3f}" if abs(cell) < 10 else f"{cell:.1f}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def markdown(title: str, told: Sequence[str], sections: Sequence[Section]) -> str:
    """The page as Markdown; of charts, the lines' last points."""
    parts = [f"# {title}", *told]
    for section in sections:
        parts.append(f"## {section.title}")
        for block in section.blocks:
            if isinstance(block, str):
                parts.append(block)
            elif isinstance(block, Table):
                parts.append(_table(block))
    return "\n\n".join(parts) + "\n"


def page(title: str, told: Sequence[str], sections: Sequence[Section]) -> str:
    """The page as HTML, which fetches nothing; all text is escaped."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["shown"] = shown
    environment.filters["svg"] = lambda chart: Markup(
        svg(chart.title, chart.x, chart.y, chart.lines, chart.level)
    )
    environment.filters["key"] = lambda chart: Markup(key([line.name for line in chart.lines]))
    environment.tests["table"] = lambda block: isinstance(block, Table)
    environment.tests["chart"] = lambda block: isinstance(block, Chart)
    environment.tests["link"] = lambda cell: isinstance(cell, Link)
    environment.tests["figure"] = lambda cell: isinstance(cell, int | float) and not isinstance(cell, bool)
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(title=title, told=told, sections=sections)


def _table(table: Table) -> str:
    rows = [table.columns, ["---"] * len(table.columns), *table.rows]
    return "\n".join("| " + " | ".join(map(_cell, row)) + " |" for row in rows)


def _cell(cell: Cell) -> str:
    text = shown(cell).replace("|", "\\|").replace("\n", " ")
    return f"[{text}]({cell.url})" if isinstance(cell, Link) else text
