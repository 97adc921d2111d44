"""The settings of the verbs of language models. Imports neither numpy nor models: `--help` must be quick."""

from dataclasses import dataclass
from typing import Any

from stickbreaker.core.parameter_fields import parameter
from stickbreaker.estimators.verb_settings import VerbSettings


@dataclass(frozen=True)
class TopicsSettings(VerbSettings):
    """The settings of `topics_of`."""

    top: int = parameter(10, "Words a topic.", least=1)


@dataclass(frozen=True)
class InterpolationSettings(VerbSettings):
    """The settings of verbs that mix a language model with another."""

    interpolate: object = parameter(
        None,
        "Language models: mix probabilities with those of this one, saved or an ARPA file.",
        metavar="MODEL",
    )
    weight: float | None = parameter(
        None,
        "Of --interpolate: share of the first model.",
        unset="0.5",
        least=0.0,
        most=1.0,
    )
    tune_on: object = parameter(
        None,
        "Of --interpolate: learn the share from these documents, which neither has learned from.",
        metavar="FILE",
    )


@dataclass(frozen=True)
class ScoreSettings(InterpolationSettings):
    """The settings of `evaluate` for a model without topics, which can be rescaled by those of another."""

    rescale: object = parameter(
        None,
        "Language models: rescale probabilities by the topics of each document, from a saved LDA or HDP.",
        metavar="TOPICS",
    )
    exponent: float = parameter(
        0.7,
        "Exponent of p(word | document) / p(word) for --rescale.",
        least=0.0,
        most=10.0,
    )


def document_parameter() -> Any:
    """The setting `document`: text that comes before each sentence, by which topics adapt."""
    return parameter(
        None, "Models with topics: a file whose text comes before each sentence, by which topics adapt."
    )


@dataclass(frozen=True)
class SentenceSettings(InterpolationSettings):
    """The settings of `score`."""

    document: object = document_parameter()
    words: bool = parameter(False, "Print a line per word instead, and one for the end of each sentence.")


@dataclass(frozen=True)
class GenerateSettings(VerbSettings):
    """The settings of `generate`."""

    sentences: int = parameter(10, "How many.", least=1)
    beginning: str = parameter("", "Words that each begins with.", metavar="TEXT")
    longest: int = parameter(100, "Words at most.", least=1)
    topic: int | None = parameter(
        None, "Models with topics: draw all words that are of a topic from this one.", least=0
    )
    document: object = document_parameter()
    random_state: int = parameter(0, "The same seed gives the same sentences.", option="--seed")


@dataclass(frozen=True)
class RescoreSettings(VerbSettings):
    """The settings of `rescore`."""

    scale: float = parameter(1.0, "Add this times log p (nats) to the scores that the list has.", least=0.0)
