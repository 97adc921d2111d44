"""From the records of a language model's report to what its template and its scripts are given."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from stickbreaker.ngrams.report.language_page_data import (
    ContextRow,
    LanguagePage,
    LearningCurve,
    SentenceRow,
    Spread,
)
from stickbreaker.ngrams.word_numbers import END, UNKNOWN
from stickbreaker.pages.colour import hue_hex
from stickbreaker.topics.report.payload import clean

LEVELS = (2.0, 5.0, 8.0, 11.0, 14.0)  # bits, from which on a word is shaded more
_COLOURS = {
    "held-out": hue_hex(45),
    "text": hue_hex(255),
    "joint": hue_hex(255),
    "discounts": hue_hex(45),
    "concentrations": hue_hex(255),
    "stopping": hue_hex(145),
}
_MOST_POINTS = 600
_LONGEST_WORD = 60  # characters
_LONGEST_ID = 80


class ShadedWord(NamedTuple):
    """A word as the page shows it: its shade (0 to 5), its bits, what a pointer over it says."""

    text: str
    level: int
    bits: str
    note: str
    known: bool = True
    end: bool = False


def language_payload(page: LanguagePage) -> dict[str, Any]:
    """Everything that the charts are drawn from, as JSON values."""
    rows = [row for row in page.lengths if math.isfinite(row.discount.mean + row.concentration.mean)]
    return {
        "colours": _COLOURS,
        "curves": [
            {"kind": clean(curve.kind), "name": clean(curve.name), "points": points}
            for curve, points in _drawn_curves(page.curves)
        ],
        "lengths": [row.length for row in rows],
        "discounts": [_spread(row.discount) for row in rows],
        "concentrations": [_spread(row.concentration) for row in rows],
        "stopping": [_spread(row.words) for row in rows] if page.unbounded else [],
    }


def language_context(page: LanguagePage) -> dict[str, Any]:
    """What the template itself says, and which sections it has."""
    return {
        "title": clean(page.title),
        "subtitle": clean(page.subtitle),
        "facts": [(clean(label), clean(value)) for label, value in page.facts],
        "settings": [(clean(name), clean(value)) for name, value in page.settings],
        "sentences": [_sentence(row, spelled=page.spelled) for row in page.sentences],
        "held_out": page.held_out,
        "no_sentences": clean(page.no_sentences),
        "levels": _legend(),
        "spelled": page.spelled,
        "unbounded": page.unbounded,
        "expressions": [_context(row) for row in page.expressions],
        "longest": [_context(row) for row in page.longest],
        "has_curves": bool(_drawn_curves(page.curves)),
        "has_lengths": bool(page.lengths),
        "end": END,
        "unknown": UNKNOWN,
    }


def _drawn_curves(
    curves: Sequence[LearningCurve],
) -> list[tuple[LearningCurve, list[tuple[int, float]]]]:
    """The curves that have two points or more to draw a line between, of long ones every so many."""
    return [(curve, thinned(list(curve.points))) for curve in curves if len(curve.points) > 1]


def thinned(points: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """A curve of 600 points or a few more: of a longer one every so many, and the last."""
    stride = -(-len(points) // _MOST_POINTS)
    return [point for i, point in enumerate(points) if i % stride == 0 or i == len(points) - 1]


def _spread(spread: Spread) -> list[float]:
    return [float(f"{value:.6g}") for value in (spread.mean, spread.least, spread.most)]


def shown_word(text: str) -> str:
    """A word of any text: all on one line, with nothing that controls."""
    shown = " ".join(clean(text).split()) or "\ufffd"
    return shown if len(shown) <= _LONGEST_WORD else shown[: _LONGEST_WORD - 1] + "…"


def _context(row: ContextRow) -> dict[str, Any]:
    return {
        "words": [shown_word(word) for word in row.words],
        "length": len(row.words),
        "customers": f"{row.customers:,}",
        "following": [(shown_word(word), _percent(p), round(100.0 * p, 1)) for word, p in row.following],
    }


def _percent(p: float) -> str:
    return f"{100.0 * p:.{0 if p >= 0.0995 else 1}f}%"


def _sentence(row: SentenceRow, *, spelled: bool) -> dict[str, Any]:
    words = [
        _shaded(token, known, bits, spelled=spelled)
        for token, known, bits in zip(row.tokens, row.known, row.bits, strict=False)
    ]
    if len(row.bits) > len(row.tokens):
        bits = row.bits[-1]
        note = f"the end of the sentence: {bits:.1f} bits"
        words.append(ShadedWord(END, _level(bits), f"{bits:.1f}", note, end=True))
    mean = sum(row.bits) / max(len(row.bits), 1)
    shown = clean(row.id)
    return {
        "id": shown if len(shown) <= _LONGEST_ID else shown[: _LONGEST_ID - 1] + "…",
        "words": words,
        "mean": f"{mean:.1f}",
        "whole": len(row.bits) > len(row.tokens),
    }


def _shaded(token: str, known: bool, bits: float, *, spelled: bool) -> ShadedWord:
    if known:
        note = f"{bits:.1f} bits"
    elif spelled:
        note = f"not known, by its letters: {bits:.1f} bits"
    else:
        note = f"not known, {UNKNOWN}: {bits:.1f} bits"
    return ShadedWord(shown_word(token), _level(bits), f"{bits:.1f}", note, known=known)


def _level(bits: float) -> int:
    return sum(bits >= level for level in LEVELS)


def _legend() -> list[tuple[int, str]]:
    """Each shade and what it means."""
    between = [f"{low:.0f} to {high:.0f}" for low, high in pairwise(LEVELS)]
    return list(enumerate([f"under {LEVELS[0]:.0f} bits", *between, f"{LEVELS[-1]:.0f} and more"]))
