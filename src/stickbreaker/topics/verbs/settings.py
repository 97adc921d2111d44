"""The settings of the verbs of topic models. Imports neither numpy nor models: `--help` must be quick."""

from dataclasses import dataclass
from typing import Any

from stickbreaker.core.parameter_fields import parameter
from stickbreaker.estimators.verb_settings import ThreadSettings, VerbSettings


def ranking_parameter() -> Any:
    """The setting `by`: which words stand for a topic."""
    return parameter(
        "support",
        "Which words stand for a topic: those that many of its documents support, first those that occur "
        "together; those in more of its documents than elsewhere (company: of these, first those that occur "
        "together); those more frequent in it than elsewhere; or the most frequent.",
        choices=("support", "documents", "company", "relevance", "probability"),
    )


@dataclass(frozen=True)
class TopicsSettings(VerbSettings):
    """The settings of `topics_of`."""

    top: int = parameter(10, "Words a topic.", least=1)
    by: str = ranking_parameter()
    at: str | None = parameter(
        None,
        "Topics at an earlier time: 2020-05-01, 2020-05, 2020, 120 or step:120. For models with snapshots.",
        metavar="DATE|STEP",
    )


@dataclass(frozen=True)
class CompareSettings(VerbSettings):
    """The settings of `compare`."""

    top: int = parameter(6, "Words a topic.", least=1)
    by: str = ranking_parameter()


@dataclass(frozen=True)
class NearestSettings(ThreadSettings):
    """The settings of `nearest`."""

    ids: "tuple[str, ...]" = parameter(
        (), "Ask of this document alone; may be given several times.", option="--id"
    )
    among: object = parameter(
        None,
        "A corpus to choose from.",
        unset="that of the queries",
        metavar="CORPUS",
    )
    top: int = parameter(5, "Documents a query.", least=1)
    source: str | None = parameter(
        None, "Use only this language of the queries.", option="--from", metavar="LANGUAGE"
    )
    target: str | None = parameter(
        None, "Use only this language of the other documents.", option="--to", metavar="LANGUAGE"
    )


@dataclass(frozen=True)
class EffectSettings(ThreadSettings):
    """The settings of `effects`."""

    formula: str = parameter(
        "",
        "Fields of metadata, as in R: party + year, C(year), party * year, party:year, poly(year, 2).",
    )
    topics: "tuple[int, ...]" = parameter(
        (), "Show all of this topic; may be given several times.", option="--topic"
    )
    draws: int = parameter(25, "How often the shares of documents are drawn.", least=1)
    random_state: int = parameter(0, "The same seed gives the same figures.", option="--seed")


@dataclass(frozen=True)
class OverTimeSettings(ThreadSettings):
    """The settings of `topics_over_time`."""

    by: str = parameter(
        "year",
        "The period.",
        choices=("day", "week", "month", "quarter", "year", "decade", "century"),
    )
    date_field: str | None = parameter(
        None,
        "The metadata field with the date.",
        unset="the first that is named like a date, and has dates in most documents",
        metavar="FIELD",
    )
    group_field: str | None = parameter(
        None, "Also divide documents by this field of metadata.", metavar="FIELD"
    )
    topics: "tuple[int, ...]" = parameter(
        (), "Show this topic; may be given several times.", option="--topic"
    )


@dataclass(frozen=True)
class IntruderSettings(VerbSettings):
    """The settings of `intruders`."""

    questions: int = parameter(10, "Topics to ask about, drawn at random.", least=1)
    by: str = ranking_parameter()
    random_state: int = parameter(0, "The same seed gives the same questions.", option="--seed")


@dataclass(frozen=True)
class ScoreSettings(ThreadSettings):
    """The settings of `evaluate`."""

    completion: float = parameter(
        0.5,
        "Share of each document's words that the model sees; it predicts the rest.",
        least=0.0,
        most=1.0,
    )
    left_to_right: bool = parameter(
        False,
        "Also score whole documents. Slow: the time grows with the square of a document's length.",
    )
    particles: int = parameter(
        20,
        "Particles for --left-to-right: more reduce the variance, and take longer.",
        least=1,
    )
    bound: bool = parameter(
        False,
        "Also print the bound on log p that inference maximises, to compare runs on the same documents.",
    )
    diagnostics: bool = parameter(
        False, "Also make a table with one row per topic, like MALLET's diagnostics.", option=None
    )
    reference: object = parameter(
        None,
        "Corpus in which co-occurrences are counted for coherence.",
        unset="the documents scored",
        metavar="CORPUS|FILE",
    )
    by: str = ranking_parameter()
    labels: str | None = parameter(
        None,
        "Predict this metadata field from the topics of documents; if it has several values, the first.",
        metavar="FIELD",
    )
    unseen: str | None = parameter(
        None,
        "Words that the model does not know: left out, or scored letter by letter, as one more word of the "
        "vocabulary.",
        unset="ignored; models of open vocabularies spell always",
        choices=("ignored", "spelled"),
    )
    spelling_of: object = parameter(
        None,
        "Spell by this model's characters, so that scores can be compared.",
        unset="the model's own",
        metavar="MODEL",
    )
