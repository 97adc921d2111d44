"""Scores of a language model, alone, interpolated with another, or rescaled by topics."""

import warnings
from dataclasses import dataclass

from stickbreaker.core.errors import UserError, naming
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus import Corpus
from stickbreaker.estimators.document_scores import DocumentScores, figures_of
from stickbreaker.estimators.given_models import learned_in, loaded_model, name_of
from stickbreaker.estimators.learned import Learned
from stickbreaker.ngrams.interpolation import Interpolated
from stickbreaker.ngrams.ngram_learned import NgramLearned
from stickbreaker.ngrams.sentence_scores import parts_of
from stickbreaker.ngrams.unigram_rescaling import Particles, RescaledSums, rescaled_scores
from stickbreaker.ngrams.verbs.given_scorers import mixed_scorer
from stickbreaker.ngrams.verbs.settings import InterpolationSettings, ScoreSettings
from stickbreaker.saved.own_corpus import share_of_own_corpus

FEW = 0.5  # share of words with ratio 1 from which on a reader should know why


@dataclass(frozen=True, kw_only=True, repr=False)
class LanguageScores(DocumentScores):
    """Perplexity of words and ends of sentences: of "all", of the "known" ones and, if two models are
    interpolated, of all words by each of them alone.

    `interpolate`: what the other model is called, and `weight` the share of the first one. `spelled`: every
    word has a probability; otherwise all unknown words are one, `<unk>`. `learned_here`: by this program.
    """

    model: str = ""
    interpolate: str | None = None
    weight: float | None = None
    spelled: bool
    learned_here: bool

    def as_json(self) -> JsonObject:
        values = super().as_json()
        own = {
            name: values.pop(name) for name in ("model", "interpolate", "weight", "spelled", "learned_here")
        }
        more = {} if self.interpolate is None else {name: own[name] for name in ("interpolate", "weight")}
        return {**values, **more}

    def __str__(self) -> str:
        lines = [super().__str__()]
        if self.weight is not None:
            rest = 1.0 - self.weight
            lines.append(f"{self.weight:.3f} of {self.model}, {rest:.3f} of {self.interpolate}")
        return "\n".join([*lines, *self._unknown_lines()])

    def _unknown_lines(self) -> list[str]:
        """Lines that say what share of the words is `<unk>`, and what this means for comparing perplexities;
        none if all words are known."""
        whole = self.parts["all"].events
        known = self.parts["known"].events if "known" in self.parts else 0.0
        if self.spelled or known == whole:
            return []
        share = f"{100 * (1.0 - known / whole):.1f} % of words and ends are <unk>, one word to this model:"
        remedy = (
            "Learned with --unknown spelled every word has a probability, with --min-count 1 more are known."
        )
        lines = [f"{share} compare perplexities of models with the same known words alone."]
        return [*lines, remedy] if self.learned_here else lines


@dataclass(frozen=True, kw_only=True, repr=False)
class RescaledScores(DocumentScores):
    """Perplexity of a language model, and that after rescaling by the topics of each document.

    `rescale`: what the model of topics is called; `ratio_one_share`: the share of words and ends of sentences
    that are not rescaled, not being among its words.
    """

    rescale: str
    exponent: float
    ratio_one_share: float

    def as_json(self) -> JsonObject:
        values = super().as_json()
        own = {name: values.pop(name) for name in ("rescale", "exponent", "ratio_one_share")}
        return {**values, **own}

    def __str__(self) -> str:
        return (
            f"{super().__str__()}\nRescaled by {self.rescale} with exponent {self.exponent:g}; "
            f"{100 * self.ratio_one_share:.1f} % of words and ends of sentences have the ratio 1, not being "
            "among its words"
        )


def evaluate(model: object, corpus: Corpus, settings: ScoreSettings) -> LanguageScores | RescaledScores:
    """Score documents by a language model without topics; with `settings.rescale`, rescaled by topics too."""
    if settings.rescale is None:
        return evaluate_unscaled(model, corpus, settings)
    for name in ("interpolate", "weight", "tune_on"):
        if getattr(settings, name) is not None:
            raise UserError(f"`{name}` does not go with `rescale`", remedy="leave one of them out")
    return _rescaled(model, corpus, settings)


def evaluate_unscaled(model: object, corpus: Corpus, settings: InterpolationSettings) -> LanguageScores:
    """Score documents by one language model, learned or of an ARPA file, or by two interpolated."""
    with naming(corpus.name):
        scorer = mixed_scorer("evaluate", model, settings)
        both = isinstance(scorer, Interpolated)
        parts = scorer.parts(corpus) if both else parts_of(scorer.scores(corpus))
        figures = figures_of(corpus, parts, _learned_from(model, corpus))
    return LanguageScores(
        **figures,
        interpolate=name_of(settings.interpolate) if both else None,
        weight=scorer.weight if both else None,
        spelled=scorer.base.numbers.spelled,
        learned_here=isinstance(model, Learned) and not both,
    )


def _learned_from(model: object, corpus: Corpus) -> float | None:
    """The share of the documents that a model has learned from; None: unknown, as for one of an ARPA file."""
    learned = learned_in(model)
    if learned is None:
        return None
    return share_of_own_corpus(learned.facts.corpus, learned.facts.held_out, corpus)


def _rescaled(model: object, corpus: Corpus, settings: ScoreSettings) -> RescaledScores:
    """Scores of documents, without and with rescaling by a model of topics.

    Warns (UserWarning) if most words are not among those of the topics.
    """
    learned = learned_in(model)
    assert isinstance(learned, NgramLearned)
    topics, named = loaded_model(settings.rescale), name_of(settings.rescale)
    with naming(named):
        rescaling = learned.rescaling(topics, settings.exponent)
    with naming(corpus.name):
        sums = RescaledSums.of(rescaled_scores(corpus, rescaling, learned.facts.seed, Particles()))
        figures = figures_of(corpus, sums.parts, _learned_from(model, corpus))
    share = sums.same_ratio / sums.parts["all"][1]
    if share > FEW:
        text = "topics lack most words, which are not rescaled; learn topics of all words"
        warnings.warn(text, UserWarning, stacklevel=2)
    return RescaledScores(**figures, rescale=named, exponent=settings.exponent, ratio_one_share=share)
