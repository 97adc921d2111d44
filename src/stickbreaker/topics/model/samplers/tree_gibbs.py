"""Exact collapsed Gibbs sampling of topics over trees of concepts."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.topics import purposes
from stickbreaker.topics.kernels.samplers.tree_gibbs import (
    Places,
    Tree,
    TreeCounts,
    add_places,
    sweep_tree,
    sweep_tree_lists,
)
from stickbreaker.topics.model.priors.dirichlet import DirichletPrior
from stickbreaker.topics.model.samplers.collapsed import CollapsedChain
from stickbreaker.topics.model.samplers.gibbs import FEW_TOPICS, in_document_order, visits_of
from stickbreaker.topics.model.samplers.mean_counts import Arrays
from stickbreaker.topics.model.samplers.tokens import TokensInOrder
from stickbreaker.topics.model.vocabularies.concepts import ConceptVocabulary


class TreeGibbs(CollapsedChain):
    """LDA's exact chain with a tree of concepts: draws the topic and the path of every token (Zhai 2014,
    section 5.2).

    theta and the distributions pi over each node's children are integrated out. `assignments`: the initial
    topics of `tokens`, in document order; token i starts with path i modulo the number of its word's paths.
    Sweeps are sequential and use one thread.
    """

    def __init__(
        self,
        tokens: TokensInOrder,
        assignments: NDArray[np.integer],
        documents: DirichletPrior,
        words: ConceptVocabulary,
        seed: int,
    ) -> None:
        super().__init__(tokens, documents, words, seed)
        self._slot, self._few = words, documents.n_topics <= FEW_TOPICS
        tree, eta = words.tree, words.eta
        way_starts, ways = tree.above
        priors = eta * tree.sizes, eta * tree.edge_sizes, eta * tree.node_sizes
        self._tree = Tree(tree.starts, tree.groups, way_starts, ways, tree.sources, *priors)
        groups = np.zeros(tokens.n_words, np.int32)  # not needed: the groups of paths are used
        self._visits = visits_of(tokens, groups, documents.n_topics if self._few else None)
        self._n_paths = np.diff(tree.starts)[tokens.words]  # paths of each token's word
        self._place(assignments, np.arange(len(tokens.words)) % self._n_paths)

    def sweep(self, number: int, threads: int) -> None:
        keys = numbered_keys(self._seed, purposes.GIBBS, number, np.arange(len(self._visits)))
        kernel = sweep_tree if self._few else sweep_tree_lists
        for visit, key, places in zip(self._visits, keys, self._by_visit, strict=True):
            kernel(visit.block, self._tree, self._alpha, key, self._counts, places)

    def counts(self) -> NDArray[np.int32]:
        return self._counts.leaves

    def _word_terms(self) -> float:
        """log p(w, y | z, eta) of words w and their paths y, in nats: a Dirichlet-multinomial of choices for
        each node.
        """
        counts, tree = self._counts, self._tree
        nats = -_gains(counts.nodes, tree.node_priors)
        return nats + _gains(counts.leaves, tree.leaf_priors) + _gains(counts.edges, tree.edge_priors)

    def _state_arrays(self) -> Arrays:
        """The state as arrays of a snapshot: topics and paths in document order, and the params that are
        learned.
        """
        most = int(self._n_paths.max(initial=1))
        paths = self._in_order([places.paths for places in self._by_visit])
        return {
            "assignments": self._assignments(),
            "paths": paths.astype(np.uint8 if most <= 2**8 else np.int32),
            **self._hyperparameters(),
        }

    def _take_state(self, arrays: Arrays) -> None:
        paths = arrays["paths"].astype(np.int64)
        if paths.shape != self._n_paths.shape or not ((paths >= 0) & (paths < self._n_paths)).all():
            raise ValueError("paths belong to other words")
        self._place(arrays["assignments"], paths)
        self._take_hyperparameters(arrays)

    def _place(self, assignments: NDArray[np.integer], paths: NDArray[np.integer]) -> None:
        """Set the topics and paths of all tokens, given in document order, and recompute the counts."""
        self._checked(assignments)
        n_topics = self._documents.n_topics
        self._by_visit = [
            Places(*(given[visit.tokens][visit.order].astype(np.int32) for given in (assignments, paths)))
            for visit in self._visits
        ]
        tree = self._tree
        sizes = len(tree.groups), len(tree.sources), len(tree.node_priors)
        self._counts = TreeCounts(*(np.zeros((size, n_topics), np.int32) for size in sizes))
        for visit, places in zip(self._visits, self._by_visit, strict=True):
            add_places(visit.block, tree, places, self._counts)

    def _totals(self) -> NDArray[np.int64]:
        return self._counts.nodes[: self._slot.tree.n_groups].astype(np.int64)

    def _topics(self) -> NDArray[np.int32]:
        return self._in_order([places.topics for places in self._by_visit])

    def _in_order(self, by_visit: list[NDArray[np.int32]]) -> NDArray[np.int32]:
        return in_document_order(self._visits, by_visit, len(self._tokens.words))


def _gains(counts: NDArray[np.int32], priors: NDArray[np.float64]) -> float:
    """The sum of log Gamma(n + beta) - log Gamma(beta) over all positive counts n (rows × topics), in nats;
    priors (rows): beta.
    """
    rows, columns = np.nonzero(counts)
    used, own = counts[rows, columns], priors[rows]
    return float((gammaln(used + own) - gammaln(own)).sum())
