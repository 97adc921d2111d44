"""The trees of a corpus as nodes in preorder."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.corpus.sequences import Trees
from stickbreaker.syntax.kernels.tree_topics import Nodes
from stickbreaker.syntax.kernels.visiting_order import heads_first


class OrderedTrees(NamedTuple):
    """The words of documents as nodes in preorder, with the token, document and tag of each node."""

    nodes: Nodes
    tokens: NDArray[np.int64]  # (nodes,) the token of each node, by position in the corpus
    documents: NDArray[np.int64]  # (nodes,) the document of each node
    tags: NDArray[np.int32]  # (nodes,) the tag of each node, by number
    n_tags: int

    @property
    def n_documents(self) -> int:
        return len(self.nodes.offsets) - 1

    def slice(self, start: int, stop: int) -> Nodes:
        """The nodes of the documents from number `start` to `stop` - 1, with offsets from 0."""
        first, last = self.nodes.offsets[start], self.nodes.offsets[stop]
        offsets = self.nodes.offsets[start : stop + 1] - first
        return Nodes(offsets, self.nodes.words[first:last], self.nodes.heads[first:last])


def ordered_trees(trees: Trees) -> OrderedTrees:
    """Put the words of documents in preorder, heads first, as kernels need them.

    Dependents of a head stay in the order of the text.

    >>> heads, tags = np.array([2, 0, -1], np.int32), np.zeros(3, np.int32)
    >>> words = np.array([5, 6, 7], np.int32)
    >>> text = Trees(np.array([0, 3]), words, np.array([0]), heads, tags, ("x",))
    >>> found = ordered_trees(text)
    >>> found.nodes.words.tolist(), found.nodes.heads.tolist()
    ([7, 5, 6], [-1, 0, 1])
    """
    n = len(trees.words)
    starts = np.append(trees.starts, n).astype(np.int64)
    tokens, places = np.empty(n, np.int64), np.empty(n, np.int32)
    heads_first(starts, trees.heads, tokens, places)
    documents = np.repeat(np.arange(len(trees.offsets) - 1), np.diff(trees.offsets))
    shift = np.repeat(starts[:-1], np.diff(starts)) - trees.offsets[documents]
    heads = np.where(places < 0, -1, places + shift).astype(np.int32)
    nodes = Nodes(trees.offsets.astype(np.int64), trees.words[tokens], heads)
    return OrderedTrees(nodes, tokens, documents, trees.tags[tokens], len(trees.tag_names))
