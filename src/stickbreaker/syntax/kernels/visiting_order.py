"""The order in which trees are visited: each word after its head, and all that hangs below it next."""

import numpy as np
from numba import njit

from stickbreaker.kernels.math import OPTIONS


@njit(**OPTIONS)
def heads_first(starts, heads, tokens_out, heads_out):
    """tokens_out (nodes): which token each node is; heads_out (nodes): its head's place in its sentence's
    nodes, or -1.

    Sentences are tokens starts[s] to starts[s + 1] (sentences + 1); heads (tokens) are places in the
    sentence, -1 of roots. What has one head is in the order of the text.
    """
    longest = 1
    for s in range(len(starts) - 1):
        longest = max(longest, starts[s + 1] - starts[s])
    below, following = np.empty(longest + 1, np.int64), np.empty(longest, np.int64)
    node_of, waiting = np.empty(longest, np.int64), np.empty(longest + 1, np.int64)
    for s in range(len(starts) - 1):
        first = starts[s]
        n = starts[s + 1] - first
        below[: n + 1] = -1  # the first word below each; last: the first root
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
