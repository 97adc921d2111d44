"""A tree of concepts over the words of a vocabulary, as flat arrays.

Nodes choose among words and among edges to nodes below. Where several languages share a node's edge, the
nodes that it leads to are one a language: a token goes on in its own. What several languages choose by, each
of them can choose all of, so that words of each language have probabilities that sum to one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.corpus.vocabulary import Vocabulary, tagged
from stickbreaker.models.topics.vocabularies.concept_tree import Concept, ConceptTree

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
    Nodes with leaves come first. `concepts` were tied, `apart` of them in single languages. `unknown` are
    words of concepts that the vocabulary lacks. `spare` are languages whose tokens reach words of concepts by
    themselves too, since all their words are of concepts.
    """

    starts: NDArray[np.int64]
    groups: NDArray[np.int32]
    sizes: Array
    sources: NDArray[np.int32]
    edge_sizes: Array
    entrances: NDArray[np.int32]
    names: tuple[str, ...]
    edge_names: tuple[str, ...]
    concepts: int = 0
    unknown: tuple[str, ...] = ()
    apart: int = 0
    spare: tuple[str, ...] = ()

    @property
    def n_words(self) -> int:
        return len(self.starts) - 1

    @property
    def n_leaves(self) -> int:
        return len(self.groups)

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


def compiled(tree: ConceptTree, vocabulary: Vocabulary) -> CompiledTree:
    """The tree over the words of a vocabulary; words of no concept stand by themselves.

    A language's words that a concept lacks in the vocabulary are passed over. A concept that is of one word,
    or of none, ties nothing. One without a word of some language is tied in each single language that it has.
    Raises UserError where no concept ties any words.
    """
    rows = _Rows(tree, vocabulary)
    builder = _Builder(rows, tree.strength)
    builder.build()
    if not builder.tied:
        remedy = "see that words are spelled as the vocabulary has them, with the codes of its languages"
        raise UserError(
            f"none of {len(tree.concepts):,} concepts has two words of the vocabulary", remedy=remedy
        )
    return builder.result(len(vocabulary))


class _Rows:
    """Concepts with the rows of their words by language, and the kinds of each."""

    def __init__(self, tree: ConceptTree, vocabulary: Vocabulary) -> None:
        self.ranges = vocabulary.ranges or {"": slice(0, len(vocabulary))}
        self.languages = tuple(self.ranges)
        self.named = tree.named()
        self.kinds: dict[str | None, list[str]] = {}
        codes = {code for concept in self.named.values() for code in concept.words}
        only = next(iter(codes)) if len(codes) == 1 else ""  # of a tree in one language, whatever its code
        self.words: dict[str, dict[str, list[int]]] = {}
        self.unknown: list[str] = []
        for name, concept in self.named.items():
            self.kinds.setdefault(concept.parent, []).append(name)
            self.words[name] = self._found(concept, vocabulary, only)
        self._below: dict[str, dict[str, set[int]]] = {}

    def _found(self, concept: Concept, vocabulary: Vocabulary, only: str) -> dict[str, list[int]]:
        index, found = vocabulary.index, dict[str, list[int]]()
        for code in self.languages:
            if code == "":
                spelled = concept.words.get(only, ())
            else:
                spelled = [tagged(code, word) for word in concept.words.get(code, ())]
                own = (word for word in concept.words.get("", ()) if word.startswith(f"{code}:"))
                spelled = dict.fromkeys([*spelled, *own])
            rows = [index[word] for word in spelled if word in index]
            self.unknown += [word for word in spelled if word not in index]
            if rows:
                found[code] = rows
        return found

    def below(self, name: str) -> dict[str, set[int]]:
        """The words of a concept and of all its kinds, by language."""
        if name not in self._below:
            found = {code: set(rows) for code, rows in self.words[name].items()}
            for kind in self.kinds.get(name, ()):
                for code, rows in self.below(kind).items():
                    found.setdefault(code, set()).update(rows)
            self._below[name] = found
        return self._below[name]


