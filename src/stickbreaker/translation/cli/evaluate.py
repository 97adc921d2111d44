"""`stickbreaker evaluate` of a lexicon: do topics help to predict how words were translated, how good are
translations by its phrases?"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickbreaker.console.console import Outcome, note, tell_of_compiling
from stickbreaker.console.inputs import warnings_as_notes
from stickbreaker.console.requests import ScoringRequest
from stickbreaker.core.errors import UserError, counted, naming
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus.readers.problems import ReadingWarning
from stickbreaker.translation.bitext import Bitext
from stickbreaker.translation.cli.bitext_options import given_links
from stickbreaker.translation.lexicon.saved_lexicon import read_manifest

if TYPE_CHECKING:
    from stickbreaker.core.records import Array
    from stickbreaker.translation.bitext import Bitext
    from stickbreaker.translation.lexicon.directed_lexicon import EventScores
    from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
    from stickbreaker.translation.phrases.phrase_model import PhraseModel


def evaluate_lexicon(asked: ScoringRequest) -> Outcome:
    """Score a bitext by a lexicon; returns the scores and the function that formats them as text.

    They are log p per linked word, with topics and without, in both directions and by domain; for a lexicon
    with phrases, also BLEU, TER and chrF of its translations. asked: the command's model, inputs and options.
    """
    tell_of_compiling()
    from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
    from stickbreaker.translation.phrases.saved_phrases import load_phrases

    with naming(" ".join(asked.inputs)):
        has_phrases = "phrases" in read_manifest(asked.model)
        model = load_phrases(asked.model) if has_phrases else None
        lexicon = TopicLexicon.load(asked.model) if model is None else model.lexicon
        bitext = _read(lexicon, asked)
        shares = lexicon.domains.of_bitext(bitext)
        scores = lexicon.score(bitext, given_links(asked.options["alignments"], bitext), shares)
        result = scores_by_domain(lexicon, bitext, scores)
        if model is not None:
            result |= _of_translations(model, bitext, shares, asked.threads)
    return result, _as_text


def _of_translations(
    model: "PhraseModel", bitext: "Bitext", shares: "Array", threads: int | None
) -> JsonObject:
    """Translate a bitext's source side, by the topic shares of its documents, and score it against the target
    side, as JSON values.

    Without sacrebleu it prints a note and returns an empty dict.
    """
    from stickbreaker.translation.phrases.token_documents import in_order, token_documents
    from stickbreaker.translation.phrases.translating import translate_documents
    from stickbreaker.translation.phrases.translation_scores import has_sacrebleu, translation_scores

    if not has_sacrebleu():
        note("note: translations are not scored: pip install 'stickbreaker[translation]'")
        return {}
    documents, references = token_documents(model.lexicon, bitext, shares)
    numbers = bitext.document_of.tolist()
    found = in_order(numbers, translate_documents(model, documents, 1, threads))
    wanted = [" ".join(tokens) for tokens in in_order(numbers, references)]
    texts = [" ".join(own[0].words) if own else "" for own in found]
    domains = {
        name: [i for i, number in enumerate(numbers) if bitext.domains[number] == name]
        for name in sorted(set(bitext.domains) - {""})
    }
    return {"adapts": model.adapts, "translations": translation_scores(texts, wanted, domains)}


def _read(lexicon: "TopicLexicon", asked: ScoringRequest) -> "Bitext":
    options, fields = asked.reading.options(), lexicon.bitext.fields
    if "text_field" in asked.reading.given:
        fields = replace(fields, text_field=options.text_field)
    with warnings_as_notes(ReadingWarning):
        return Bitext.read(asked.inputs, fields, options)


def scores_by_domain(
    lexicon: "TopicLexicon", bitext: "Bitext", scores: "tuple[EventScores, EventScores]"
) -> JsonObject:
    """The scores of a bitext as JSON values: log p per linked word, in nats, in both directions and by
    domain.

    Raises UserError if no word is linked.
    """
    if not len(scores[0].plain):
        raise UserError("there is nothing to score", remedy="no word of these sentences is linked")
    codes = (lexicon.bitext.source, lexicon.bitext.target)
    return {
        "pairs": bitext.n_pairs,
        "documents": len(bitext.names),
        **{
            f"{a}-{b}": _figures(one, bitext.domains)
            for (a, b), one in zip((codes, codes[::-1]), scores, strict=True)
        },
    }


def _figures(scores: "EventScores", domains: tuple[str, ...]) -> JsonObject:
    """Mean log p per linked word in nats, with topics and without, over all words and over those of each
    domain, as JSON values. domains: of each document, "" if unknown."""
    of = np.array(domains)[scores.document]
    by_domain = {name: of == name for name in sorted(set(domains) - {""})}
    return {
        **_of_words(scores, np.ones(len(of), bool)),
        "domains": {name: _of_words(scores, here) for name, here in by_domain.items() if here.any()},
    }


def _of_words(scores: "EventScores", here: NDArray[np.bool_]) -> dict[str, float]:
    plain, adapted = float(scores.plain[here].mean()), float(scores.adapted[here].mean())
    return {
        "words": int(here.sum()),
        "nats_per_word": adapted,
        "nats_per_word_without_topics": plain,
        "gain": adapted - plain,
    }


def _as_text(result: JsonObject) -> str:
    pairs, documents = counted(result["pairs"], "pair"), counted(result["documents"], "document")
    lines = [f"{pairs} of sentences, {documents}; nats per linked word, with topics and without"]
    for way, one in result.items():
        if way == "translations" or not isinstance(one, dict):
            continue
        lines.append(f"{way:<24}     words     topics    without     gain")
        for name, part in (("all", one), *one["domains"].items()):
            figures = f"{part['nats_per_word']:9.4f}  {part['nats_per_word_without_topics']:9.4f}"
            lines.append(f"  {name:<22} {part['words']:9,}  {figures}  {part['gain']:+.4f}")
    if "translations" in result:
        lines += _of_scores(result["translations"], result["adapts"])
    return "\n".join(lines)


def _of_scores(scores: JsonObject, adapts: bool) -> list[str]:
    """The scores of translations as lines of a table; `adapts`: whether topics were used."""
    from stickbreaker.translation.phrases.translation_scores import METRICS

    how = "by topics" if adapts else "all documents alike"
    lines = [f"translations, {how}", f"{'':<24} sentences     BLEU      TER     chrF   length"]
    for name, part in (("all", scores), *scores["domains"].items()):
        figures = "  ".join(f"{part[metric]:7.2f}" for metric in METRICS)
        lines.append(f"  {name:<22} {part['sentences']:9,}  {figures}  {part['length']:7.3f}")
    return [*lines, *(f"  {signature}" for signature in scores["signatures"].values())]
