"""Sentences whose words are shaded by how surprising each is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from stickbreaker.core.json_checks import JsonObject, is_flag, is_number, is_text, list_of, refuse_other_kinds
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.ngrams.report_sentences import COLUMNS, LIMIT, MOST_WORDS
from stickbreaker.ngrams.word_numbers import END, UNKNOWN
from stickbreaker.pages.document_rows import document_name
from stickbreaker.pages.page import Section
from stickbreaker.pages.shades import legend, level_of
from stickbreaker.pages.text_values import one_line
from stickbreaker.pages.views import Line, MarkedText, Token
from stickbreaker.saved.manifest import RESTORE
from stickbreaker.saved.manifest_fields import DOCUMENTS
from stickbreaker.saved.parquet_figures import read_with_figures

if TYPE_CHECKING:
    from stickbreaker.ngrams.report.language_page import LanguageReport

OF_HELD_OUT = "These sentences are of documents held out: the model has not learned from them."
OF_TEXT = (
    "These sentences are of the text that the model has learned from, and so less surprising than others "
    "would be."
)
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


def sentences(report: LanguageReport) -> Section:
    title = "Sentences by surprise"
    rows, held_out = report.saved_sentences
    if rows is None:
        missing = (
            "This model keeps no sentences: only a run into a directory, such as stickbreaker fit, does."
        )
        return Section("sentences", title, missing)
    if not rows:
        of = "documents held out" if held_out else "text"
        return Section("sentences", title, f"No sentence of the {of} has four words or more.")
    whose = OF_HELD_OUT if held_out else OF_TEXT
    text = Markup(
        "How surprising each word is, given those before it: −log<sub>2</sub> of its probability, in bits. "
        "A word of 10 bits is as surprising as one drawn from 1,024 equally likely words; each bit more "
        "doubles that number. {}"
    ).format(whose)
    view = MarkedText(
        [_line(row, spelled=report.spelled) for row in rows],
        legend(LEVELS, "under {:.0f} bits", "{:.0f} to {:.0f}", "{:.0f} and more"),
        looks_of(report.spelled),
        "Show the bits of every word",
    )
    return Section("sentences", title, text, [view])


def looks_of(spelled: bool) -> list[tuple[str, str, str]]:
    """What the looks of words mean. spelled: whether unknown words have a probability by their letters."""
    unknown = "not known, so by its letters" if spelled else f"not known: {UNKNOWN}"
    return [("dotted", "dotted", unknown), ("end", END, "end of the sentence")]


def _line(row: SentenceRow, *, spelled: bool) -> Line:
    whole = len(row.bits) > len(row.tokens)
    words = [
        _token(token, known, bits, spelled=spelled)
        for token, known, bits in zip(row.tokens, row.known, row.bits, strict=False)
    ]
    if whole:
        bits = row.bits[-1]
        note = f"the end of the sentence: {bits:.1f} bits"
        words.append(Token(END, level_of(bits, LEVELS), f"{bits:.1f}", note, "e"))
    mean = sum(row.bits) / max(len(row.bits), 1)
    return Line(words, f"{document_name(row.id)}: {mean:.1f} bits per word", stops_early=not whole)


def _token(token: str, known: bool, bits: float, *, spelled: bool) -> Token:
    note = f"{bits:.1f} bits"
    if not known:
        note = f"not known, {'by its letters' if spelled else UNKNOWN}: {note}"
    return Token(one_line(token), level_of(bits, LEVELS), f"{bits:.1f}", note, "" if known else "u")


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
