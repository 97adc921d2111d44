"""Words in sentences that are shaded by a number, such as their surprise, and the legend of the shades."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def level_of(value: float, levels: Sequence[float]) -> int:
    """The shade of a value, from 0 up: the number of ascending `levels` that it reaches."""
    return sum(value >= least for least in levels)


def legend(levels: Sequence[float], first: str, between: str, last: str) -> list[tuple[int, str]]:
    """The legend of words' shades: (shade, meaning) for each, given the levels that separate them.

    first, between, last: format strings for the meaning of the shade below the first level, of those between
    two, and of the last.

    >>> legend([2.0, 5.0], "under {:.0f}", "{:.0f} to {:.0f}", "{:.0f} and more")
    [(0, 'under 2'), (1, '2 to 5'), (2, '5 and more')]
    """
    middle = [between.format(low, high) for low, high in pairwise(levels)]
    return list(enumerate([first.format(levels[0]), *middle, last.format(levels[-1])]))
