"""What every estimator of topics is: parameters, and what was learned with them.

Plain Python. scikit-learn takes seconds to import, and the program and the report do without it:
`scikit_learn.py` adds its conventions for those who import an estimator.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array, Record
from stickbreaker.corpus import Bags, Corpus, Vocabulary
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.shards import numbers_of
from stickbreaker.corpus.source import cut_shards
from stickbreaker.engines import Engine, LocalEngine
from stickbreaker.estimators.combinations import WORDS
from stickbreaker.estimators.settings import threads_of, words_of
from stickbreaker.estimators.topic_words import leading_words
from stickbreaker.learning.loop import Limits, RunState, first_columns
from stickbreaker.learning.observers import TraceRecord
from stickbreaker.learning.schedules import Schedule
from stickbreaker.models.contract import Local
from stickbreaker.models.topics import Gibbs, Hybrid, LocalSolver, OpenVocabulary, TopicModel, topic_model
from stickbreaker.models.topics.topic_words import TopicWords

if TYPE_CHECKING:
    from stickbreaker.engines.spark import SparkEngine

MADE = (  # of the table and the small part, when they are asked for
    "components_",
    "topic_word_",
    "_topic_words",
    "rest_",
    "eta_",
    "concentration_",
    "_rows",
)


def final_score(state: RunState) -> float:
    """The score of the last pass, in nats a token."""
    return state.scores[-1] if state.scores else -np.inf


class TopicEstimator(ABC):
    """Parameters that a run is made of, and the topics that it left. Its subclasses tell what they mean."""

    kind: ClassVar[str]  # its name in a saved model
    online: ClassVar[tuple[float, float]]  # kappa and tau0 where an online schedule leaves them open

    n_topics: int
    inference: str | Hybrid | Gibbs
    schedule: str | Schedule | None
    eta: float | str | Array
    words: str | OpenVocabulary
    guide: Any = None
    engine: "str | SparkEngine"
    doc_max_iter: int
    doc_tol: float
    init: str
    n_init: int
    max_iter: int | None
    tol: float
    keep_local: bool
    fold_in: str
    n_jobs: int | None
    random_state: Any
    callbacks: Sequence[Callable[[TraceRecord], object]] | None

    alpha_: Array
    topic_shares_: Array
    topic_names_: tuple[str | None, ...]
    topic_ids_: list[int]
    bound_: float
    n_iter_: int
    converged_: bool
    trace_: list[TraceRecord]
    analysis_: AnyAnalysis
    corpus_: dict[str, Any]
    seed_: int
    n_features_in_: int
    _engine: LocalEngine
    _topic_columns: NDArray[np.int64]  # the table's column of each topic in use
    _small: Record
    _state: RunState

    @cached_property
    def vocabulary_(self) -> Vocabulary:
        """Of an open vocabulary, the words that topics have now, with the tokens the model has of them."""
        table, rows = self.engine_.table, self._rows
        assert table.keys is not None
        assert rows is not None
        tokens = self.model.words.word_totals(table.whole())[rows]
        kept = tuple(table.keys[row] for row in rows.tolist())
        return Vocabulary(kept, np.ceil(tokens).astype(np.int64), tokens)

    @cached_property
    def _rows(self) -> NDArray[np.int64] | None:
        """The table's rows of an open vocabulary's words: not those that are kept though no topic has them.

        None: all rows, of a closed one.
        """
        words = self.model.words
        return words.rows_in_use(self.engine_.table.whole()) if words.grows else None

    def _of_vocabulary(self, table: Array) -> Array:
        """A table (words × topics) reduced to the topics in use and known words, as topics × words."""
        part = table.T[self.topic_columns_]
        return np.ascontiguousarray(part if self._rows is None else part[:, self._rows])

    @cached_property
    def components_(self) -> Array:
        """Parameters of q(beta) (topics × words): expected counts plus eta; of an open vocabulary, counts."""
        words, whole = self.model.words, self.engine_.table.whole()
        return self._of_vocabulary(words.parameters(self.small_, whole))

    @cached_property
    def topic_word_(self) -> Array:
        """E[beta] (topics × words)."""
        return self.topic_words.dense()

    @cached_property
    def _topic_words(self) -> TopicWords:
        """`topic_word_`, of which no more is held than is asked for where the table lies in files."""
        return self.model.words.topic_words(self.small_, self.engine_.table, self.topic_columns_)

    @cached_property
    def eta_(self) -> float | Array:
        """The prior of words in topics: a number, or an array (words) or (topics × words)."""
        return self._hyperparameter("eta")

    @cached_property
    def concentration_(self) -> float:
        """Of an open vocabulary, that of a topic over all strings, in place of `eta_`."""
        return float(self._hyperparameter("concentration"))

    def _hyperparameter(self, name: str) -> float | Array:
        """The prior of words in topics. Raises AttributeError where that is of another kind."""
        words = self.model.words
        own, value = words.hyperparameter(self.small_)
        if own != name:
            article = "an" if words.name[0] in "aeiou" else "a"
            raise AttributeError(f"{article} {words.name} vocabulary has {own}_ in place of {name}_")
        return value

    @cached_property
    def rest_(self) -> Array:
        """Of an open vocabulary, E[beta] of all strings that a topic does not have (topics)."""
        return self.model.words.rests(self.small_, self.engine_.table)[self.topic_columns_]

    @property
    def _is_open(self) -> bool:
        """Whether words enter as documents bring them."""
        return WORDS[words_of(self.words)[0]].grows

    def _model(self) -> TopicModel:
        return topic_model(self.engine_.model)

    @abstractmethod
    def topic_model(
        self,
        vocabulary: Vocabulary | None = None,
        analysis: AnyAnalysis | None = None,
        *,
        stream: bool = False,
    ) -> TopicModel:
        """The model that the parameters describe. Raises UserError naming the parameter that is wrong.

        Without a vocabulary, the parameters are looked at before anything is read. `stream`: it is for
        `partial_fit`.
        """

    @abstractmethod
    def _schedule(self) -> Schedule:
        """When the model is updated."""

    @abstractmethod
    def _names(self) -> tuple[str | None, ...]:
        """The topics' names, None of those that have none."""

    @abstractmethod
    def _fold_in(self) -> LocalSolver:
        """The local solver for new documents."""

    @abstractmethod
    def _refuse_stream(self) -> None:
        """Raise UserError where the parameters cannot learn from a stream."""

    @abstractmethod
    def _sampling(self) -> Gibbs | None:
        """How Gibbs sampling is to go, where it is the inference."""

    @abstractmethod
    def _limits(self) -> Limits:
        """When a run ends."""

    def top_words(self, n: int = 10, language: str | None = None) -> list[list[str]]:
        """The `n` most probable words of each topic; of a polylingual model, of each language in turn, or
        of one `language`, and then without it."""
        ranges = self.vocabulary_.ranges or {"": slice(0, len(self.vocabulary_))}
        if language is not None:
            if language not in ranges:
                languages = ", ".join(self.vocabulary_.languages) or "no languages"
                raise UserError(f"language={language!r}", remedy=f"the model has {languages}")
            ranges = {language: ranges[language]}
        words = self.vocabulary_.words if language is None else self.vocabulary_.spelled
        top: list[list[str]] = [[] for _ in self.alpha_]
        for part in ranges.values():
            for row, chosen in zip(top, leading_words(self.topic_words, n, part)[0].tolist(), strict=True):
                row.extend(words[w] for w in chosen)
        return top

    def show_topics(
        self, num_topics: int = 10, num_words: int = 10, formatted: bool = True
    ) -> list[tuple[int, Any]]:
        """The largest topics as gensim shows them: (number, '0.021*"word" + …'), the largest first.

        `num_topics` -1 takes all. `formatted` False gives a list of (word, probability) in place of the text.
        """
        top = self.top_words(num_words)
        order = np.argsort(-self.topic_shares_, kind="stable")
        topics: list[tuple[int, list[tuple[str, float]]]] = []
        for topic in order[: None if num_topics < 0 else num_topics].tolist():
            rows, places = np.unique(self.vocabulary_.lookup(top[topic]), return_inverse=True)
            probabilities = self.topic_words.of(rows)[topic, places].tolist()
            topics.append((topic, list(zip(top[topic], probabilities, strict=True))))
        if not formatted:
            return topics
        return [(topic, " + ".join(f'{p:.3f}*"{word}"' for word, p in words)) for topic, words in topics]

    def seen(self, corpus: Corpus) -> Corpus:
        """A corpus through the model's vocabulary."""
        same = corpus.vocabulary is self.vocabulary_
        return corpus if same else corpus.with_vocabulary(self.vocabulary_)

    def without_table(self) -> Self:
        """What else the estimator knows, to be sent to where its table lies: see `over`."""
        bare = copy.copy(self)
        for name in (*MADE, "vocabulary_", "trace_", "_engine", "_state"):
            vars(bare).pop(name, None)
        bare.engine, bare.callbacks = "local", None
        return bare

    def over(self, engine: LocalEngine) -> Self:
        """The same estimator with another engine's table."""
        other = copy.copy(self)
        other._engine = engine
        return other

    def _infer(self, bags: Bags) -> Iterator[Local]:
        """gamma and bound terms of some documents, a shard at a time."""
        solver, model = self.fold_in_solver(), self.model
        self.engine_.model = replace(model, solver=solver)  # as the parameters say now
        numbers = numbers_of(bags) if solver.draws else np.arange(len(bags.offsets) - 1)
        if self._rows is not None:
            bags = bags._replace(words=self._rows[bags.words].astype(np.int32))
        shards = cut_shards(numbers, bags, self.engine_.table.n_rows)
        return self.engine_.infer(self.small_, shards, 0)

    def _theta(self, bags: Bags) -> Array:
        """E[theta] (documents × topics) of documents under the model's vocabulary."""
        gamma = np.concatenate([local["gamma"].values for local in self.infer_documents(bags)])
        gamma = np.ascontiguousarray(
            gamma[:, self.topic_columns_]
        )  # or sums would depend on the other documents
        return gamma / gamma.sum(axis=1, keepdims=True)

    def _take(self, model: TopicModel, engine: Engine, state: RunState) -> None:
        """Make a run's state the estimator's fitted attributes."""
        self.state_, self.small_ = replace(state, plans=[]), state.small  # what was under way is over
        self.n_iter_, self.converged_, self.bound_ = state.passes, state.converged, final_score(state)
        folds_in = TopicModel(model.documents, model.words, self.fold_in_solver())
        self.engine_ = engine.fork(folds_in, threads_of(self.n_jobs), copied=False)
        small = state.small
        totals = engine.totals().sum(axis=0)
        topic_columns = self.topic_columns_ = model.documents.in_use(totals)
        for name in MADE:
            vars(self).pop(name, None)
        self.alpha_ = model.documents.prior(small)[topic_columns].copy()
        if model.words.grows:
            vars(self).pop("vocabulary_", None)
        else:
            self._rows = None
        columns = state.columns or first_columns(len(totals))
        self.topic_ids_ = [columns.numbers[k] for k in topic_columns.tolist()]
        names = self.guide_names()
        self.topic_names_ = tuple(names[k] if k < len(names) else None for k in topic_columns.tolist())
        self.topic_shares_ = totals[topic_columns] / max(totals[topic_columns].sum(), 1e-300)
