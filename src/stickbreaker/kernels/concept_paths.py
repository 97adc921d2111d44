"""From expected counts of the paths of a tree to the weights of words that the local step multiplies by."""

import numpy as np
from numba import njit

from stickbreaker.kernels.dirichlet import FLUSH
from stickbreaker.kernels.math import OPTIONS, PART, exp64, exp_digamma_exponent64, log64


@njit(**PART)
def _log_path(concentration, log_node):
    """E[log path]: psi of the leaf's concentration, and `log_node` of what is above it."""
    return exp_digamma_exponent64(concentration) + log64(concentration + 6.0) + log_node


@njit(**PART)
def _add_paths(concentration, groups, log_nodes, first, last, own, logs_out, shares_out):
    """The log of the sum over a word's paths, by topic, and the share of each; `own` is room for paths."""
    for k in range(len(logs_out)):
        largest = -np.inf
        for i in range(last - first):
            path = first + i
            own[i] = _log_path(concentration[path, k], log_nodes[groups[path], k])
            largest = max(largest, own[i])
        total = 0.0
        for i in range(last - first):
            own[i] = exp64(own[i] - largest)
            total += own[i]
        logs_out[k] = largest + log64(total)
        for i in range(last - first):
            shares_out[first + i, k] = np.float32(own[i] / total)


@njit(**OPTIONS)
def expected_log_paths(concentration, groups, log_nodes, starts, weights_out, log_scale_out, shares_out):
    """Weights of words, sums over their paths of exp E[log path], each row divided by its largest weight.

    concentration (paths × topics, double) Dirichlet parameters of the leaves; groups (paths) their nodes;
    log_nodes (nodes × topics) E[log] of the edges above each node less psi of its total; starts (words + 1)
    first path of each word; weights_out (words × topics, single) in [0, 1], 0 below exp(-30); log_scale_out
    (words); shares_out (paths × topics, single) of each path in its word. Zhai (2014), section 5.2, where
    the hybrid's E[log lambda] is E[log pi].
    """
    n_topics = concentration.shape[1]
    logs, most = np.empty(n_topics), 0
    for w in range(len(starts) - 1):
        most = max(most, starts[w + 1] - starts[w])
    own = np.empty(most)
    for w in range(len(starts) - 1):
        first, last = starts[w], starts[w + 1]
        if last - first > 1:
            _add_paths(concentration, groups, log_nodes, first, last, own, logs, shares_out)
        else:
            for k in range(n_topics):
                logs[k] = _log_path(concentration[first, k], log_nodes[groups[first], k])
                shares_out[first, k] = np.float32(1.0)
        shift = logs[0]
        for k in range(n_topics):
            shift = max(shift, logs[k])
        log_scale_out[w] = shift
        for k in range(n_topics):
            weight = exp64(logs[k] - shift)
            weights_out[w, k] = np.float32(weight if weight >= FLUSH else 0.0)


@njit(**OPTIONS)
def spread_counts(counts, codes, rows, shares, out):
    """out[i] = counts[codes[i]] × shares[rows[i]]: words' counts, shared among their paths.

    counts (words × topics, single or double), codes and rows (paths): the word of each path, and its row of
    shares (rows × topics).
    """
    for i in range(len(codes)):
        for k in range(counts.shape[1]):
            out[i, k] = counts[codes[i], k] * shares[rows[i], k]
