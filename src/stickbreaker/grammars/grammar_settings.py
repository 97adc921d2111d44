"""Checks of the parameters of grammars and of their combinations."""

from collections.abc import Mapping
from typing import Any

from stickbreaker.contracts.contract import MOST_CHAINS, MOST_COLUMNS
from stickbreaker.core.errors import UserError, is_whole, shown
from stickbreaker.corpus import Vocabulary
from stickbreaker.estimators.settings import engine_name, positive
from stickbreaker.grammars.grammar_estimator import GrammarEstimator
from stickbreaker.grammars.text_symbols import characters_of
from stickbreaker.learning.schedules import Online

CHOICES = {
    "inference": ("mcmc", "hybrid", "mean-field"),
    "symbols": ("characters", "spaced"),
    "init": ("incremental", "batch"),
    "weights": ("learned", "fixed"),
    "processes": ("learned", "fixed"),
    "punctuation": ("symbols", "boundaries"),
    "unparsed": ("fail", "skip"),
}
LARGEST = 10**18  # of a truncation


def refuse_settings(estimator: GrammarEstimator) -> None:
    """Raise UserError for parameters that make no sense."""
    for name, values in CHOICES.items():
        if getattr(estimator, name) not in values:
            remedy = f"{name} is " + " or ".join(f'"{value}"' for value in values)
            raise UserError(f"{name}={getattr(estimator, name)!r}", remedy=remedy)
    for name in ("chains", "n_topics", "samples", "refine_every"):
        positive(name, getattr(estimator, name), whole=True)
    if estimator.chains > MOST_CHAINS:
        raise UserError(f"chains={estimator.chains}", remedy=f"chains are at most {MOST_CHAINS}")
    if estimator.n_topics > MOST_COLUMNS:
        raise UserError(f"n_topics={estimator.n_topics}", remedy=f"n_topics is at most {MOST_COLUMNS:,}")
    if estimator.max_iter is not None:
        positive("max_iter", estimator.max_iter, whole=True)
    _refuse_ways(estimator)
    _refuse_truncation(estimator.truncation)
    if estimator.cooling is not None:
        positive("cooling", estimator.cooling, whole=True, zero=True)
    positive("temperature", estimator.temperature)
    if estimator.temperature < 1.0:
        raise UserError(f"temperature={estimator.temperature!r}", remedy="temperature is at least 1")
    if not isinstance(estimator.relabel, bool):
        raise UserError(f"relabel={estimator.relabel!r}", remedy="relabel is True or False")
    if estimator.n_jobs is not None:
        number = estimator.n_jobs
        positive("n_jobs", abs(number) if isinstance(number, int) else number, whole=True)
    if estimator.vowels is not None and not isinstance(estimator.vowels, str):
        raise UserError(f"vowels={estimator.vowels!r}", remedy="vowels is a str")
    given = estimator.given_grammar()
    if given is not None and given.by_document and estimator.inference != "hybrid":
        problem = (
            f"{given.by_document} has rules by document, which inference={estimator.inference!r} cannot learn"
        )
        raise UserError(problem, remedy='learn by inference="hybrid"')


def refuse_vocabulary(estimator: GrammarEstimator, vocabulary: Vocabulary) -> None:
    """Raise UserError for a corpus whose words cannot be symbols of a grammar."""
    if vocabulary.languages:
        problem = "a text in several languages has no word order"
        raise UserError(problem, remedy="learn a grammar of each language")
    if vocabulary.hashed:
        raise UserError("words that share rows have no symbols", remedy="leave out --hash")
    if estimator.symbols == "characters" and not estimator.of_topics:
        several = next((word for word in vocabulary.words if len(characters_of(word)) > 1), None)
        if several is not None:
            problem = f"the corpus was not read as characters: it has the symbol {shown(several)}"
            remedy = "give the text, or read symbols between spaces: --symbols spaced"
            raise UserError(problem, remedy=remedy)


def _refuse_ways(estimator: GrammarEstimator) -> None:
    """Raise UserError for unknown or incompatible ways of learning."""
    engine_name(estimator.engine)
    if estimator.sampled:
        for name, default in (("schedule", None), ("engine", "local")):
            given = getattr(estimator, name)
            if given != default:
                shown_as = f"{name}={given!r}" if isinstance(given, str) else f"the {name} given"
                problem = f'{shown_as} does not go with inference="mcmc"'
                raise UserError(problem, remedy='learn by inference="hybrid"')
        return
    online = isinstance(estimator.learning_schedule(), Online)
    if online and estimator.inference == "mean-field":
        problem = 'schedule="online" does not go with inference="mean-field"'
        raise UserError(problem, remedy='learn by inference="hybrid", or in batches')


def _refuse_truncation(given: object) -> None:
    """Raise UserError for an invalid truncation."""
    by_symbol: Mapping[str, Any] = given if isinstance(given, Mapping) else {"": given}
    if given is not None and not all(is_whole(n, 1) and n <= LARGEST for n in by_symbol.values()):
        remedy = 'truncation is a whole number above 0, or {"Word": number}'
        raise UserError(f"truncation={given!r}", remedy=remedy)
