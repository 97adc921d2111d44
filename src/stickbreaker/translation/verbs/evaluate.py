"""Scores of a lexicon: do topics help to predict how words were translated, how good are translations by its
phrases?"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError, counted, naming
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.estimators.document_paths import files_in
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.translation.alignment.pharaoh import read_pharaoh
from stickbreaker.translation.bitext import Bitext
from stickbreaker.translation.phrases.phrase_model import PhraseModel
from stickbreaker.translation.verbs.settings import ScoreSettings

if TYPE_CHECKING:
    from stickbreaker.core.records import Array
    from stickbreaker.translation.lexicon.directed_lexicon import EventScores
    from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon


@dataclass(frozen=True)
class LinkFigures:
    """Mean log p in nats of the linked `words` of one direction, with topics and without; their `gain`."""

    words: int
    nats_per_word: float
    nats_per_word_without_topics: float
    gain: float


@dataclass(frozen=True)
class DirectionScores(LinkFigures):
    """The scores of all linked words of one direction, and of those of each domain."""

    domains: Mapping[str, LinkFigures]


@dataclass(frozen=True, kw_only=True, repr=False)
class LexiconScores(VerbResult):
    """Log p of linked words by a lexicon, by direction, such as "de-en".

    `translations`: for a lexicon with phrases, BLEU, TER and chrF of its translations (sacrebleu's figures by
    name), over all and by domain; `adapts`: whether these used topics.
    """

    pairs: int
    documents: int
    directions: Mapping[str, DirectionScores]
    adapts: bool | None = None
    translations: JsonObject | None = None

    def as_json(self) -> JsonObject:
        values = super().as_json()
        made = {name: values[name] for name in ("pairs", "documents")} | values["directions"]
        more = ("adapts", "translations") if self.translations is not None else ()
        return made | {name: values[name] for name in more}

    def __str__(self) -> str:
        pairs, documents = counted(self.pairs, "pair"), counted(self.documents, "document")
        lines = [f"{pairs} of sentences, {documents}; nats per linked word, with topics and without"]
        for way, one in self.directions.items():
            lines.append(f"{way:<24}     words     topics    without     gain")
            for name, part in (("all", one), *one.domains.items()):
                figures = f"{part.nats_per_word:9.4f}  {part.nats_per_word_without_topics:9.4f}"
                lines.append(f"  {name:<22} {part.words:9,}  {figures}  {part.gain:+.4f}")
        if self.translations is not None:
            lines += _lines_of_translations(self.translations, bool(self.adapts))
        return "\n".join(lines)


def bitext_for(model: "TopicLexicon | PhraseModel", documents: object) -> Bitext:
    """The pairs of sentences to apply a lexicon to: a `Bitext`, or files that are read as one.

    Raises UserError for anything else.
    """
    if isinstance(documents, Bitext):
        return documents
    files = files_in(documents)
    if files is None:
        problem = f"an object of the class {type(documents).__name__} was given instead of a Bitext"
        raise UserError(problem, remedy="give Bitext.of(pairs, source, target), or the path of a file")
    fields = _lexicon_of(model).bitext.fields
    if "text_field" in files.given:
        fields = replace(fields, text_field=files.options.text_field)
    bitext = Bitext.read(files.paths, fields, files.options)
    return replace(bitext, corpus=bitext.corpus.named(files.name))


def evaluate(model: "TopicLexicon | PhraseModel", bitext: Bitext, settings: ScoreSettings) -> LexiconScores:
    """Score a bitext by a lexicon: log p per linked word, with topics and without, in both directions and by
    domain; by one with phrases, also the translations of its source side.

    Warns (UserWarning) if translations are not scored, for lack of sacrebleu. Raises UserError if no word is
    linked.
    """
    lexicon = _lexicon_of(model)
    with naming(bitext.corpus.name):
        shares = lexicon.domains.of_bitext(bitext)
        links = None
        if settings.alignments is not None:
            source, target = bitext.sides
            links = read_pharaoh(str(settings.alignments), source.lengths, target.lengths)
        scores = lexicon.score(bitext, links, shares)
        directions = directions_of(lexicon, bitext, scores)
        phrases = model if isinstance(model, PhraseModel) else None
        more = {} if phrases is None else _of_translations(phrases, bitext, shares, settings.n_jobs)
    return LexiconScores(pairs=bitext.n_pairs, documents=len(bitext.names), directions=directions, **more)


def _lexicon_of(model: "TopicLexicon | PhraseModel") -> "TopicLexicon":
    return model.lexicon if isinstance(model, PhraseModel) else model


def _of_translations(model: PhraseModel, bitext: Bitext, shares: "Array", threads: int | None) -> JsonObject:
    """Translate a bitext's source side, by the topic shares of its documents, and score it against the target
    side; the fields of `LexiconScores` about this, none without sacrebleu.
    """
    from stickbreaker.translation.phrases.token_documents import in_order, token_documents
    from stickbreaker.translation.phrases.translating import translate_documents
    from stickbreaker.translation.phrases.translation_scores import has_sacrebleu, translation_scores

    if not has_sacrebleu():
        text = "translations are not scored: pip install 'stickbreaker[translation]'"
        warnings.warn(text, UserWarning, stacklevel=2)
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


def directions_of(
    lexicon: "TopicLexicon", bitext: Bitext, scores: "tuple[EventScores, EventScores]"
) -> dict[str, DirectionScores]:
    """The scores of a bitext in both directions, by their name. Raises UserError if no word is linked."""
    if not len(scores[0].plain):
        raise UserError("there is nothing to score", remedy="no word of these sentences is linked")
    codes = (lexicon.bitext.source, lexicon.bitext.target)
    return {
        f"{a}-{b}": _direction(one, bitext.domains)
        for (a, b), one in zip((codes, codes[::-1]), scores, strict=True)
    }


def _direction(scores: "EventScores", domains: tuple[str, ...]) -> DirectionScores:
    """Mean log p per linked word, over all words and over those of each domain.

    domains: of each document, "" if unknown.
    """
    of = np.array(domains)[scores.document]
    by_domain = {name: of == name for name in sorted(set(domains) - {""})}
    found = {name: _figures(scores, here) for name, here in by_domain.items() if here.any()}
    return DirectionScores(**vars(_figures(scores, np.ones(len(of), bool))), domains=found)


def _figures(scores: "EventScores", here: NDArray[np.bool_]) -> LinkFigures:
    plain, adapted = float(scores.plain[here].mean()), float(scores.adapted[here].mean())
    return LinkFigures(int(here.sum()), adapted, plain, adapted - plain)


def _lines_of_translations(scores: JsonObject, adapts: bool) -> list[str]:
    """The scores of translations as lines of a table; `adapts`: whether topics were used."""
    from stickbreaker.translation.phrases.translation_scores import METRICS

    how = "by topics" if adapts else "all documents alike"
    lines = [f"translations, {how}", f"{'':<24} sentences     BLEU      TER     chrF   length"]
    for name, part in (("all", scores), *scores["domains"].items()):
        figures = "  ".join(f"{part[metric]:7.2f}" for metric in METRICS)
        lines.append(f"  {name:<22} {part['sentences']:9,}  {figures}  {part['length']:7.3f}")
    return [*lines, *(f"  {signature}" for signature in scores["signatures"].values())]
