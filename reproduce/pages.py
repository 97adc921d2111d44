"""Sections of text, tables and charts, and how they become Markdown and one HTML page."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from reproduce.chart import Line, key, svg

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


def markdown(title: str, introduction: Sequence[str], sections: Sequence[Section]) -> str:
    """The page as Markdown; of charts, the lines' last points."""
    parts = [f"# {title}", *introduction]
    for section in sections:
        parts.append(f"## {section.title}")
        for block in section.blocks:
            if isinstance(block, str):
                parts.append(block)
            elif isinstance(block, Table):
                parts.append("\n".join([table_head(block.columns), *map(table_row, block.rows)]))
    return "\n\n".join(parts) + "\n"


def page(title: str, introduction: Sequence[str], sections: Sequence[Section]) -> str:
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
    return template.render(title=title, introduction=introduction, sections=sections)


def table_head(columns: Sequence[str]) -> str:
    """The first two lines of a Markdown table."""
    return f"{table_row(columns)}\n{table_row(['---'] * len(columns))}"


def table_row(cells: Iterable[Any], text_of: Callable[[Any], str] = shown) -> str:
    """A line of a Markdown table."""

    def escaped(cell: Any) -> str:
        text = text_of(cell).replace("|", "\\|").replace("\n", " ")
        return f"[{text}]({cell.url})" if isinstance(cell, Link) else text

    return f"| {' | '.join(map(escaped, cells))} |"
