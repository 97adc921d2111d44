"""A toy: words below concepts. A table with several rows a word, and as many groups as there are concepts.

A tree of concepts says words: from the root one goes to a child or says one of the concept's own words, until
a word is said. A word may stand below several concepts, so that it has several paths. Rows of the table are
leaves (concept and word), groups are concepts, columns components of a mixture in which every document has
one component. Edges need no counts of their own: those of an edge are the sums of the groups below it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from stickbreaker.contracts.contract import (
    Counts,
    Index,
    Local,
    Model,
    Score,
    Step,
    Summary,
    TableSpec,
)
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array, Field, Record, Rows, Stats
from stickbreaker.corpus.shards import Bags, Shard


class Paths(NamedTuple):
    """What a local step sees: probabilities of the paths that end in some rows (rows × components)."""

    weights: Array
    rows: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ConceptWords(Model):
    """EM of a mixture of trees under Dirichlet(1 + eta) priors: probabilities are (eta + counts) / size.

    `parents` (concepts): a parent's number is below its children's, the root's is -1. `concepts` and `words`
    (leaves): where each word stands, a word's leaves together, words ascending. `components`: columns.
    """

    parents: NDArray[np.int32]
    concepts: NDArray[np.int32]
    words: NDArray[np.int64]
    components: int = 1
    eta: float = 0.5

    @property
    def table(self) -> TableSpec:  # type: ignore[override]
        return TableSpec("leaves", "components", groups=self.concepts)

    def n_columns(self, params: Record) -> int:
        return self.components

    def start(self) -> Record:
        return {}

    def seed(self, keys: Sequence[str], tokens: float, seed: int) -> Array:
        return stream(seed, "concept words").gamma(1.0, 1.0, (len(self.words), self.components))

    def reads(self, shard: Shard[Any], index: Index) -> NDArray[np.int64]:
        """All leaves of the shard's words."""
        first, last = (np.searchsorted(self.words, shard.rows, side) for side in ("left", "right"))
        return np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)])

    @cached_property
    def levels(self) -> list[NDArray[np.int64]]:
        """Concepts by their depth, without the root."""
        depth = np.zeros(len(self.parents), np.int64)
        for concept, parent in enumerate(self.parents[1:].tolist(), 1):
            depth[concept] = depth[parent] + 1
        return [np.flatnonzero(depth == d) for d in range(1, int(depth.max()) + 1)]

    def passing(self, totals: Array) -> tuple[Array, Array]:
        """Tokens that pass through each concept, and the size that it divides by (concepts × components)."""
        through = totals.copy()
        for level in reversed(self.levels):
            np.add.at(through, self.parents[level], through[level])
        choices = np.bincount(self.concepts, minlength=len(through)) + np.bincount(
            self.parents[1:], minlength=len(through)
        )
        return through, through + self.eta * choices[:, None]

    def log_edges(self, totals: Array) -> Array:
        """log p(concept | its parent), 0 of the root (concepts × components)."""
        through, sizes = self.passing(totals)
        logs = np.log(self.eta + through) - np.log(sizes[self.parents])
        logs[0] = 0.0
        return logs

    def expectations(
        self, params: Record, counts: Counts, totals: Array, rows: NDArray[np.int64] | None
    ) -> Paths:
        assert isinstance(counts, np.ndarray)
        logs = self.log_edges(totals)
        for level in self.levels:
            logs[level] += logs[self.parents[level]]
        places = np.arange(len(counts)) if rows is None else rows
        own = self.concepts[places]
        return Paths((self.eta + counts) / self.passing(totals)[1][own] * np.exp(logs[own]), places)

    def local_step(
        self, view: Paths, shard: Shard[Bags], local: Local | None, seed: int
    ) -> tuple[Local, Stats]:
        """Each document's component, then a word's tokens shared among its paths by their probabilities."""
        paths = view.weights[np.searchsorted(view.rows, shard.rows)]
        words = np.unique(self.words[shard.rows], return_inverse=True)[1]  # of each row, the shard's number
        weights = np.zeros((words.max(initial=-1) + 1, self.components))
        np.add.at(weights, words, paths)
        documents = np.repeat(np.arange(shard.n_documents), np.diff(shard.content.offsets))
        logs = np.full((shard.n_documents, self.components), -np.log(self.components))
        entries = shard.content.words, shard.content.counts.astype(np.float64)[:, None]
        np.add.at(logs, documents, entries[1] * np.log(weights[entries[0]]))
        evidence = np.asarray(logsumexp(logs, axis=1, keepdims=True))
        shares, tokens = np.exp(logs - evidence), np.zeros_like(weights)
        np.add.at(tokens, entries[0], entries[1] * shares[documents])
        stats = Stats(
            rows=Rows(shard.rows, tokens[words] * paths / weights[words]),
            score=float(evidence.sum()),
            documents=float(shard.n_documents),
            tokens=float(entries[1].sum()),
        )
        return {"shares": Field(shares, ("documents", "components"))}, stats

    def summary(self, params: Record, counts: Counts, first: int) -> Summary:
        """Prior of the leaves, but for the sizes that they are divided by."""
        assert isinstance(counts, np.ndarray)
        return {"leaves": np.log(self.eta + counts).sum(axis=0)}

    def global_step(
        self, params: Record, stats: Stats, totals: Array, summary: Summary | None, step: Step
    ) -> Record:
        return params

    def score(self, params: Record, stats: Stats, totals: Array, summary: Summary) -> Score:
        """log p(words | tree) and the log density of the tree up to a constant: what EM climbs."""
        leaves = np.bincount(self.concepts, minlength=len(totals))[:, None]
        sizes = (leaves * np.log(self.passing(totals)[1])).sum()
        prior = summary["leaves"].sum() - sizes + self.log_edges(totals).sum()
        return Score(stats.score + self.eta * float(prior), stats.tokens)
