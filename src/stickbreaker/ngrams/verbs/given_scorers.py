"""The language models that verbs score words by: a learned one, that of an ARPA file, or two together."""

from typing import Any, cast

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus
from stickbreaker.estimators.given_documents import corpus_by, corpus_for
from stickbreaker.estimators.given_models import model_for
from stickbreaker.estimators.learned import AnyLearned, Learned
from stickbreaker.ngrams.arpa_model import ArpaModel
from stickbreaker.ngrams.interpolation import Interpolated, WordScorer
from stickbreaker.ngrams.language_learned import LanguageLearned
from stickbreaker.ngrams.verbs.settings import InterpolationSettings


def scorer_in(model: object) -> WordScorer:
    """A language model that was learned, or that of an ARPA file, as what scores words.

    Raises UserError for a model of another kind.
    """
    if isinstance(model, LanguageLearned):
        return cast("LanguageLearned[Any, Any]", model)
    if isinstance(model, ArpaModel):
        return model
    named = cast("AnyLearned", model).kind if isinstance(model, Learned) else type(model).__name__
    raise UserError(f"a {named} is not a language model", remedy="give one")


def mixed_scorer(verb: str, model: object, settings: InterpolationSettings) -> WordScorer:
    """A language model, or that model interpolated with another as the settings say.

    The weight is that of the settings, or learned from documents, or else 0.5. Raises UserError for settings
    that exclude each other.
    """
    first = scorer_in(model)
    if settings.interpolate is None:
        for name in ("weight", "tune_on"):
            if getattr(settings, name) is not None:
                raise UserError(f"`{name}` needs `interpolate`", remedy="give another language model")
        return first
    if settings.weight is not None and settings.tune_on is not None:
        raise UserError("`weight` and `tune_on` both say the share", remedy="leave one out")
    other = scorer_in(model_for(verb, settings.interpolate)[1])
    both = Interpolated(first, other, 0.5 if settings.weight is None else settings.weight)
    if settings.tune_on is None:
        return both
    return both.with_learned_weight(documents_for(model, settings.tune_on))


def documents_for(model: object, documents: object) -> Corpus:
    """Documents in any form as a corpus that a language model, learned or of an ARPA file, reads."""
    if isinstance(model, Learned):
        return corpus_for(cast("AnyLearned", model), documents)
    scorer = scorer_in(model)
    return corpus_by(documents, scorer.analysis, scorer.vocabulary)
