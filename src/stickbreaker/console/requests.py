"""The arguments of commands that kinds of models implement themselves (see `estimators.kinds.Saved`)."""

from dataclasses import dataclass
from pathlib import Path

from stickbreaker.console.inputs import ReadingChoice
from stickbreaker.core.json_checks import JsonObject


@dataclass(frozen=True)
class TopicsRequest:
    """What a kind gets to implement `stickbreaker topics`.

    options: those that only some kinds have, by name.
    """

    model: Path
    top: int
    options: JsonObject


@dataclass(frozen=True)
class ScoringRequest:
    """What a kind gets to implement `stickbreaker evaluate`.

    options: those that only some kinds have, by name.
    """

    model: Path
    inputs: tuple[str, ...]
    reading: ReadingChoice
    threads: int | None
    options: JsonObject


@dataclass(frozen=True)
class ExportRequest:
    """What a kind gets to implement `stickbreaker export`. corpus: only for formats about documents."""

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
