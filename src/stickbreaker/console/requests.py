"""The arguments of commands that kinds of models implement themselves (see `estimators.kinds.Saved`)."""

from dataclasses import dataclass
from pathlib import Path

from stickbreaker.console.inputs import ReadingChoice
from stickbreaker.core.json_checks import JsonObject


@dataclass(frozen=True)
class TopicsRequest:
    """The arguments of `stickbreaker topics`, for the kind of model that implements it.

    options: the options that apply only to some kinds, by name.
    """

    model: Path
    top: int
    options: JsonObject


@dataclass(frozen=True)
class ScoringRequest:
    """The arguments of `stickbreaker evaluate`, for the kind of model that implements it.

    options: the options that apply only to some kinds, by name.
    """

    model: Path
    inputs: tuple[str, ...]
    reading: ReadingChoice
    threads: int | None
    options: JsonObject


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
