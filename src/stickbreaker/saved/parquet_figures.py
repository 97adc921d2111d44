"""Figures that a Parquet file of a model has beside its rows: JSON in the file's own metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_KEY = "stickbreaker"


def with_figures(table: pa.Table, figures: Mapping[str, Any]) -> pa.Table:
    """The table, with figures to be written beside its rows."""
    return table.replace_schema_metadata({_KEY: json.dumps(figures)})


def figures_in(opened: pq.ParquetFile) -> dict[str, Any]:
    """The figures beside the rows of a file; none where it has none."""
    return json.loads((opened.schema_arrow.metadata or {}).get(_KEY.encode(), b"{}"))
