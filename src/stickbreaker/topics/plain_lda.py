"""The parameters of latent Dirichlet allocation, and the model that they describe."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from stickbreaker.contracts.contract import Move
from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.learning.observers import TraceRecord
from stickbreaker.learning.schedules import Schedule
from stickbreaker.topics.model.moves.exchange import Exchange
from stickbreaker.topics.model.priors.dirichlet import DirichletPrior
from stickbreaker.topics.model.samplers.gibbs_settings import Gibbs
from stickbreaker.topics.model.slots import TopicPrior, TopicVocabulary
from stickbreaker.topics.model.solvers.hybrid import Hybrid
from stickbreaker.topics.model.vocabularies.concept_tree import ConceptTree
from stickbreaker.topics.model.vocabularies.open_settings import OpenVocabulary
from stickbreaker.topics.seed_words import Guide
from stickbreaker.topics.topic_estimator import TopicEstimator
from stickbreaker.topics.topic_settings import concentration

if TYPE_CHECKING:
    from stickbreaker.engines.spark import SparkEngine

CHAIN_ALPHA = 0.1  # start of a learned alpha in a chain: with less, tokens hardly change their topics
STREAM_ALPHA = 0.2  # if learned, alpha would favour the topics that came first


@dataclass(eq=False, repr=False)
class PlainLDA(TopicEstimator):
    """Latent Dirichlet allocation: documents as mixtures of topics, topics as distributions over words.

    Parameters
    ----------
    n_topics : topics to learn.
    inference : "mean-field" (Zhai 2014, section 2.3; Hoffman et al. 2010); "hybrid" or `Hybrid(burn_in=5,
        samples=5)`, sampled documents (section 4.2); "gibbs", exact collapsed sampling (section 4.1), or
        "gibbs-delayed", approximate (Chen et al. 2016), or `Gibbs(burn_in=None, every=10, chains=1,
        delayed=False)`. Sampling needs whole counts.
    schedule : "batch", "online", or `Online(batch_size=256, kappa=0.7, tau0=64, total=None, shuffle=True)`;
        in a stream kappa is 0.6 and tau0 32 by default.
    alpha : prior of topics in documents. A number is fixed, an array (topics) is an asymmetric fixed prior,
        "learned" starts at 1 / n_topics (by Gibbs sampling at .1, if that is more) and is learned, asymmetric
        (eq. 3.1-3.3), "learned-symmetric" keeps one number for all topics; "learned:0.5" and
        "learned-symmetric:0.5" start at .5. None: "learned", in a stream 0.2.
    eta : prior of words in topics. A number or an array (words) or (topics, words) is fixed, "learned" starts
        at 1 / n_topics ("learned:0.1" at .1) and is learned, symmetric. None: 0.01, with point topics 0.05.
    point_topics : whether topics are points, the most probable word shares under Dirichlet(1 + eta), rather
        than distributions over them (docs/models/point-topics.md). None: in streams, unless another choice
        needs distributions; not in `fit`.
    words : "closed": the vocabulary is that of the corpus. In a polylingual one a topic is a distribution
        over the words of each language (section 3.3.2), and documents have a text for each. "open" or
        `OpenVocabulary(...)`: words enter as documents bring them (chapter 7); there is no eta then,
        and "hybrid" takes 10 samples. `ConceptTree(...)`: words of a concept rise and fall together, also
        across languages (chapter 5).
    guide : words that the first topics should be about, as {"topic": ["word", "begin*"]} or `Guide(...)`, or
        None. It sets those topics' eta (section 3.3.1) and gives them names.
    init : "documents": each topic starts from a few documents, far from the other topics' (3.2.1, with seeds
        chosen as k-means++ does); or "random" noise, usually a worse end.
    n_init : starts to try; the best final score is kept.
    max_iter : passes over the corpus, batch and online alike (None: 100), or sweeps (None: 500).
    tol : a run ends when the mean of the last three relative changes of the score is below this (of hybrid
        runs: the mean change of five passes to the next five); 0: never. Gibbs sampling takes all its sweeps.
    doc_max_iter, doc_tol : inner rounds a document, and the mean change of gamma that ends them.
    moves : "exchange": in a stream (`partial_fit`, `fit --stream`, `stream`) a topic that has more than three
        times its share of documents gives half of itself for the smallest topic, unless topics differ in eta;
        `fit` has none. None: no topic changes places.
    keep_local : carry gamma from pass to pass (batch only) instead of starting afresh. The bound then never
        falls, and topics are usually worse.
    fold_in : how `transform` infers new documents: "mean-field", or "sampled", by draws keyed by content.
    engine : "local", or SparkEngine(session): see docs/reference/spark.md.
    n_jobs : threads; None or -1 is every core. The result is the same for any number.
    random_state : whole number; the same number gives the same bytes. None draws one (kept in `seed_`).
    verbose : print a line per pass on standard error while `fit` runs (by the logger "stickbreaker").
    callbacks : functions that get each record of the trace (a dict); one that returns True ends the run. Of
        Gibbs sampling only every `every`-th sweep has a "score".

    Attributes
    ----------
    components_ : (topics × words) parameters lambda of q(beta), expected counts plus eta.
    topic_word_ : (topics × words) E[beta]; rows sum to one, over the words of each language.
    alpha_ : (topics,); eta_ : number or array.
    topic_names_ : (topics,) the name of each topic, by `name_topics` or the guide; None without one.
    topic_shares_ : (topics,) share of the tokens that each topic explains.
    bound_ : nats per token of the last pass: the exact bound in batch mean-field runs, an estimate in online
        and hybrid ones, log p(w, z) of the last sample in Gibbs sampling.
    n_iter_ : passes done; converged_ : whether they ended before max_iter; trace_ : list of records.

    >>> from stickbreaker import LDA
    >>> model = LDA(n_topics=2, random_state=0).fit(["a river bank", "bank money"])
    >>> model.transform(["river money"]).shape
    (1, 2)
    """

    kind: ClassVar[str] = "LDA"
    documents: ClassVar[str] = "finite"
    online: ClassVar[tuple[float, float]] = (0.7, 64.0)  # kappa and tau0 (Hoffman et al. 2010)
    streamed: ClassVar[tuple[float, float]] = (0.6, 32.0)  # the same for streams

    n_topics: int = 100
    _: KW_ONLY
    inference: str | Hybrid | Gibbs = "mean-field"
    schedule: str | Schedule | None = "batch"
    alpha: float | str | Array | None = None
    eta: float | str | Array | None = None
    words: str | OpenVocabulary | ConceptTree = "closed"
    guide: Mapping[str, Any] | Guide | None = None
    point_topics: bool | None = None
    init: str = "documents"
    n_init: int = 1
    max_iter: int | None = None
    tol: float = 1e-4
    doc_max_iter: int = 20
    doc_tol: float = 1e-3
    keep_local: bool = False
    moves: str | None = "exchange"
    fold_in: str = "mean-field"
    engine: "str | SparkEngine" = "local"
    n_jobs: int | None = None
    random_state: Any = None
    verbose: bool | int = False
    callbacks: Sequence[Callable[[TraceRecord], object]] | None = None

    def for_stream(self) -> Self:
        made = super().for_stream()
        made.alpha = STREAM_ALPHA if self.alpha is None else self.alpha
        return made

    def as_it_started(self) -> Self:
        made = super().as_it_started()
        if self.began_as_stream:
            made.alpha = STREAM_ALPHA if self.alpha is None else self.alpha
        return made

    def _documents(self, stream: bool) -> DirichletPrior:
        K, given = int(self.n_topics), self.alpha
        if given is None:
            given = STREAM_ALPHA if stream else "learned"
        start = 1.0 / K if self.gibbs_settings() is None else max(1.0 / K, CHAIN_ALPHA)
        alpha, learned = concentration("alpha", given, {"topics": (K,)}, start)
        alphas = tuple(np.broadcast_to(alpha, K).tolist())
        return DirichletPrior(alphas, learned, str(given).startswith("learned-symmetric"))

    def _moves(
        self,
        schedule: str,
        documents: TopicPrior,
        words: TopicVocabulary,
        sampled: bool,
    ) -> tuple[Move, ...]:
        if self.moves not in ("exchange", None):
            raise UserError(f"moves={self.moves!r}", remedy='moves is "exchange" or None')
        streamed = schedule == "partial_fit" and not words.by_topic and words.row_words() is None
        return (Exchange(),) if self.moves is not None and streamed else ()
