"""Checks of the parameters of grammars and of their combinations."""

from collections.abc import Mapping

from stickbreaker.core.errors import UserError, is_whole, shown
from stickbreaker.corpus import Vocabulary
from stickbreaker.estimators.setting_values import engine_name, refuse_parameters
from stickbreaker.grammars.grammar_estimator import GrammarEstimator
from stickbreaker.grammars.text_symbols import characters_of, known_words
from stickbreaker.learning.schedules import Online

LARGEST = 10**18  # of a truncation


def refuse_settings(estimator: GrammarEstimator) -> None:
    """Raise UserError for parameters that are invalid, or that cannot be combined."""
    refuse_parameters(estimator)
    _refuse_ways(estimator)
    _refuse_truncation(estimator.truncation)
    known_words(estimator.known, estimator.symbols)
    given = estimator._given_grammar()
    if given is not None and given.by_document and estimator.inference != "hybrid":
        problem = (
            f"{given.by_document} has rules by document, which inference={estimator.inference!r} cannot learn"
        )
        raise UserError(problem, remedy='learn by inference="hybrid"')


def refuse_vocabulary(estimator: GrammarEstimator, vocabulary: Vocabulary) -> None:
    """Raise UserError for a corpus whose words cannot be symbols of a grammar.

    These are words of several languages, hashed words, and words where characters are expected.
    """
    if vocabulary.languages:
        problem = "a text in several languages has no word order"
        raise UserError(problem, remedy="learn a grammar of each language")
    if vocabulary.hashed:
        raise UserError("words that share rows have no symbols", remedy="leave out --hash")
    if estimator.symbols == "characters" and not estimator._of_topics:
        several = next((word for word in vocabulary.words if len(characters_of(word)) > 1), None)
        if several is not None:
            problem = f"the corpus was not read as characters: it has the symbol {shown(several)}"
            remedy = "give the text, or read symbols between spaces: --symbols spaced"
            raise UserError(problem, remedy=remedy)


def _refuse_ways(estimator: GrammarEstimator) -> None:
    """Raise UserError for an unknown engine or schedule, or an online schedule with mean-field inference."""
    engine_name(estimator.engine)
    if estimator._sampled:
        return
    online = isinstance(estimator._learning_schedule(), Online)
    if online and estimator.inference == "mean-field":
        problem = 'schedule="online" does not go with inference="mean-field"'
        raise UserError(problem, remedy='learn by inference="hybrid", or in batches')


def _refuse_truncation(given: object) -> None:
    """Raise UserError unless a truncation is None, a whole number above 0, or such numbers by symbol."""
    by_symbol: Mapping[str, object] = given if isinstance(given, Mapping) else {"": given}
    if given is not None and not all(is_whole(n, 1) and n <= LARGEST for n in by_symbol.values()):
        remedy = 'truncation is a whole number above 0, or {"Word": number}'
        raise UserError(f"truncation={given!r}", remedy=remedy)
