"""The language models that a command line names: a saved one, one in an ARPA file, or two interpolated."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stickbreaker.console.console import (
    NumberRange,
    OptionSettings,
    from_option,
    options_into,
    refuse_written,
)
from stickbreaker.console.inputs import ReadingChoice, open_or_build
from stickbreaker.core.errors import UserError

if TYPE_CHECKING:
    from stickbreaker.corpus import Corpus
    from stickbreaker.ngrams.interpolation import WordScorer
    from stickbreaker.ngrams.language_learned import LanguageLearned

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
    return both.with_learned_weight(documents_for(both, (choice.tune_on,), reading))


def _loaded(verb: str, path: Path) -> "WordScorer":
    """Load the language model at a path, an ARPA file or a saved model, for the command `verb`. Raises
    UserError for anything else."""
    from stickbreaker.ngrams.arpa_model import ArpaModel, is_arpa

    if path.is_file() and is_arpa(path):
        return ArpaModel.read(path)
    return language_model(verb, path)


def language_model(verb: str, path: Path) -> "LanguageLearned[Any, Any]":
    """Load a saved language model, with topics or without, for the command `verb`.

    Raises UserError for a model of another kind.
    """
    from stickbreaker.estimators.model_files import load
    from stickbreaker.ngrams.language_learned import LanguageLearned

    learned = load(path, verb=verb)
    if not isinstance(learned, LanguageLearned):
        raise UserError(f"{verb} does not apply to a model of the kind {learned.kind}", where=path)
    return learned


def documents_for(scorer: "WordScorer", inputs: tuple[str, ...], reading: ReadingChoice) -> "Corpus":
    """Open a corpus, or read files of documents, for a language model: with its analysis and vocabulary."""
    return open_or_build(inputs, reading, analysis=scorer.analysis, vocabulary=scorer.vocabulary)
