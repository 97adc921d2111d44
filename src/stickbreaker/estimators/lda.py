"""Latent Dirichlet allocation."""

from collections.abc import Callable, Iterator, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array, Record
from stickbreaker.corpus import Analysis, Corpus, Vocabulary
from stickbreaker.corpus.shards import Bags
from stickbreaker.engines import LocalEngine
from stickbreaker.estimators import fitting
from stickbreaker.estimators.settings import concentration, positive, schedule_of, threads_of
from stickbreaker.learning.loop import RunState
from stickbreaker.learning.observers import TraceRecord
from stickbreaker.learning.schedules import Online
from stickbreaker.learning.source import cut_shards
from stickbreaker.models.contract import Local
from stickbreaker.models.topics import ClosedVocabulary, FiniteTopics, MeanField, TopicModel

CHOICES = {
    "inference": ("mean-field",),
    "words": ("closed",),
    "engine": ("local",),
    "init": ("random", "documents"),
}
TRANSFORM_ROUNDS = 100  # inner rounds for new documents, at least


class LDA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Latent Dirichlet allocation: documents as mixtures of topics, topics as distributions over words.

    Parameters
    ----------
    n_topics : topics to learn.
    inference : "mean-field" (Zhai 2014, section 2.3; Hoffman et al. 2010).
    schedule : "batch", "online", or `Online(batch_size=256, kappa=0.7, tau0=64, total=None, shuffle=True)`.
    alpha : prior of topics in documents. A number is fixed, an array (topics) is an asymmetric fixed prior,
        "learned" starts at 1 / n_topics and is learned, asymmetric (eq. 3.1-3.3).
    eta : prior of words in topics. A number or an array (words) or (topics, words) is fixed, "learned" starts
        at 1 / n_topics and is learned, symmetric.
    words : "closed": the vocabulary is that of the corpus.
    init : "documents": each topic starts from a few documents, far from the other topics' (3.2.1, with seeds
        chosen as k-means++ does); or "random" noise, usually a worse end.
    n_init : starts to try; the best final score is kept.
    max_iter : passes over the corpus, batch and online alike.
    tol : a run ends when the mean of the last three relative changes of the score is below this; 0: never.
    doc_max_iter, doc_tol : inner rounds a document, and the mean change of gamma that ends them.
    keep_local : carry gamma from pass to pass (batch only) instead of starting afresh. The bound then never
        falls, and topics are usually worse.
    engine : "local".
    n_jobs : threads; None or -1 is every core. The result is the same for any number.
    random_state : whole number; the same number gives the same bytes. None draws one (kept in `seed_`).
    callbacks : functions that get each record of the trace (a dict); one that returns True ends the run.

    Attributes
    ----------
    components_ : (topics × words) parameters lambda of q(beta), expected counts plus eta.
    topic_word_ : (topics × words) E[beta]; rows sum to one.
    alpha_ : (topics,); eta_ : number or array.
    topic_shares_ : (topics,) share of the tokens that each topic explains.
    bound_ : nats a token of the last pass: the exact bound in batch runs, an estimate in online ones.
    n_iter_ : passes done; converged_ : whether they ended before max_iter; trace_ : list of records.

    >>> model = LDA(n_topics=2, random_state=0).fit(["a river bank", "bank money"])
    >>> model.transform(["river money"]).shape
    (1, 2)
    """

    components_: Array
    topic_word_: Array
    alpha_: Array
    eta_: float | Array
    topic_shares_: Array
    bound_: float
    n_iter_: int
    converged_: bool
    trace_: list[TraceRecord]
    vocabulary_: Vocabulary
    analysis_: Analysis
    corpus_: dict[str, Any]
    seed_: int
    n_features_in_: int
    _engine: LocalEngine
    _small: Record
    _state: RunState

    def __init__(
        self,
        n_topics: int = 100,
        *,
        inference: str = "mean-field",
        schedule: str | Online = "batch",
        alpha: float | str | Array = "learned",
        eta: float | str | Array = 0.01,
        words: str = "closed",
        init: str = "documents",
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 1e-4,
        doc_max_iter: int = 20,
        doc_tol: float = 1e-3,
        keep_local: bool = False,
        engine: str = "local",
        n_jobs: int | None = None,
        random_state: Any = None,
        callbacks: Sequence[Callable[[TraceRecord], object]] | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.inference = inference
        self.schedule = schedule
        self.alpha = alpha
        self.eta = eta
        self.words = words
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.doc_max_iter = doc_max_iter
        self.doc_tol = doc_tol
        self.keep_local = keep_local
        self.engine = engine
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callbacks = callbacks

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    def fit(self, X: Any, y: object = None) -> Self:
        """Learn topics from `X`: a Corpus, a list of texts or of token lists, or a matrix of counts.

        Raises UserError for parameters or documents that make no sense. Warns (ConvergenceWarning) when
        `max_iter` passes were not enough for `tol`.
        """
        corpus = self._as_corpus(X, reset=True)
        fitting.fit(self, corpus)
        return self

    def partial_fit(self, X: Any, y: object = None) -> Self:
        """One online step on the documents `X`, in their order; the first call fixes the vocabulary.

        The schedule's `kappa`, `tau0` and `total` apply where it is Online; the corpus size D is `total`, or
        the documents seen so far, those of `fit` counted once.
        """
        begun = fitting.is_begun(self)
        corpus = self._as_corpus(X, reset=not begun)
        fitting.partial_fit(self, corpus, begun)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Topic shares E[theta] of documents (documents × topics); rows sum to one.

        A function of each document alone: no other document, order or thread changes a row. Documents
        without known words get the prior's mean.
        """
        check_is_fitted(self)
        corpus = self._as_corpus(X, reset=False)
        return np.concatenate([self._theta(corpus.bags(block)) for block in range(len(corpus.block_sizes))])

    def score(self, X: Any, y: object = None) -> float:
        """Bound on the log probability of documents given the topics, in nats a token (no topic term).

        Raises UserError when no document has a known word.
        """
        check_is_fitted(self)
        corpus = self._as_corpus(X, reset=False)
        nats = tokens = 0.0
        for block in range(len(corpus.block_sizes)):
            bags = corpus.bags(block)
            nats += float(sum(local["scores"].values.sum() for local in self._infer(bags)))
            tokens += float(bags.counts.sum(dtype=np.float64))
        if tokens == 0.0:
            raise UserError("there is nothing to score", remedy="no document has a word of the vocabulary")
        return nats / tokens

    def perplexity(self, X: Any) -> float:
        """exp(-score(X))."""
        return float(np.exp(-self.score(X)))

    def top_words(self, n: int = 10) -> list[list[str]]:
        """The `n` most probable words of each topic."""
        check_is_fitted(self)
        order = np.argsort(-self.topic_word_, axis=1, kind="stable")[:, :n]
        return [[self.vocabulary_.words[w] for w in row] for row in order]

    def representative_documents(self, X: Any, n: int = 5) -> list[list[int]]:
        """For each topic, the positions in `X` of the `n` documents with most of it; ties go to the first."""
        theta = self.transform(X)
        return [np.argsort(-theta[:, k], kind="stable")[:n].tolist() for k in range(theta.shape[1])]

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Save to a directory `path`: JSON, safetensors and Parquet, no pickle, atomic."""
        check_is_fitted(self)
        fitting.save(self, Path(path), overwrite=overwrite)

    @classmethod
    def load(cls, path: str | Path) -> "LDA":
        """The model saved at `path`. Raises UserError naming a file that is missing, truncated or altered."""
        return fitting.load(cls, Path(path))

    def __sklearn_is_fitted__(self) -> bool:
        return "_engine" in vars(self)

    @property
    def _n_features_out(self) -> int:
        return len(self.alpha_)

    def _as_corpus(self, X: Any, *, reset: bool) -> Corpus:
        """Documents under the model's vocabulary; `reset` takes the vocabulary from them."""
        if getattr(X, "ndim", None) == 1:
            X = np.asarray(X).tolist()
        if not isinstance(X, Corpus) and _is_text(X, empty=not reset):
            X = _corpus_of(X) if reset else _corpus_of(X, self.analysis_, self.vocabulary_)
        if isinstance(X, Corpus):
            if not reset:
                return X.with_vocabulary(self.vocabulary_)
            self.n_features_in_ = X.n_words
            vars(self).pop("feature_names_in_", None)
            return X
        data: Any = validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_non_negative=True,
            reset=reset,
        )
        if not reset:  # columns are the vocabulary's words, in order
            return Corpus.from_matrix(data, feature_names=self.vocabulary_.words)
        names = getattr(self, "feature_names_in_", None)
        names = [f"x{i}" for i in range(data.shape[1])] if names is None else list(names)
        return Corpus.from_matrix(data, feature_names=names)

    def _topic_model(self, n_words: int) -> TopicModel:
        """The model that the parameters describe. Raises UserError naming the parameter that is wrong."""
        positive("n_topics", self.n_topics, whole=True)
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                told = " or ".join(repr(choice) for choice in choices)
                raise UserError(f"{name}={getattr(self, name)!r}", remedy=f"{name} is {told}")
        for name in ("n_init", "max_iter", "doc_max_iter"):
            positive(name, getattr(self, name), whole=True)
        for name in ("tol", "doc_tol"):
            positive(name, getattr(self, name), zero=True)
        if self.n_jobs is not None and (not isinstance(self.n_jobs, Integral) or self.n_jobs == 0):
            raise UserError(f"n_jobs={self.n_jobs!r}", remedy="n_jobs is a whole number or None")
        if self.keep_local and not schedule_of(self.schedule).exact:
            raise UserError("keep_local needs the batch schedule", remedy="leave keep_local False")
        K = int(self.n_topics)
        alpha, alpha_learned = concentration("alpha", self.alpha, {"topics": (K,)}, 1.0 / K)
        eta, eta_learned = concentration(
            "eta", self.eta, {"words": (n_words,), "topics × words": (K, n_words)}, 1.0 / K
        )
        if isinstance(eta, np.ndarray) and eta.ndim == 2:
            eta = np.ascontiguousarray(eta.T)
        alphas = tuple(np.broadcast_to(alpha, K).tolist())
        return TopicModel(
            FiniteTopics(alphas, alpha_learned),
            ClosedVocabulary(n_words, eta, eta_learned),
            MeanField(int(self.doc_max_iter), float(self.doc_tol), bool(self.keep_local)),
        )

    def _infer(self, bags: Bags) -> Iterator[Local]:
        """gamma and bound terms of some documents, a shard at a time."""
        numbers = np.arange(len(bags.offsets) - 1)
        n_words = len(self.vocabulary_)
        shards = cut_shards(numbers, bags, n_words)
        return self._engine.infer(self._small, shards, self.seed_)

    def _theta(self, bags: Bags) -> Array:
        """E[theta] (documents × topics) of documents under the model's vocabulary."""
        gamma = np.concatenate([local["gamma"].values for local in self._infer(bags)])
        return gamma / gamma.sum(axis=1, keepdims=True)

    def _take(self, model: TopicModel, engine: LocalEngine, small: Record) -> None:
        """Make a run's state the estimator's fitted attributes."""
        solver = MeanField(max(model.solver.max_iter, TRANSFORM_ROUNDS), model.solver.tol)
        self._engine = LocalEngine(threads_of(self.n_jobs))
        arrays, _ = engine.snapshot()
        self._engine.restore(TopicModel(model.documents, model.words, solver), arrays, None)
        self._small = small
        counts = engine.rows().values
        self.components_ = np.ascontiguousarray((counts + model.words.prior(small, slice(None))).T)
        self.topic_word_ = np.ascontiguousarray(model.words.topic_words(small, counts).T)
        self.alpha_ = small["alpha"].values.copy()
        self.eta_ = float(small["eta"].values) if "eta" in small else np.array(model.words.eta).T
        totals = engine.totals()[0]
        self.topic_shares_ = totals / max(totals.sum(), 1e-300)


def _is_text(X: object, *, empty: bool) -> bool:
    """Whether `X` is a list of texts or of token lists; `empty`: though no list has a token."""
    if not isinstance(X, list | tuple) or len(X) == 0:
        return False
    if isinstance(X[0], str):
        return True
    lists = all(isinstance(x, list | tuple) for x in X)
    first = next((x for x in X if len(x) > 0), None) if lists else None
    return lists and (empty if first is None else isinstance(first[0], str))


def _corpus_of(
    X: Sequence[Any], analysis: Analysis | None = None, vocabulary: Vocabulary | None = None
) -> Corpus:
    if isinstance(X[0], str):
        return Corpus.from_texts(X, analysis=analysis, vocabulary=vocabulary)
    return Corpus.from_tokens(X, vocabulary=vocabulary)
