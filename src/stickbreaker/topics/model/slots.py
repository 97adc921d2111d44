"""The three slots of a topic model, and the ways of inference: what those outside `models/` know of them.

A caller asks a slot to do something, or for a capability that it declares; it never asks which class it is.
What goes together is computed from the capabilities (`topics/combinations.py`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import (
    Counts,
    CountTable,
    Local,
    Step,
    Summary,
    TableSpec,
    View,
)
from stickbreaker.core.edits import Edit
from stickbreaker.core.records import Array, Field, Record, Stats
from stickbreaker.corpus.shards import Shard
from stickbreaker.topics.model.topic_words import TopicWords

C = TypeVar("C", bound=Counts)  # the layout of the table that a vocabulary has
WordTopics = Callable[[NDArray[np.integer[Any]]], Array]  # word numbers (ascending) → topics × words


class Paths(NamedTuple):
    """Rows of a table of which several may be of one word: rows of a word are together, words ascending."""

    words: NDArray[np.int64]  # rows: the place of each one's word in the weights
    shares: NDArray[np.float32]  # rows × topics: of each in its word

    def firsts(self, places: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of some rows (ascending) are the first of their words."""
        return np.diff(self.words[places], prepend=-1) > 0


class WordWeights(NamedTuple):
    """What documents are inferred by: exp E[log beta] of words, by row, or by word where rows are `paths`."""

    weights: NDArray[np.float32]  # words × topics, largest of a word 1
    log_scale: Array  # words: log of what each was divided by
    paths: Paths | None = None


class TopicPrior(ABC):
    """The documents slot: how topics' shares of a document come about, and what all documents have in common.

    `name` is what tables of combinations call it. `grows`: how many topics are in use is learned. `direct`:
    a token of a document has a topic by itself, with alpha (`prior`, `rest`) as its pseudo-counts; else
    tokens share tables, which have topics.
    """

    __slots__ = ()

    name: ClassVar[str]
    grows: ClassVar[bool]
    direct: ClassVar[bool]

    n_topics: int  # that a run starts with

    @abstractmethod
    def start(self) -> dict[str, Field]:
        """The fields of the params that are the slot's."""

    @abstractmethod
    def count(self, params: Record) -> int:
        """Topics of the table now."""

    @abstractmethod
    def in_use(self, totals: Array) -> NDArray[np.int64]:
        """Which topics to show to users, given every topic's tokens."""

    @abstractmethod
    def figures(self, totals: Array) -> dict[str, int]:
        """What the trace tells of the topics, given every topic's tokens."""

    @abstractmethod
    def weights(self, params: Record) -> Array:
        """Expected shares of the topics over all documents (topics); less than one in all where there is a
        rest."""

    @abstractmethod
    def prior(self, params: Record) -> Array:
        """alpha (topics)."""

    @abstractmethod
    def rest(self, params: Record) -> float:
        """alpha of all topics that no token has."""

    @abstractmethod
    def score(self, params: Record) -> float:
        """The bound's terms of what all documents have in common, in nats."""

    @abstractmethod
    def update(
        self, params: Record, usage: Record, documents: float, rate: float, scale: float
    ) -> dict[str, Field]:
        """Its fields, moved by `rate` to their best given the statistics of that many documents."""


