"""A learned n-gram language model without topics."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from stickbreaker.core.records import Array, Record
from stickbreaker.core.topk import descending
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.estimators.setting_values import positive
from stickbreaker.estimators.unigram_topics import unigram_topics_of
from stickbreaker.ngrams.kernels.particles import Particles
from stickbreaker.ngrams.language_learned import LanguageLearned, SentenceDraw
from stickbreaker.ngrams.model.contexts import Integers
from stickbreaker.ngrams.model.language_model import LanguageModel
from stickbreaker.ngrams.report_sentences import write_sentences
from stickbreaker.ngrams.settings import NgramSettings
from stickbreaker.ngrams.unigram_rescaling import Ratios, RescaledScores, UnigramRescaling, rescaled_scores
from stickbreaker.saved.own_corpus import fitted_fingerprint


class NextWord(NamedTuple):
    """A possible next word, with its probability."""

    word: str
    p: float


@dataclass(frozen=True, eq=False, repr=False)
class NgramLearned(LanguageLearned[NgramSettings, LanguageModel]):
    """What a language model without topics has learned."""

    @staticmethod
    def model_of(settings: NgramSettings, params: Record, n_words: int) -> LanguageModel:
        return LanguageModel.of(params, n_words)

    @staticmethod
    def log_words_by(
        model: LanguageModel, words: Integers, content: Sequences, log_base: Array, seed: int
    ) -> Array:
        return model.log_probabilities(words, content.starts, log_base)

    @property
    def n_samples(self) -> int:
        return len(self.model.discounts)

    def sizes(self) -> dict[str, int]:
        return {"known_words": len(self.numbers.known), "contexts": self.model.n_contexts}

    def next_words(self, context: str = "", n: int = 10) -> list[NextWord]:
        """The `n` most probable next words after a context; an empty one is the beginning of a sentence.

        `</s>` is the end of the sentence.
        """
        positive("n", n, whole=True)
        p = self.model.next_words([self.numbers.end, *self.context_of(context)], np.exp(self.base.log_p))
        return [NextWord(self.words[k], float(p[k])) for k in descending(p, n).tolist()]

    def draw_sentences(self, draw: SentenceDraw) -> list[list[str]]:
        base, first = np.exp(self.base.log_p), self.context_of(draw.beginning)
        drawn = self.model.sentences(draw.n, base, draw.generator, draw.longest, first)
        return [[self.words[word] for word in sentence] for sentence in drawn]

    # Rescaling by topics

    def rescaled_scores(
        self, corpus: Corpus, topics: object, exponent: float = 0.7, particles: int = 10
    ) -> Iterator[RescaledScores]:
        """The scores of a corpus, block by block, without and with rescaling by the topics of each document.

        Rescaled, a word has the probability p(w | context) (p(w | document) / p(w))^exponent, normalised.
        `topics`: an LDA or HDP over single words, fitted or what it has learned; a document's topic shares
        are updated word by word, by `particles` particles. Words that `topics` lacks, `<unk>` and `</s>` have
        the ratio 1. Raises UserError for a model without such topics.
        """
        rescaling = self.rescaling(topics, exponent)
        positive("particles", particles, whole=True)
        return rescaled_scores(corpus, rescaling, self.facts.seed, Particles(particles))

    def rescaling(self, topics: object, exponent: float = 0.7) -> UnigramRescaling:
        """This model with its probabilities rescaled by topics: see `rescaled_scores`."""
        ratios = Ratios.of(unigram_topics_of(topics), self.numbers, exponent)
        return UnigramRescaling(self.model, self.base, ratios)

    # Files

    def write_documents(self, corpus: Corpus, folder: Path, *, from_run: bool = False) -> None:
        own = from_run or corpus.fingerprint == fitted_fingerprint(self.facts.corpus)
        held_out = self.facts.held_out if own else 0.0
        write_sentences(self.model, self.base, corpus, held_out, self.facts.seed, folder)
