"""An SVG picture of effects: a panel per term, a line for each topic between the bounds of its effect."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stickbreaker.topics.effects_of_metadata import MetadataEffects

WIDTH, LABELS, ROW, GAP = 900, 330, 22, 46
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#222}.line{stroke:#555;stroke-width:2}"
    ".zero{stroke:#999;stroke-dasharray:3 3}.sure{fill:#b3262e}.open{fill:#777}.ground{fill:#fff}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.line{stroke:#aaa}.ground{fill:#16181c}"
    ".sure{fill:#ff7b72}}"
)


def _mark(value: float) -> str:
    """A number as a label on the axis: its sign and two significant digits.

    >>> _mark(0.0), _mark(0.00271)
    ('0', '+0.0027')
    """
    return f"{value:+.2g}" if value else "0"


def picture_of(found: "MetadataEffects", titles: Sequence[str], topics: Sequence[int]) -> str:
    """An SVG picture of effects on topics, as text: a panel for each term except the intercept, in which
    topics are sorted by effect, largest first.

    titles: of all topics, by number; topics: the numbers of those that are drawn.
    """
    effects, parts, top = found.effects, list[str](), 10
    for t, term in enumerate(found.terms):
        if term == "Intercept":
            continue
        low = min(0.0, *(float(effects.low[k, t]) for k in topics))
        high = max(0.0, *(float(effects.high[k, t]) for k in topics))
        scale = (WIDTH - LABELS - 30) / max(high - low, 1e-12)

        def x(value: float, low: float = low, scale: float = scale) -> float:
            return LABELS + (value - low) * scale

        end = top + 26 + ROW * len(topics)
        parts.append(f'<text x="10" y="{top + 14}" font-weight="600">{escape(term)}</text>')
        parts.append(f'<line class="zero" x1="{x(0):.1f}" x2="{x(0):.1f}" y1="{top + 20}" y2="{end}"/>')
        for place, k in enumerate(sorted(topics, key=lambda k, t=t: -float(effects.estimates[k, t]))):
            y = top + 36 + ROW * place
            a, b, c = (float(one[k, t]) for one in (effects.low, effects.high, effects.estimates))
            kind = "sure" if a > 0.0 or b < 0.0 else "open"
            parts.append(
                f'<text x="{LABELS - 10}" y="{y + 4}" text-anchor="end">{escape(titles[k][:46])}</text>'
            )
            parts.append(f'<line class="line" x1="{x(a):.1f}" x2="{x(b):.1f}" y1="{y}" y2="{y}"/>')
            parts.append(f'<circle class="{kind}" cx="{x(c):.1f}" cy="{y}" r="4"/>')
        for value, anchor in ((low, "start"), (0.0, "middle"), (high, "end")):
            if value == 0.0 or abs(x(value) - x(0.0)) > 40:
                parts.append(
                    f'<text x="{x(value):.1f}" y="{end + 14}" text-anchor="{anchor}">{_mark(value)}</text>'
                )
        top = end + GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" width="{WIDTH}" '
        f'height="{top}" role="img" aria-label="Effects on topic shares"><style>{STYLE}</style>'
        f'<rect class="ground" width="{WIDTH}" height="{top}"/>{"".join(parts)}</svg>\n'
    )
