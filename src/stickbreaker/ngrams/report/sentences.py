"""Sentences whose words are shaded by how surprising each is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from stickbreaker.core.json_checks import JsonObject, is_flag, is_number, is_text, list_of, refuse_other_kinds
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.ngrams.report_sentences import COLUMNS, LIMIT, MOST_WORDS
from stickbreaker.ngrams.word_numbers import END, UNKNOWN
from stickbreaker.pages.document_rows import document_name
from stickbreaker.pages.shades import legend, level_of, shaded_word
from stickbreaker.pages.template_page import Section
from stickbreaker.pages.text_values import one_line
from stickbreaker.saved.manifest import RESTORE
from stickbreaker.saved.manifest_fields import DOCUMENTS
from stickbreaker.saved.parquet_figures import read_with_figures

if TYPE_CHECKING:
    from stickbreaker.ngrams.report.language_page import LanguageReport

LEVELS = (2.0, 5.0, 8.0, 11.0, 14.0)  # bits, from which on a word is shaded more
_ROW = {
    "id": is_text,
    "tokens": list_of(is_text),
    "nats": list_of(lambda value: is_number(value) and value <= 1e-9),
    "known": list_of(is_flag),
}


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """A sentence of the document `id`: its tokens, whether each is known, and `bits`, -log2 p of each.

    If the sentence is complete, `bits` has one more value, for its end.
    """

    id: str
    tokens: Sequence[str]
    known: Sequence[bool]
    bits: Sequence[float]


class SavedSentences(NamedTuple):
    """The sentences saved with a model (None: it has none), and whether they are from held-out documents."""

    rows: Sequence[SentenceRow] | None = None
    held_out: bool = False


class Sentences(Section["LanguageReport"]):
    anchor, heading = "sentences", "Sentences by surprise"
    template = "sentences.html.j2"
    styles = ("sentences.css",)

    def values(self, report: LanguageReport) -> JsonObject:
        rows, held_out = report.saved_sentences
        missing = f"No sentence of the {'documents held out' if held_out else 'text'} has four words or more."
        if rows is None:
            missing = (
                "This model keeps no sentences: only a run into a directory, such as stickbreaker fit, does."
            )
        return {
            "sentences": [_sentence(row, spelled=report.spelled) for row in rows or ()],
            "held_out": held_out,
            "spelled": report.spelled,
            "missing": missing,
            "levels": legend(LEVELS, "under {:.0f} bits", "{:.0f} to {:.0f}", "{:.0f} and more"),
            "end": END,
            "unknown": UNKNOWN,
        }


def _sentence(row: SentenceRow, *, spelled: bool) -> JsonObject:
    whole = len(row.bits) > len(row.tokens)
    words = [
        _shaded(token, known, bits, spelled=spelled)
        for token, known, bits in zip(row.tokens, row.known, row.bits, strict=False)
    ]
    if whole:
        bits = row.bits[-1]
        note = f"the end of the sentence: {bits:.1f} bits"
        words.append(shaded_word(END, level_of(bits, LEVELS), bits, note, end=True))
    mean = sum(row.bits) / max(len(row.bits), 1)
    return {"id": document_name(row.id), "words": words, "mean": f"{mean:.1f}", "whole": whole}


def _shaded(token: str, known: bool, bits: float, *, spelled: bool) -> JsonObject:
    note = f"{bits:.1f} bits"
    if not known:
        note = f"not known, {'by its letters' if spelled else UNKNOWN}: {note}"
    return shaded_word(one_line(token), level_of(bits, LEVELS), bits, note, known=known)


def read_sentences(folder: Path, manifest: JsonObject) -> SavedSentences:
    """Read the sentences that were saved in a model's directory for its report; `rows` is None if there are
    none. Raises UserError for an invalid file."""
    if DOCUMENTS not in manifest["files"]:
        return SavedSentences()
    file = folder / DOCUMENTS
    with making_sense_of(file, RESTORE):
        rows, figures = read_with_figures(file, COLUMNS, LIMIT, "sentences")
        refuse_other_kinds(figures, {"held_out": is_flag})
        return SavedSentences([_row(row) for row in rows], figures["held_out"])


def _row(row: JsonObject) -> SentenceRow:
    refuse_other_kinds(row, _ROW)
    n = len(row["tokens"])
    if n > MOST_WORDS or len(row["known"]) != n or len(row["nats"]) not in (n, n + 1):
        raise ValueError("a sentence with scores of another")
    bits = [max(-nats / math.log(2.0), 0.0) for nats in row["nats"]]
    return SentenceRow(row["id"], row["tokens"], row["known"], bits)
