"""The order in which trees are visited: preorder, each word after its head and followed by its subtree."""

import numpy as np
from numba import njit

from stickbreaker.kernels.math import OPTIONS


@njit(**OPTIONS)
def heads_first(starts, heads, tokens_out, heads_out):
    """Put the tokens of sentences in preorder, as nodes.

    Filled: tokens_out (nodes), the token at each node; heads_out (nodes), the index of its head among the
    nodes of its sentence, -1 for a root. Sentence s has the tokens starts[s] to starts[s + 1] - 1; starts has
    one entry more than there are sentences. heads (tokens) are positions in the sentence, -1 for roots.
    Dependents of a head stay in the order of the text.
    """
    longest = 1
    for s in range(len(starts) - 1):
        longest = max(longest, starts[s + 1] - starts[s])
    below, following = np.empty(longest + 1, np.int64), np.empty(longest, np.int64)
    node_of, waiting = np.empty(longest, np.int64), np.empty(longest + 1, np.int64)
    for s in range(len(starts) - 1):
        first = starts[s]
        n = starts[s + 1] - first
        below[: n + 1] = -1  # the first dependent of each word; last: the first root
        for back in range(n):
            word = n - 1 - back
            head = heads[first + word] if heads[first + word] >= 0 else n
            following[word], below[head] = below[head], word
        node, depth = first, 0
        waiting[0] = below[n]
        while depth >= 0:
            word = waiting[depth]
            if word < 0:
                depth -= 1
                continue
            waiting[depth] = following[word]
            head = heads[first + word]
            tokens_out[node] = first + word
            heads_out[node] = node_of[head] if head >= 0 else -1
            node_of[word] = node - first
            node += 1
            depth += 1
            waiting[depth] = below[word]
