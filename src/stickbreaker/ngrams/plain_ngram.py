"""The parameters of n-gram language models of hierarchical Pitman-Yor processes, and what they mean."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from stickbreaker.contracts.contract import Fitted
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array, Record
from stickbreaker.core.serialize import refuse_other_sizes
from stickbreaker.core.topk import descending
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.source import Source
from stickbreaker.estimators.estimator import Estimator
from stickbreaker.estimators.notebooks.overview import Overview
from stickbreaker.estimators.saving import corpus_of
from stickbreaker.estimators.settings import positive
from stickbreaker.estimators.unigram_topics import unigram_topics_of
from stickbreaker.learning.chains import Chains
from stickbreaker.learning.observers import TraceRecord
from stickbreaker.learning.run import Run, RunState, ScoreNames
from stickbreaker.learning.sampling import SamplingRun, SamplingState
from stickbreaker.ngrams import purposes
from stickbreaker.ngrams.kernels.particles import Particles
from stickbreaker.ngrams.language_estimator import LanguageEstimator
from stickbreaker.ngrams.model.chain import PitmanYorChain
from stickbreaker.ngrams.model.contexts import with_ends
from stickbreaker.ngrams.model.language_model import LanguageModel
from stickbreaker.ngrams.report_sentences import write_sentences
from stickbreaker.ngrams.sentence_scores import (
    Scores,
    all_scores,
)
from stickbreaker.ngrams.unigram_rescaling import (
    Ratios,
    RescaledScores,
    UnigramRescaling,
    rescaled_scores,
)
from stickbreaker.ngrams.word_numbers import Base
from stickbreaker.saved import Snapshot
from stickbreaker.saved.checkpoints import fitted_of, params_from, run_state_of, sampling_state_of

WHOLE = ("restaurant_keys", "slot_keys", "customers", "tables")  # params that are whole numbers


class NextWord(NamedTuple):
    """A word that may come next, with its probability."""

    word: str
    p: float


@dataclass(eq=False, repr=False)
class PlainNgramModel(LanguageEstimator):
    """A language model: each word given those before it, by hierarchical Pitman-Yor processes (Teh 2006).

    Parameters
    ----------
    order : words of an n-gram, so that a word is predicted from `order` - 1 before it; or "unbounded", where
        each word draws how many (Mochihashi & Sumita 2008), 20 at most.
    unknown : "symbol": words that are not known are all `<unk>`; or "spelled": all words of the text are
        known, and others have a probability by their letters.
    min_count : with "symbol", how often a word occurs in the text that is known.
    max_iter : sweeps of the sampler.
    samples : predictions are means over about so many of its states, evenly from the second half of the
        sweeps; over fewer where that has fewer.
    n_jobs : has no effect; there is one chain, and it uses one thread.
    random_state : whole number; the same number gives the same bytes. None draws one (kept in `seed_`).
    callbacks : functions that get each record of the trace (a dict); one that returns True ends the run.

    Attributes
    ----------
    words_ : all words that may come next, `<unk>` and the mark `</s>` at a sentence's end included.
    discounts_, concentrations_ : (samples × lengths of context) of the Pitman-Yor processes.
    bound_ : log p(words, seating) of the last sample, in nats a word.
    n_iter_ : sweeps done; trace_ : list of records, with the perplexity of each word given all others.

    >>> from stickbreaker import NgramModel
    >>> model = NgramModel(2, min_count=1, max_iter=20, random_state=0).fit(["a cat sat. a cat ran."])
    >>> model.next_words("a", 1)[0].word
    'cat'
    """

    kind: ClassVar[str] = "NgramModel"
    score_names: ClassVar[ScoreNames] = ScoreNames(joint="log p(words, seating)")

    order: int | str = 3
    _: KW_ONLY
    unknown: str = "symbol"
    min_count: int = 4
    max_iter: int = 100
    samples: int = 10
    n_jobs: int | None = None
    random_state: Any = None
    callbacks: Sequence[Callable[[TraceRecord], object]] | None = None

    # From parameters to a run

    def new_run(
        self, corpus: Corpus, seed: int, held_out: float = 0.0, folder: Path | None = None
    ) -> tuple[Run[Any], RunState]:
        source = self.source_of(corpus, held_out)
        text = self.text_events(corpus, source)
        burn_in = self.max_iter // 2
        every = max(1, (self.max_iter - burn_in) // self.samples)
        chains = Chains([PitmanYorChain(text.events, seed, text.base.to_fields())], burn_in, every, 1)
        evaluate = partial(_held_out_score, source=source, base=text.base) if held_out else None
        job = SamplingRun(
            source.n_documents, evaluate, seed=seed, limits=self.limits(), scores=self.score_names
        )
        return job, SamplingState(chains)

    def resume_run(self, corpus: Corpus, snapshot: Snapshot, folder: Path) -> tuple[Run[Any], RunState]:
        manifest = snapshot.manifest
        seed = manifest["settings"]["random_state"]
        job, state = self.new_run(corpus, seed, manifest["held_out"], folder)
        assert isinstance(state, SamplingState)
        resumed = sampling_state_of(snapshot, state.chains)
        LanguageModel.of(resumed.chains.fitted().params, self.numbers_of(corpus.vocabulary).n_words)
        return job, resumed

    # From a run to what was learned

    def take_run(self, corpus: Corpus, job: Run[Any], state: RunState) -> None:
        assert isinstance(state, SamplingState)
        self._take(state.chains.fitted().params, state)

    def finish_run(
        self, corpus: Corpus, job: Run[Any], state: RunState, fixed: dict[str, Any], folder: Path
    ) -> Snapshot:
        self.take_run(corpus, job, state)
        write_sentences(self.language_model_, self.base_, corpus, fixed["held_out"], self.seed_, folder)
        return self.snapshot(fixed)

    def _take(self, params: Record, state: RunState) -> None:
        """Make what the chain has learned the estimator's; its parts are held against each other."""
        self.take_state(state)
        self.params_: Record = params
        self.state_: RunState = state
        self.numbers_ = self.numbers_of(self.vocabulary_)
        self.base_ = Base.from_params(self.numbers_, params)
        self.language_model_ = LanguageModel.of(params, self.numbers_.n_words)
        self.n_features_in_ = len(self.vocabulary_)

    @property
    def discounts_(self) -> Array:
        """Discounts (samples × lengths of context, from none on)."""
        return self.language_model_.discounts

    @property
    def concentrations_(self) -> Array:
        """Concentrations (samples × lengths of context, from none on)."""
        return self.language_model_.concentrations

    def sizes(self) -> dict[str, int]:
        return {"known_words": len(self.numbers_.known), "contexts": self.language_model_.n_contexts}

    def overview(self) -> Overview:
        overview = super().overview()
        rows = [("order", str(self.order)), *overview.rows, ("samples", str(len(self.discounts_)))]
        return overview._replace(rows=rows)

    def write_report_documents(self, corpus: Corpus, folder: Path) -> None:
        write_sentences(self.language_model_, self.base_, corpus, 0.0, self.seed_, folder)

    def scores(self, corpus: Corpus) -> Iterator[Scores]:
        """log p of every word of a corpus, block by block; it is seen through the model's vocabulary."""
        return all_scores(corpus, self.language_model_, self.base_)

    def rescaled_scores(
        self, corpus: Corpus, topics: Estimator, exponent: float = 0.7, particles: int = 10
    ) -> Iterator[RescaledScores]:
        """The scores of a corpus by p(w | context) (p(w | document) / p(w))^exponent, normalised.

        `topics`: an LDA or HDP over single words. A document's topic shares are adapted as its words come, by
        `particles` particles. Words that it lacks, `<unk>` and `</s>` have the ratio 1. Returns scores with
        and without rescaling, block by block. Raises UserError for a model without such topics.
        """
        rescaling = self.rescaling(topics, exponent)
        positive("particles", particles, whole=True)
        return rescaled_scores(corpus, rescaling, self.seed_, Particles(particles))

    def rescaling(self, topics: Estimator, exponent: float = 0.7) -> UnigramRescaling:
        """This model with its probabilities rescaled by topics: see `rescaled_scores`."""
        ratios = Ratios.of(unigram_topics_of(topics), self.numbers_, exponent)
        return UnigramRescaling(self.language_model_, self.base_, ratios)

    def draw_sentences(
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
            n, np.exp(self.base_.log_p), generator, longest, self.context_of(beginning)
        )
        return [[self.words_[word] for word in sentence] for sentence in drawn]

    def next_words(self, context: str = "", n: int = 10) -> list[NextWord]:
        """The `n` words that most probably follow a context, the beginning of a sentence where it is empty.

        `</s>` is the end of the sentence.
        """
        positive("n", n, whole=True)
        words = [self.numbers_.end, *self.context_of(context)]
        p = self.language_model_.next_words(words, np.exp(self.base_.log_p))
        return [NextWord(self.words_[k], float(p[k])) for k in descending(p, n).tolist()]

    # To files and back

    def snapshot(self, fixed: dict[str, Any]) -> Snapshot:
        return fitted_of(Fitted(self.params_), self.state_, fixed)

    def restore(self, snapshot: Snapshot, folder: Path, *, lasts: bool) -> None:
        self.refuse_params(self.vocabulary_)
        if snapshot.manifest["status"] == "running":
            _, state = self.resume_run(corpus_of(folder, snapshot.manifest), snapshot, folder)
            assert isinstance(state, SamplingState)
            self._take(state.chains.fitted().params, state)
            return
        params = params_from(snapshot, WHOLE)
        refuse_other_sizes(params, {})
        self._take(params, run_state_of(snapshot))


def _held_out_score(fitted: Fitted, source: Source, base: Base) -> float:
    """The log probability of the held-out documents, in nats a word (ends of sentences are words)."""
    numbers, nats, events = base.numbers, 0.0, 0
    model = LanguageModel.of(fitted.params, numbers.n_words)
    for block in range(source.n_blocks):
        content = source.block(block, held_out=True)[1]
        words = numbers.numbered(content.words)
        log_base = base.log_p[with_ends(words, content.starts, numbers.end)[0]]
        nats += float(model.log_probabilities(words, content.starts, log_base).sum())
        events += len(log_base)
    return nats / events
