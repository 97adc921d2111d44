"""Gibbs sampling of the syntactic topic model, with closed-form steps and nothing to tune.

Equation 1 of Zhai, Boyd-Graber and Blei, p(i | head's topic j, document d) = theta_di pi_ji / x_dj with x_dj
= sum_i theta_di pi_ji, does not depend on the scales of theta_d and pi_j. So both can be unnormalised Gammas,
theta_di ~ Gamma(alpha_D tau_i, 1), pi_ji ~ Gamma(alpha_T tau_i, 1), and with 1 / x = int exp(-u x) du every
conditional is in closed form. tau_i ~ Gamma(a / K, a) tends to the paper's GEM as K grows. The paper infers
by variational methods; this chain is derived here.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from stickbreaker.contracts.contract import Fitted, Sampler, Score
from stickbreaker.core.random_streams import numbered_keys, stream
from stickbreaker.core.records import AnyArray, Array, Field
from stickbreaker.corpus.shards import cut_blocks
from stickbreaker.kernels.restaurant_tables import draw_tables
from stickbreaker.syntax import purposes
from stickbreaker.syntax.kernels.tree_topics import Weights, draw_topics, sum_topics
from stickbreaker.syntax.model.ordered_trees import OrderedTrees

LEAST, LEAST_BETA = 1e-150, 1e-100  # of tau, and of beta
KEPT = {  # arrays of a sample, each with its axes
    "log_pi": ("heads", "topics"),
    "beta": ("words", "topics"),
    "tau": ("topics",),
    "alpha_documents": (),
    "alpha_transitions": (),
    "sigma": (),
    "transitions": ("heads", "topics"),
    "tags": ("topics", "tags"),
}
TINY, HUGE = 5e-324, 1e300
RANGES = {  # of arrays in states and samples: least and greatest valid values
    "topics": (0, 1 << 16),
    "log_theta": (-HUGE, HUGE),
    "log_pi": (-HUGE, HUGE),
    "beta": (TINY, 1.0 + 1e-6),
    "tau": (TINY, HUGE),
    "alpha_documents": (TINY, HUGE),
    "alpha_transitions": (TINY, HUGE),
    "sigma": (TINY, HUGE),
    "transitions": (0.0, 1e15),
    "tags": (0.0, 1e15),
}
BLOCK_NODES, BLOCK_DOCUMENTS = 20_000, 4096


class Prior(NamedTuple):
    """The settings of the model that stay fixed.

    a: of the prior of the overall topic weights, tau_i ~ Gamma(a / n_topics, a). shape, rate: of the Gamma
    prior of alpha_D and alpha_T, the concentrations of documents' weights theta and of the transitions pi
    from a head's topic. sigma: the prior mean and the initial value of the Dirichlet parameter of topics'
    words; its prior is Gamma(shape, shape / sigma).

    limit: "none", the whole model; "hdp": pi = 1, topics do not depend on the head; "itic" (infinite tree
    with independent children): theta = 1, topics do not depend on the document.
    """

    n_topics: int
    sigma: float = 0.1  # the prior mean and initial value
    a: float = 1.0
    limit: str = "none"
    shape: float = 1.0
    rate: float = 1.0


class SyntaxState(NamedTuple):
    """A state of the chain: all topics and parameters; theta and pi are logs of unnormalised weights."""

    topics: NDArray[np.int32]  # (nodes,)
    log_theta: Array  # documents × topics
    log_pi: Array  # topics + 1 × topics; roots last
    beta: Array  # words × topics; columns sum to one
    tau: Array  # (topics,)
    alpha_documents: Array  # ()
    alpha_transitions: Array  # ()
    sigma: Array  # ()


class Counts(NamedTuple):
    """Counts of a state: how many nodes have a topic together with a document, head's topic, word or tag."""

    documents: NDArray[np.int64]  # documents × topics: n
    heads: NDArray[np.int64]  # documents × topics + 1: m, words whose head has the topic
    transitions: NDArray[np.int64]  # topics + 1 × topics: T
    words: NDArray[np.int64]  # words × topics, of nodes that have a word
    tags: NDArray[np.int64]  # topics × tags


