"""An SVG picture of topics over time: a panel for each topic, all with one scale, and bands of bounds."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from stickbreaker.topics.topics_over_time import OverTime, TopicsByPeriod

PANEL, HEIGHT, LEFT, TOP, GAP, COLUMNS = 270, 110, 46, 26, 34, 3
COLOURS = (
    *("#3b82d0", "#d97f24", "#2f9e6e", "#a55bbd", "#c2506a", "#8a8f98"),
    *("#1d6f9f", "#b0731a", "#5f8f2f", "#7a4fa0", "#a03d3d", "#5f6670"),
)
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#222}.axis{stroke:#999;stroke-width:1}.ground{fill:#fff}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.ground{fill:#16181c}}"
)


def picture_of(found: "TopicsByPeriod", titles: Sequence[str], topics: Sequence[int]) -> str:
    """An SVG picture, as text: small multiples of the given topics with the same axes, in three columns.

    titles: of all topics, by number.
    """
    top = max(0.01, *(float(np.quantile(one.high[:, k], 0.98)) for one in found.groups for k in topics))
    parts: list[str] = []
    for place, k in enumerate(topics):
        x, y = LEFT + (place % COLUMNS) * (PANEL + LEFT), TOP + (place // COLUMNS) * (HEIGHT + TOP + GAP)
        parts.append(f'<text x="{x}" y="{y - 8}" font-weight="600">{escape(titles[k][:38])}</text>')
        for share in (0.0, top / 2.0, top):
            at = y + HEIGHT - HEIGHT * share / top
            parts.append(f'<line class="axis" x1="{x}" x2="{x + PANEL}" y1="{at:.1f}" y2="{at:.1f}"/>')
            parts.append(f'<text x="{x - 4}" y="{at + 4:.1f}" text-anchor="end">{100.0 * share:.3g} %</text>')
        for name, where, anchor in ((found.periods[0], x, "start"), (found.periods[-1], x + PANEL, "end")):
            parts.append(
                f'<text x="{where}" y="{y + HEIGHT + 16}" text-anchor="{anchor}">{escape(name)}</text>'
            )
        for one, colour in zip(found.groups, COLOURS, strict=False):
            parts += _band(one, k, x, y, top, colour)
    below = TOP + -(-len(topics) // COLUMNS) * (HEIGHT + TOP + GAP)
    if found.group_field is not None:
        for place, (one, colour) in enumerate(zip(found.groups, COLOURS, strict=False)):
            x, y = LEFT + (place % 6) * 160, below + 18 * (place // 6)
            parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{colour}"/>')
            parts.append(f'<text x="{x + 16}" y="{y}">{escape(str(one.group)[:18])}</text>')
        below += 18 * (-(-len(found.groups) // 6))
    width = COLUMNS * (PANEL + LEFT) + 20
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {below}" width="{width}" '
        f'height="{below}" role="img" aria-label="Topics over time"><style>{STYLE}</style>'
        f'<rect class="ground" width="{width}" height="{below}"/>{"".join(parts)}</svg>\n'
    )


def _band(one: "OverTime", k: int, x: float, y: float, top: float, colour: str) -> list[str]:
    """The line of a topic's share in one group, and the band between its bounds."""
    n = len(one.shares)
    at = [x + PANEL * (t + 0.5) / n for t in range(n)]

    def height(share: float) -> float:
        return y + HEIGHT - HEIGHT * min(share, top) / top

    upper = [f"{a:.1f},{height(float(v)):.1f}" for a, v in zip(at, one.high[:, k], strict=True)]
    lower = [f"{a:.1f},{height(float(v)):.1f}" for a, v in zip(at, one.low[:, k], strict=True)]
    line = [f"{a:.1f},{height(float(v)):.1f}" for a, v in zip(at, one.shares[:, k], strict=True)]
    return [
        f'<polygon points="{" ".join([*upper, *lower[::-1]])}" fill="{colour}" fill-opacity="0.2"/>',
        f'<polyline points="{" ".join(line)}" fill="none" stroke="{colour}" stroke-width="1.8"/>',
    ]
