"""The page about a language model: its sections, what its template says and what its scripts draw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from stickbreaker.ngrams.report.language_page_data import (
    ContextRow,
    LengthRow,
    SentenceRow,
    Spread,
)
from stickbreaker.ngrams.word_numbers import END, UNKNOWN
from stickbreaker.pages.colour import hue_hex
from stickbreaker.pages.learning_curves import LearningCurve, curves_payload
from stickbreaker.pages.page import Assets, Page
from stickbreaker.pages.text_values import clean, cut_short, one_line

ASSETS = Assets(
    folder="stickbreaker.ngrams.report",
    template="language.html.j2",
    styles=["report.css", "sentences.css"],
    charts=["base.js", "charts.js", "length_charts.js"],
    views=["dom.js", "chart_sections.js", "language_report.js"],
    figures=["figures.js", "language_figures.js"],
)
LEVELS = (2.0, 5.0, 8.0, 11.0, 14.0)  # bits, from which on a word is shaded more
_COLOURS = {
    "held-out": hue_hex(45),
    "text": hue_hex(255),
    "joint": hue_hex(255),
    "discounts": hue_hex(45),
    "concentrations": hue_hex(255),
    "stopping": hue_hex(145),
}
_LONGEST_ID = 80  # characters


@dataclass(frozen=True, slots=True)
class LanguagePage(Page):
    """Everything the report of a language model shows; a section whose data are empty is left out.

    `unbounded`: each word draws how long its context is. `spelled`: words that are not known have a
    probability by their letters. `longest` are the longest contexts, `expressions` those that mostly
    go on in one way. `held_out`: the sentences are of documents that the model has not learned from;
    `no_sentences` says why there is none.
    """

    assets = ASSETS

    curves: Sequence[LearningCurve] = ()
    lengths: Sequence[LengthRow] = ()
    unbounded: bool = False
    spelled: bool = False
    longest: Sequence[ContextRow] = ()
    expressions: Sequence[ContextRow] = ()
    sentences: Sequence[SentenceRow] = ()
    held_out: bool = False
    no_sentences: str = ""

    def payload(self) -> dict[str, Any]:
        """Everything that the charts are drawn from, as JSON values."""
        return learning_payload(self.curves, self.lengths, unbounded=self.unbounded)

    def context(self) -> dict[str, Any]:
        return {
            "sentences": [_sentence(row, spelled=self.spelled) for row in self.sentences],
            "levels": _legend(),
            "percent": percent_of,
            "has_curves": bool(curves_payload(self.curves)),
            "end": END,
            "unknown": UNKNOWN,
        }


def learning_payload(
    curves: Sequence[LearningCurve], lengths: Sequence[LengthRow], *, unbounded: bool
) -> dict[str, Any]:
    """What the charts by sweep and by length of context are drawn from, as JSON values."""
    rows = [row for row in lengths if math.isfinite(row.discount.mean + row.concentration.mean)]
    return {
        "colours": _COLOURS,
        "curves": curves_payload(curves),
        "lengths": [row.length for row in rows],
        "discounts": [_spread(row.discount) for row in rows],
        "concentrations": [_spread(row.concentration) for row in rows],
        "stopping": [_spread(row.words) for row in rows] if unbounded else [],
    }


def _spread(spread: Spread) -> list[float]:
    return [float(f"{value:.6g}") for value in (spread.mean, spread.least, spread.most)]


def percent_of(p: float) -> str:
    return f"{100.0 * p:.{0 if p >= 0.0995 else 1}f}%"


def _sentence(row: SentenceRow, *, spelled: bool) -> dict[str, Any]:
    words = [
        _shaded(token, known, bits, spelled=spelled)
        for token, known, bits in zip(row.tokens, row.known, row.bits, strict=False)
    ]
    if len(row.bits) > len(row.tokens):
        bits = row.bits[-1]
        note = f"the end of the sentence: {bits:.1f} bits"
        words.append(_word(END, bits, note, end=True))
    mean = sum(row.bits) / max(len(row.bits), 1)
    return {
        "id": cut_short(clean(row.id), _LONGEST_ID),
        "words": words,
        "mean": f"{mean:.1f}",
        "whole": len(row.bits) > len(row.tokens),
    }


def _shaded(token: str, known: bool, bits: float, *, spelled: bool) -> dict[str, Any]:
    if known:
        note = f"{bits:.1f} bits"
    elif spelled:
        note = f"not known, by its letters: {bits:.1f} bits"
    else:
        note = f"not known, {UNKNOWN}: {bits:.1f} bits"
    return _word(one_line(token), bits, note, known=known)


def _word(text: str, bits: float, note: str, *, known: bool = True, end: bool = False) -> dict[str, Any]:
    level = sum(bits >= least for least in LEVELS)
    return shaded_word(text, level, bits, note, known=known, end=end)


def shaded_word(
    text: str, level: int, bits: float, note: str, *, known: bool = True, end: bool = False, colour: str = ""
) -> dict[str, Any]:
    """A word as a page shows it: its shade (0 to 5), its bits, what a pointer over it says, its colour."""
    return {
        "text": text,
        "level": level,
        "bits": f"{bits:.1f}",
        "note": note,
        "known": known,
        "end": end,
        "colour": colour,
    }


def _legend() -> list[tuple[int, str]]:
    """Each shade and what it means."""
    between = [f"{low:.0f} to {high:.0f}" for low, high in pairwise(LEVELS)]
    return list(enumerate([f"under {LEVELS[0]:.0f} bits", *between, f"{LEVELS[-1]:.0f} and more"]))
