"""The interfaces of the three parts of a topic model that can be exchanged (slots: prior of documents,
vocabulary, local solver), and of the ways of inference.

Callers use a slot's methods or the capabilities that it declares, and never check its class. Valid
combinations are computed from the capabilities (`topics/combinations.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Counts, CountTable, Local, Step, Summary, TableSpec, View
from stickbreaker.core.edits import Edit, Merge, apply
from stickbreaker.core.records import Array, Field, Record, Stats
from stickbreaker.corpus.shards import Shard
from stickbreaker.topics.model.priors.prevalence_terms import Coefficients, alphas_of
from stickbreaker.topics.model.topic_words import TopicWords

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from stickbreaker.corpus.document import Scalar
    from stickbreaker.topics.formula_coding import Coding
    from stickbreaker.topics.model.priors.prevalence_steps import LevelRange

    C = TypeVar("C", bound=Counts, default=Any)  # the layout of a vocabulary's table
else:
    from typing import TypeVar

    C = TypeVar("C", bound=Counts)
WordTopics = Callable[[NDArray[np.integer]], Array]  # word numbers (ascending) → topics × words


class Paths(NamedTuple):
    """Which word each row of a table belongs to, if a word can have several rows (its paths in a tree of
    concepts). The rows of a word are adjacent, and the words ascend.

    `words` (rows): the index of the row's word in `WordWeights`; `shares` (rows × topics): the share of the
    row in its word's weight.
    """

    words: NDArray[np.int64]  # rows: index of the row's word in the weights
    shares: NDArray[np.float32]  # rows × topics: share of each row in its word

    def firsts(self, places: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each of the given rows (`places`, ascending) is the first of its word's rows among them."""
        return np.diff(self.words[places], prepend=-1) > 0


class WordWeights(NamedTuple):
    """The words' weights for inferring documents: exp E[log beta] (words × topics), with each row divided by
    its maximum over topics; `log_scale` (words) is the log of the divisor.

    There is a row for each row of the table or, if these are paths to words (`paths`), for each word.
    """

    weights: NDArray[np.float32]  # words × topics; the maximum of each word is 1
    log_scale: Array  # words: log of the divisor
    paths: Paths | None = None


class WordsOnTrial(ABC):
    """The words of some documents with their counts in the topics of a table, for trying a change of topics
    on these documents: one topic removed, or new ones added. The table itself does not change.

    Words are numbered from zero. `spelled`: the words, ascending, if the rows of the table have keys.
    """

    __slots__ = ()

    spelled: Sequence[str] | None

    @property
    @abstractmethod
    def counts(self) -> Array:
        """Expected tokens of each word in each topic (words × topics)."""

    @abstractmethod
    def without(self, topic: int) -> Self:
        """The same words without topic number `topic`."""

    @abstractmethod
    def merged(self, topic: int, into: int) -> Self:
        """The same words with number `topic` merged into another topic, which gets its counts."""

    @abstractmethod
    def plus(self, counts: Array) -> Self:
        """The same words with additional topics to be tried, which have these counts (words × new topics)."""

    @abstractmethod
    def weights(self, words: NDArray[np.int64]) -> WordWeights:
        """exp E[log beta] of some of the words, given by ascending numbers."""

    @abstractmethod
    def topic_words(self) -> Array:
        """E[beta] of all words on trial (topics × words)."""


