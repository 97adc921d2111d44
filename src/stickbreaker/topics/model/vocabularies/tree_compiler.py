"""Compiles concepts and a vocabulary to a tree over its words.

Nodes choose among words and edges to lower nodes. If several languages share an edge, it leads to one node
per language, and a token continues in its own. Every choice of a shared node is possible for each of its
languages, so that the words of each language have probabilities that sum to one.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.vocabulary import Vocabulary, language_of, tagged
from stickbreaker.topics.model.vocabularies.compiled_tree import NO_EDGE, CompiledTree
from stickbreaker.topics.model.vocabularies.concept_tree import Concept, ConceptTree


def compiled(tree: ConceptTree, vocabulary: Vocabulary) -> CompiledTree:
    """Compile concepts to a tree over the words of a vocabulary; words without concepts hang below its root.

    Words of concepts that the vocabulary lacks are ignored. A concept with one word or none ties nothing. If
    a concept lacks words of some language, its words are tied only within single languages, those with two or
    more. Raises UserError if no concept ties any words.
    """
    rows = _Rows(tree, vocabulary)
    builder = _Builder(rows, tree.strength)
    builder.build()
    if builder.tied:
        return builder.result(len(vocabulary))
    every = ", ".join(vocabulary.languages)
    if any(rows.n_words(name) > 1 for name in rows.named):
        remedy = "use a corpus in the concepts' languages, or add words of the other languages to them"
        raise UserError(f"no concept has words in all of {every}", remedy=remedy)
    codes = ", ".join(sorted({code for concept in rows.named.values() for code in concept.words if code}))
    languages = f"{every or 'one language'} there{codes and f', {codes} in the concepts'}"
    raise UserError(
        f"none of {len(tree.concepts):,} concepts has two words of the vocabulary",
        remedy=f"check that words and languages are as in the vocabulary ({languages})",
    )


def _by_counts(tree: CompiledTree, counts: NDArray[np.float64]) -> CompiledTree:
    """The tree with the priors of concepts' own words in proportion to their counts, apart from 1 that each
    word keeps; their sum is the same. At strength 1 or less nothing changes.

    counts (leaves): NaN for words without; a node that has such words stays as it is.
    """
    least, sums = np.minimum(tree.sizes, 1.0), np.bincount(tree.groups, counts, tree.n_groups)
    spare = np.bincount(tree.groups, tree.sizes - least, tree.n_groups)
    each = np.divide(spare, sums, out=np.full(len(sums), np.nan), where=sums > 0.0)[tree.groups]
    return replace(tree, sizes=np.where(np.isnan(each), tree.sizes, least + counts * each))


class _Rows:
    """The concepts of a tree as the builder needs them: the vocabulary rows of their words by language, with
    the counts of some by concept and row, and their child concepts (`kinds`).
    """

    def __init__(self, tree: ConceptTree, vocabulary: Vocabulary) -> None:
        self.ranges = vocabulary.ranges or {"": slice(0, len(vocabulary))}
        self.languages = tuple(self.ranges)
        self.named = tree.named()
        self.kinds: dict[str | None, list[str]] = {}
        codes = {code for concept in self.named.values() for code in concept.words}
        only = next(iter(codes)) if len(codes) == 1 else ""  # of a tree in one language
        self.words: dict[str, dict[str, list[int]]] = {}
        self.counts: dict[tuple[str, int], float] = {}
        self.unknown: list[str] = []
        for name, concept in self.named.items():
            self.kinds.setdefault(concept.parent, []).append(name)
            self.words[name] = self._found(concept, vocabulary, only)
        self._below: dict[str, dict[str, set[int]]] = {}

    def _found(self, concept: Concept, vocabulary: Vocabulary, only: str) -> dict[str, list[int]]:
        """The vocabulary rows of a concept's words, by language; words that the vocabulary lacks are added to
        `unknown`.

        only: the language of the concepts if they have a single one, else "".
        """
        several, found = self.languages != ("",), dict[str, dict[int, None]]()
        for code, words in concept.words.items():
            foreign = not several and code not in ("", only)
            counts = (concept.counts or {}).get(code, (math.nan,) * len(words))
            for word, count in zip(words, counts, strict=True):
                spelled = tagged(code, word) if foreign or (several and code) else word
                row = None if foreign else vocabulary.index.get(spelled)
                if row is None:
                    self.unknown.append(spelled)
                else:
                    found.setdefault(language_of(spelled) if several else "", {})[row] = None
                    self.counts[concept.name, row] = count
        return {code: list(found[code]) for code in self.languages if code in found}

    def below(self, name: str) -> dict[str, set[int]]:
        """The vocabulary rows of the words of a concept and of all concepts below it, by language."""
        if name not in self._below:
            found = {code: set(rows) for code, rows in self.words[name].items()}
            for kind in self.kinds.get(name, ()):
                for code, rows in self.below(kind).items():
                    found.setdefault(code, set()).update(rows)
            self._below[name] = found
        return self._below[name]

    def n_words(self, name: str, languages: Iterable[str] | None = None) -> int:
        """The number of words of a concept and of all concepts below it, in these languages (None: all)."""
        below = self.below(name)
        return sum(len(below.get(code, ())) for code in languages or self.languages)


@dataclass
class _Builder:
    """Builds the nodes, edges and leaves of a `CompiledTree` from the root down.

    `strength`: the prior of a word in a concept, in units of eta. `node_edges`, `names`, `factors` (nodes):
    the edge that leads to each, its concept or "", and the prior of its leaves. `tied`, `apart`: concepts
    that tie words, and those of them that do so only within single languages; `spare`: see `CompiledTree`.
    """

    rows: _Rows
    strength: float
    node_edges: list[int] = field(default_factory=list[int])
    names: list[str] = field(default_factory=list[str])
    factors: list[float] = field(default_factory=list[float])
    edges: list[tuple[int, float, str]] = field(
        default_factory=list[tuple[int, float, str]]
    )  # source, prior per leaf, name
    leaves: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])  # word, node
    tied: set[str] = field(default_factory=set[str])
    apart: set[str] = field(default_factory=set[str])
    spare: set[str] = field(default_factory=set[str])

    def build(self) -> None:
        """Build the whole tree: concepts, and the words without concepts by language."""
        rows = self.rows
        several = [name for name in rows.kinds.get(None, ()) if rows.n_words(name) > 1]
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
        """Build the nodes below an edge, in which a token of one of these languages chooses among concepts
        and words.

        edge: NO_EDGE for the root; name: the concept that the edge leads to, or ""; words: vocabulary rows by
        language; factor: the prior of a word, in units of eta. If several languages share concepts, one node
        is built for these, and one per language for its own choices.
        """
        own = {code: list(words.get(code, ())) for code in languages}
        shared = [one for one in concepts if all(code in self.rows.below(one) for code in languages)]
        single: dict[str, list[str]] = {code: [] for code in languages}
        for one in concepts if len(shared) < len(concepts) else ():
            if one in shared:
                continue
            for code, below in self.rows.below(one).items():
                if code in own and (len(below) > 1 or name):
                    single[code].append(one)
                elif code in own:
                    own[code] += [row for row in below if row not in own[code]]
        if len(languages) == 1:
            self.choice(edge, name, languages[0], shared, own[languages[0]], factor)
            return
        alone = any(own.values()) or any(single.values())
        if shared and alone:
            for code in languages:
                if not own[code] and not single[code]:
                    self.spare |= {code} if edge == NO_EDGE else set()
                    own[code] = sorted(set().union(*(self.rows.below(one)[code] for one in shared)))
            top = self.node(edge, name, factor)
            inner, outer = (self.edge(top, languages, factor) for _ in range(2))
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
        """Build a node below an edge, in which tokens of language `code` choose among concepts and words."""
        node = self.node(edge, name, factor)
        self.leaves += [(row, node) for row in words]
        for one in concepts:
            self.concept(node, one, (code,), factor)

    def concept(self, node: int, name: str, languages: Sequence[str], factor: float) -> None:
        """Build the edge from a node to a concept and all below it, for tokens in these languages.

        factor: the edge's prior per leaf below it, in units of eta.
        """
        if self.rows.n_words(name, languages) > 1:
            self.tied.add(name)
            self.apart |= {name} if len(languages) < len(self.rows.languages) else set()
        edge = self.edge(node, languages, factor, name)
        words = {code: self.rows.words[name].get(code, ()) for code in languages}
        kinds = [
            kind for kind in self.rows.kinds.get(name, ()) if set(self.rows.below(kind)) & set(languages)
        ]
        self.region(edge, name, languages, kinds, words, self.strength)

    def node(self, edge: int, name: str, factor: float) -> int:
        self.node_edges.append(edge)
        self.names.append(name)
        self.factors.append(factor)
        return len(self.node_edges) - 1

    def edge(self, source: int, languages: Sequence[str], factor: float, name: str = "") -> int:
        """Add an edge below a node, for tokens of these languages; returns its number. name: the concept it
        leads to, or "".

        Its prior will be the mean number of leaves below it per language, times the factor.
        """
        self.edges.append((source, factor / len(languages), name))
        return len(self.edges) - 1

    def leaves_below(self, leaves: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of leaves below each edge (edges). leaves (leaves × 2): the word and the node of
        each.
        """
        nodes = np.bincount(leaves[:, 1], minlength=len(self.node_edges))
        edges = np.zeros(len(self.edges), np.int64)
        for node in reversed(range(len(self.node_edges))):  # children come later
            edge = self.node_edges[node]
            if edge != NO_EDGE:
                edges[edge] += nodes[node]
                nodes[self.edges[edge][0]] += nodes[node]
        return edges

    def result(self, n_words: int) -> CompiledTree:
        """The tree as arrays, in which nodes with leaves come first."""
        leaves = np.array(sorted(set(self.leaves)), np.int64).reshape(-1, 2)
        bearing = np.zeros(len(self.node_edges), np.bool_)
        bearing[leaves[:, 1]] = True
        order = np.argsort(~bearing, kind="stable")
        numbers = np.empty(len(order), np.int32)
        numbers[order] = np.arange(len(order), dtype=np.int32)
        groups = numbers[leaves[:, 1]]
        by_word = np.lexsort((groups, leaves[:, 0]))
        sources = np.array([source for source, _, _ in self.edges], np.int64)
        priors = np.array([prior for _, prior, _ in self.edges], np.float64)
        several = {name for name in self.rows.named if self.rows.n_words(name) > 1}
        leaves = leaves[by_word]
        named = [(self.names[node], word) for word, node in leaves.tolist()]
        counts = np.array([self.rows.counts.get(key, math.nan) for key in named], np.float64)
        tree = CompiledTree(
            starts=np.searchsorted(leaves[:, 0], np.arange(n_words + 1)),
            groups=groups[by_word],
            sizes=np.array(self.factors)[leaves[:, 1]],
            sources=numbers[sources],
            edge_sizes=priors * self.leaves_below(leaves),
            entrances=np.array(self.node_edges, np.int32)[order],
            names=tuple(self.names[node] for node in order.tolist()),
            edge_names=tuple(name for _, _, name in self.edges),
            given=len(self.rows.named),
            concepts=len(self.tied),
            apart=len(self.apart),
            lacking=len(several - self.tied),
            languages=tuple(code for code in self.rows.languages if code),
            unknown=tuple(dict.fromkeys(self.rows.unknown)),
            spare=tuple(sorted(self.spare)),
        )
        return tree if np.isnan(counts).all() else _by_counts(tree, counts)
