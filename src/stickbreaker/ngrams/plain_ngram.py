"""N-gram language models of hierarchical Pitman-Yor processes, without scikit-learn."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.parameter_fields import with_parameter_section
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array, Record
from stickbreaker.core.topk import descending
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.overview import Overview
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.estimators.corpus_facts import about, grown
from stickbreaker.estimators.estimator import Estimator
from stickbreaker.estimators.saving import held_out_of
from stickbreaker.estimators.setting_values import positive
from stickbreaker.estimators.unigram_topics import unigram_topics_of
from stickbreaker.learning.loop import run
from stickbreaker.learning.observers import Clock, Trace
from stickbreaker.learning.run import Run, RunState, ScoreNames
from stickbreaker.ngrams import purposes
from stickbreaker.ngrams.kernels.particles import Particles
from stickbreaker.ngrams.language_estimator import LanguageEstimator
from stickbreaker.ngrams.model.chain import PitmanYorChain, TextEvents
from stickbreaker.ngrams.model.contexts import Integers
from stickbreaker.ngrams.model.earlier_words import EarlierWords
from stickbreaker.ngrams.model.language_model import LanguageModel
from stickbreaker.ngrams.parameters import UNBOUNDED, NgramParameters
from stickbreaker.ngrams.report_sentences import write_sentences
from stickbreaker.ngrams.unigram_rescaling import Ratios, RescaledScores, UnigramRescaling, rescaled_scores
from stickbreaker.saved import Snapshot
from stickbreaker.saved.own_corpus import fitted_fingerprint


class NextWord(NamedTuple):
    """A possible next word, with its probability."""

    word: str
    p: float


@with_parameter_section
class PlainNgramModel(NgramParameters, LanguageEstimator[LanguageModel]):
    """A language model of hierarchical Pitman-Yor processes: p(word | the words before it) (Teh 2006).

    Attributes
    ----------
    words_ : all words that may come next, `<unk>` and the mark `</s>` at a sentence's end included.
    discounts_, concentrations_ : (samples × lengths of context) of the Pitman-Yor processes.
    bound_ : log p(words, seating) of the last sample, in nats per word.
    n_iter_ : sweeps done; trace_ : a record per sweep, with the perplexity of each word given all others.

    >>> from stickbreaker import NgramModel
    >>> model = NgramModel(2, min_count=1, max_iter=20, random_state=0).fit(["a cat sat. a cat ran."])
    >>> model.next_words("a", 1)[0].word
    'cat'
    """

    kind: ClassVar[str] = "NgramModel"
    _whole: ClassVar[tuple[str, ...]] = ("restaurant_keys", "slot_keys", "customers", "tables")
    _score_names: ClassVar[ScoreNames] = ScoreNames(joint="log p(words, seating)")

    # What the base class requires

    def _new_chain(self, text: TextEvents, seed: int, given: Record) -> PitmanYorChain:
        return PitmanYorChain(text.events, seed, given)

    def _model_of(self, params: Record, n_words: int) -> LanguageModel:
        return LanguageModel.of(params, n_words)

    def _model_learned(self) -> LanguageModel:
        return self.language_model_

    def _log_words(
        self, model: LanguageModel, words: Integers, content: Sequences, log_base: Array, seed: int
    ) -> Array:
        return model.log_probabilities(words, content.starts, log_base)

    def _finish_run(
        self, corpus: Corpus, job: Run, state: RunState, fixed: JsonObject, folder: Path
    ) -> Snapshot:
        self._take_run(corpus, job, state)
        write_sentences(self.language_model_, self.base_, corpus, fixed["held_out"], self.seed_, folder)
        return self._snapshot(fixed)

    def _take_learned(self, params: Record, state: RunState) -> None:
        super()._take_learned(params, state)
        self.language_model_ = self._model_of(params, self.numbers_.n_words)

    @property
    def _minibatch(self) -> int:
        """The default number of documents per step of `learn_more`: all, since a chain needs all counts."""
        return sys.maxsize

    def _learn_more(self, corpus: Corpus) -> None:
        """Learn from more documents: a new run over the words learned from before, followed by the new ones.

        The vocabulary stays. The result is bit-identical to a fit of all documents with this vocabulary.
        Raises UserError for an unbounded model, which does not store the counts of its text.
        """
        if self.order == UNBOUNDED:
            problem = "an unbounded model does not store the counts that it was learned from"
            raise UserError(problem, remedy="fit a new model of all texts, or one with --order N")
        source = self._source_of(corpus, 0.0)
        text = self._text_events(corpus, source, EarlierWords.of(self.language_model_))
        job, state = self._run_of(text, source, self.seed_)
        trace = Trace()
        run(job, state, [Clock(), trace])
        self.corpus_, self.trace_ = grown(self.corpus_, about(corpus)), trace.records
        self._take_run(corpus, job, state)

    # The fitted model

    @property
    def discounts_(self) -> Array:
        """Discounts (samples × context lengths, from 0 on)."""
        return self.language_model_.discounts

    @property
    def concentrations_(self) -> Array:
        """Concentrations (samples × context lengths, from 0 on)."""
        return self.language_model_.concentrations

    def _sizes(self) -> dict[str, int]:
        return {"known_words": len(self.numbers_.known), "contexts": self.language_model_.n_contexts}

    def _overview(self) -> Overview:
        overview = super()._overview()
        rows = [("order", str(self.order)), *overview.rows, ("samples", str(len(self.discounts_)))]
        return overview._replace(rows=rows)

    def _write_report_documents(self, corpus: Corpus, folder: Path) -> None:
        fitted = corpus.fingerprint == fitted_fingerprint(self.corpus_)
        held_out = held_out_of(self) if fitted else 0.0
        write_sentences(self.language_model_, self.base_, corpus, held_out, self.seed_, folder)

    def _rescaled_scores(
        self, corpus: Corpus, topics: Estimator, exponent: float = 0.7, particles: int = 10
    ) -> Iterator[RescaledScores]:
        """The scores of a corpus, block by block, without and with rescaling by the topics of each document.

        Rescaled, a word has the probability p(w | context) (p(w | document) / p(w))^exponent, normalised.
        `topics`: an LDA or HDP over single words; a document's topic shares are updated word by word, by
        `particles` particles. Words that `topics` lacks, `<unk>` and `</s>` have the ratio 1. Raises
        UserError for a model without such topics.
        """
        rescaling = self._rescaling(topics, exponent)
        positive("particles", particles, whole=True)
        return rescaled_scores(corpus, rescaling, self.seed_, Particles(particles))

    def _rescaling(self, topics: Estimator, exponent: float = 0.7) -> UnigramRescaling:
        """This model with its probabilities rescaled by topics: see `_rescaled_scores`."""
        ratios = Ratios.of(unigram_topics_of(topics), self.numbers_, exponent)
        return UnigramRescaling(self.language_model_, self.base_, ratios)

    def _draw_sentences(
        self,
        n: int,
        *,
        topic: int | None = None,
        seen: Corpus | None = None,
        beginning: str = "",
        longest: int = 100,
        random_state: int = 0,
    ) -> list[list[str]]:
        positive("n", n, whole=True)
        positive("longest", longest, whole=True)
        generator = stream(random_state, purposes.NGRAM_SENTENCES)
        drawn = self.language_model_.sentences(
            n, np.exp(self.base_.log_p), generator, longest, self._context_of(beginning)
        )
        return [[self.words_[word] for word in sentence] for sentence in drawn]

    def next_words(self, context: str = "", n: int = 10) -> list[NextWord]:
        """The `n` most probable next words after a context; an empty one is the beginning of a sentence.

        `</s>` is the end of the sentence.
        """
        positive("n", n, whole=True)
        words = [self.numbers_.end, *self._context_of(context)]
        p = self.language_model_.next_words(words, np.exp(self.base_.log_p))
        return [NextWord(self.words_[k], float(p[k])) for k in descending(p, n).tolist()]
