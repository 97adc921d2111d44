"""Base of the settings that verbs take, such as `top` of `topics_of`. Imports neither numpy nor models."""

from dataclasses import dataclass
from datetime import date as day

from stickbreaker.core.errors import UserError
from stickbreaker.core.parameter_fields import Settings, declared, naming_settings, parameter, refuse_values


@dataclass(frozen=True)
class VerbSettings(Settings):
    """What a verb is asked for: declared fields, whose values are checked when an instance is made.

    Each is a keyword of the verb's function and, unless it has no option, an option of its command.
    """

    def __post_init__(self) -> None:
        with naming_settings(type(self)):
            refuse_values(self, largest=float("inf"))  # numbers that only bound something may be large
            self.refuse_others()

    def refuse_others(self) -> None:
        """Raise UserError for values that are not valid for other reasons than the declared ones."""


@dataclass(frozen=True)
class ThreadSettings(VerbSettings):
    """The settings of verbs that read documents with several threads."""

    n_jobs: int | None = parameter(
        None,
        "Threads; the result does not depend on it.",
        unset="those of the model, or every core",
        option="--threads",
        least=1,
        heading="Machines",
        last=True,
    )


@dataclass(frozen=True)
class TransformSettings(ThreadSettings):
    """The settings of `transform`."""

    metadata: bool = parameter(
        False, "Also write the documents' metadata, a column for each field, and their main topic."
    )
    by: str | None = parameter(
        None,
        "For documents read with --split: one row for each whole document, not for each part.",
        choices=("document",),
    )


@dataclass(frozen=True)
class ExportSettings(ThreadSettings):
    """The settings of `export`, each for some of the formats."""

    top: int = parameter(20, "Words per topic, for the first two formats.", least=1)
    language: str | None = parameter(None, "pyldavis: language of a polylingual model to show.")
    sample: int = parameter(-1, "arpa: number of the sample, from 0.  [default: the last]")
    topic: str | None = parameter(None, "arpa: topic of a language model with topics.", metavar="N|common")

    @property
    def given(self) -> tuple[str, ...]:
        """The names of the settings that have another value than the declared one."""
        return tuple(name for name, one in declared(type(self)).items() if getattr(self, name) != one.default)


@dataclass(frozen=True)
class UpdateSettings(ThreadSettings):
    """The settings of `update`."""

    batch_size: int | None = parameter(
        None, "Documents per step.", unset="as the model learned, or 256", least=1
    )
    date: str | None = parameter(
        None, "Date of the update in the report.", unset="today", metavar="YYYY-MM-DD"
    )

    def refuse_others(self) -> None:
        try:
            if self.date is not None:
                day.fromisoformat(self.date)
        except ValueError:
            raise UserError(f"date={self.date!r} is not a day", remedy="give it as 2026-11-30") from None