class TopicPrior(ABC):
    """The part of a topic model for documents: the prior of their topic shares, and the parameters that all
    documents share.

    `name`: of the choice, as in `topics/combinations.py`. `grows`: the number of topics in use is learned.
    `direct`: each token has a topic of its own, with alpha (`prior`, `rest`) as pseudo-counts; otherwise
    tokens sit at tables, which have topics (the Chinese restaurant franchise). `by_document`: alpha differs
    between documents, by their covariates.
    """

    __slots__ = ()

    name: ClassVar[str]
    grows: ClassVar[bool]
    direct: ClassVar[bool]
    by_document: ClassVar[bool] = False

    n_topics: int  # initial number

    @property
    def covariates(self) -> Coding | None:
        """What reads the numbers by which alpha differs between documents; None if it does not."""
        return None

    @property
    def ranges(self) -> tuple[LevelRange, ...]:
        """The levels of each term of the covariates that has levels: pooled ones, or those of a walk."""
        return ()

    def coefficients(self, params: Record) -> Coefficients | None:
        """gamma, with which a document's alpha is exp(covariates · gamma) (`alphas_of`); None if alpha is the
        same for all documents.
        """
        return None

    def coded(self, metadata: Sequence[Mapping[str, Scalar]]) -> Self:
        """The same prior for documents with these metadata, after it has learned how to read them. Raises
        UserError if it cannot. By default the same.
        """
        return self

    def restored(self, params: Record) -> Self:
        """The same prior, with what is saved among the params and not among the parameters of a model. Raises
        ValueError if that is invalid. By default the same.
        """
        return self

    @abstractmethod
    def start(self) -> dict[str, Field]:
        """The initial values, by name, of the parameters that documents share (a part of the params)."""

    @abstractmethod
    def count(self, params: Record) -> int:
        """The current number of topics in the table."""

    @abstractmethod
    def in_use(self, totals: Array) -> NDArray[np.int64]:
        """The numbers of the topics to show to users, given the tokens of each."""

    @abstractmethod
    def figures(self, totals: Array) -> dict[str, int]:
        """Numbers of topics, such as of those in use, to be recorded in the trace. totals: the tokens of each
        topic.
        """

    @abstractmethod
    def weights(self, params: Record) -> Array:
        """Expected topic shares over all documents (topics); if they sum to less than one, unused topics have
        the rest.
        """

    @abstractmethod
    def prior(self, params: Record) -> Array:
        """alpha: the pseudo-counts of topics in each document (topics)."""

    @abstractmethod
    def rest(self, params: Record) -> float:
        """The pseudo-counts in each document (alpha) for all topics without tokens together; 0 if there are
        none.
        """

    @abstractmethod
    def score(self, params: Record) -> float:
        """The terms of the bound for the parameters that all documents share, in nats."""

    @abstractmethod
    def update(self, params: Record, usage: Record, documents: float, step: Step) -> dict[str, Field]:
        """Move the parameters that documents share by the step's rate (0 to 1) towards their optimum. Returns
        the new fields by name; `params` stays unchanged.

        usage: sums over some documents, by name; documents: the number of these.
        """

    def is_settled(self, params: Record) -> bool:
        """Whether the learned parameters have nearly stopped changing; True by default."""
        return True

    def merged(self, params: Record, change: Merge, *, adds: bool = True) -> dict[str, Field]:
        """The params after two topics became one for good, so that documents keep the sum of their shares.

        adds: whether the source has a share that counts. By default, counts of topics are added up.
        """
        return apply((change,), params)


