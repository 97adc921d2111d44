"""Charts as SVG by hand: lines with markers over a linear axis."""

from collections.abc import Sequence
from html import escape
from math import floor, log10
from typing import NamedTuple

WIDTH, HEIGHT = 460, 290
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 30, 42
COLOURS = (
    "#0b6bb8", "#c2540a", "#5b6b1f", "#7a3ea1", "#b3123f", "#0a7d74", "#7a5a00", "#5a6472", "#b8329a",
)  # fmt: skip
MARKS = ("circle", "square", "triangle", "diamond")


class Line(NamedTuple):
    """A named line."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


def svg(title: str, x: str, y: str, lines: Sequence[Line], level: tuple[str, float] | None = None) -> str:
    """A chart as the text of an SVG element; every text is escaped. `level`: a dashed line and its name."""
    values = [value for line in lines for value in line.y] + ([level[1]] if level else [])
    across = _Axis(0.0, max(value for line in lines for value in line.x), LEFT, WIDTH - RIGHT)
    up = _Axis(min(values), max(values), HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}" '
        'xmlns="http://www.w3.org/2000/svg">',
        _text(LEFT, 16, title, "start", "title"),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, x, "middle"),
        f'<g transform="rotate(-90 12 {HEIGHT / 2})">{_text(12, HEIGHT / 2, y, "middle")}</g>',
    ]
    for tick in across.ticks():
        parts.append(_text(across.at(tick), HEIGHT - BOTTOM + 16, f"{tick:g}", "middle"))
    for tick in up.ticks():
        height = up.at(tick)
        parts.append(f'<path class="grid" d="M{LEFT} {height:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(_text(LEFT - 6, height + 4, f"{tick:g}".replace("-", "−"), "end"))
    if level is not None:
        height = up.at(level[1])
        parts.append(f'<path class="level" d="M{LEFT} {height:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(_text(WIDTH - RIGHT, height - 5, level[0], "end"))
    for number, line in enumerate(lines):
        parts += _drawn(line, number, across, up)
    return "".join(parts) + "</svg>"


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from `low` to `high`, about `most` of them.

    >>> ticks(0.0, 9.0), ticks(-7.31, -7.05)
    ([0.0, 2.0, 4.0, 6.0, 8.0], [-7.3, -7.25, -7.2, -7.15, -7.1, -7.05])
    """
    size = 10 ** floor(log10(max(high - low, 1e-9) / most))
    step = next(n * size for n in (1, 2, 5, 10) if (high - low) / (n * size) <= most)
    first = -floor(-low / step + 1e-9)
    return [round(float(n * step), 10) for n in range(first, floor(high / step + 1e-9) + 1)]


class _Axis:
    """Values to places on the page, with a little room at the ends that are not zero."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        room = 0.04 * ((high - low) or 1.0)
        self.low, self.high = (low - room if low else low), high + room
        self.start, self.end = start, end

    def at(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        return ticks(self.low, self.high)


def _drawn(line: Line, number: int, across: _Axis, up: _Axis) -> list[str]:
    colour, kind = _look(number)
    places = [(across.at(x), up.at(y)) for x, y in zip(line.x, line.y, strict=True)]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    marks = "".join(_mark(kind, x, y) for x, y in places)
    name = f"<title>{escape(line.name)}</title>"
    drawn = f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
    return [f'<g fill="{colour}">{name}{drawn}{marks}</g>']


def key(names: Sequence[str]) -> str:
    """What the colours and marks mean, as the text of an SVG element."""
    parts = [f'<svg class="key" viewBox="0 0 320 {20 * len(names)}" xmlns="http://www.w3.org/2000/svg">']
    for number, name in enumerate(names):
        colour, kind = _look(number)
        mark = _mark(kind, 10, 20 * number + 10)
        parts.append(f'<g fill="{colour}">{mark}</g>{_text(22, 20 * number + 14, name, "start")}')
    return "".join(parts) + "</svg>"


def _look(number: int) -> tuple[str, str]:
    """The colour and the mark of a line."""
    return COLOURS[number % len(COLOURS)], MARKS[number % len(MARKS)]


def _mark(kind: str, x: float, y: float) -> str:
    if kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>'
    corners = {
        "square": ((-3, -3), (3, -3), (3, 3), (-3, 3)),
        "triangle": ((0, -4), (3.6, 3), (-3.6, 3)),
        "diamond": ((0, -4), (4, 0), (0, 4), (-4, 0)),
    }[kind]
    return f'<path d="M{"L".join(f"{x + dx:.1f} {y + dy:.1f}" for dx, dy in corners)}Z"/>'


def _text(x: float, y: float, text: str, anchor: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{named}>{escape(text)}</text>'
