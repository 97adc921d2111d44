"""The common base of language models with and without topics: reading texts, vocabulary, runs, scores."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

import numpy as np

from stickbreaker.contracts.contract import Fitted, Sampler
from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array, Record
from stickbreaker.core.serialize import refuse_other_sizes
from stickbreaker.corpus import Analysis, Corpus, Vocabulary, VocabularyRule
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.source import Source
from stickbreaker.corpus.text.all_words import analysis_of_all_words
from stickbreaker.corpus.text.analysis import tokens_without_marks
from stickbreaker.estimators.estimator import Estimator
from stickbreaker.estimators.model_files import corpus_of
from stickbreaker.estimators.setting_values import refuse_parameters
from stickbreaker.learning.chains import Chains
from stickbreaker.learning.run import Limits, Run, RunState
from stickbreaker.learning.sampling import SamplingRun, SamplingState
from stickbreaker.ngrams.model.chain import TextEvents, events_of
from stickbreaker.ngrams.model.contexts import Integers, contexts_of, symbols_before, with_ends
from stickbreaker.ngrams.model.earlier_words import EarlierWords
from stickbreaker.ngrams.parameters import UNBOUNDED, LanguageParameters
from stickbreaker.ngrams.sentence_scores import (
    Scores,
    empty_sentence_scores,
    joined,
    parts_of,
    scores_by,
    sentence_beginning,
)
from stickbreaker.ngrams.word_numbers import Base, WordNumbers
from stickbreaker.saved import Snapshot
from stickbreaker.saved.checkpoints import fitted_of, params_from, run_state_of, sampling_state_of

LONGEST = 20  # words of a context in an unbounded model: longer ones are repetitions of text
NOT_IN_VOCABULARY = 0.25  # of the tokens, at most: if more are missing, they were left out on purpose


M = TypeVar("M")  # the model that predicts: samples of a chain


class LanguageEstimator(LanguageParameters, Estimator, Generic[M]):
    """The base of the estimators of language models with and without topics: their common parameters, and how
    they read, learn, score and save."""

    _whole: ClassVar[tuple[str, ...]]  # parameters that are whole numbers

    order: int | str

    # Set by a run
    numbers_: WordNumbers
    base_: Base
    params_: Record
    state_: RunState

    # What subclasses define

    @abstractmethod
    def _new_chain(self, text: TextEvents, seed: int, given: Record) -> Sampler:
        """A sampler for a text. given: further params, such as G0, that its `fitted` returns too."""

    @abstractmethod
    def _model_of(self, params: Record, n_words: int) -> M:
        """The model that predicts, from the params of a sampler. Raises ValueError if they belong to another
        model.

        n_words: all words that can come next, with the end-of-sentence mark.
        """

    @abstractmethod
    def _model_learned(self) -> M:
        """The fitted language model."""

    @abstractmethod
    def _log_words(self, model: M, words: Integers, content: Sequences, log_base: Array, seed: int) -> Array:
        """log p in nats, by a model, of the words of documents and of the ends of their sentences, in the
        order of the text.

        words: the numbers of the words in `content`; log_base: log G0 of each word and end; seed: of the
        random numbers, if topics are sampled.
        """

    @property
    def _has_topics(self) -> bool:
        """Whether words depend on the topics of their document."""
        return False

    # From parameters to a run

    def _refuse_params(
        self, vocabulary: Vocabulary | None = None, analysis: AnyAnalysis | None = None
    ) -> None:
        refuse_parameters(self)
        if vocabulary is None:
            return
        if vocabulary.languages:
            problem = "a text in several languages has no word order"
            raise UserError(problem, remedy="learn a model of each language")
        if vocabulary.hashed:
            raise UserError("words that share rows have no order", remedy="leave out --hash")
        self._numbers_of(vocabulary)

    def _limits(self) -> Limits:
        return Limits(self.max_iter, 0.0)

    def _reads_texts_by(self) -> tuple[AnyAnalysis | None, VocabularyRule | None]:
        return analysis_of_all_words(Analysis()), VocabularyRule(1, 1.0)

    def _tokens_of_document(self, tokens: Sequence[str]) -> Sequence[str]:
        return tokens_without_marks(tokens)

    def _source_of(self, corpus: Corpus, held_out: float) -> Source:
        """The documents of a corpus to learn from, and those held out. Raises UserError if a share is held
        out but no held-out document has a sentence."""
        source = Source(corpus, held_out, unit=Sequences)
        held = (source.block(block, held_out=True)[1] for block in range(source.n_blocks))
        if held_out and not any(len(content.starts) for content in held):
            raise UserError("no held-out document has a sentence", remedy="raise the held-out share")
        return source

    def _text_events(
        self, corpus: Corpus, source: Source, earlier: EarlierWords | None = None
    ) -> tuple[TextEvents, Base]:
        """What a chain learns from, and G0: the words of the training documents of `source`, after any
        `earlier` words.

        Raises UserError if too much of the text is not in its vocabulary; with `earlier` words this is only
        checked if unknown words are scored by their letters.
        """
        numbers, text = self._numbers_of(corpus.vocabulary), joined(source.in_order())
        if earlier is None or numbers.spelled:
            _refuse_left_out(corpus, text, spelled=numbers.spelled)
        marked, positions = with_ends(numbers.numbered(text.words), text.starts, numbers.end)
        before = symbols_before(marked, positions, numbers.end)
        if earlier is not None:
            marked, before = np.concatenate([earlier.words, marked]), earlier.before(before)
        base = self._base(numbers, int((marked == numbers.end).sum()), len(marked))
        unbounded = self.order == UNBOUNDED
        contexts, deepest = contexts_of(marked, before, numbers.n_words, self._longest, shared=unbounded)
        events = events_of(contexts, deepest, np.exp(base.log_p), unbounded=unbounded)
        sentences = np.searchsorted(text.offsets, text.starts, side="right") - 1
        documents = sentences[np.cumsum(positions == 0) - 1]
        return TextEvents(events, deepest, documents, len(text.offsets) - 1), base

    def _new_run(
        self, corpus: Corpus, seed: int, held_out: float = 0.0, folder: Path | None = None
    ) -> tuple[Run, RunState]:
        source = self._source_of(corpus, held_out)
        return self._run_of(self._text_events(corpus, source), source, seed, held_out)

    def _run_of(
        self, learned_from: tuple[TextEvents, Base], source: Source, seed: int, held_out: float = 0.0
    ) -> tuple[Run, RunState]:
        """Make a new run of a sampler over a text, and its state. `learned_from`: the result of
        `_text_events`."""
        text, base = learned_from
        chain = self._new_chain(text, seed, base.to_fields())
        burn_in = self.max_iter // 2
        every = max(1, (self.max_iter - burn_in) // self.samples)
        evaluate = partial(self._held_out_score, source=source, base=base, seed=seed) if held_out else None
        job = SamplingRun(
            source.n_documents, evaluate, seed=seed, limits=self._limits(), scores=self._score_names
        )
        return job, SamplingState(Chains([chain], burn_in, every, 1))

    def _held_out_score(self, fitted: Fitted, source: Source, base: Base, seed: int) -> float:
        """Log probability of the held-out documents, in nats per word (ends of sentences count as words)."""
        numbers, nats, events = base.numbers, 0.0, 0
        model = self._model_of(fitted.params, numbers.n_words)
        for block in range(source.n_blocks):
            content = source.block(block, held_out=True)[1]
            words = numbers.numbered(content.words)
            log_base = base.log_p[with_ends(words, content.starts, numbers.end)[0]]
            nats += float(self._log_words(model, words, content, log_base, seed).sum())
            events += len(log_base)
        return nats / events

    def _resume_run(self, corpus: Corpus, snapshot: Snapshot, folder: Path) -> tuple[Run, RunState]:
        manifest = snapshot.manifest
        seed = manifest["settings"]["random_state"]
        job, state = self._new_run(corpus, seed, manifest["held_out"], folder)
        assert isinstance(state, SamplingState)
        resumed = sampling_state_of(snapshot, state.chains)
        self._model_of(resumed.chains.fitted().params, self._numbers_of(corpus.vocabulary).n_words)
        return job, resumed

    @property
    def _longest(self) -> int:
        """The number of words in the longest context."""
        return LONGEST if self.order == UNBOUNDED else int(self.order) - 1

    def _numbers_of(self, vocabulary: Vocabulary) -> WordNumbers:
        """Number the words of a vocabulary, by the parameters `min_count` and `unknown`. Raises UserError if
        no word is known."""
        return WordNumbers.of(vocabulary, self.min_count, spelled=self.unknown == "spelled")

    def _base(self, numbers: WordNumbers, n_sentences: int, n_events: int) -> Base:
        """The base distribution G0: uniform, or by the letters of words, with unknown="spelled".

        n_sentences, n_events: counts of sentences and of words and ends in the text; by letters, their ratio
        is G0 of an end.
        """
        return Base.of_spelling(numbers, n_sentences / n_events) if numbers.spelled else Base.even(numbers)

    # The fitted model

    def _take_run(self, corpus: Corpus, job: Run, state: RunState) -> None:
        assert isinstance(state, SamplingState)
        params = state.chains.fitted().params
        state.chains.release()
        self._take_learned(params, state)

    def _take_learned(self, params: Record, state: RunState) -> None:
        """Set the estimator's fitted attributes from the params of a chain and the state of its run."""
        self._take_state(state)
        self.params_, self.state_ = params, state
        self.numbers_ = self._numbers_of(self.vocabulary_)
        self.base_ = Base.from_params(self.numbers_, params)
        self.n_features_in_ = len(self.vocabulary_)

    @property
    def words_(self) -> tuple[str, ...]:
        """All words that can come next, by number."""
        return self.numbers_.names

    def scores(self, corpus: Corpus) -> Iterator[Scores]:
        """log p of every word and every end of a sentence of a corpus, block by block; the corpus must have
        the model's vocabulary."""

        return scores_by(self._log_words_learned, corpus, self.base_)

    def _log_words_learned(self, words: Integers, content: Sequences, log_base: Array) -> Array:
        """log p in nats of words and ends of sentences by the fitted model: `_log_words` of it."""
        return self._log_words(self._model_learned(), words, content, log_base, self.seed_)

    def _scores_of_sentences(self, corpus: Corpus, seen: Corpus | None = None) -> Iterator[Scores]:
        """Like `scores`, but each sentence is scored on its own; models with topics score it as if it
        followed the documents `seen`, others ignore them."""
        return self.scores(corpus)

    def _empty_sentence_scores(self) -> Scores:
        """log p of the end of a sentence without words."""
        return empty_sentence_scores(self._log_words_learned, self.base_)

    @abstractmethod
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
        """Draw n sentences from the model, as lists of at most `longest` words.

        `beginning`: the words that each begins with. For models with topics, `topic`: the topic of all words
        that do not come from the common model; `seen`: documents that come before each sentence.
        """

    def _score_documents(self, corpus: Corpus) -> tuple[float, float]:
        return self._score_parts(corpus)["all"]

    def _score_parts(self, corpus: Corpus) -> dict[str, tuple[float, float]]:
        """The sum of log p in nats, and the number of words and ends of sentences: for "all" of them, and for
        the "known" words and all ends."""
        return parts_of(self.scores(corpus))

    def _context_of(self, text: str) -> list[int]:
        """The word numbers of a text with which a sentence begins, analysed as the model reads texts. Raises
        UserError if it is not a string or contains `</s>`."""
        if not isinstance(text, str):
            raise UserError(f"a beginning or context has the type {type(text).__name__}", remedy="give a str")
        assert isinstance(self.analysis_, Analysis)
        rows = self.vocabulary_.lookup(self.analysis_.analyse(sentence_beginning(text)).words)
        return self.numbers_.numbered(rows).tolist()

    # Saving and loading

    def _snapshot(self, fixed: dict[str, object]) -> Snapshot:
        return fitted_of(Fitted(self.params_), self.state_, fixed)

    def _restore(self, snapshot: Snapshot, folder: Path, *, lasts: bool) -> None:
        self._refuse_params(self.vocabulary_)
        if snapshot.manifest["status"] == "running":
            _, state = self._resume_run(corpus_of(folder, snapshot.manifest), snapshot, folder)
            assert isinstance(state, SamplingState)
            self._take_learned(state.chains.fitted().params, state)
            return
        params = params_from(snapshot, self._whole)
        refuse_other_sizes(params, {})
        self._take_learned(params, run_state_of(snapshot))


def _refuse_left_out(corpus: Corpus, text: Sequences, *, spelled: bool) -> None:
    """Raise UserError if too many tokens of a text are not in the corpus's vocabulary.

    At most the share `NOT_IN_VOCABULARY` may be missing, or any number if the vocabulary is a list of words
    that the user chose. spelled: whether unknown words are scored by their letters; then none may be missing.
    """
    if corpus.about.rule.words is not None and not spelled:
        return  # a list of words chosen by the user
    share = float((text.words < 0).mean()) if len(text.words) else 0.0
    if share > (0.0 if spelled else NOT_IN_VOCABULARY):
        problem = f"{100 * share:.1f} % of the tokens are not in the vocabulary of the corpus"
        remedy = "build it with --stop-words none --min-length 1 --min-documents 1 --max-share 1"
        raise UserError(problem, where=corpus.path, remedy=remedy)