@dataclass
class _Builder:
    """Makes nodes, edges and leaves, from the top."""

    rows: _Rows
    strength: float
    node_edges: list[int] = field(default_factory=list[int])
    names: list[str] = field(default_factory=list[str])
    factors: list[float] = field(default_factory=list[float])
    edges: list[tuple[int, float, str]] = field(default_factory=list[tuple[int, float, str]])
    leaves: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])  # word, node
    tied: set[str] = field(default_factory=set[str])
    apart: set[str] = field(default_factory=set[str])
    spare: set[str] = field(default_factory=set[str])

    def build(self) -> None:
        """The whole tree: concepts, and by language the words of none."""
        rows = self.rows
        several = [name for name in rows.kinds.get(None, ()) if sum(map(len, rows.below(name).values())) > 1]
        met: dict[str, set[int]] = {code: set() for code in rows.languages}
        for name in several:
            for code, own in rows.below(name).items():
                met[code] |= own
        own_words = {
            code: [row for row in range(part.start, part.stop) if row not in met[code]]
            for code, part in rows.ranges.items()
        }
        self.region(NO_EDGE, "", rows.languages, several, own_words, 1.0)

    def region(
        self,
        edge: int,
        name: str,
        languages: Sequence[str],
        concepts: Sequence[str],
        words: Mapping[str, Iterable[int]],
        factor: float,
    ) -> None:
        """What an edge leads to: some concepts, and words by language."""
        own = {code: list(words.get(code, ())) for code in languages}
        shared = [one for one in concepts if all(code in self.rows.below(one) for code in languages)]
        single: dict[str, list[str]] = {code: [] for code in languages}
        for one in concepts if len(shared) < len(concepts) else ():
            if one in shared:
                continue
            for code, below in self.rows.below(one).items():
                if code in own and (len(below) > 1 or name):
                    single[code].append(one)
                    self.apart.add(one)
                elif code in own:
                    own[code] += [row for row in below if row not in own[code]]
        if len(languages) == 1:
            self.choice(edge, name, languages[0], shared, own[languages[0]], factor)
            return
        alone = any(own.values()) or any(single.values())
        if shared and alone:
            for code in languages:
                if not own[code] and not single[code]:
                    self.spare.add(code)
                    own[code] = sorted(set().union(*(self.rows.below(one)[code] for one in shared)))
            top = self.node(edge, name, factor)
            mean = np.mean([len(own[code]) + self.size(single[code], (code,)) for code in languages])
            inner = self.edge(top, self.size(shared, languages) * factor)
            outer = self.edge(top, float(mean) * factor)
        else:
            inner = outer = edge
        if shared:
            node = self.node(inner, name, factor)
            for one in shared:
                self.concept(node, one, languages, factor)
        for code in languages if alone else ():
            self.choice(outer, name, code, single[code], own[code], factor)

    def choice(
        self, edge: int, name: str, code: str, concepts: Sequence[str], words: Sequence[int], factor: float
    ) -> None:
        """A node of one language, which chooses among concepts and words."""
        node = self.node(edge, name, factor)
        self.leaves += [(row, node) for row in words]
        for one in concepts:
            self.concept(node, one, (code,), factor)

    def concept(self, node: int, name: str, languages: Sequence[str], factor: float) -> None:
        """A concept below a node, for tokens of some languages."""
        self.tied.add(name)
        edge = self.edge(node, self.size((name,), languages) * factor, name)
        words = {code: self.rows.words[name].get(code, ()) for code in languages}
        kinds = [
            kind for kind in self.rows.kinds.get(name, ()) if set(self.rows.below(kind)) & set(languages)
        ]
        self.region(edge, name, languages, kinds, words, self.strength)

    def size(self, concepts: Iterable[str], languages: Sequence[str]) -> float:
        """Words of some concepts, a language on average."""
        below = [self.rows.below(one) for one in concepts]
        return sum(len(own.get(code, ())) for own in below for code in languages) / len(languages)

    def node(self, edge: int, name: str, factor: float) -> int:
        self.node_edges.append(edge)
        self.names.append(name)
        self.factors.append(factor)
        return len(self.node_edges) - 1

    def edge(self, source: int, size: float, name: str = "") -> int:
        """An edge from a node, with its prior, to a concept of this name or to none."""
        self.edges.append((source, size, name))
        return len(self.edges) - 1

    def result(self, n_words: int) -> CompiledTree:
        """The arrays, nodes with leaves first."""
        leaves = np.array(sorted(set(self.leaves)), np.int64).reshape(-1, 2)
        bearing = np.zeros(len(self.node_edges), np.bool_)
        bearing[leaves[:, 1]] = True
        order = np.argsort(~bearing, kind="stable")
        numbers = np.empty(len(order), np.int32)
        numbers[order] = np.arange(len(order), dtype=np.int32)
        groups = numbers[leaves[:, 1]]
        by_word = np.lexsort((groups, leaves[:, 0]))
        sources = np.array([source for source, _, _ in self.edges], np.int64)
        return CompiledTree(
            starts=np.searchsorted(leaves[by_word, 0], np.arange(n_words + 1)),
            groups=groups[by_word],
            sizes=np.array(self.factors)[leaves[by_word, 1]],
            sources=numbers[sources],
            edge_sizes=np.array([size for _, size, _ in self.edges], np.float64),
            entrances=np.array(self.node_edges, np.int32)[order],
            names=tuple(self.names[node] for node in order.tolist()),
            edge_names=tuple(name for _, _, name in self.edges),
            concepts=len(self.tied),
            unknown=tuple(dict.fromkeys(self.rows.unknown)),
            apart=len(self.apart),
            spare=tuple(sorted(self.spare)),
        )
