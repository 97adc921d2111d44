"""Colours of equal lightness (OKLCH), written as hex so that every drawing program reads them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

LIGHTNESS = 0.58
CHROMA = 0.13  # with this lightness: contrast of at least 3 : 1 on white and on a near-black background


def _linear_rgb(lightness: float, chroma: float, hue: float) -> tuple[float, float, float]:
    """Convert OKLCH (hue in degrees) to linear sRGB, possibly outside the gamut [0, 1]."""
    a = chroma * math.cos(math.radians(hue))
    b = chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _gamma(channel: float) -> float:
    return 12.92 * channel if channel <= 0.0031308 else 1.055 * channel ** (1 / 2.4) - 0.055


def hue_hex(hue: float, lightness: float = LIGHTNESS, chroma: float = CHROMA) -> str:
    """A colour as `#rrggbb` from its hue (degrees); with less chroma if a screen could not show it."""
    rgb = _linear_rgb(lightness, chroma, hue)
    while chroma > 0 and not all(-1e-6 <= channel <= 1 + 1e-6 for channel in rgb):
        chroma -= 0.002
        rgb = _linear_rgb(lightness, max(chroma, 0.0), hue)
    return "#" + "".join(f"{round(255 * _gamma(min(max(channel, 0.0), 1.0))):02x}" for channel in rgb)


def topic_colours(positions: Sequence[tuple[float, float]], n_topics: int) -> list[str]:
    """Colours for topics by their direction on the map, so that neighbours have similar hues.

    The hue is the mean of the angle and of the angle's rank: the rank alone would hide clusters, the angle
    alone gives every topic of a cluster one colour.

    Args:
        positions: (K, 2) places on the map; if empty, or K < 3, hues go round the circle in order.
        n_topics: K.

    Returns:
        K colours as `#rrggbb`.
    """
    if len(positions) != n_topics or n_topics < 3:
        return [hue_hex(250 + 360 * k / max(n_topics, 1)) for k in range(n_topics)]
    points = np.asarray(positions, dtype=np.float64)
    points = points - points.mean(axis=0)
    turn = np.arctan2(points[:, 1], points[:, 0]) / (2 * np.pi) + 0.5
    rank = np.empty(n_topics)
    rank[np.argsort(turn, kind="stable")] = np.arange(n_topics) / n_topics
    return [hue_hex(float(hue)) for hue in 360 * (0.5 * turn + 0.5 * rank) + 20]


def distinct_colours(n: int) -> list[str]:
    """`n` colours in a list whose neighbours differ clearly: hues advance by the golden angle.

    >>> len(set(distinct_colours(30)))
    30
    """
    return [hue_hex((250.0 + 137.508 * k) % 360.0) for k in range(n)]
