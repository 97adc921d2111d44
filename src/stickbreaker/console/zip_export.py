"""`stickbreaker export --format zip`: a model of any kind as one file."""

from typing import Any

from stickbreaker.console.requests import ExportRequest


def write_zip(asked: ExportRequest) -> tuple[dict[str, Any], str]:
    """Pack the model into one file; returns its size in bytes, as JSON and as a line of text."""
    from stickbreaker.saved.packed_models import pack

    size = pack(asked.model, asked.out, overwrite=asked.overwrite)
    return {"bytes": size}, f"the model as one file, {size / 1e6:,.1f} MB"