class TopicVocabulary(ABC, Generic[C]):
    """The words slot: what a topic is a distribution over. `C` is the layout of its table of counts.

    `name` is what the parameter `words` calls it. `grows`: words enter as documents bring them, so that the
    rows of its table have keys. `dirichlet`: a topic is a Dirichlet draw over the rows of the table, so that
    topics can be split and merged. `collapses`: beta can be integrated out, for Gibbs sampling of documents
    with finitely many topics.
    """

    __slots__ = ()

    name: ClassVar[str]
    grows: ClassVar[bool]
    dirichlet: ClassVar[bool]
    collapses: ClassVar[bool]

    learned: bool  # whether its hyperparameter moves
    point: bool  # whether beta is a point, its maximum, rather than a distribution
    table: TableSpec

    @property
    def by_topic(self) -> bool:
        """Whether topics differ in their prior."""
        return False

    @property
    def guided_priors(self) -> Sequence[Array]:
        """The priors (words) of the topics that a guide has words for; the first topics of the model."""
        return ()

    @abstractmethod
    def start(self) -> dict[str, Field]:
        """The fields of the params that are the slot's."""

    @abstractmethod
    def seed(self, keys: Sequence[str], n_topics: int, tokens: float, seed: int) -> Array:
        """Counts (keys × topics), `tokens` in all, that break the symmetry: see `Model.seed`."""

    def reads(self, words: NDArray[np.int64]) -> NDArray[np.int64]:
        """Rows of the table that some words (ascending numbers) need: see `Model.reads`."""
        return words

    def row_words(self) -> NDArray[np.int64] | None:
        """The word of each row; None: row and word have the same number, or rows have keys."""
        return None

    def row_meanings(self) -> NDArray[np.int64] | None:
        """A number for each row that rows of one meaning share, from 0; None: each has its own."""
        return None

    def with_first_words(self, words: Sequence[str]) -> Self:
        """The slot of a run whose first minibatch has these words: some learn how words are spelled."""
        return self

    def prepare(self, params: Record, counts: C) -> Record:
        """The params with what is worked out once a step from the whole table: see `Model.prepare`."""
        return params

    @abstractmethod
    def weights(
        self, params: Record, counts: C, totals: Array, rows: NDArray[np.int64] | None
    ) -> WordWeights:
        """exp E[log beta] of the words of some rows."""

    def admit(self, params: Record, new_rows: Mapping[str, Array], step: Step) -> tuple[Edit, Record]:
        """Which new words enter: see `Model.admit`."""
        return (), {}

    def reorder(self, params: Record, counts: C, step: Step) -> Edit:
        """What the order of a truncated table becomes: see `Model.reorder`."""
        return ()

    @abstractmethod
    def summary(self, params: Record, counts: C, first: int) -> Summary:
        """Sums over the rows from `first` on that `score` and `update` need."""

    @abstractmethod
    def score(self, params: Record, totals: Array, summary: Summary) -> float:
        """-KL(q(beta) || p(beta)) over all topics, in nats: the table's part of the bound."""

    def bounds(self, params: Record, summary: Summary, new_rows: Mapping[str, Array]) -> bool:
        """Whether `score` and the terms of documents in which `new_rows` were met add up to a lower bound of
        log p(w): yes, where topics have all words."""
        return True

    @abstractmethod
    def update(
        self, params: Record, totals: Array, summary: Summary, n_topics: int, rate: float
    ) -> dict[str, Field]:
        """Its learned hyperparameter after a step of this rate, given the table after it."""

    def is_settled(self, params: Record) -> bool:
        """Whether its hyperparameter has come to rest: yes, where none is learned."""
        return True

    @abstractmethod
    def hyperparameter(self, params: Record) -> tuple[str, float | Array]:
        """The name and value of the prior of words in topics, as a fitted estimator shows it."""

    @abstractmethod
    def parameters(self, params: Record, counts: C) -> Array:
        """Parameters of q(beta) of the whole table (rows × topics), as a fitted estimator shows them."""

    @abstractmethod
    def topic_words(self, params: Record, table: CountTable, topics: NDArray[np.int64]) -> TopicWords:
        """E[beta] of some topics and the words that these have (`rows_in_use`), to be read as it is asked
        for."""

    def rows_in_use(self, counts: C) -> NDArray[np.int64]:
        """The rows of words that topics have: all, but for those that are kept though no topic has them."""
        return np.arange(len(counts))

    @abstractmethod
    def word_totals(self, counts: C) -> Array:
        """Expected counts of each row, over all topics."""

    def rests(self, params: Record, table: CountTable) -> Array:
        """E[sum of beta over all strings that a topic does not have] (topics): 0, if it has all words."""
        return np.zeros(table.shape[1])

    def log_spelling(self, params: Record, words: Sequence[str]) -> Array:
        """Log probability of words among all strings that a topic does not have (words, nats): no word is
        outside, if it has all."""
        return np.full(len(words), -np.inf)

    @abstractmethod
    def predictions(self, params: Record, table: CountTable, spelled: Sequence[str] | None) -> WordTopics:
        """Returns E[beta] of words of a corpus, known to the model or not, by their ascending numbers there.

        `spelled`: the corpus's words, where the rows of the table have keys.
        """

    @abstractmethod
    def ranked(
        self, params: Record, counts: C, topics: Sequence[int]
    ) -> list[tuple[NDArray[np.int64], Array]]:
        """The rows of each of some topics' words, the most probable first, and their E[beta]."""

    def concepts(self, params: Record, table: CountTable) -> tuple[Sequence[str], Array]:
        """Names of concepts, and the expected share of a topic's tokens that each has (concepts × topics)."""
        return (), np.empty((0, table.shape[1]))

    def remark(self) -> str | None:
        """What a user may not expect of the words, as a line; None if there is nothing."""
        return None

    def entered(self, params: Record) -> Array:
        """The step, from 0, in which each row entered (rows): of a vocabulary that grows."""
        raise TypeError(f"no word enters {type(self).__name__}")


