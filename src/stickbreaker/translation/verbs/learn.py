"""A lexicon by topic, learned from a bitext, with phrases if these are wanted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.topics.learned import TopicsLearned, load_topics
from stickbreaker.translation.alignment.aligned_words import Links
from stickbreaker.translation.bitext import Bitext
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.phrases.learning_phrases import learn_phrases
from stickbreaker.translation.phrases.phrase_model import PhraseModel
from stickbreaker.translation.phrases.phrase_table import PhraseTable
from stickbreaker.translation.phrases.saved_phrases import save_with_phrases

MOST_UNKNOWN = 0.05  # of the words of the pairs: a language model of other tokens


@dataclass(frozen=True, repr=False)
class LearnedLexicon(VerbResult):
    """A lexicon and what it was learned from: `pairs` of sentences, their `documents`, the `links` of their
    words and how many `word_pairs` have some, and `topics`. `phrases`: how many translations of phrases it
    has, None without phrases. `strengths`: of the priors by direction, such as "de-en".

    `lexicon` is the `TopicLexicon`, and `model` the `PhraseModel` if it has phrases.
    """

    pairs: int
    documents: int
    links: int
    word_pairs: int
    topics: int
    phrases: int | None
    strengths: Mapping[str, Mapping[str, float]]
    lexicon: TopicLexicon = field(compare=False)
    model: PhraseModel | None = field(default=None, compare=False)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Save the lexicon in a directory. Raises UserError if the path exists, unless `overwrite`, which
        replaces lexicons only."""
        if self.model is None:
            self.lexicon.save(path, overwrite=overwrite)
        else:
            save_with_phrases(self.model, Path(path), overwrite=overwrite)

    @property
    def unknown_share(self) -> float:
        """The share of the pairs' words that a given language model does not know; 0 without phrases."""
        return 0.0 if self.model is None else self.model.unknown_share

    def as_json(self) -> JsonObject:
        values = super().as_json()
        left_out = {"lexicon", "model"} | (set() if self.phrases is not None else {"phrases"})
        return {name: value for name, value in values.items() if name not in left_out}

    def __str__(self) -> str:
        line = (
            f"{counted(self.pairs, 'pair')} of sentences, {counted(self.documents, 'document')}, "
            f"{counted(self.links, 'link')} of {counted(self.word_pairs, 'pair')} of words, "
            f"{counted(self.topics, 'topic')}"
        )
        return line if self.phrases is None else f"{line}, {counted(self.phrases, 'translation')} of phrases"


def learn(
    bitext: Bitext,
    topics: Any = None,
    *,
    links: Links | None = None,
    phrases: bool = False,
    language_model: str | Path | None = None,
    phrase_table: PhraseTable | None = None,
    n_jobs: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> LearnedLexicon:
    """Learn how words are translated, in all documents and in each topic.

    topics: a fitted LDA or HDP of texts in the source language, or in both, or the path of one; None: the
    domains that the bitext's documents name. links: between the words of pairs; None: they are linked here.
    phrases: learn these too, to translate sentences (`tune`, `run`), with a `language_model` of the language
    translated into (the path of a saved n-gram model or of a file in the ARPA format; None: trigrams of the
    pairs) and a `phrase_table` (None: counted here). progress: gets a line of text at each part of the work.
    What is returned has `save`. Raises UserError if the topics are of another language.
    """
    if not phrases and (language_model is not None or phrase_table is not None):
        name = "language_model" if phrase_table is None else "phrase_table"
        raise UserError(f"{name} needs phrases=True", remedy="leave it out")
    known = topics_of(topics, n_jobs) if isinstance(topics, str | Path) else topics
    lexicon = TopicLexicon.learn(bitext, known, links, threads=n_jobs, progress=progress)
    model = None
    if phrases:
        own = None if language_model is None else Path(language_model)
        model = learn_phrases(lexicon, own, progress, phrase_table)
    ways = ((bitext.source, bitext.target), (bitext.target, bitext.source))
    return LearnedLexicon(
        bitext.n_pairs,
        len(bitext.names),
        len(lexicon.links.source),
        len(lexicon.forward.counts.words),
        lexicon.forward.n_topics,
        None if model is None else model.table.n_options,
        {
            f"{a}-{b}": {"base": one.base, "topic": one.topic}
            for (a, b), one in zip(ways, lexicon.strengths, strict=True)
        },
        lexicon,
        model,
    )


def topics_of(path: str | Path, n_jobs: int | None) -> TopicsLearned:
    """The saved model of topics at a path. Raises UserError for a model of another kind."""
    return load_topics(Path(path), "transform", n_jobs)
