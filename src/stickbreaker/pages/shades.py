"""Words of sentences that are shaded by a number: their levels, and what these mean."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from stickbreaker.core.json_checks import JsonObject


def level_of(value: float, levels: Sequence[float]) -> int:
    """The shade of a value, 0 below the first of the levels."""
    return sum(value >= least for least in levels)


def legend(levels: Sequence[float], first: str, between: str, last: str) -> list[tuple[int, str]]:
    """(shade, meaning) of all shades of words, where `levels` separate them.

    first, between, last: formats for the text on the shade below the first level, between two, and above the
    last.

    >>> legend([2.0, 5.0], "under {:.0f}", "{:.0f} to {:.0f}", "{:.0f} and more")
    [(0, 'under 2'), (1, '2 to 5'), (2, '5 and more')]
    """
    middle = [between.format(low, high) for low, high in pairwise(levels)]
    return list(enumerate([first.format(levels[0]), *middle, last.format(levels[-1])]))


def shaded_word(
    text: str, level: int, bits: float, note: str, *, known: bool = True, end: bool = False, colour: str = ""
) -> JsonObject:
    """A word as a page shows it: its text, shade (`level`), bits, tooltip (`note`) and colour."""
    return {
        "text": text,
        "level": level,
        "bits": f"{bits:.1f}",
        "note": note,
        "known": known,
        "end": end,
        "colour": colour,
    }
