"""The settings of the verbs of lexicons. Imports neither numpy nor models: `--help` must be quick."""

from dataclasses import dataclass

from stickbreaker.core.parameter_fields import parameter
from stickbreaker.estimators.verb_settings import ThreadSettings


@dataclass(frozen=True)
class ScoreSettings(ThreadSettings):
    """The settings of `evaluate`."""

    alignments: object = parameter(
        None,
        "Lexicons: word links of these sentences, as in the lexicon's training data: 0-0 1-2 on each line.",
        metavar="FILE",
    )
