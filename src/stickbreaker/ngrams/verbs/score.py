"""How probable sentences are to a language model, and sentences drawn from one."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.text.analysis import END_MARK
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.ngrams.interpolation import WordScorer
from stickbreaker.ngrams.language_learned import LanguageLearned, SentenceDraw
from stickbreaker.ngrams.sentence_scores import Scores
from stickbreaker.ngrams.verbs.given_scorers import documents_for, mixed_scorer
from stickbreaker.ngrams.verbs.settings import GenerateSettings, SentenceSettings

WITHOUT_TOPICS = "does not apply to a language model without topics"
COLUMNS = ("id", "sentence", "words", "unknown", "nats")
OF_WORDS = ("id", "sentence", "word", "known", "nats")


class ScoredWord(NamedTuple):
    """A word of a sentence as it is spelled there, or its end (`</s>`): whether it is known, and its log p in
    nats given the words before."""

    word: str
    known: bool
    nats: float


@dataclass(frozen=True)
class ScoredSentence:
    """A sentence: its document's id, its number there (from 0), how many words and unknown words it has, and
    log p of these and its end in nats. `of_words`: of each word and the end, if that was asked for."""

    id: str
    sentence: int
    words: int
    unknown: int
    nats: float
    of_words: tuple[ScoredWord, ...] | None = None

    def as_json(self) -> JsonObject:
        """The values by name; those of words as lists."""
        values = {name: getattr(self, name) for name in COLUMNS}
        return values if self.of_words is None else {**values, "of_words": list(map(list, self.of_words))}

    def rows(self) -> list[str]:
        """The sentence as text, with tabs between: a line, or one for each word and the end."""
        name = " ".join(self.id.split())
        if self.of_words is None:
            return [
                "\t".join((name, *map(str, (self.sentence, self.words, self.unknown)), f"{self.nats:.6f}"))
            ]
        return [
            "\t".join((name, str(self.sentence), one.word, str(int(one.known)), f"{one.nats:.6f}"))
            for one in self.of_words
        ]


@dataclass(frozen=True, repr=False)
class SentenceScores(VerbResult):
    """How probable sentences are, in nats: each, their sum, and the perplexity of all words and ends."""

    sentences: tuple[ScoredSentence, ...]
    nats: float
    events: int
    perplexity: float

    def as_json(self) -> JsonObject:
        return {**super().as_json(), "sentences": [one.as_json() for one in self.sentences]}

    def __str__(self) -> str:
        head = COLUMNS if self.sentences[0].of_words is None else OF_WORDS
        return "\n".join(["\t".join(head), *(row for one in self.sentences for row in one.rows())])


def score(model: object, corpus: Corpus, settings: SentenceSettings) -> SentenceScores:
    """How probable each sentence is. Raises UserError if no document has a word."""
    sentences = tuple(scored_sentences(model, corpus, settings))
    if not sentences:
        raise UserError("there is nothing to score", remedy="no document has a word")
    nats, events = sum(one.nats for one in sentences), sum(one.words + 1 for one in sentences)
    return SentenceScores(sentences, nats, events, math.exp(-nats / events))


def scored_sentences(model: object, corpus: Corpus, settings: SentenceSettings) -> Iterator[ScoredSentence]:
    """Score the sentences of a corpus, one by one; a model with topics infers them from each sentence alone,
    or as if it came after `settings.document`."""
    scorer = mixed_scorer("score", model, settings)
    seen = documents_before(model, scorer, settings.document)
    for block, scores in enumerate(scorer.scores_of_sentences(corpus, seen)):
        ids, before = corpus.ids(block), -1
        n_words, unknown, nats = scores.by_sentence()
        of_words = _words_of(scores, corpus, block) if settings.words else None
        number = 0
        for place, document in enumerate(scores.documents.tolist()):
            number, before = (number + 1 if document == before else 0), document
            own = None if of_words is None else next(of_words)
            yield ScoredSentence(ids[document], number, n_words[place], unknown[place], nats[place], own)


def documents_before(model: object, scorer: WordScorer, document: object) -> Corpus | None:
    """What comes before each sentence, as a corpus; None if nothing does.

    Raises UserError if a model without topics is given something.
    """
    if document is None:
        return None
    if not scorer.has_topics:
        raise UserError(f"`document` {WITHOUT_TOPICS}", remedy="leave it out")
    return documents_for(model, document)


def _words_of(scores: Scores, corpus: Corpus, block: int) -> Iterator[tuple[ScoredWord, ...]]:
    """For each sentence of a block, its words as they are spelled in the text, and its end."""
    entries, _ = corpus.source.tokens(block)
    tokens = iter(entries.spellings(entries.codes))
    found: list[ScoredWord] = []
    figures = scores.ends.tolist(), scores.known.tolist(), scores.nats.tolist()
    for end, known, nats in zip(*figures, strict=True):
        found.append(ScoredWord(END_MARK if end else next(tokens), known, nats))
        if end:
            yield tuple(found)
            found = []


@dataclass(frozen=True, repr=False)
class DrawnSentences(VerbResult):
    """Sentences drawn from a language model; as text a line each."""

    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def generate(model: object, settings: GenerateSettings) -> DrawnSentences:
    """Draw sentences from a language model; by one with topics, each is of a document of its own.

    Raises UserError for a topic or a document that does not apply to the model.
    """
    assert isinstance(model, LanguageLearned), "a kind with the verb generate"
    learned = cast("LanguageLearned[Any, Any]", model)
    if settings.topic is not None and not learned.has_topics:
        raise UserError(f"`topic` {WITHOUT_TOPICS}", remedy="leave it out")
    draw = SentenceDraw(
        n=settings.sentences,
        topic=settings.topic,
        seen=documents_before(learned, learned, settings.document),
        beginning=settings.beginning,
        longest=settings.longest,
        random_state=settings.random_state,
    )
    drawn = learned.draw_sentences(draw)
    return DrawnSentences(tuple(map(" ".join, drawn)))