class SyntaxChain(Sampler):
    """A Gibbs chain over the topics of words and all parameters of the model.

    A sweep draws the parameters given the topics, then the topics given the parameters, those of a whole tree
    at once. Documents are independent given the weights, so the number of threads does not change the result.
    """

    def __init__(self, trees: OrderedTrees, n_words: int, prior: Prior, seed: int) -> None:
        self._trees, self._n_words, self._prior, self._seed = trees, n_words, prior, seed
        offsets = trees.nodes.offsets
        self._blocks = list(cut_blocks(offsets, BLOCK_NODES, BLOCK_DOCUMENTS))
        heads = trees.nodes.heads
        self._heads = np.where(heads < 0, -1, heads + offsets[trees.documents])  # in the whole corpus
        self._samples: list[tuple[Array, ...]] = []
        self._start()

    def _start(self) -> None:
        k, generator = self._prior.n_topics, stream(self._seed, purposes.SYNTAX_START)
        topics = generator.integers(k, size=len(self._trees.documents), dtype=np.int32)
        rows, even = (self._trees.n_documents, k), np.full((self._n_words, k), 1 / max(1, self._n_words))
        self.state = SyntaxState(
            topics, np.zeros(rows), np.zeros((k + 1, k)), even,
            np.full(k, 1 / k), np.array(float(k)), np.array(float(k)),
            np.array(self._prior.sigma),
        )  # fmt: skip

    def sweep(self, number: int, threads: int) -> None:
        generator = stream(self._seed, purposes.SYNTAX_WEIGHTS, number)
        self._draw_weights(generator)
        self._draw_topics(numbered_keys(self._seed, purposes.SYNTAX_TREES, number, self._numbers()), threads)

    def learn(self) -> None:
        """Do nothing, since all parameters are already drawn in every sweep."""

    def score(self) -> Score:
        """log p of all words given the current parameters, in nats, with the words' topics summed out; also
        the number of known words."""
        nats = np.empty(self._trees.n_documents)
        weights = weights_of(self.state)
        for start, stop in self._blocks:
            part = weights._replace(log_theta=weights.log_theta[start:stop])
            sum_topics(self._trees.slice(start, stop), part, nats[start:stop])
        return Score(float(nats.sum()), float((self._trees.nodes.words >= 0).sum()), "joint")

    def figures(self) -> dict[str, int]:
        return {"topics": int(np.count_nonzero(self.counts().documents.sum(axis=0)))}

    def keep(self) -> None:
        self._samples.append(self._sample())

    def _sample(self) -> tuple[Array, ...]:
        """The current state as a sample to store: its arrays, in the order of `KEPT`."""
        state, counts = self.state, self.counts()
        held = state.log_pi, state.beta, state.tau
        learned = state.alpha_documents, state.alpha_transitions, state.sigma
        return *held, *learned, counts.transitions.astype(float), counts.tags.astype(float)

    def fitted(self) -> Fitted:
        """The result as params: all samples stored so far, or the current state if there are none.

        These are the arrays of `KEPT`, with a first axis of samples. Predictions average over samples.
        """
        samples = self._samples or [self._sample()]
        kept = {name: np.stack(parts) for name, parts in zip(KEPT, zip(*samples, strict=True), strict=True)}
        return Fitted(
            {name: Field(kept[name], ("samples", *axes), additive=False) for name, axes in KEPT.items()}
        )

    def pooled(self, others: Sequence[Sampler]) -> Fitted:
        """The result of several chains as params: the samples of this chain, then those of the others.

        Chains rarely leave the first mode that they find, so averaging over several predicts better than one
        longer chain.
        """
        parts = [self.fitted().params, *(other.fitted().params for other in others)]
        return Fitted(
            {
                name: field._replace(values=np.concatenate([part[name].values for part in parts]))
                for name, field in parts[0].items()
            }
        )

    def snapshot(self) -> dict[str, AnyArray]:
        state = {name: values.copy() for name, values in self.state._asdict().items()}
        fitted = self.fitted().params if self._samples else {}
        return {**state, **{f"samples/{name}": item.values for name, item in fitted.items()}}

    def restore(self, arrays: Mapping[str, AnyArray]) -> None:
        state = SyntaxState(*(np.array(arrays[name]) for name in SyntaxState._fields))
        for name, values in self.state._asdict().items():
            if getattr(state, name).shape != values.shape:
                raise ValueError(f"{name} belongs to another chain")
            refuse_numbers(name, getattr(state, name))
        if state.topics.size and not 0 <= state.topics.min() <= state.topics.max() < self._prior.n_topics:
            raise ValueError("a topic does not exist")
        self.state = state
        sampled = any(name.startswith("samples/") for name in arrays)
        kept = [arrays[f"samples/{name}"] for name in KEPT] if sampled else []
        self._samples = [tuple(np.array(part) for part in one) for one in zip(*kept, strict=True)]

    def counts(self) -> Counts:
        """Count the topics of the current state by document, head's topic, word and tag."""
        k, d, topics = self._prior.n_topics, self._trees.n_documents, self.state.topics.astype(np.int64)
        of_heads = np.where(self._heads < 0, k, topics[self._heads])
        documents, words, n_tags = self._trees.documents, self._trees.nodes.words, self._trees.n_tags
        known = words >= 0
        return Counts(
            np.bincount(documents * k + topics, minlength=d * k).reshape(d, k),
            np.bincount(documents * (k + 1) + of_heads, minlength=d * (k + 1)).reshape(d, k + 1),
            np.bincount(of_heads * k + topics, minlength=(k + 1) * k).reshape(k + 1, k),
            np.bincount(words[known] * k + topics[known], minlength=self._n_words * k).reshape(-1, k),
            np.bincount(topics * n_tags + self._trees.tags, minlength=k * n_tags).reshape(k, n_tags),
        )

    def _numbers(self) -> NDArray[np.int64]:
        return np.arange(self._trees.n_documents)

    def _draw_topics(self, keys: NDArray[np.uint64], threads: int) -> None:
        topics, weights = self.state.topics.copy(), weights_of(self.state)
        offsets = self._trees.nodes.offsets

        def work(block: tuple[int, int]) -> None:
            start, stop = block
            part = weights._replace(log_theta=weights.log_theta[start:stop])
            own = topics[offsets[start] : offsets[stop]]
            draw_topics(self._trees.slice(start, stop), part, keys[start:stop], own)

        with ThreadPoolExecutor(max(1, threads)) as pool:
            list(pool.map(work, self._blocks))
        self.state = self.state._replace(topics=topics)

    def _draw_weights(self, generator: np.random.Generator) -> None:
        """Draw all parameters given the topics: alphas, tau, theta, pi, sigma and beta.

        They replace those in `state`; what a limiting case fixes (theta or pi, and its alpha) stays.
        """
        counts, k = self.counts(), self._prior.n_topics
        log_x = log_products(self.state.log_theta, self.state.log_pi.T)  # documents × topics + 1
        with np.errstate(divide="ignore"):
            log_u = np.log(generator.standard_gamma(counts.heads)) - log_x  # -inf without words
        grammar, documents = self._prior.limit != "hdp", self._prior.limit != "itic"
        state, tau, log_rates = self.state, self.state.tau, np.zeros(1)
        shape, rate = np.full(k, self._prior.a / k), np.full(k, self._prior.a)
        if documents:
            log_rates = np.logaddexp(0.0, log_products(log_u, self.state.log_pi))  # log(1 + B)
            tables, alpha = self._draw_alpha(
                counts.documents, state.alpha_documents, tau, log_rates, generator
            )
            state = state._replace(alpha_documents=np.array(alpha))
            shape, rate = shape + tables.astype(float), rate + alpha * log_rates.sum(axis=0)
        of_pi = state.log_pi.sum(axis=0) if grammar else np.zeros(k)
        alpha_t, n_rows = float(state.alpha_transitions), k + 1 if grammar else 0
        if grammar:
            tau = sliced(tau, shape, rate - alpha_t * of_pi, n_rows, alpha_t, generator)
        else:
            tau = generator.gamma(shape) / rate
        state = state._replace(tau=np.maximum(tau, LEAST))
        if documents:
            drawn = log_gammas(state.alpha_documents * state.tau + counts.documents, generator)
            state = state._replace(log_theta=drawn - log_rates)
        if grammar:
            log_rates = np.logaddexp(0.0, log_products(log_u.T, state.log_theta))
            given = counts.transitions, state.alpha_transitions, state.tau, log_rates
            _, alpha = self._draw_alpha(*given, generator)
            drawn = log_gammas(alpha * state.tau + counts.transitions, generator)
            state = state._replace(alpha_transitions=np.array(alpha), log_pi=drawn - log_rates)
        sigma = self._draw_sigma(counts.words, generator)
        logs = log_gammas(counts.words + sigma, generator)
        beta = np.exp(logs - logs.max(axis=0, initial=-np.inf))
        beta = np.maximum(beta / beta.sum(axis=0), LEAST_BETA)
        self.state = state._replace(beta=beta, sigma=np.array(sigma))

    def _draw_alpha(
        self,
        customers: NDArray[np.int64],
        alpha: Array,
        tau: Array,
        log_rates: Array,
        generator: np.random.Generator,
    ) -> tuple[NDArray[np.int64], float]:
        """Draw alpha_D or alpha_T, with theta or pi integrated out; returns auxiliary counts and alpha.

        Each row of `customers` is a Chinese restaurant of topics; the auxiliary counts are its tables per
        topic, summed over rows (topics,). customers (rows × topics): topic counts of documents, or of heads'
        topics; alpha: the last value; log_rates (rows × topics): logs of the rates of the Gammas theta or pi.
        """
        tables = tables_of(customers, alpha * tau, generator)
        drawn = generator.gamma(self._prior.shape + tables.sum())
        return tables, drawn / (self._prior.rate + (log_rates @ tau).sum())

    def _draw_sigma(self, words: NDArray[np.int64], generator: np.random.Generator) -> float:
        """Draw sigma, the Dirichlet parameter of topics' words, with beta integrated out.

        words (words × topics): counts. Topics are restaurants with a uniform base: tables and Beta variables
        are drawn (Escobar and West 1995).
        """
        mass, sizes = float(self.state.sigma) * self._n_words, words.sum(axis=0)
        sizes = sizes[sizes > 0]
        tables = tables_of(words, np.full(words.shape[1], float(self.state.sigma)), generator)
        own, others = log_gammas(np.full(len(sizes), mass), generator), log_gammas(sizes, generator)
        rate = self._n_words * (np.logaddexp(own, others) - own).sum()  # - log of Beta(mass, size)
        rate += self._prior.shape / self._prior.sigma
        return float(generator.gamma(self._prior.shape + tables.sum()) / rate)


