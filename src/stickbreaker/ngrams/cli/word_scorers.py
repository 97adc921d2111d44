"""The language models that a command line names: a saved one, one in an ARPA file, or two interpolated."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import (
    NumberRange,
    OptionSettings,
    from_option,
    options_into,
    refuse_written,
)
from stickbreaker.console.inputs import ReadingChoice, open_documents

if TYPE_CHECKING:
    from stickbreaker.ngrams.interpolation import WordScorer

INTERPOLATE: OptionSettings = {
    "metavar": "MODEL",
    "help": "Language models: mix probabilities with those of this one, saved or an ARPA file.",
}
WEIGHT: OptionSettings = {
    "type": NumberRange(0.0, 1.0),
    "help": "Of --interpolate: share of the first model.  [default: 0.5]",
}
TUNE_ON: OptionSettings = {
    "metavar": "FILE",
    "help": "Of --interpolate: learn the share from these documents, which neither has learned from.",
}


@dataclass(frozen=True)
class InterpolationChoice:
    """The command's options on interpolation: the other model, and its weight or documents to learn the
    weight from."""

    interpolate: str | None = from_option(**INTERPOLATE)
    weight: float | None = from_option(**WEIGHT)
    tune_on: str | None = from_option(**TUNE_ON)


interpolation_options = options_into(InterpolationChoice, "interpolation")


def word_scorer(verb: str, model: Path, choice: InterpolationChoice, reading: ReadingChoice) -> "WordScorer":
    """The language model at a path, or that model interpolated with another as `choice` says.

    The weight is that of the options, or learned from documents, or else 0.5. verb: the command, for error
    messages; reading: how these documents are read. Raises UserError if a path is not a language model, and a
    usage error for options that exclude each other.
    """
    first = _loaded(verb, model)
    if choice.interpolate is None:
        refuse_written(("weight", "tune_on"), "needs --interpolate")
        return first
    if choice.weight is not None and choice.tune_on is not None:
        raise click.UsageError("--weight and --tune-on both say the share; leave one out")
    from stickbreaker.ngrams.interpolation import Interpolated

    both = Interpolated(
        first, _loaded(verb, Path(choice.interpolate)), 0.5 if choice.weight is None else choice.weight
    )
    if choice.tune_on is None:
        return both
    return both.with_learned_weight(open_documents(both, (choice.tune_on,), reading))


def _loaded(verb: str, path: Path) -> "WordScorer":
    """Load the language model at a path, an ARPA file or a saved model, for the command `verb`. Raises
    UserError for anything else."""
    from stickbreaker.estimators.saving import load_for
    from stickbreaker.ngrams.arpa_model import ArpaModel, is_arpa
    from stickbreaker.ngrams.language_estimator import LanguageEstimator

    if path.is_file() and is_arpa(path):
        return ArpaModel.read(path)
    return load_for(verb, LanguageEstimator, path)
