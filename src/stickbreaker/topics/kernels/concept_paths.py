"""Weights of words for the local step, from expected counts of the paths to the leaves of a concept tree."""

import numpy as np
from numba import njit

from stickbreaker.kernels.dirichlet import FLUSH
from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, digamma64, exp64, exp_digamma_exponent64, log64


@njit(**OPTIONS)
def expected_log_ways(edges, nodes, sources, way_starts, ways, alone, logs_out):
    """Fill logs_out with the sum of E[log p] of the choices on the way from the root of a tree of concepts to
    each node with leaves.

    logs_out (groups × topics): a group is a node with leaves. Unless the node has a single choice, psi of its
    own total is subtracted, so that adding psi of a leaf's parameter makes E[log p] of the leaf's path. edges
    (inner edges × topics, double): Dirichlet parameters; nodes (nodes × topics, double): their sums, groups
    first; sources (edges): the parent node of each; way_starts (groups + 1), ways: the edges above each
    group; alone (nodes, bool): those with a single choice, whose log is 0.
    """
    n_topics = nodes.shape[1]
    totals, own = np.empty_like(nodes), np.empty_like(edges)
    for i in range(len(nodes)):
        if not alone[i]:
            for k in range(n_topics):
                totals[i, k] = digamma64(nodes[i, k])
    for e in range(len(edges)):
        source = sources[e]
        if alone[source]:
            own[e] = 0.0
        else:
            for k in range(n_topics):
                own[e, k] = digamma64(edges[e, k]) - totals[source, k]
    for i in range(len(way_starts) - 1):
        for k in range(n_topics):
            logs_out[i, k] = 0.0 if alone[i] else -totals[i, k]
        for j in range(way_starts[i], way_starts[i + 1]):
            for k in range(n_topics):
                logs_out[i, k] += own[ways[j], k]


@kernel_part(**PART)
def _add_paths(concentration, groups, log_nodes, alone, first, last, own, logs_out, shares_out):
    """For one word, sum exp(E[log p]) over its paths: fills logs_out (topics) with the log of the sum.

    shares_out gets the share of each path in the sum. The word's paths are `first` to `last` (exclusive);
    `own` is working memory. The others: see `expected_log_paths`.
    """
    for k in range(len(logs_out)):
        largest = -np.inf
        for i in range(last - first):
            path = first + i
            own[i] = log_nodes[groups[path], k]
            if not alone[groups[path]]:
                own[i] += digamma64(concentration[path, k])
            largest = max(largest, own[i])
        total = 0.0
        for i in range(last - first):
            own[i] = exp64(own[i] - largest)
            total += own[i]
        logs_out[k] = largest + log64(total)
        for i in range(last - first):
            shares_out[first + i, k] = np.float32(own[i] / total)


@kernel_part(**PART)
def _largest(values):
    found = values[0]
    for value in values:
        found = max(found, value)
    return found


@kernel_part(**PART)
def _fill_weights(logs, shift, weights_out):
    """Fill weights_out with exp(logs - shift), 0 below exp(-30)."""
    for k in range(len(logs)):
        weight = exp64(logs[k] - shift)
        weights_out[k] = np.float32(weight if weight >= FLUSH else 0.0)


@kernel_part(**PART)
def _fill_choices(concentration, logs, row, weights_out):
    """Fill weights_out (topics) for a word with one path: exp(psi(concentration) + logs), divided by its
    maximum.

    Returns the logarithm of that maximum. concentration (topics): the leaf's Dirichlet parameter; logs
    (topics): of the choices above it. psi(x) is computed as log(x) plus a remainder, so that x enters as a
    factor. `row` is working memory.
    """
    n_topics = len(row)
    for k in range(n_topics):
        row[k] = exp_digamma_exponent64(concentration[k]) + logs[k]
    shift = max(_largest(row), row[0] + log64(concentration[0] + 6.0))
    for k in range(n_topics):
        row[k] = (concentration[k] + 6.0) * exp64(row[k] - shift)
    largest = _largest(row)
    for k in range(n_topics):
        weight = row[k] / largest
        weights_out[k] = np.float32(weight if weight >= FLUSH else 0.0)
    return shift + log64(largest)


@njit(**OPTIONS)
def expected_log_paths(
    concentration, groups, log_nodes, alone, starts, weights_out, log_scale_out, shares_out
):
    """Fill weights_out (words × topics) with the sum over each word's paths of exp E[log path], divided by
    its maximum over topics.

    concentration (paths × topics, double): Dirichlet parameters of leaves; groups (paths): their nodes;
    log_nodes (nodes × topics): from `expected_log_ways`; alone (nodes, bool): those with a single choice;
    starts (words + 1): first path of each word; weights_out (single): in [0, 1], 0 below exp(-30);
    log_scale_out (words): log of the maxima; shares_out (paths × topics, single): share of each path in its
    word. Zhai (2014), section 5.2, where the hybrid's E[log lambda] is E[log pi].
    """
    n_topics = concentration.shape[1]
    logs, row, most = np.empty(n_topics), np.empty(n_topics), 0
    for w in range(len(starts) - 1):
        most = max(most, starts[w + 1] - starts[w])
    own = np.empty(most)
    for w in range(len(starts) - 1):
        first, last = starts[w], starts[w + 1]
        if last - first > 1:
            _add_paths(concentration, groups, log_nodes, alone, first, last, own, logs, shares_out)
            log_scale_out[w] = _largest(logs)
            _fill_weights(logs, log_scale_out[w], weights_out[w])
            continue
        shares_out[first] = 1.0
        above = log_nodes[groups[first]]
        if alone[groups[first]]:
            log_scale_out[w] = _largest(above)
            _fill_weights(above, log_scale_out[w], weights_out[w])
        else:
            log_scale_out[w] = _fill_choices(concentration[first], above, row, weights_out[w])


@njit(**OPTIONS)
def spread_counts(counts, codes, rows, shares, out):
    """Divide words' counts among their paths: fill out[i] = counts[codes[i]] × shares[rows[i]] for each path
    i.

    counts (words × topics, single or double); codes, rows (paths): the word of each path, and its row of
    shares (rows × topics).
    """
    for i in range(len(codes)):
        for k in range(counts.shape[1]):
            out[i, k] = counts[codes[i], k] * shares[rows[i], k]
