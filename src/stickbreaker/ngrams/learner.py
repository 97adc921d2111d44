"""How language models learn: by one Markov chain over the words of a text."""

import sys
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from stickbreaker.contracts.contract import Fitted, Sampler
from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Record
from stickbreaker.core.serialize import refuse_other_sizes
from stickbreaker.corpus import Analysis, Corpus, Vocabulary, VocabularyRule
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.source import Source
from stickbreaker.corpus.text.all_words import analysis_of_all_words
from stickbreaker.corpus.text.analysis import tokens_without_marks
from stickbreaker.estimators.corpus_facts import about, grown
from stickbreaker.estimators.learned import Facts, progress_of
from stickbreaker.estimators.learner import Learner
from stickbreaker.estimators.model_files import corpus_of
from stickbreaker.learning.chains import Chains
from stickbreaker.learning.loop import run
from stickbreaker.learning.observers import Clock, Trace
from stickbreaker.learning.run import Limits, Run, RunState, ScoreNames
from stickbreaker.learning.sampling import SamplingRun, SamplingState
from stickbreaker.ngrams.language_learned import LanguageLearned, N
from stickbreaker.ngrams.model.chain import PitmanYorChain, TextEvents
from stickbreaker.ngrams.model.contexts import with_ends
from stickbreaker.ngrams.model.earlier_words import EarlierWords
from stickbreaker.ngrams.model.topic_chain import TopicChain
from stickbreaker.ngrams.model.topic_priors import CHAINS
from stickbreaker.ngrams.model.topic_samples import CELLS
from stickbreaker.ngrams.ngram_learned import NgramLearned
from stickbreaker.ngrams.plan import limits_of, numbers_of, source_of, text_events
from stickbreaker.ngrams.settings import UNBOUNDED, NgramSettings, TopicNgramSettings
from stickbreaker.ngrams.topic_ngram_learned import TopicNgramLearned
from stickbreaker.ngrams.word_numbers import Base
from stickbreaker.saved import Snapshot
from stickbreaker.saved.checkpoints import params_from, sampling_state_of

G = TypeVar("G", bound=LanguageLearned[Any, Any])


