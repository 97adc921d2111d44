"""Figures of a model's Parquet file: numbers and other JSON values by name, in the file's own metadata."""

# pyright: standard
# since pyarrow has no types

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from stickbreaker.core.files import atomic_file
from stickbreaker.core.json_checks import JsonObject

_KEY = "stickbreaker"


def write_with_figures(file: Path, columns: Mapping[str, pa.Array], figures: Mapping[str, object]) -> None:
    """Write columns as a Parquet file, with other JSON values by name (`figures`) in its metadata.

    The file is written whole or not at all.
    """
    table = pa.table(columns).replace_schema_metadata({_KEY: json.dumps(figures)})
    with atomic_file(file) as partial:
        pq.write_table(table, partial, compression="zstd")


def read_with_figures(
    file: Path, columns: Sequence[str], most: int, rows: str
) -> tuple[list[JsonObject], JsonObject]:
    """Read a Parquet file: its rows, and the JSON values by name (figures) in its metadata.

    Raises ValueError unless it has exactly these columns, and at most `most` rows; `rows` is the noun for
    them in the message.
    """
    with pq.ParquetFile(file) as opened:
        if sorted(opened.schema_arrow.names) != sorted(columns):
            raise ValueError("other columns")
        if opened.metadata.num_rows > most:
            raise ValueError(f"more than {most} {rows}")
        return opened.read().to_pylist(), figures_in(opened)


def figures_in(opened: pq.ParquetFile) -> JsonObject:
    """The JSON values by name (figures) in the metadata of an open Parquet file; empty if it has none."""
    return json.loads((opened.schema_arrow.metadata or {}).get(_KEY.encode(), b"{}"))
