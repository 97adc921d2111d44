"""What the verbs of several kinds ask of one of them: see `estimators.kinds.Kind`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stickbreaker.console.inputs import ReadingChoice


@dataclass(frozen=True)
class TopicsRequest:
    """What `stickbreaker topics` is given: `options` are those that not every kind has, by name."""

    model: Path
    top: int
    options: dict[str, Any]


@dataclass(frozen=True)
class ScoringRequest:
    """What `stickbreaker evaluate` is given: `options` are those that not every kind has, by name."""

    model: Path
    inputs: tuple[str, ...]
    reading: ReadingChoice
    threads: int | None
    options: dict[str, Any]


@dataclass(frozen=True)
class ExportRequest:
    """What `stickbreaker export` is given; `corpus` is there for formats about documents."""

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