def weights_of(state: SyntaxState) -> Weights:
    """The parameters of a state with which topics are drawn: log theta, log pi and beta."""
    return Weights(state.log_theta, state.log_pi, state.beta)


def refuse_numbers(name: str, values: AnyArray) -> None:
    """Raise ValueError if an array of a state or sample has values outside the range that `RANGES` has for
    its `name`, or NaN."""
    least, most = RANGES[name]
    if not ((values >= least) & (values <= most)).all():
        raise ValueError(f"{name} has impossible values")


def log_products(left: Array, right: Array) -> Array:
    """log(exp(left) @ exp(right)) of logarithms (m × k, k × n), without overflow or underflow."""
    found = np.empty((left.shape[0], right.shape[1]))
    for column in range(right.shape[1]):
        found[:, column] = logsumexp(left + right[:, column], axis=1)
    return found


def log_gammas(shapes: NDArray[np.floating], generator: np.random.Generator) -> Array:
    """Draw from Gamma(shape, 1) for each shape; returns logarithms, which cannot underflow.

    For shapes below one, a draw is one from Gamma(shape + 1) times a uniform number to the power of 1 / shape
    (Marsaglia and Tsang 2000).

    >>> bool(log_gammas(np.array([1e-6]), stream(0, "example"))[0] < -1000)
    True
    """
    small = shapes < 1.0
    logs = np.log(generator.standard_gamma(shapes + small))
    return logs + small * np.log(1.0 - generator.random(shapes.shape)) / np.maximum(shapes, 1e-300)


