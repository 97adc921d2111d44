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
