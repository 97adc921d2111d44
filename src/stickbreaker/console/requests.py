"""The arguments of commands that kinds of models implement themselves (see `estimators.kinds.Saved`)."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ExportRequest:
    """The arguments of `stickbreaker export`, for the kind of model that implements it.

    corpus: None unless the format is about documents.
    """

    model: Path
    corpus: Path | None
    format: str
    out: Path
    top: int
    language: str | None
    sample: int
    topic: str | None
    overwrite: bool
    threads: int | None
