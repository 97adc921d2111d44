"""Rows of documents with their largest topics, as stored in documents.parquet by several kinds of models."""

# pyright: standard
# since pyarrow has no types

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from stickbreaker.core.json_checks import JsonObject, is_amount, is_count, is_flag, is_text, list_of, one_of
from stickbreaker.core.records import Array
from stickbreaker.saved.manifest_fields import DOCUMENTS
from stickbreaker.saved.parquet_figures import write_with_figures

TOPICS = 20  # number of topics stored for a document
HELD_OUT, LEARNED, OTHER = (
    "held-out",
    "learned",
    "other",
)  # kinds of documents that sentences or excerpts come from

# fields of rows, for `refuse_other_kinds`
is_whose = one_of(HELD_OUT, LEARNED, OTHER)
are_shares = list_of(lambda value: is_amount(value) and value <= 1.0 + 1e-9)
ROW = {
    "id": is_text,
    "words": is_count,
    "held_out": is_flag,
    "topics": list_of(is_count),
    "shares": are_shares,
}


def whose(held_out: float, *, learned_from: bool) -> str:
    """The kind of documents that a report shows: "held-out" if there are any, else "learned" or "other".

    held_out: the share held out; learned_from: whether the model has learned from the documents shown.
    """
    return HELD_OUT if held_out > 0.0 else LEARNED if learned_from else OTHER


def largest_topics(shares: Array) -> JsonObject:
    """The fields `topics` and `shares` for a document's row: its 20 largest topics, and their shares.

    shares (topics): of the document; topics with share zero are left out.
    """
    from stickbreaker.core.topk import descending

    top = [k for k in descending(shares, TOPICS).tolist() if shares[k] > 0.0]
    return {"topics": top, "shares": shares[top].tolist()}


def document_row(id: str, words: int, learned_from: bool, shares: Array) -> JsonObject:
    """A document's row without its parts of text. words: how many it has; shares (topics): of its words."""
    return {"id": id, "words": words, "held_out": not learned_from, **largest_topics(shares)}


def write_rows(
    folder: Path,
    rows: Sequence[JsonObject],
    parts: str,
    fields: Mapping[str, pa.DataType],
    *,
    n: int,
    of: str,
) -> None:
    """Write documents.parquet into a model's directory: a row for each document.

    rows: as `document_row` returns them, each with a list of its parts of text in the column `parts`
    ("sentences", "excerpts"); fields: the types of a part's values; n: how many documents there are in all;
    of: which documents the parts come from, as `whose` returns it.
    """
    whole, reals = pa.list_(pa.int32()), pa.list_(pa.float64())
    types = (pa.string(), pa.int64(), pa.bool_(), whole, reals, pa.list_(pa.struct(list(fields.items()))))
    columns = {
        name: pa.array([row[name] for row in rows], kind)
        for name, kind in zip((*ROW, parts), types, strict=True)
    }
    write_with_figures(folder / DOCUMENTS, columns, {"documents": n, parts: of})


def topics_with_shares(row: JsonObject, n_topics: int) -> list[tuple[int, float]]:
    """The (topic, share) pairs in a document's row. Raises ValueError if they are not valid."""
    refuse_other_topics(row["topics"], n_topics)
    if len(row["topics"]) != len(row["shares"]) or len(row["topics"]) > TOPICS or sum(row["shares"]) > 1.001:
        raise ValueError("a document whose shares do not match its topics")
    return list(zip(row["topics"], row["shares"], strict=True))


def refuse_other_topics(topics: Sequence[int], n_topics: int) -> None:
    """Raise ValueError if a topic's number is not below `n_topics`."""
    if any(k >= n_topics for k in topics):
        raise ValueError("a topic that does not exist")
