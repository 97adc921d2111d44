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


@dataclass(frozen=True)
class ParseSettings(VerbSettings):
    """The settings of `parse`."""

    how: str = parameter(
        "best",
        "The most probable tree; trees drawn by how probable they are; or that of many whose parts are "
        "expected most.",
        choices=("best", "samples", "minimum-risk"),
    )
    trees: int | None = parameter(None, "--how samples: trees of a sentence.", unset="1", least=1)
    random_state: int = parameter(0, "The same seed gives the same trees.", option="--seed")


@dataclass(frozen=True)
class RulesSettings(VerbSettings):
    """The settings of `rules`."""

    nonterminal: str | None = parameter(None, "Of this adapted symbol alone.", metavar="SYMBOL")
    top: int = parameter(20, "Subtrees of a symbol; 0: all.", least=0)
