"""What a saved language model kept of its text for the report."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from stickbreaker.core.json_checks import is_flag, is_number, is_text, list_of, refuse_other_kinds
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.ngrams.report.language_page_data import SentenceRow
from stickbreaker.ngrams.report_sentences import COLUMNS, LIMIT, MOST_WORDS
from stickbreaker.saved.manifest import RESTORE
from stickbreaker.saved.manifest_fields import DOCUMENTS
from stickbreaker.saved.parquet_figures import read_with_figures

_ROW = {
    "id": is_text,
    "tokens": list_of(is_text),
    "nats": list_of(lambda value: is_number(value) and value <= 1e-9),
    "known": list_of(is_flag),
}


def read_sentences(folder: Path, manifest: dict[str, Any]) -> tuple[list[SentenceRow], bool] | None:
    """The sentences kept in a model's directory, and whether they are of held-out documents.

    None for a model that kept none. Raises UserError for a file that does not hold them.
    """
    if DOCUMENTS not in manifest["files"]:
        return None
    file = folder / DOCUMENTS
    with making_sense_of(file, RESTORE):
        rows, figures = read_with_figures(file, COLUMNS, LIMIT, "sentences")
        refuse_other_kinds(figures, {"held_out": is_flag})
        return [_sentence(row) for row in rows], figures["held_out"]


def _sentence(row: dict[str, Any]) -> SentenceRow:
    refuse_other_kinds(row, _ROW)
    n = len(row["tokens"])
    if n > MOST_WORDS or len(row["known"]) != n or len(row["nats"]) not in (n, n + 1):
        raise ValueError("a sentence with scores of another")
    bits = [max(-nats / math.log(2.0), 0.0) for nats in row["nats"]]
    return SentenceRow(row["id"], row["tokens"], row["known"], bits)
