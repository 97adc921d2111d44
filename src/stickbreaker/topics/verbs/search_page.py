"""The page of `stickbreaker search-k`: a table and five figures, without scripts; nothing is loaded from
elsewhere.
"""

import math
from collections.abc import Sequence

from markupsafe import Markup, escape

from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.topics.verbs.coherence_counts import COUNTS

WIDTH, HEIGHT = 420, 250
LEFT, RIGHT, TOP, BOTTOM = 62, 16, 14, 40  # margins of a figure, in pixels
FIGURES = {  # in the table of a search: heading, and what is better
    "nats_per_word": ("Held-out score", "nats per word, higher is better"),
    "npmi": ("Coherence", "mean NPMI of topics, higher is better"),
    "weakest": (
        "Weakest topics",
        "mean NPMI of the weakest quarter of topics; from 0 and half of the best up they hold",
    ),
    "diversity": ("Diversity", "share of distinct words among the top 25 of all topics"),
    "stability": ("Stability", "likeness of matched topics of other seeds, 1 is the same"),
}
COLUMNS = {
    "topics": ("topics", "{:d}"),
    "nats_per_word": ("held-out nats/word", "{:.4f}"),
    "npmi": ("NPMI", "{:.3f}"),
    "weakest": ("weakest quarter", "{:.3f}"),
    "umass": ("UMass", "{:.3f}"),
    "c_v": ("C_v", "{:.3f}"),
    "diversity": ("diversity", "{:.3f}"),
    "stability": ("stability", "{:.3f}"),
    "seconds": ("seconds", "{:.1f}"),
}


def page(summary: JsonObject, name: str) -> str:
    """The page of `search-k` on the results of a search: one HTML document that loads nothing from elsewhere.

    summary: the results, as in search.json; name: of the corpus.
    """
    from stickbreaker.pages.page import plain_page

    title = f"How many topics? {name}"
    return plain_page(
        "stickbreaker.topics.verbs",
        "search_page",
        title,
        summary=summary,
        counted=counted_in(summary),
        figures=_figures(summary),
        columns=COLUMNS,
    )


def counted_in(summary: JsonObject) -> str:
    """In what coherence was counted, as a line of text."""
    counts = summary[COUNTS]
    others = f"; UMass and C_v: in {counted(counts['documents'], 'document')} held out" if counts else ""
    return f"NPMI: in {summary['npmi_counted_in']}{others}"


def figure(
    topics: Sequence[int], means: Sequence[float], seeds: Sequence[Sequence[float]], chosen: int, label: str
) -> str:
    """An SVG figure of a score against the number of topics (log scale): a line through `means`, and a dot
    for each seed.

    topics: the numbers, ascending; seeds: for each number, the scores of all seeds; `chosen`: the number that
    is marked; `label`: what a screen reader says.
    """
    ticks = _ticks([*means, *(value for values in seeds for value in values)])
    span = math.log(topics[-1] / topics[0]) or 1.0

    def across(k: int) -> float:
        share = 0.5 if len(topics) == 1 else math.log(k / topics[0]) / span
        return LEFT + 14 + share * (WIDTH - LEFT - RIGHT - 28)

    def down(value: float) -> float:
        share = (value - ticks[0]) / (ticks[-1] - ticks[0])
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    marks = [
        f'<line class="rule" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{down(t):.1f}" y2="{down(t):.1f}"/>'
        f'<text x="{LEFT - 8}" y="{down(t) + 4:.1f}" text-anchor="end">{t:.6g}</text>'
        for t in ticks
    ]
    marks += [
        f'<text x="{across(k):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{k}</text>'
        for k in topics
    ]
    here = across(chosen)
    marks.append(f'<line class="chosen" x1="{here:.1f}" x2="{here:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
    points = " ".join(f"{across(k):.1f},{down(value):.1f}" for k, value in zip(topics, means, strict=True))
    marks.append(f'<polyline class="mean" points="{points}"/>')
    marks += [
        f'<circle class="seed" cx="{across(k):.1f}" cy="{down(value):.1f}" r="3.5"/>'
        for k, values in zip(topics, seeds, strict=True)
        for value in values
    ]
    marks.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">topics</text>'
    )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">{"".join(marks)}</svg>'
    )


def _figures(summary: JsonObject) -> list[tuple[str, str, Markup]]:
    """The figures of the scores that all numbers of topics have: for each, its heading, what it measures, and
    the picture.
    """
    rows = summary["table"]
    drawn: list[tuple[str, str, Markup]] = []
    for name, (heading, better) in FIGURES.items():
        means = [row[name] for row in rows]
        if all(value is not None for value in means):
            seeds = [row["of_seeds"].get(name, [row[name]]) for row in rows]
            topics, chosen = [row["topics"] for row in rows], summary["suggested"]["topics"]
            picture = figure(topics, means, seeds, chosen, f"{heading} by number of topics")
            drawn.append((heading, better, Markup(picture)))
    return drawn


def _ticks(values: Sequence[float]) -> list[float]:
    """Values for the ticks of an axis: two or more round numbers at equal distances, from below the least
    value to above the greatest.
    """
    low, high = min(values), max(values)
    size = max(abs(low), abs(high), 1e-6)
    width = high - low if high - low > 1e-9 * size else 0.1 * size  # alike but for rounding
    power = 10.0 ** math.floor(math.log10(width / 3))
    step = next(power * m for m in (1, 2, 5, 10) if width / (power * m) <= 4)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [n * step for n in range(first, max(last, first + 1) + 1)]