def tables_of(
    customers: NDArray[np.int64], weights: Array, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Draw the number of tables at which each topic is served in Chinese restaurants, summed over these.

    customers (restaurants × topics): how many have each topic; weights (topics): concentration × base
    probability of each, the same in all restaurants. Returns (topics,).
    """
    columns = np.nonzero(customers)[1]
    tables = np.zeros(len(weights), np.int64)
    draw_tables(columns, customers[customers > 0], weights, np.uint64(generator.integers(2**63)), tables)
    return tables


def sliced(
    tau: Array, shape: Array, rate: Array, n_rows: int, alpha: float, generator: np.random.Generator
) -> Array:
    """Draw new values of tau (topics), the overall topic weights, by slice sampling of log tau.

    The density of log tau, which includes the factor tau of the change of variable, is

        tau^shape exp(-rate tau) / Gamma(alpha tau)^n_rows.

    Slices are found by stepping out and shrinking (Neal 2003), for all topics at once.
    """

    def log_density(logs: Array) -> Array:
        with np.errstate(over="ignore"):
            values = np.exp(logs)
            return shape * logs - rate * values - n_rows * gammaln(alpha * values)

    at = np.log(tau)
    height = log_density(at) - generator.standard_exponential(len(at))
    left = at - generator.random(len(at))
    right = left + 1.0
    for _ in range(200):
        low, high = log_density(left) > height, log_density(right) > height
        if not (low.any() or high.any()):
            break
        left, right = left - low, right + high
    found, open_ = at.copy(), np.ones(len(at), bool)
    for _ in range(200):
        tried = left + generator.random(len(at)) * (right - left)
        inside = open_ & (log_density(tried) > height)
        found[inside] = tried[inside]
        open_ &= ~inside
        if not open_.any():
            break
        below = tried < at
        left, right = np.where(open_ & below, tried, left), np.where(open_ & ~below, tried, right)
    return np.exp(found)
