"""A vocabulary with concepts: a topic is a distribution over the paths of a tree whose leaves are words.

Kernels and scipy are imported on use, so that models load without them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import CountTable, Summary, TableSpec
from stickbreaker.core.records import Array, Field, Record
from stickbreaker.topics.model.slots import Paths, TopicVocabulary, WordTopics, WordWeights
from stickbreaker.topics.model.topic_words import Stored, TopicWords
from stickbreaker.topics.model.vocabularies.closed import BLOCK, flat_noise, in_order, log_density
from stickbreaker.topics.model.vocabularies.compiled_tree import NO_EDGE, CompiledTree


@dataclass(frozen=True, slots=True, eq=False)
class ConceptVocabulary(TopicVocabulary[Array]):
    """A vocabulary whose words are tied by a tree of concepts: a topic chooses a path from the root to a
    word.

    beta_k is a Dirichlet tree: each node has a draw pi_k ~ Dirichlet(eta × sizes) over its children (Zhai
    2014, section 5.1; the tree for several languages is derived in docs/explanation/concepts-equations.md). A
    path's probability is the product of its choices; a word's is the sum over its paths. Rows of the table
    are the leaves, grouped by node; counts of inner edges are sums of the groups' totals. `point`: pi is a
    point estimate, the maximum of its density under Dirichlet(1 + eta × sizes)
    (docs/explanation/point-topics-equations.md).
    """

    name: ClassVar[str] = "concepts"
    grows: ClassVar[bool] = False
    dirichlet: ClassVar[bool] = False
    collapses: ClassVar[bool] = True
    learned: ClassVar[bool] = False  # pyright: ignore[reportIncompatibleVariableOverride]

    tree: CompiledTree
    eta: float
    point: bool = False

    @property
    def table(self) -> TableSpec:  # type: ignore[override]
        """The description of the table: rows are paths, grouped by node."""
        return TableSpec("paths", groups=self.tree.groups)

    def start(self) -> dict[str, Field]:
        return {"eta": Field(np.array(float(self.eta)), (), additive=False)}

    def totals(self, counts: Array) -> Array:
        """Sums of counts over the leaves of each node (groups × topics); counts: the whole table."""
        totals = np.zeros((self.tree.n_groups, counts.shape[1]))
        np.add.at(totals, self.tree.groups, counts)
        return totals

    def seed(self, keys: Sequence[str], n_topics: int, tokens: float, seed: int) -> Array:
        """Initial counts (words × topics): random values near their mean, with a sum of about `tokens`."""
        return flat_noise(keys, n_topics, tokens, seed)

    def reads(self, words: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of the table for these words (ascending numbers): all paths that lead to them."""
        starts = self.tree.starts
        firsts, numbers = starts[words], starts[words + 1] - starts[words]
        before = np.cumsum(numbers) - numbers
        return np.repeat(firsts - before, numbers) + np.arange(int(numbers.sum()))

    def row_words(self) -> NDArray[np.int64]:
        return self.tree.words

    def row_meanings(self) -> NDArray[np.int64]:
        return self.tree.meanings

    def weights(
        self, params: Record, counts: Array, totals: Array, rows: NDArray[np.int64] | None
    ) -> WordWeights:
        from stickbreaker.topics.kernels.concept_paths import expected_log_paths

        if self.point:
            return self._point_weights(params, counts, totals, rows)
        tree, places = self.tree, slice(None) if rows is None else rows
        concentration = np.ascontiguousarray(counts + self._eta(params) * tree.sizes[places][:, None])
        starts = tree.starts if rows is None else _starts(tree.words[rows])
        n_words, n_topics = len(starts) - 1, counts.shape[1]
        weights, log_scale = np.empty((n_words, n_topics), np.float32), np.empty(n_words)
        shares = np.empty(counts.shape, np.float32)
        log_nodes = self.log_nodes(params, totals)
        groups = tree.groups[places]
        expected_log_paths(concentration, groups, log_nodes, tree.alone, starts, weights, log_scale, shares)
        return WordWeights(weights, log_scale, Paths(np.repeat(np.arange(n_words), np.diff(starts)), shares))

    def _point_weights(
        self, params: Record, counts: Array, totals: Array, rows: NDArray[np.int64] | None
    ) -> WordWeights:
        """The result of `weights` for point estimates: words' probabilities, each row divided by its maximum
        over topics.
        """
        from stickbreaker.kernels.dirichlet import mean_weights

        paths = np.arange(len(counts)) if rows is None else rows
        starts = _starts(self.tree.words[paths])
        shares = self.path_probabilities(params, counts, totals, paths)
        words, places = _sums(shares, starts), np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        weights, log_scale = np.empty(words.shape, np.float32), np.empty(len(words))
        mean_weights(words, np.ones(words.shape[1]), weights, log_scale)
        return WordWeights(weights, log_scale, Paths(places, (shares / words[places]).astype(np.float32)))

    def log_nodes(self, params: Record, totals: Array) -> Array:
        """The sum of E[log p] of the choices on the way from the root to each node with leaves (nodes ×
        topics).

        Unless the node has a single choice, psi of its total is subtracted, so that adding psi of a leaf's
        parameter makes E[log p] of the leaf's path. totals (nodes × topics): tokens at its leaves.
        """
        from stickbreaker.topics.kernels.concept_paths import expected_log_ways

        tree = self.tree
        edges, nodes = self._concentrations(params, totals)
        logs = np.empty((tree.n_groups, totals.shape[1]))
        expected_log_ways(edges, nodes, tree.sources, *tree.above, tree.alone, logs)
        return logs

    def summary(self, params: Record, counts: Array, first: int) -> Summary:
        """Sums over the paths from `first` on (topics) for `score`: of log Gamma(lambda) - log Gamma(eta),
        and of counts psi(lambda).

        For point estimates, it is the sum of eta log(lambda / eta). Paths whose node has no other choice are
        certain and left out.
        """
        if self.point:
            rows = slice(first, first + len(counts))
            choice = ~self.tree.alone[self.tree.groups[rows]]
            priors = self._eta(params) * self.tree.sizes[rows][choice]
            return {"log_points": log_density(counts[choice], priors[:, None])}
        terms = np.zeros((2, counts.shape[1]))
        for start in range(0, len(counts), BLOCK):
            part = slice(start, min(start + BLOCK, len(counts)))
            rows = slice(first + part.start, first + part.stop)
            choice = ~self.tree.alone[self.tree.groups[rows]]
            terms += self._terms(counts[part][choice], self._eta(params) * self.tree.sizes[rows][choice])
        return {"log_gammas": terms[0], "expected": terms[1]}

    def score(self, params: Record, totals: Array, summary: Summary) -> float:
        """The table's part of the bound, in nats: -KL(q(pi) || p(pi)) over all nodes and topics.

        For point estimates, it is the log of their density relative to its maximum.
        """
        tree, eta = self.tree, self._eta(params)
        edges, nodes = tree.passing(totals)
        choices, several = ~tree.alone[tree.sources], ~tree.alone
        if self.point:
            of_edges = log_density(edges[choices], eta * tree.edge_sizes[choices, None])
            of_nodes = log_density(nodes[several], eta * tree.node_sizes[several, None])
            return float((summary["log_points"] + of_edges - of_nodes).sum())
        of_edges = self._terms(edges[choices], eta * tree.edge_sizes[choices])
        of_nodes = self._terms(nodes[several], eta * tree.node_sizes[several])
        evidence, expected = of_edges - of_nodes + np.stack([summary["log_gammas"], summary["expected"]])
        return float((evidence - expected).sum())

    def _terms(self, counts: Array, priors: Array) -> Array:
        """Sums over choices (rows) that make up the bound's terms (2 × topics), given their counts and
        priors.

        They are of log Gamma(counts + prior) - log Gamma(prior), and of counts psi(counts + prior).
        """
        from scipy.special import gammaln

        from stickbreaker.kernels.dirichlet import add_dirichlet_terms

        sums = np.zeros((3, counts.shape[1]))
        add_dirichlet_terms(counts + priors[:, None], np.ascontiguousarray(counts), *sums)
        sums[0] -= gammaln(priors).sum()
        return sums[:2]

    def update(
        self, params: Record, totals: Array, summary: Summary, n_topics: int, rate: float
    ) -> dict[str, Field]:
        """Returns no params: eta is fixed, so that nothing is learned."""
        return {}

    def hyperparameter(self, params: Record) -> tuple[str, float | Array]:
        return "eta", self._eta(params)

    def parameters(self, params: Record, counts: Array) -> Array:
        """The counts of each word plus its prior, summed over all its paths (words × topics)."""
        return self._by_word(counts + self._eta(params) * self.tree.sizes[:, None])

    def topic_words(self, params: Record, table: CountTable, topics: NDArray[np.int64]) -> TopicWords:
        return Stored(partial(self._read, params, table), self.tree.n_words, topics)

    def predictions(self, params: Record, table: CountTable, spelled: Sequence[str] | None) -> WordTopics:
        return lambda words: self._read(params, table, words.astype(np.int64)).T

    def path_probabilities(
        self, params: Record, counts: Array, totals: Array, paths: NDArray[np.int64]
    ) -> Array:
        """E[p(path)] of paths from the root of the tree to a word, in each topic (paths × topics).

        paths: their numbers; counts (paths × topics): their tokens; totals (groups × topics): the tokens at
        the leaves of each group, where a group is a node that has leaves.
        """
        edges, nodes = self._concentrations(params, totals)
        shares = np.exp(self.tree.incidence.T @ np.log(edges / nodes[self.tree.sources]))
        shares = shares / nodes[: self.tree.n_groups]
        own = counts + self._eta(params) * self.tree.sizes[paths][:, None]
        return np.asarray(own * shares[self.tree.groups[paths]])

    def concepts(self, params: Record, table: CountTable) -> tuple[Sequence[str], Array]:
        """The names of concepts, and the share of each topic's tokens that pass each of them (concepts ×
        topics).

        The tokens of a concept include those of the concepts below it. If languages reach it separately, its
        share is the mean over these.
        """
        tree = self.tree
        edges, nodes = self._concentrations(params, table.totals())
        means = edges / nodes[tree.sources]
        for edge in range(len(means)):  # parents come first
            entrance = tree.entrances[tree.sources[edge]]
            if entrance != NO_EDGE:
                means[edge] *= means[entrance]
        names = dict.fromkeys(name for name in tree.edge_names if name)
        places = {name: place for place, name in enumerate(names)}
        shares, times = np.zeros((len(names), means.shape[1])), np.zeros(len(names))
        for edge, name in enumerate(tree.edge_names):
            if name:
                shares[places[name]] += means[edge]
                times[places[name]] += 1.0
        return tuple(names), shares / times[:, None]

    def remark(self) -> str | None:
        """A warning line about concepts that do not tie words as given; None if all do."""
        lines = self.tree.remarks()
        return "concepts: " + "; ".join([self.tree.coverage(), *lines]) if lines or self.tree.apart else None

    def word_totals(self, counts: Array) -> Array:
        return self._by_word(counts).sum(axis=1)

    def ranked(
        self, params: Record, counts: Array, topics: Sequence[int]
    ) -> list[tuple[NDArray[np.int64], Array]]:
        shares = self._words(params, counts, self.totals(counts), np.arange(len(counts)))[:, topics].T
        return in_order(shares)

    def _read(self, params: Record, table: CountTable, words: NDArray[np.int64]) -> Array:
        """E[beta] of these words, given by ascending number (words × topics), read from a table."""
        paths = self.reads(words)
        return self._words(params, table.counts(paths), table.totals(), paths)

    def _words(self, params: Record, counts: Array, totals: Array, paths: NDArray[np.int64]) -> Array:
        """E[beta] of words (words × topics), given all of their paths with counts; totals: as in
        `path_probabilities`.
        """
        shares = self.path_probabilities(params, counts, totals, paths)
        return _sums(shares, _starts(self.tree.words[paths]))

    def _by_word(self, values: Array) -> Array:
        return _sums(values, self.tree.starts)

    def _concentrations(self, params: Record, totals: Array) -> tuple[Array, Array]:
        """The Dirichlet parameters (counts plus prior) of edges (edges × topics), and their sums at nodes
        (nodes × topics).

        totals (groups × topics): the tokens at the leaves of each group, a node with leaves.
        """
        edges, nodes = self.tree.passing(totals)
        eta = self._eta(params)
        return edges + eta * self.tree.edge_sizes[:, None], nodes + eta * self.tree.node_sizes[:, None]

    def _eta(self, params: Record) -> float:
        return float(params["eta"].values)


def _starts(words: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the paths of each word begin, and last the number of paths (words + 1); `words`: each path's
    word, ascending.
    """
    return np.append(np.flatnonzero(np.diff(words, prepend=-1)), len(words)).astype(np.int64)


def _sums(values: Array, starts: NDArray[np.int64]) -> Array:
    """The sum of the rows of `values` that belong to each word (words × columns).

    starts (words + 1): where the rows of each word begin, and at the end the number of rows. Each word must
    have at least one row. If each has exactly one, `values` itself is returned, not a copy.
    """
    if len(starts) - 1 == len(values):
        return values
    return np.add.reduceat(values, starts[:-1], axis=0)
