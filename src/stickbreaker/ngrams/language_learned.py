"""A learned language model, with topics or without: what it says of the words of new documents."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

import numpy as np

from stickbreaker.contracts.contract import Fitted
from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array, Record
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.overview import Overview
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.estimators.learned import Facts, Learned
from stickbreaker.estimators.setting_values import positive
from stickbreaker.ngrams import purposes
from stickbreaker.ngrams.model.contexts import Integers
from stickbreaker.ngrams.plan import numbers_of
from stickbreaker.ngrams.sentence_scores import (
    Scores,
    empty_sentence_scores,
    parts_of,
    scores_by,
    sentence_beginning,
)
from stickbreaker.ngrams.settings import LanguageSettings
from stickbreaker.ngrams.word_numbers import Base, WordNumbers
from stickbreaker.saved import Snapshot
from stickbreaker.saved.checkpoints import fitted_of

N = TypeVar("N", bound=LanguageSettings)
M = TypeVar("M")  # the model that predicts: samples of a chain


@dataclass(frozen=True, kw_only=True)
class SentenceDraw:
    """What sentences to draw from a language model: `n`, of at most `longest` words each.

    `beginning`: the words that each begins with; `random_state`: the seed. For models with topics, `topic`:
    the topic of all words that do not come from the common model; `seen`: documents that come before each
    sentence. Raises UserError for numbers that are not above 0.
    """

    n: int
    longest: int = 100
    beginning: str = ""
    random_state: int = 0
    topic: int | None = None
    seen: Corpus | None = None

    def __post_init__(self) -> None:
        positive("n", self.n, whole=True)
        positive("longest", self.longest, whole=True)

    @property
    def generator(self) -> np.random.Generator:
        """The random numbers of the draw, from their beginning."""
        return stream(self.random_state, purposes.NGRAM_SENTENCES)


@dataclass(frozen=True, eq=False, repr=False)
class LanguageLearned(Learned[N], Generic[N, M]):
    """What a language model has learned.

    `params`: samples of a chain, as files have them; `model`: the same, to predict words; `numbers`: of all
    words that can come next; `base`: G0, their base distribution.
    """

    params: Record
    numbers: WordNumbers
    base: Base
    model: M

    @classmethod
    def of(cls, facts: Facts[N], params: Record) -> Self:
        """The result with these params. Raises ValueError if they do not fit the facts."""
        numbers = numbers_of(facts.settings, facts.vocabulary)
        base = Base.from_params(numbers, params)
        return cls(facts, params, numbers, base, cls.model_of(facts.settings, params, numbers.n_words))

    # What subclasses define

    @staticmethod
    @abstractmethod
    def model_of(settings: N, params: Record, n_words: int) -> M:
        """The model that predicts, from the params of a chain.

        n_words: all words that can come next, with the end-of-sentence mark. Raises ValueError if the params
        belong to another model.
        """

    @staticmethod
    @abstractmethod
    def log_words_by(model: M, words: Integers, content: Sequences, log_base: Array, seed: int) -> Array:
        """log p in nats, by a model, of the words of documents and of the ends of their sentences, in the
        order of the text.

        words: the numbers of the words in `content`; log_base: log G0 of each word and end; seed: of the
        random numbers, if topics are sampled.
        """

    @abstractmethod
    def draw_sentences(self, draw: SentenceDraw) -> list[list[str]]:
        """Draw sentences from the model, as lists of words."""

    # Words

    @property
    def words(self) -> tuple[str, ...]:
        """All words that can come next, by number."""
        return self.numbers.names

    @property
    def analysis(self) -> AnyAnalysis:
        """How texts become words."""
        return self.facts.analysis

    def context_of(self, text: str) -> list[int]:
        """The word numbers of a text with which a sentence begins, analysed as the model reads texts.

        Raises UserError if it is not a string or contains `</s>`.
        """
        if not isinstance(text, str):
            raise UserError(f"a beginning or context has the type {type(text).__name__}", remedy="give a str")
        assert isinstance(self.analysis, Analysis)
        rows = self.vocabulary.lookup(self.analysis.analyse(sentence_beginning(text)).words)
        return self.numbers.numbered(rows).tolist()

    def overview(self) -> Overview:
        overview = super().overview()
        rows = [("order", str(self.facts.settings.order)), *overview.rows, ("samples", str(self.n_samples))]
        return overview._replace(rows=rows)

    @property
    @abstractmethod
    def n_samples(self) -> int:
        """The number of samples whose predictions are averaged."""

    # New documents

    @property
    def has_topics(self) -> bool:
        """Whether words depend on the topics of their document."""
        return False

    def log_words(self, words: Integers, content: Sequences, log_base: Array) -> Array:
        """log p in nats of words and ends of sentences given the learned model; see `log_words_by`."""
        return self.log_words_by(self.model, words, content, log_base, self.facts.seed)

    def scores(self, corpus: Corpus) -> Iterator[Scores]:
        """log p of every word and every end of a sentence of a corpus, block by block.

        The corpus must have the model's vocabulary.
        """
        return scores_by(self.log_words, corpus, self.base)

    def scores_of_sentences(self, corpus: Corpus, seen: Corpus | None = None) -> Iterator[Scores]:
        """Like `scores`, but each sentence is scored on its own; models with topics score it as if it
        followed the documents `seen`, others ignore them."""
        return self.scores(corpus)

    def empty_sentence_scores(self) -> Scores:
        """log p of the end of a sentence without words."""
        return empty_sentence_scores(self.log_words, self.base)

    def log_probability(self, corpus: Corpus) -> tuple[float, float]:
        return self.part_scores(corpus)["all"]

    def part_scores(self, corpus: Corpus) -> dict[str, tuple[float, float]]:
        """The sum of log p in nats, and the number of words and ends of sentences: for "all" of them, and for
        the "known" words and all ends."""
        return parts_of(self.scores(corpus))

    # Files

    def snapshot(self, fixed: JsonObject) -> Snapshot:
        return fitted_of(Fitted(self.params), self.facts.progress, fixed)
