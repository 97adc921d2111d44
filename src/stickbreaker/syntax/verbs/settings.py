"""The settings of the verbs of syntactic topic models. Imports neither numpy nor models."""

from dataclasses import dataclass

from stickbreaker.core.parameter_fields import parameter
from stickbreaker.estimators.verb_settings import ThreadSettings, VerbSettings


@dataclass(frozen=True)
class TopicsSettings(VerbSettings):
    """The settings of `topics_of`."""

    top: int = parameter(10, "Words a topic.", least=1)


@dataclass(frozen=True)
class ScoreSettings(ThreadSettings):
    """The settings of `evaluate`."""