class LanguageLearner(Learner[N, G]):
    """How language models with topics and without learn."""

    shows_documents = True
    whole: tuple[str, ...]  # names of params that are whole numbers

    def __init__(self, settings: type[N], learned: type[G]) -> None:
        super().__init__(settings)
        self.learned_class = learned

    @abstractmethod
    def new_chain(self, settings: N, text: TextEvents, seed: int, given: Record) -> Sampler:
        """A sampler for a text. given: further params, such as G0, that its `fitted` returns too."""

    # Before a run

    def check(
        self, settings: N, vocabulary: Vocabulary | None = None, analysis: AnyAnalysis | None = None
    ) -> None:
        if vocabulary is None:
            return
        if vocabulary.languages:
            problem = "a text in several languages has no word order"
            raise UserError(problem, remedy="learn a model of each language")
        if vocabulary.hashed:
            raise UserError("words that share rows have no order", remedy="leave out --hash")
        numbers_of(settings, vocabulary)

    def limits(self, settings: N) -> Limits:
        return limits_of(settings)

    def reads_texts_by(self, settings: N) -> tuple[AnyAnalysis | None, VocabularyRule | None]:
        return analysis_of_all_words(Analysis()), VocabularyRule(1, 1.0)

    def tokens_of_document(self, settings: N, tokens: Sequence[str]) -> Sequence[str]:
        return tokens_without_marks(tokens)

    # A run, and what it has learned

    def new_run(
        self, settings: N, corpus: Corpus, seed: int, held_out: float = 0.0, folder: Path | None = None
    ) -> tuple[Run, SamplingState]:
        source = source_of(corpus, held_out)
        return self.run_of(settings, text_events(settings, corpus, source), source, seed, held_out)

    def run_of(
        self,
        settings: N,
        learned_from: tuple[TextEvents, Base],
        source: Source,
        seed: int,
        held_out: float = 0.0,
    ) -> tuple[Run, SamplingState]:
        """A run of a sampler over a text that has not begun, and its state.

        learned_from: the result of `text_events`; source: the documents of the text, and those held out.
        """
        text, base = learned_from
        chain = self.new_chain(settings, text, seed, base.to_fields())
        burn_in = settings.max_iter // 2
        every = max(1, (settings.max_iter - burn_in) // settings.samples)
        evaluate = partial(self._held_out_score, settings, source, base, seed) if held_out else None
        limits = limits_of(settings)
        job = SamplingRun(source.n_documents, evaluate, seed=seed, limits=limits, scores=self.score_names)
        return job, SamplingState(Chains([chain], burn_in, every, 1))

    def _held_out_score(self, settings: N, source: Source, base: Base, seed: int, fitted: Fitted) -> float:
        """Log probability of the held-out documents, in nats per word (ends of sentences count as words)."""
        learned, numbers, nats, events = self.learned_class, base.numbers, 0.0, 0
        model = learned.model_of(settings, fitted.params, numbers.n_words)
        for block in range(source.n_blocks):
            content = source.block(block, held_out=True)[1]
            words = numbers.numbered(content.words)
            log_base = base.log_p[with_ends(words, content.starts, numbers.end)[0]]
            nats += float(learned.log_words_by(model, words, content, log_base, seed).sum())
            events += len(log_base)
        return nats / events

    def resume_run(
        self, settings: N, corpus: Corpus, snapshot: Snapshot, folder: Path
    ) -> tuple[Run, SamplingState]:
        manifest = snapshot.manifest
        seed = manifest["settings"]["random_state"]
        job, state = self.new_run(settings, corpus, seed, manifest["held_out"], folder)
        resumed = sampling_state_of(snapshot, state.chains)
        n_words = numbers_of(settings, corpus.vocabulary).n_words
        self.learned_class.model_of(settings, resumed.chains.fitted().params, n_words)
        return job, resumed

    def learned(self, facts: Facts[N], corpus: Corpus, job: Run, state: RunState) -> G:
        assert isinstance(state, SamplingState)
        params = state.chains.fitted().params
        state.chains.release()
        return self.learned_class.of(facts, params)

    def restored(self, facts: Facts[N], snapshot: Snapshot, folder: Path, *, lasts: bool) -> G:
        self.check(facts.settings, facts.vocabulary)
        if snapshot.manifest["status"] == "running":
            corpus = corpus_of(folder, snapshot.manifest)
            _, state = self.resume_run(facts.settings, corpus, snapshot, folder)
            return self.learned_class.of(facts, state.chains.fitted().params)
        params = params_from(snapshot, self.whole)
        refuse_other_sizes(params, {})
        return self.learned_class.of(facts, params)


class NgramLearner(LanguageLearner[NgramSettings, NgramLearned]):
    """How language models without topics learn."""

    score_names = ScoreNames(joint="log p(words, seating)")
    whole = ("restaurant_keys", "slot_keys", "customers", "tables")

    def new_chain(
        self, settings: NgramSettings, text: TextEvents, seed: int, given: Record
    ) -> PitmanYorChain:
        return PitmanYorChain(text.events, seed, given)

    def minibatch(self, settings: NgramSettings) -> int:
        """The default number of documents per step of `learn_more`: all, since a chain needs all counts."""
        return sys.maxsize

    def learn_more(
        self, settings: NgramSettings, learned: NgramLearned | None, corpus: Corpus
    ) -> NgramLearned:
        """What is known after a new run over the words learned from before, followed by the new documents.

        The vocabulary stays. The result is bit-identical to a fit of all documents with this vocabulary.
        Raises UserError for an unbounded model, which does not store the counts of its text.
        """
        assert learned is not None
        if settings.order == UNBOUNDED:
            problem = "an unbounded model does not store the counts that it was learned from"
            raise UserError(problem, remedy="fit a new model of all texts, or one with --order N")
        facts, source = learned.facts, source_of(corpus, 0.0)
        text = text_events(settings, corpus, source, EarlierWords.of(learned.model))
        job, state = self.run_of(settings, text, source, facts.seed)
        trace = Trace()
        run(job, state, [Clock(), trace])
        more = replace(
            facts,
            corpus=grown(facts.corpus, about(corpus)),
            trace=trace.records,
            progress=progress_of(state),
            saved=None,
        )
        return self.learned(more, corpus, job, state)


class TopicNgramLearner(LanguageLearner[TopicNgramSettings, TopicNgramLearned]):
    """How language models with topics learn."""

    score_names = ScoreNames(joint="log p(words, topics, seating)")
    whole = ("restaurant_keys", "slot_keys", "cells", *CELLS)

    def new_chain(
        self, settings: TopicNgramSettings, text: TextEvents, seed: int, given: Record
    ) -> TopicChain:
        return CHAINS[settings.prior](text, settings.n_topics, seed, given, moves=settings.moves)


NGRAMS = NgramLearner(NgramSettings, NgramLearned)
TOPIC_NGRAMS = TopicNgramLearner(TopicNgramSettings, TopicNgramLearned)