class TopicView(NamedTuple):
    """exp E[log beta] of the words that a shard reads rows of, and alpha."""

    weights: NDArray[np.float32]  # words × topics
    log_scale: Array  # words
    rows: NDArray[np.int64] | None  # table positions of the rows; None: all in order
    alpha: Array  # topics
    rest: float = 0.0  # alpha of all topics that no token has
    paths: Paths | None = None  # where rows are paths to words

    def places(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where some table positions are among the view's rows."""
        return rows if self.rows is None else np.searchsorted(self.rows, rows)


class LocalSolver(ABC):
    """The local solver: how a document's topics are inferred, given the topics.

    `draws`: topics of tokens are drawn, so that counts must be whole, draws are keyed by the documents'
    numbers, and scores are estimates. `goes_on_from`: the fields of a document's record from which a later
    pass can go on; none: each pass starts again.
    """

    __slots__ = ()

    draws: ClassVar[bool] = False
    goes_on_from: ClassVar[tuple[str, ...]] = ()

    def expectations(
        self,
        documents: TopicPrior,
        words: TopicVocabulary[Any],
        params: Record,
        counts: Counts,
        totals: Array,
        rows: NDArray[np.int64] | None,
    ) -> View:
        """What the local step needs of some rows: see `Model.expectations`."""
        weights, log_scale, paths = words.weights(params, counts, totals, rows)
        return TopicView(weights, log_scale, rows, documents.prior(params), documents.rest(params), paths)

    @abstractmethod
    def infer(self, view: Any, shard: Shard, local: Local | None, seed: int) -> tuple[Local, Stats]:
        """Documents' records (gamma, scores) and the shard's statistics: see `Model.local_step`."""

    def with_full_reports(self) -> "LocalSolver":
        """The solver that also reports what moves, and the bound of reports that are kept, need."""
        return self


class Inference(ABC):
    """A way of inference, as the parameter `inference` of an estimator has it by name or as a value."""

    __slots__ = ()

    @property
    @abstractmethod
    def name(self) -> str:
        """What the parameter calls it."""

    @abstractmethod
    def goes_with(self, documents: type[TopicPrior], words: type[TopicVocabulary[Any]]) -> bool:
        """Whether topics with these slots can be learned so."""

    def solver(self, mean_field: LocalSolver) -> LocalSolver:
        """The local solver of the model; `mean_field` is that of its documents."""
        return mean_field
