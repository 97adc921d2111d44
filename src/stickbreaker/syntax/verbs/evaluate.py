"""Scores of a syntactic topic model: how probable sentences are given others of their documents."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from stickbreaker.core.errors import UserError, counted, naming
from stickbreaker.corpus import Corpus
from stickbreaker.estimators.document_scores import ScoredDocuments, learned_from_lines, warn_if_all_unseen
from stickbreaker.saved.own_corpus import share_of_own_corpus
from stickbreaker.syntax.learned import SyntaxLearned
from stickbreaker.syntax.verbs.settings import ScoreSettings


@dataclass(frozen=True)
class WordFigures:
    """The score of some words: how many they are, their mean log probability and their perplexity."""

    words: int
    nats_per_word: float
    perplexity: float

    @classmethod
    def of(cls, nats: float, words: float) -> "WordFigures":
        """Those of words whose log probabilities have the sum `nats`."""
        return cls(int(words), nats / words, math.exp(-nats / words))


@dataclass(frozen=True, kw_only=True, repr=False)
class TreeScores(ScoredDocuments):
    """The perplexity of known words of every other sentence, over all and by tag, the commonest first."""

    words: int
    nats_per_word: float
    perplexity: float
    by_tag: Mapping[str, WordFigures]

    def __str__(self) -> str:
        lines = [
            f"{counted(self.documents, 'document')}; {100 * self.unseen_share:.1f} % of their words are not "
            "known, and not scored",
            *learned_from_lines(self.learned_from),
            "Even-numbered sentences given the odd-numbered ones of their document:",
            f"  {'':<10}       words  nats/word  perplexity",
        ]
        for name, part in (("all", self), *self.by_tag.items()):
            figures = f"{part.words:10,}  {part.nats_per_word:9.4f}  {part.perplexity:10.1f}"
            lines.append(f"  {name:<10}  {figures}")
        return "\n".join(lines)


def evaluate(learned: SyntaxLearned, corpus: Corpus, settings: ScoreSettings) -> TreeScores:
    """Score documents with trees: every other sentence is predicted from the rest of its document.

    Raises UserError if no word can be scored, and for documents without trees.
    """
    with naming(corpus.name):
        names = corpus.about.tag_names or ()
        nats, words = np.zeros(len(names)), np.zeros(len(names))
        for block in range(len(corpus.block_sizes)):
            scores = learned.word_scores(corpus, block)
            nats += np.bincount(scores.tags, scores.nats, len(names))
            words += np.bincount(scores.tags, minlength=len(names))
        if not words.sum():
            raise UserError("there is nothing to score", remedy="no document has a word of the vocabulary")
    by_tag = {name: WordFigures.of(nats[k], words[k]) for k, name in enumerate(names) if words[k]}
    whole = WordFigures.of(nats.sum(), words.sum())
    warn_if_all_unseen(corpus.unseen_share)
    return TreeScores(
        documents=corpus.n_documents,
        empty_documents=corpus.n_empty,
        unseen_share=corpus.unseen_share,
        learned_from=share_of_own_corpus(learned.facts.corpus, learned.facts.held_out, corpus),
        **vars(whole),
        by_tag=dict(sorted(by_tag.items(), key=lambda one: -one[1].words)),
    )
