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
    """Leaves are paths that end in a word, by word and then by node; a node with leaves is their group.

    `starts` (words + 1): first leaf of each word. `groups`, `sizes` (leaves): the node of each, and its prior
    in units of eta. `sources`, `edge_sizes` (edges): the node that chooses each edge, and its prior.
    `entrances` (nodes): the edge that leads to each, -1 where there is none above. `names` (nodes): of its
    concept, "" of nodes that are of none. `edge_names` (edges): the concept that one enters by it, or "".
    Nodes with leaves come first.

    Of the `given` concepts `concepts` tie words, `apart` of them in single languages; `lacking` would, had
    they words in all of `languages` (none if there is one). `unknown` are words of concepts that the
    vocabulary lacks. `spare` are languages whose tokens reach words of concepts by themselves too, since all
    their words are of concepts.
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
        """How many of the concepts tie words."""
        apart = f", {self.apart:,} of them in single languages" if self.apart else ""
        return f"{self.concepts:,} of {self.given:,} tie words of the corpus{apart}"

    def remarks(self) -> list[str]:
        """What a user may not expect of the tree, a line each: nothing if all words are tied as given."""
        lines: list[str] = []
        if self.lacking:
            every = ", ".join(self.languages)
            lines.append(f"{self.lacking:,} tie nothing, for want of words in all of {every}")
        if self.unknown:
            some = ", ".join(map(shown, self.unknown[:3])) + (", …" if len(self.unknown) > 3 else "")
            words = "word of them is" if len(self.unknown) == 1 else "words of them are"
            lines.append(f"{len(self.unknown):,} {words} not in the corpus: {some}")
        lines += [
            f"all words of {code} are of concepts; they are reached by themselves too" for code in self.spare
        ]
        return lines

    @cached_property
    def n_groups(self) -> int:
        """Nodes with leaves."""
        return int(self.groups.max(initial=0)) + 1

    @cached_property
    def words(self) -> NDArray[np.int64]:
        """The word of each leaf."""
        return np.repeat(np.arange(self.n_words), np.diff(self.starts))

    @cached_property
    def meanings(self) -> NDArray[np.int64]:
        """A number for each leaf that those of one concept share, and words of none have for themselves."""
        named = np.array([name != "" for name in self.names])[self.groups]
        meanings = np.where(named, self.entrances[self.groups], len(self.sources) + self.words)
        return np.unique(meanings, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def node_sizes(self) -> Array:
        """Prior of all choices of each node, in units of eta."""
        sizes = np.bincount(self.groups, self.sizes, len(self.entrances))
        return np.asarray(sizes + np.bincount(self.sources, self.edge_sizes, len(self.entrances)), np.float64)

    @cached_property
    def alone(self) -> NDArray[np.bool_]:
        """Nodes with one choice."""
        choices = np.bincount(self.groups, minlength=len(self.entrances))
        return choices + np.bincount(self.sources, minlength=len(self.entrances)) == 1

    @cached_property
    def above(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The edges on the way to each group, from the top: where each group's begin, and the edges."""
        ways: list[tuple[int, ...]] = []

        def way(node: int) -> tuple[int, ...]:
            edge = int(self.entrances[node])
            return () if edge == NO_EDGE else (*way(int(self.sources[edge])), edge)

        ways = [way(node) for node in range(self.n_groups)]
        starts = np.cumsum([0, *map(len, ways)])
        return starts, np.array([edge for one in ways for edge in one], np.int32)

    @cached_property
    def incidence(self) -> "csr_array":
        """Which edges lie above which groups (edges × groups)."""
        from scipy.sparse import csr_array

        starts, edges = self.above
        groups = np.repeat(np.arange(self.n_groups), np.diff(starts))
        return csr_array((np.ones(len(edges)), (edges, groups)), shape=(len(self.sources), self.n_groups))

    @cached_property
    def by_source(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Edges by the node that chooses them, and where each such node's begin."""
        order = np.argsort(self.sources, kind="stable")
        return order, np.flatnonzero(np.diff(self.sources[order], prepend=-1))

    def passing(self, totals: Array) -> tuple[Array, Array]:
        """Tokens that take each edge, and that come by each node (edges, nodes × columns), given those of
        each group."""
        edges = np.asarray(self.incidence @ totals)
        nodes = np.zeros((len(self.entrances), totals.shape[1]))
        nodes[: self.n_groups] = totals
        order, firsts = self.by_source
        if len(order):
            nodes[self.sources[order[firsts]]] += np.add.reduceat(edges[order], firsts, axis=0)
        return edges, nodes
