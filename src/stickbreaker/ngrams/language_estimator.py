"""What language models with and without topics share: how they read texts, and the words they know."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus, Vocabulary, VocabularyRule
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.source import Source
from stickbreaker.corpus.text.all_words import analysis_of_all_words
from stickbreaker.corpus.text.analysis import tokens_without_marks
from stickbreaker.estimators.estimator import Estimator
from stickbreaker.estimators.settings import positive
from stickbreaker.learning.run import Limits
from stickbreaker.ngrams.model.chain import Events, events_of
from stickbreaker.ngrams.model.contexts import Integers, contexts_of, symbols_before, with_ends
from stickbreaker.ngrams.sentence_scores import Scores, joined, sentence_beginning
from stickbreaker.ngrams.word_numbers import Base, WordNumbers

UNBOUNDED = "unbounded"
LONGEST = 20  # words of a context of an unbounded model: beyond that, a text repeats itself
HIGHEST = 10  # order
NOT_IN_VOCABULARY = 0.25  # of the tokens, at most: more were left out on purpose


class TextEvents(NamedTuple):
    """The words of the documents to learn from, with the ends of sentences, as a chain takes them."""

    events: Events
    deepest: Integers  # words and ends, in order of the text: the slot of the longest context
    documents: Integers  # words and ends: the document of each
    n_documents: int
    base: Base


class LanguageEstimator(Estimator):
    """A model of which word comes next, with the parameters that all such models have."""

    has_topics: ClassVar[bool] = False  # whether words depend on the topics of their document

    order: int | str
    unknown: str
    min_count: int
    max_iter: int
    samples: int

    # What a model has learned
    numbers_: WordNumbers
    base_: Base

    # From parameters to a run

    def refuse_params(
        self, vocabulary: Vocabulary | None = None, analysis: AnyAnalysis | None = None
    ) -> None:
        if self.order != UNBOUNDED:
            if isinstance(self.order, str | bool):
                raise UserError(f"order={self.order!r}", remedy=f'order is a whole number, or "{UNBOUNDED}"')
            positive("order", self.order, whole=True)
            if self.order > HIGHEST:
                remedy = f'order is at most {HIGHEST}; "{UNBOUNDED}" takes any length that the text asks for'
                raise UserError(f"order={self.order}", remedy=remedy)
        if self.unknown not in ("symbol", "spelled"):
            raise UserError(f"unknown={self.unknown!r}", remedy='unknown is "symbol" or "spelled"')
        for name in ("min_count", "max_iter", "samples"):
            positive(name, getattr(self, name), whole=True)
        if self.n_jobs is not None:
            positive("n_jobs", abs(self.n_jobs) if isinstance(self.n_jobs, int) else self.n_jobs, whole=True)
        if vocabulary is None:
            return
        if vocabulary.languages:
            problem = "a text in several languages has no order of words"
            raise UserError(problem, remedy="learn a model of each language")
        if vocabulary.hashed:
            raise UserError("words that share rows have no order", remedy="leave --hash out")
        self.numbers_of(vocabulary)

    def limits(self) -> Limits:
        return Limits(self.max_iter, 0.0)

    def reads_texts_by(self) -> tuple[AnyAnalysis | None, VocabularyRule | None]:
        return analysis_of_all_words(Analysis()), VocabularyRule(1, 1.0)

    def tokens_of_document(self, tokens: Sequence[str]) -> Sequence[str]:
        return tokens_without_marks(tokens)

    def source_of(self, corpus: Corpus, held_out: float) -> Source:
        """The documents to learn from. Raises UserError where no sentence is held out that should be."""
        source = Source(corpus, held_out, unit=Sequences)
        if held_out and not _has_sentences(source):
            raise UserError("no held-out document has a sentence", remedy="raise the held-out share")
        return source

    def text_events(self, corpus: Corpus, source: Source) -> TextEvents:
        """What a chain learns from. Raises UserError for a text of which much is not in its vocabulary."""
        numbers, text = self.numbers_of(corpus.vocabulary), joined(source.in_order())
        _refuse_left_out(corpus, text, spelled=numbers.spelled)
        marked, positions = with_ends(numbers.numbered(text.words), text.starts, numbers.end)
        base = self._base(numbers, len(text.starts), len(marked))
        before = symbols_before(marked, positions, numbers.end)
        unbounded = self.order == UNBOUNDED
        contexts, deepest = contexts_of(marked, before, numbers.n_words, self.longest, shared=unbounded)
        events = events_of(contexts, deepest, np.exp(base.log_p), unbounded=unbounded)
        sentences = np.searchsorted(text.offsets, text.starts, side="right") - 1
        documents = sentences[np.cumsum(positions == 0) - 1]
        return TextEvents(events, deepest, documents, len(text.offsets) - 1, base)

    @property
    def longest(self) -> int:
        """Words of the longest context."""
        return LONGEST if self.order == UNBOUNDED else int(self.order) - 1

    def numbers_of(self, vocabulary: Vocabulary) -> WordNumbers:
        """The numbers of a vocabulary's words. Raises UserError where none is known."""
        return WordNumbers.of(vocabulary, self.min_count, spelled=self.unknown == "spelled")

    def _base(self, numbers: WordNumbers, n_sentences: int, n_events: int) -> Base:
        """G0, given how many sentences and how many words and ends there are."""
        return Base.of_spelling(numbers, n_sentences / n_events) if numbers.spelled else Base.even(numbers)

    # What was learned

    @property
    def words_(self) -> tuple[str, ...]:
        """All words that may come next, by number."""
        return self.numbers_.names

    @abstractmethod
    def scores(self, corpus: Corpus) -> Iterator[Scores]:
        """log p of every word of a corpus, block by block; it is seen through the model's vocabulary."""

    def scores_of_sentences(self, corpus: Corpus, seen: Corpus | None = None) -> Iterator[Scores]:
        """The same if each sentence is by itself or, for a model with topics, after the documents `seen`."""
        return self.scores(corpus)

    @abstractmethod
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
        """Sentences drawn from the model, as lists of words; of `longest` words at most.

        `beginning`: the words that each begins with. For a model with topics, `topic`: that of all words that
        are of one; `seen`: documents that each sentence comes after.
        """

    def score_documents(self, corpus: Corpus) -> tuple[float, float]:
        return self.score_parts(corpus)["all"]

    def score_parts(self, corpus: Corpus) -> dict[str, tuple[float, float]]:
        """Of all words and ends of sentences, and of the known ones alone."""
        whole, known = np.zeros(2), np.zeros(2)
        for scores in self.scores(corpus):
            whole += scores.nats.sum(), len(scores.nats)
            known += scores.nats[scores.known].sum(), scores.known.sum()
        return {"all": (float(whole[0]), float(whole[1])), "known": (float(known[0]), float(known[1]))}

    def context_of(self, text: str) -> list[int]:
        """The numbers of the words of a text, which is the beginning of a sentence."""
        if not isinstance(text, str):
            raise UserError(f"a beginning or context of the type {type(text).__name__}", remedy="give a str")
        assert isinstance(self.analysis_, Analysis)
        rows = self.vocabulary_.lookup(self.analysis_.analyse(sentence_beginning(text)).words)
        return self.numbers_.numbered(rows).tolist()


def _has_sentences(source: Source) -> bool:
    """Whether any held-out document has one."""
    return any(len(source.block(block, held_out=True)[1].starts) for block in range(source.n_blocks))


def _refuse_left_out(corpus: Corpus, text: Sequences, *, spelled: bool) -> None:
    """Raise UserError where much of a text is not in its vocabulary; of one that is spelled, anything."""
    if corpus.about.rule.words is not None and not spelled:
        return  # a list of words that someone chose
    share = float((text.words < 0).mean()) if len(text.words) else 0.0
    if share > (0.0 if spelled else NOT_IN_VOCABULARY):
        problem = f"{100 * share:.1f} % of the tokens are not in the vocabulary of the corpus"
        remedy = "build it with --stop-words none --min-length 1 --min-documents 1 --max-share 1"
        raise UserError(problem, where=corpus.path, remedy=remedy)
