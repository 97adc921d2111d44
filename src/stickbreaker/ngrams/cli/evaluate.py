"""`stickbreaker evaluate` of a language model, alone or rescaled by topics."""

from dataclasses import fields
from pathlib import Path

from stickbreaker.console.console import Outcome, note, refuse_written
from stickbreaker.console.document_scores import part_scores, scores_as_text
from stickbreaker.console.inputs import open_documents_for
from stickbreaker.console.requests import ScoringRequest
from stickbreaker.core.errors import naming
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.ngrams.cli.word_scorers import InterpolationChoice, documents_for, word_scorer

OF_INTERPOLATION = tuple(field.name for field in fields(InterpolationChoice))
FEW = 0.5  # share of words with ratio 1 from which on a reader should know why


def evaluate_language_model(asked: ScoringRequest) -> Outcome:
    """Score documents by a language model without topics; returns the scores, and the function that makes
    text of them.

    The scores are perplexities over all words and over known ones; with --rescale, also those after rescaling
    by topics.
    """
    if asked.options["rescale"] is None:
        refuse_written(("exponent",), "needs --rescale")
        return evaluate_without_rescaling(asked)
    refuse_written(OF_INTERPOLATION, "does not go with --rescale")
    return _rescaled(asked, asked.options["rescale"], asked.options["exponent"]), _as_text


def evaluate_without_rescaling(asked: ScoringRequest) -> Outcome:
    """Score documents by one language model or two interpolated; returns the perplexities, and the function
    that makes text of them."""
    from stickbreaker.ngrams.interpolation import Interpolated
    from stickbreaker.ngrams.language_learned import LanguageLearned
    from stickbreaker.ngrams.sentence_scores import parts_of

    choice = InterpolationChoice(**{name: asked.options[name] for name in OF_INTERPOLATION})
    with naming(" ".join(asked.inputs)):
        scorer = word_scorer("evaluate", asked.model, choice, asked.reading)
        corpus = documents_for(scorer, asked.inputs, asked.reading)
        both = isinstance(scorer, Interpolated)
        parts = scorer.parts(corpus) if both else parts_of(scorer.scores(corpus))
        scores = part_scores(asked.model, corpus, parts)
    lines = []
    if not scorer.base.numbers.spelled:
        lines = _unknown_lines(scores, learned_here=isinstance(scorer, LanguageLearned))
    if isinstance(scorer, Interpolated):
        scores |= {"interpolate": choice.interpolate, "weight": scorer.weight}
        lines.insert(
            0, f"{scorer.weight:.3f} of {asked.model}, {1.0 - scorer.weight:.3f} of {choice.interpolate}"
        )
    return scores, lambda found: "\n".join([scores_as_text(found), *lines])


def _unknown_lines(scores: JsonObject, *, learned_here: bool) -> list[str]:
    """Lines for the user that say what share of the words is `<unk>`, and what this means for comparing
    perplexities; none if all words are known.

    learned_here: whether the model was learned by this program, so that learning it with other options is
    advised.
    """
    known, whole = scores.get("known", {"events": 0.0})["events"], scores["all"]["events"]
    if known == whole:
        return []
    share = f"{100 * (1.0 - known / whole):.1f} % of words and ends are <unk>, one word to this model:"
    remedy = "Learned with --unknown spelled every word has a probability, with --min-count 1 more are known."
    lines = [f"{share} compare perplexities of models with the same known words alone."]
    return [*lines, remedy] if learned_here else lines


def _rescaled(asked: ScoringRequest, topics: Path, exponent: float) -> dict[str, object]:
    """A model's scores of documents, without and with rescaling by the topic model at the path `topics`.

    Prints a note if most words are not in the topic model.
    """
    from stickbreaker.estimators.model_files import load, load_of
    from stickbreaker.ngrams.learner import NGRAMS
    from stickbreaker.ngrams.unigram_rescaling import Particles, RescaledSums, rescaled_scores

    model = load_of(NGRAMS, asked.model, verb="evaluate")
    with naming(topics):
        rescaling = model.rescaling(load(topics), exponent)
    with naming(" ".join(asked.inputs)):
        corpus = open_documents_for(model, asked.inputs, asked.reading)
        sums = RescaledSums.of(rescaled_scores(corpus, rescaling, model.facts.seed, Particles()))
        scores = part_scores(asked.model, corpus, sums.parts)
    share = sums.same_ratio / sums.parts["all"][1]
    if share > FEW:
        note("note: topics lack most words, which are not rescaled; learn topics of all words")
    return scores | {"rescale": str(topics), "exponent": exponent, "ratio_one_share": share}


def _as_text(scores: JsonObject) -> str:
    share = 100 * scores["ratio_one_share"]
    return (
        f"{scores_as_text(scores)}\nRescaled by {scores['rescale']} with exponent {scores['exponent']:g}; "
        f"{share:.1f} % of words and ends of sentences have the ratio 1, not being among its words"
    )