class TopicVocabulary(ABC, Generic[C]):
    """The part of a topic model for words: what a topic is a distribution over. `C` is the layout of its
    table of counts.

    `name`: value of the parameter `words`. `grows`: words are added as they occur in documents, so the rows
    of the table have keys. `dirichlet`: a topic is a Dirichlet draw over the rows of the table, so topics can
    be split and merged. `collapses`: beta can be integrated out, for Gibbs sampling of documents with
    finitely many topics.
    """

    __slots__ = ()

    name: ClassVar[str]
    grows: ClassVar[bool]
    dirichlet: ClassVar[bool]
    collapses: ClassVar[bool]

    learned: bool  # whether its hyperparameter is learned
    point: bool  # whether beta is a point estimate
    table: TableSpec

    @property
    def by_topic(self) -> bool:
        """Whether the prior of words differs between topics."""
        return False

    @property
    def guided_priors(self) -> Sequence[Array]:
        """eta (words) of each topic for which the user gave seed words, which are the first topics of the
        model; empty if there are none.
        """
        return ()

    @abstractmethod
    def start(self) -> dict[str, Field]:
        """The initial values of the parameters of topics' words (a part of the model's params)."""

    @abstractmethod
    def seed(self, keys: Sequence[str], n_topics: int, tokens: float, seed: int) -> Array:
        """Initial counts (keys × topics), at random by key and `seed`, that differ between topics and sum to
        about `tokens`. keys: the spellings of the table's rows. See `Model.seed`.
        """

    def reads(self, words: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of the table that are needed to infer documents with these words (ascending numbers): see
        `Model.reads`.
        """
        return words

    def row_words(self) -> NDArray[np.int64] | None:
        """The number of the word that each row of the table belongs to; None if rows are words, or have
        keys.
        """
        return None

    def row_meanings(self) -> NDArray[np.int64] | None:
        """The meaning of each row of the table, as a number from 0 that all rows of a concept share; None if
        there are no concepts, so that no two rows share a meaning.
        """
        return None

    def with_first_words(self, words: Sequence[str]) -> Self:
        """The vocabulary for a run whose first minibatch has these words. An open vocabulary learns spelling
        from them; by default, nothing changes.
        """
        return self

    def prepare(self, params: Record, counts: C) -> Record:
        """The params with values computed once per step from the whole table: see `Model.prepare`."""
        return params

    @abstractmethod
    def weights(
        self, params: Record, counts: C, totals: Array, rows: NDArray[np.int64] | None
    ) -> WordWeights:
        """exp E[log beta] of the words of these rows (None: all rows).

        counts: of these rows (of the whole table if it is truncated); totals: over the whole table.
        """

    def admit(self, params: Record, new_rows: Mapping[str, Array], step: Step) -> tuple[Edit, Record]:
        """The edit that adds new words to the table, and the fields of the params that this changes. By
        default, none are added. new_rows: each new word's counts. See `Model.admit`.
        """
        return (), {}

    def reorder(self, params: Record, counts: C, step: Step) -> Edit:
        """The edit that sorts the words of each topic in a truncated table, and drops those beyond its limit;
        empty by default. See `Model.reorder`.
        """
        return ()

    @abstractmethod
    def summary(self, params: Record, counts: C, first: int) -> Summary:
        """Sums over some of the table's rows, by name, which `score` and `update` need; the caller adds up
        those of all parts of the table. counts: of the rows from number `first` on.
        """

    @abstractmethod
    def score(self, params: Record, totals: Array, summary: Summary) -> float:
        """-KL(q(beta) || p(beta)) over all topics, in nats: the table's part of the bound."""

    def bounds(self, params: Record, summary: Summary, new_rows: Mapping[str, Array]) -> bool:
        """Whether the score of documents is a lower bound on log p(w), not only an estimate. By default True;
        it may be False if topics do not have all words.

        new_rows: the documents' words that the table lacks.
        """
        return True

    @abstractmethod
    def update(
        self, params: Record, totals: Array, summary: Summary, n_topics: int, rate: float
    ) -> dict[str, Field]:
        """Learn the parameter of the words' prior from the table as it is after a step. Returns the params
        that change, possibly none.

        totals, summary: of that table; rate: the step's learning rate.
        """

    def is_settled(self, params: Record) -> bool:
        """Whether the learned hyperparameter no longer changes; True if none is learned."""
        return True

    @abstractmethod
    def hyperparameter(self, params: Record) -> tuple[str, float | Array]:
        """The name and value of the parameter of the words' prior, to be shown as an attribute of the
        estimator.
        """

    @abstractmethod
    def parameters(self, params: Record, counts: C) -> Array:
        """Parameters of q(beta) of the whole table (rows × topics), for `components_` of the estimator."""

    @abstractmethod
    def topic_words(self, params: Record, table: CountTable, topics: NDArray[np.int64]) -> TopicWords:
        """E[beta] of these topics and of the words in use (`rows_in_use`), computed when it is needed."""

    def rows_in_use(self, counts: C) -> NDArray[np.int64]:
        """The rows of words that some topic has; all rows, if topics have all words."""
        return np.arange(len(counts))

    @abstractmethod
    def word_totals(self, counts: C) -> Array:
        """Expected counts of each row, summed over topics."""

    def rests(self, params: Record, table: CountTable) -> Array:
        """The probability that each topic leaves to all strings it lacks (topics); 0 if topics have all
        words.
        """
        return np.zeros(table.shape[1])

    def log_spelling(self, params: Record, words: Sequence[str]) -> Array:
        """log p of words under the distribution over all strings that topics lack (words, nats); -inf if
        topics have all words.
        """
        return np.full(len(words), -np.inf)

    @abstractmethod
    def predictions(self, params: Record, table: CountTable, spelled: Sequence[str] | None) -> WordTopics:
        """A function from ascending word numbers to E[beta] of these words (topics × words), for scoring a
        corpus, some of whose words the table may lack.

        `spelled`: the words that the numbers refer to, if the rows of the table have keys; otherwise None,
        and numbers are those of the vocabulary.
        """

    def on_trial(
        self, params: Record, table: CountTable, words: NDArray[np.int64] | Sequence[str]
    ) -> WordsOnTrial:
        """The given words with their counts in the table's topics, for trying a change of topics.

        words: rows of the table or, if its rows have keys, any words, ascending by spelling. By default
        raises TypeError, for vocabularies whose topics are never changed by moves.
        """
        raise TypeError(f"no topic is tried with {type(self).__name__}")

    @abstractmethod
    def ranked(
        self, params: Record, counts: C, topics: Sequence[int]
    ) -> list[tuple[NDArray[np.int64], Array]]:
        """The words of each given topic, most probable first, as rows of the table, and their E[beta]; one
        pair per topic.
        """

    def concepts(self, params: Record, table: CountTable) -> tuple[Sequence[str], Array]:
        """The names of concepts that tie words, and their expected shares of each topic's tokens (concepts ×
        topics); by default there are none.
        """
        return (), np.empty((0, table.shape[1]))

    def remark(self) -> str | None:
        """A line that warns the user of a problem with the words; None, as by default, if there is none."""
        return None

    def entered(self, params: Record) -> Array:
        """The step (number from 0) in which each row was added to the table. Raises TypeError if words are
        never added.
        """
        raise TypeError(f"{type(self).__name__} does not grow")


class TopicView(NamedTuple):
    """What local steps need of the model: exp E[log beta] of the words of a shard (a group of documents), and
    the documents' alpha (`alphas`). `rows`: the rows of the table that these are; None: all, in order.
    """

    weights: NDArray[np.float32]  # words × topics
    log_scale: Array  # words
    rows: NDArray[np.int64] | None  # positions of the rows in the table; None: all, in order
    alpha: Array  # topics
    rest: float = 0.0  # alpha of all topics without tokens
    paths: Paths | None = None  # if rows are paths to words
    coefficients: Coefficients | None = None  # of documents' covariates, see `TopicPrior`

    def alphas(self, shard: Shard) -> Array:
        """alpha of a shard's documents (documents × topics); one row if it is the same for all. A document
        whose covariates are not known has `alpha`.
        """
        if self.coefficients is None or shard.covariates is None:
            return self.alpha[None, :].copy()  # writable, or kernels would be compiled for another type
        return alphas_of(shard.covariates, self.coefficients, self.alpha)

    def places(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The positions within the view of these rows of the table, all of which it must contain."""
        return rows if self.rows is None else np.searchsorted(self.rows, rows)


class LocalSolver(ABC):
    """The part of a topic model for inference: how a document's topic shares are inferred, given the topics.

    `draws`: topics of tokens are drawn, so counts must be whole, draws are keyed by the documents' numbers,
    and scores are estimates. `goes_on_from`: the names of the fields of a document's record from which a
    later pass can continue; empty: each pass starts again.
    """

    __slots__ = ()

    draws: ClassVar[bool] = False
    goes_on_from: ClassVar[tuple[str, ...]] = ()

    def expectations(
        self,
        documents: TopicPrior,
        words: TopicVocabulary,
        params: Record,
        counts: Counts,
        totals: Array,
        rows: NDArray[np.int64] | None,
    ) -> View:
        """What `infer` needs of the model: the weights of the words of these rows of the table (None: all),
        and the prior of documents. counts: of these rows; totals: over the whole table. See
        `Model.expectations`.
        """
        weights, log_scale, paths = words.weights(params, counts, totals, rows)
        prior, rest = documents.prior(params), documents.rest(params)
        return TopicView(weights, log_scale, rows, prior, rest, paths, documents.coefficients(params))

    @abstractmethod
    def infer(self, view: Any, shard: Shard, local: Local | None, seed: int) -> tuple[Local, Stats]:
        """Infer a shard's documents. Returns their records, with "gamma" and "scores", and the statistics
        (sums over the shard). local: their records of an earlier pass, or None. See `Model.local_step`.
        """

    def with_full_reports(self) -> LocalSolver:
        """A solver with the same settings that also reports the statistics that split-merge moves and the
        bound of the memoised schedule need. By default the same solver.
        """
        return self


class Inference(ABC):
    """Base of the settings of a kind of inference, which are a value of an estimator's parameter
    `inference`.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def name(self) -> str:
        """The name by which users can choose this inference."""

    @abstractmethod
    def goes_with(self, documents: type[TopicPrior], words: type[TopicVocabulary]) -> bool:
        """Whether a model with this kind of prior and of vocabulary can be learned with this inference."""

    def solver(self, mean_field: LocalSolver) -> LocalSolver:
        """The local solver to use with this inference. mean_field: the mean-field solver for the model's kind
        of prior, which is the default.
        """
        return mean_field
