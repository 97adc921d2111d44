"""The closed vocabulary of a topic model: topics are distributions over words that are known beforehand.

Kernels and scipy.special are imported on use, so that models load without them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import CountTable, Summary, TableSpec
from stickbreaker.core.random_streams import keyed_uniforms
from stickbreaker.core.records import Array, Field, Record
from stickbreaker.core.topk import descending
from stickbreaker.topics import purposes
from stickbreaker.topics.model.slots import TopicVocabulary, WordsOnTrial, WordTopics, WordWeights
from stickbreaker.topics.model.topic_words import Stored, TopicWords
from stickbreaker.topics.model.vocabularies.informed_prior import InformedPrior

RowKernel = Callable[[Array, Array, NDArray[np.float32], Array], None]

BLOCK = 4096  # rows whose Dirichlet parameters are in memory at a time
ONE_GROUP = TableSpec()
DRIFT = "eta_drift"  # of the params: log of the factor by which a learned eta changed, see `update`
STILL = 2e-3  # drift below which eta has settled


@dataclass(frozen=True, slots=True, eq=False)
class ClosedVocabulary(TopicVocabulary[Array]):
    """A fixed vocabulary of `n_words` words, over which topics are distributions: beta_k ~ Dirichlet(eta).

    `eta`: one number, an array (words) or (words × topics), or a prior with words given for some topics; a
    number can be `learned`. `firsts`: the first row of each group of words, such as a language; a topic has a
    distribution over each group (Mimno et al. 2009; Zhai 2014, section 3.3.2). `point`: beta is a point
    estimate, the maximum of its density under Dirichlet(1 + eta), which is E[beta] under q
    (docs/models/point-topics.md).
    """

    name: ClassVar[str] = "closed"
    grows: ClassVar[bool] = False
    dirichlet: ClassVar[bool] = True
    collapses: ClassVar[bool] = True

    n_words: int
    eta: float | Array | InformedPrior
    learned: bool = False
    firsts: tuple[int, ...] = (0,)
    point: bool = False
    _constants: dict[str, Array] = field(default_factory=dict, init=False, repr=False)  # computed once

    @property
    def table(self) -> TableSpec:  # type: ignore[override]
        """The description of the table: rows are words, grouped by language."""
        return ONE_GROUP if len(self.firsts) == 1 else TableSpec(groups=self.groups())

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of words in each group, such as a language (groups)."""
        return np.array([*self.firsts[1:], self.n_words]) - np.array(self.firsts)

    def groups(self) -> NDArray[np.int32]:
        """The index of each row's group (rows). A group is the words of a language; each topic has a
        distribution over each group.
        """
        return _groups(self.firsts, self.n_words)

    def totals(self, counts: Array) -> Array:
        """Sums of counts over the words of each group, such as a language (groups × topics); counts: the
        whole table.
        """
        return np.stack([counts[part].sum(axis=0) for part in self.ranges()])

    def ranges(self, rows: NDArray[np.integer] | range | None = None) -> list[slice]:
        """One slice per group (language): where its words are in the table or, if `rows` (ascending) is
        given, in the list of these rows.
        """
        if len(self.firsts) == 1:
            return [slice(0, self.n_words if rows is None else len(rows))]
        ends = np.array([*self.firsts, self.n_words])
        if isinstance(rows, range):
            ends = np.clip(ends, rows.start, rows.stop) - rows.start
        elif rows is not None:
            ends = np.searchsorted(rows, ends)
        return [slice(*ends[i : i + 2].tolist()) for i in range(len(self.firsts))]

    @property
    def by_topic(self) -> bool:
        """Whether eta differs between topics."""
        return isinstance(self.eta, InformedPrior) or np.ndim(self.eta) == 2

    @property
    def guided_priors(self) -> Sequence[Array]:
        eta = self.eta
        return [eta.of_topic(k) for k in range(eta.guided)] if isinstance(eta, InformedPrior) else ()

    def start(self) -> dict[str, Field]:
        if isinstance(self.eta, np.ndarray | InformedPrior):
            return {}
        return {"eta": Field(np.array(float(self.eta)), (), additive=False)}

    def prior(self, params: Record, rows: NDArray[np.integer] | slice) -> Array | float:
        """eta of these rows: a number, or an array that broadcasts with rows × topics."""
        if not isinstance(self.eta, np.ndarray | InformedPrior):
            return float(params["eta"].values)
        values = self.eta[rows]
        return values[:, None] if values.ndim == 1 else values

    def prior_totals(self, params: Record) -> Array:
        """Sum of eta over each group's words (groups × topics, or × 1 if it is the same for all topics)."""
        if isinstance(self.eta, InformedPrior):
            return np.stack([self.eta.sums(part) for part in self.ranges()])
        if not isinstance(self.eta, np.ndarray):
            return self.sizes[:, None].astype(np.float64) * float(params["eta"].values)
        return np.stack([np.atleast_1d(self.eta[part].sum(axis=0)) for part in self.ranges()])

    def seed(self, keys: Sequence[str], n_topics: int, tokens: float, seed: int) -> Array:
        """Nearly flat noise as initial counts (words × topics), which sum to about `tokens`. A word's counts
        depend only on its spelling and the seed.

        It is normal with a standard deviation of a tenth of the mean, like the usual start from Gamma(100,
        1/100) (Hoffman et al. 2010). More peaked or smaller noise locks words into random topics: on AP it
        cost 0.1 to 0.4 nats per word of held-out score.
        """
        return flat_noise(keys, n_topics, tokens, seed)

    def update(
        self, params: Record, totals: Array, summary: Summary, n_topics: int, rate: float
    ) -> dict[str, Field]:
        """Update eta, the symmetric prior of words, so that the bound increases; returns eta and its drift as
        params. The counts stay the same, so lambda = eta + counts changes with eta.

        Call it only if eta is `learned`. It takes the longer of two steps that never lower the bound:
        `climb_eta`, and the maximum with lambda fixed. The latter is short if most words of a topic have no
        counts, since their lambda depends on the old eta. Steps are not scaled by `rate`, since counts are
        already averages over minibatches (as in Cappe & Moulines 2009, online EM).

        The drift, by which `is_settled` decides, is the sum of eta's steps (log factors), in which old ones
        fade like counts. It is the change of eta while all counts are replaced once, by a batch step or by
        many small ones.
        """
        from scipy.special import psi

        from stickbreaker.topics.model.priors.dirichlet_newton import fit_symmetric_dirichlet
        from stickbreaker.topics.model.priors.polya import CellSums, climb_eta

        eta, sizes = float(params["eta"].values), self.sizes
        digammas, bends = (float(summary[name].sum()) for name in ("digammas", "bends"))
        gains = digammas - self.n_words * n_topics * float(psi(eta))
        log_totals = float((sizes[:, None] * psi(totals + eta * sizes[:, None])).sum())
        steps = (
            climb_eta(eta, sizes, totals, CellSums(gains, bends)),
            fit_symmetric_dirichlet(eta, sizes, n_topics, digammas - log_totals),
        )
        best = max(steps, key=lambda step: abs(np.log(step / eta)))
        before = float(params[DRIFT].values) if DRIFT in params else 1.0
        drift = np.array((1.0 - rate) * before + np.log(best / eta))
        return {"eta": params["eta"]._replace(values=np.array(best)), DRIFT: Field(drift, (), additive=False)}

    def is_settled(self, params: Record) -> bool:
        """Whether eta has nearly stopped changing, or is not learned."""
        return not self.learned or (DRIFT in params and bool(np.all(np.abs(params[DRIFT].values) < STILL)))

    def weights(
        self, params: Record, counts: Array, totals: Array, rows: NDArray[np.int64] | None
    ) -> WordWeights:
        from stickbreaker.kernels.dirichlet import expected_log_weights, mean_weights

        if not self.point:
            return WordWeights(*self.expected(expected_log_weights, params, counts, totals, rows))
        sums = np.ascontiguousarray(totals + self.prior_totals(params))
        return WordWeights(*self._by_group(mean_weights, params, counts, sums, rows))

    def expected(
        self, kernel: RowKernel, params: Record, counts: Array, totals: Array, rows: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.float32], Array]:
        """Apply a kernel to the Dirichlet parameters of words (counts plus eta), for example to get exp E[log
        beta].

        It is called as kernel(parameters, psi of each topic's total, weights, log scales) and fills the last
        two, which are returned: weights (rows × topics) and log scales (rows). rows: the table rows of
        `counts` (None: all); totals (groups × topics): sums of counts over the whole table.
        """
        from scipy.special import psi

        log_totals = np.asarray(psi(totals + self.prior_totals(params)))
        return self._by_group(kernel, params, counts, log_totals, rows)

    def _by_group(
        self, kernel: RowKernel, params: Record, counts: Array, totals: Array, rows: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.float32], Array]:
        """Apply a kernel to the Dirichlet parameters of words, one language (group) and block of rows at a
        time to bound memory.

        Returns what it fills: weights (rows × topics) and log scales (rows). totals (groups × topics): passed
        to the kernel.
        """
        out, log_scale = np.empty(counts.shape, np.float32), np.empty(len(counts))
        for group, range_ in enumerate(self.ranges(rows)):
            for start in range(range_.start, range_.stop, BLOCK):
                part = slice(start, min(start + BLOCK, range_.stop))
                prior = self.prior(params, part if rows is None else rows[part])
                concentration = np.ascontiguousarray(counts[part] + prior)
                kernel(concentration, totals[group], out[part], log_scale[part])
        return out, log_scale

    def summary(self, params: Record, counts: Array, first: int) -> Summary:
        """Sums over the words from `first` on (topics), which `score` and `update` need.

        They are of log Gamma(lambda), counts psi(lambda) and psi(lambda), and of eta counts / lambda^2 if eta
        is learned; for point estimates, only of eta log(lambda / eta).
        """
        from stickbreaker.kernels.dirichlet import add_bends, add_dirichlet_terms

        sums, bends = np.zeros((3, counts.shape[1])), np.zeros(counts.shape[1])
        for start in range(0, len(counts), BLOCK):
            part = slice(start, min(start + BLOCK, len(counts)))
            prior = self.prior(params, slice(first + part.start, first + part.stop))
            if self.point:
                sums[0] += log_density(counts[part], prior)
                continue
            concentration = np.ascontiguousarray(counts[part] + prior)
            own = np.ascontiguousarray(counts[part])
            add_dirichlet_terms(concentration, own, *sums)
            if self.learned:
                add_bends(concentration, own, prior, bends)
        if self.point:
            return {"log_points": sums[0]}
        summary = {"log_gammas": sums[0], "expected": sums[1], "digammas": sums[2]}
        return {**summary, "bends": bends} if self.learned else summary

    def score(self, params: Record, totals: Array, summary: Summary) -> float:
        """The table's part of the bound (eq. 2.4), in nats: -KL(q(beta) || p(beta)) over all topics.

        For point estimates, it is the log of their density under Dirichlet(1 + eta), relative to its maximum.
        """
        from scipy.special import psi

        if self.point:
            return float((summary["log_points"] - log_density(totals, self.prior_totals(params))).sum())
        expected = (totals * psi(totals + self.prior_totals(params))).sum(axis=0) - summary["expected"]
        return float((self.evidence(params, totals, summary) + expected).sum())

    def evidence(self, params: Record, totals: Array, summary: Summary) -> Array:
        """log B(lambda_k) - log B(eta), in nats (topics), where log B is a Dirichlet's log normaliser.

        If lambda is eta plus exactly the documents' counts, this is the table's part of the bound together
        with the words' E[log p(w | z)].
        """
        from scipy.special import gammaln

        prior = self.prior_totals(params)
        ends = (gammaln(prior) - gammaln(totals + prior)).sum(axis=0)
        return np.asarray(summary["log_gammas"] + ends - self._prior_terms(params))

    def log_words(self, params: Record, counts: Array, totals: Array, first: int) -> Array:
        """E[log beta], or log beta for point estimates, of the rows from `first` on (rows × columns), from
        their counts.

        totals (groups × columns): sums of counts over the whole table.
        """
        from scipy.special import psi

        values = self.parameters(params, counts, first)
        out = np.log(values) if self.point else digammas(values)
        log_totals = (np.log if self.point else psi)(totals + self.prior_totals(params))
        for group, part in enumerate(self.ranges(range(first, first + len(counts)))):
            out[part] -= log_totals[group]
        return out

    def _prior_terms(self, params: Record) -> Array:
        """The sum of log Gamma(eta) over all words (topics, or one number if it is the same for all
        topics).
        """
        from scipy.special import gammaln

        if isinstance(self.eta, InformedPrior):
            return self.eta.sums(slice(0, self.n_words), gammaln)
        if not isinstance(self.eta, np.ndarray):
            return np.array(self.n_words * gammaln(float(params["eta"].values)))
        if "prior terms" not in self._constants:
            starts = range(0, self.n_words, BLOCK)
            parts = [gammaln(self.eta[start : start + BLOCK]).sum(axis=0) for start in starts]
            self._constants["prior terms"] = np.asarray(np.sum(parts, axis=0))
        return self._constants["prior terms"]

    def hyperparameter(self, params: Record) -> tuple[str, float | Array]:
        if isinstance(self.eta, np.ndarray | InformedPrior):
            return "eta", np.array(self.eta[:]).T
        return "eta", float(params["eta"].values)

    def parameters(self, params: Record, counts: Array, first: int = 0) -> Array:
        """lambda, the Dirichlet parameters of q(beta): counts plus eta (words × topics), for the words from
        `first` on.
        """
        return counts + self.prior(params, slice(first, first + len(counts)))

    def topic_words_of(
        self, params: Record, counts: Array, totals: Array, rows: NDArray[np.integer]
    ) -> Array:
        """E[beta] of given rows (ascending; rows × topics), given the table's totals (groups × topics)."""
        sums = totals + self.prior_totals(params)
        out = counts + self.prior(params, rows)
        for group, part in enumerate(self.ranges(rows)):
            out[part] /= sums[group]
        return np.asarray(out)

    def topic_words(self, params: Record, table: CountTable, topics: NDArray[np.int64]) -> TopicWords:
        return Stored(partial(self._read, params, table), table.shape[0], topics)

    def predictions(self, params: Record, table: CountTable, spelled: Sequence[str] | None) -> WordTopics:
        return lambda rows: self._read(params, table, rows.astype(np.int64)).T

    def _read(self, params: Record, table: CountTable, rows: NDArray[np.int64]) -> Array:
        """E[beta] of these rows of a table (rows × topics)."""
        return self.topic_words_of(params, table.counts(rows), table.totals(), rows)

    def word_totals(self, counts: Array) -> Array:
        return counts.sum(axis=1)

    def on_trial(
        self, params: Record, table: CountTable, words: NDArray[np.int64] | Sequence[str]
    ) -> WordsOnTrial:
        from stickbreaker.topics.model.vocabularies.words_on_trial import KnownWordsOnTrial

        rows = np.asarray(words, np.int64)
        return KnownWordsOnTrial(self, params, rows, np.ascontiguousarray(table.counts(rows)), table.totals())

    def ranked(
        self, params: Record, counts: Array, topics: Sequence[int]
    ) -> list[tuple[NDArray[np.int64], Array]]:
        rows = np.arange(len(counts))
        shares = self.topic_words_of(params, counts, self.totals(counts), rows)[:, topics].T
        return in_order(shares)


