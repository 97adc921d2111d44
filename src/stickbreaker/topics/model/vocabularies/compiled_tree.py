"""A tree of concepts over the words of a vocabulary, as flat arrays."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import shown
from stickbreaker.core.records import Array

if TYPE_CHECKING:
    from scipy.sparse import csr_array

NO_EDGE = -1


@dataclass(frozen=True, eq=False)
class CompiledTree:
    """A tree of concepts over a vocabulary: its leaves are paths to words, sorted by word, then node.

    `starts` (words + 1): first leaf of each word. `groups`, `sizes` (leaves): the node above each, and its
    prior in units of eta. A node with leaves is called a group; groups have the first numbers among nodes.
    `sources`, `edge_sizes` (edges): the parent node of each edge, and its prior. `entrances` (nodes): the
    edge that leads to each; -1 for the root. `names` (nodes): the node's concept, or "". `edge_names`
    (edges): the concept to which the edge leads, or "".

    For remarks to users, numbers of concepts: `given`, all; `concepts`, those that tie words; `apart`, those
    that do so only within single languages; `lacking`, those that tie none because they lack words in some of
    `languages` (empty if there is one). `unknown`: words of concepts that the vocabulary lacks. `spare`:
    languages whose words all belong to concepts; their tokens can also reach these words directly.
    """

    starts: NDArray[np.int64]
    groups: NDArray[np.int32]
    sizes: Array
    sources: NDArray[np.int32]
    edge_sizes: Array
    entrances: NDArray[np.int32]
    names: tuple[str, ...]
    edge_names: tuple[str, ...]
    given: int = 0
    concepts: int = 0
    apart: int = 0
    lacking: int = 0
    languages: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    spare: tuple[str, ...] = ()

    @property
    def n_words(self) -> int:
        return len(self.starts) - 1

    @property
    def n_leaves(self) -> int:
        return len(self.groups)

    def coverage(self) -> str:
        """A phrase for users about how many concepts tie words: "3 of 5 tie words of the corpus"."""
        apart = f", {self.apart:,} of them in single languages" if self.apart else ""
        return f"{self.concepts:,} of {self.given:,} tie words of the corpus{apart}"

    def remarks(self) -> list[str]:
        """Phrases for users about words that are not tied as the concepts say; an empty list if all are."""
        lines: list[str] = []
        if self.lacking:
            every = ", ".join(self.languages)
            lines.append(f"{self.lacking:,} tie nothing, for lack of words in all of {every}")
        if self.unknown:
            some = ", ".join(map(shown, self.unknown[:3])) + (", …" if len(self.unknown) > 3 else "")
            words = "word of them is" if len(self.unknown) == 1 else "words of them are"
            lines.append(f"{len(self.unknown):,} {words} not in the corpus: {some}")
        lines += [
            f"all words of {code} belong to concepts; they can also be reached directly"
            for code in self.spare
        ]
        return lines

    @cached_property
    def n_groups(self) -> int:
        """The number of nodes that have leaves."""
        return int(self.groups.max(initial=0)) + 1

    @cached_property
    def words(self) -> NDArray[np.int64]:
        """The number of the word to which each leaf is a path (leaves)."""
        return np.repeat(np.arange(self.n_words), np.diff(self.starts))

    @cached_property
    def meanings(self) -> NDArray[np.int64]:
        """A number for each leaf's meaning (leaves, from 0): leaves of the same concept share it; words
        without a concept have their own.

        A concept whose languages are reached by separate edges has one number per edge.
        """
        named = np.array([name != "" for name in self.names])[self.groups]
        meanings = np.where(named, self.entrances[self.groups], len(self.sources) + self.words)
        return np.unique(meanings, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def node_sizes(self) -> Array:
        """The sum of the prior over all choices of each node (nodes), in units of eta."""
        sizes = np.bincount(self.groups, self.sizes, len(self.entrances))
        return np.asarray(sizes + np.bincount(self.sources, self.edge_sizes, len(self.entrances)), np.float64)

    @cached_property
    def alone(self) -> NDArray[np.bool_]:
        """Whether each node has only one choice (leaf or edge), which is then certain (nodes, true or
        false).
        """
        choices = np.bincount(self.groups, minlength=len(self.entrances))
        return choices + np.bincount(self.sources, minlength=len(self.entrances)) == 1

    @cached_property
    def above(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The edges on the way from the root to each group (a node with leaves), from the top.

        Returns where the edges of each group begin (groups + 1), and the edges of all groups, one after the
        other.
        """
        ways: list[tuple[int, ...]] = []

        def way(node: int) -> tuple[int, ...]:
            edge = int(self.entrances[node])
            return () if edge == NO_EDGE else (*way(int(self.sources[edge])), edge)

        ways = [way(node) for node in range(self.n_groups)]
        starts = np.cumsum([0, *map(len, ways)])
        return starts, np.array([edge for one in ways for edge in one], np.int32)

    @cached_property
    def incidence(self) -> "csr_array":
        """A sparse matrix (edges × groups) that is 1 for each edge on the way from the root to a group, a
        node with leaves.
        """
        from scipy.sparse import csr_array

        starts, edges = self.above
        groups = np.repeat(np.arange(self.n_groups), np.diff(starts))
        return csr_array((np.ones(len(edges)), (edges, groups)), shape=(len(self.sources), self.n_groups))

    @cached_property
    def by_source(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The numbers of all edges, sorted by parent node, and the positions at which a new parent begins."""
        order = np.argsort(self.sources, kind="stable")
        return order, np.flatnonzero(np.diff(self.sources[order], prepend=-1))

    def passing(self, totals: Array) -> tuple[Array, Array]:
        """The tokens that pass each edge (edges × columns) and each node (nodes × columns), from those at the
        leaves.

        totals (groups × columns): tokens at the leaves of each group, a node with leaves.
        """
        edges = np.asarray(self.incidence @ totals)
        nodes = np.zeros((len(self.entrances), totals.shape[1]))
        nodes[: self.n_groups] = totals
        order, firsts = self.by_source
        if len(order):
            nodes[self.sources[order[firsts]]] += np.add.reduceat(edges[order], firsts, axis=0)
        return edges, nodes
