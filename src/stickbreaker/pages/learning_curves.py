"""Learning curves, which several kinds of pages draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stickbreaker.pages.text_values import clean, thinned


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """Perplexity by sweep, pass or step: `points` are (its number, perplexity). `kind` is what is scored:
    "held-out" documents, "text" that is learned from, or "joint" (the words and a chain's state together)."""

    kind: str
    name: str
    points: Sequence[tuple[int, float]]


def curves_payload(curves: Sequence[LearningCurve]) -> list[dict[str, Any]]:
    """The curves with at least two points, as plain values; long ones are thinned out.

    >>> short, long = [(1, 9.0)], [(1, 9.0), (2, 8.0)]
    >>> curves_payload([LearningCurve("text", "a", short), LearningCurve("text", "b", long)])
    [{'kind': 'text', 'name': 'b', 'points': [(1, 9.0), (2, 8.0)]}]
    """
    return [
        {"kind": clean(curve.kind), "name": clean(curve.name), "points": thinned(curve.points)}
        for curve in curves
        if len(curve.points) > 1
    ]