def digammas(values: Array) -> Array:
    """psi of values above zero, of any shape; the result has their order in memory.

    >>> digammas(np.array([[1.0, 2.0]])).round(4).tolist()
    [[-0.5772, 0.4228]]
    """
    from stickbreaker.kernels.dirichlet import fill_digammas

    out = np.empty_like(values)
    fill_digammas(values.ravel(order="K"), out.ravel(order="K"))
    return out


def log_gammas(values: Array) -> Array:
    """The sum of log Gamma of each column (columns) of values above zero (rows × columns).

    >>> log_gammas(np.array([[1.0, 3.0], [2.0, 4.0]])).round(4).tolist()
    [0.0, 2.4849]
    """
    from stickbreaker.kernels.dirichlet import add_log_gammas

    sums = np.zeros(values.shape[1])
    add_log_gammas(np.ascontiguousarray(values.T), sums)
    return sums


def log_density(counts: Array, prior: Array | float) -> Array:
    """Sums over rows of prior × log((counts + prior) / prior) (columns), for the density of point estimates.

    The log density of the point (counts + prior) / sum under Dirichlet(1 + prior), relative to its maximum at
    prior / sum, is this sum over the choices minus the same expression of their total.
    """
    return np.asarray((prior * np.log1p(counts / prior)).sum(axis=0))


@lru_cache(maxsize=8)
def _groups(firsts: tuple[int, ...], n_words: int) -> NDArray[np.int32]:
    """The index of each row's group (rows; read-only); `firsts`: the first row of each group."""
    groups = np.repeat(np.arange(len(firsts), dtype=np.int32), np.diff([*firsts, n_words]))
    groups.flags.writeable = False
    return groups


def in_order(shares: Array) -> list[tuple[NDArray[np.int64], Array]]:
    """For each topic, the numbers of its words, most probable first (ties by number), and their
    probabilities.

    shares (topics × words): the probabilities.
    """
    orders = [descending(own) for own in shares]
    return [(order, own[order]) for order, own in zip(orders, shares, strict=True)]


def flat_noise(keys: Sequence[str], n_topics: int, tokens: float, seed: int) -> Array:
    """Initial counts (keys × topics): positive random values near their mean, with a sum of about `tokens`.

    Each row depends only on its key and the seed, so a word gets the same noise in any vocabulary.
    """
    from scipy.special import ndtri

    noise = np.maximum(1.0 + 0.1 * ndtri(keyed_uniforms(seed, purposes.SEED_TOPICS, keys, n_topics)), 0.01)
    return np.asarray(noise * (tokens / max(1, noise.size)))
