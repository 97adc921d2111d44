"""The settings of the verbs of grammars. Imports neither numpy nor models: `--help` must be quick."""

from dataclasses import dataclass

from stickbreaker.core.parameter_fields import parameter
from stickbreaker.estimators.verb_settings import VerbSettings


@dataclass(frozen=True)
class ScoreSettings(VerbSettings):
    """The settings of `evaluate`."""

    nonterminal: str | None = parameter(
        None,
        "Grammars: symbol whose strings are compared with words.",
        unset="Word, or the last adapted one",
        metavar="SYMBOL",
    )


@dataclass(frozen=True)
class SegmentSettings(VerbSettings):
    """The settings of `segment`."""

    nonterminal: str | None = parameter(
        None, "Cut by this symbol.", unset="Word, or the last that is adapted", metavar="SYMBOL"
    )
    random_state: int = parameter(0, "The same seed gives the same trees.", option="--seed")
