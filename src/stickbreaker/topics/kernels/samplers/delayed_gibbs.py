"""Metropolis-Hastings over topic assignments, whose time does not depend on the number of topics (Chen et al.
2016).

A token's target is (n_dk + alpha_k) (n_wk + eta_wk) / (n_k + eta_k), with counts of the other tokens. A phase
visits documents (words) and uses only their own counts: the factor of the words (documents) was used in the
previous phase to draw the proposals, and cancels in the acceptance ratio.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART
from stickbreaker.kernels.random import seeded, uniform


class Chain(NamedTuple):
    """The state of the chain: each token's present topic and the topic proposed in the previous phase, in
    document order.
    """

    topics: NDArray[np.integer]  # tokens, uint16 or int32
    proposals: NDArray[np.integer]  # tokens, uint16 or int32


class Prior(NamedTuple):
    """alpha with what is needed to draw a topic in proportion to it in constant time.

    The range of the running sums (`sums`, topics) is divided into cells of equal width. A random number falls
    into a cell; from the cell's first topic (`starts`, cells), the search takes few steps.
    """

    values: NDArray[np.float64]  # topics
    sums: NDArray[np.float64]  # topics: running sums
    starts: NDArray[np.int64]  # cells of equal width: first topic whose running sum passes the start


class Index(NamedTuple):
    """Tokens by word: those of word w are `tokens[offsets[w]]` to `tokens[offsets[w + 1]]` (exclusive)."""

    offsets: NDArray[np.int64]  # words + 1
    tokens: NDArray[np.integer]  # position in document order, int32 or int64
    groups: NDArray[np.int32]  # words: group (language)


class Range(NamedTuple):
    """The documents or words that one thread visits in a phase, `first` to `last` (exclusive).

    `keys`: random seeds of all documents or words; `totals` (groups × topics): n_k + eta_k before the phase,
    where eta_k is the sum of eta over the words of a group (language).
    """

    first: int
    last: int  # exclusive
    keys: NDArray[np.uint64]  # all documents or words: seeds of random numbers
    totals: NDArray[np.float64]  # groups × topics


@njit(**PART)
def odds(here, there, total_here, total_there):
    """The odds of accepting a proposed topic, as numerator and denominator (Chen et al. 2016, eq. 7).

    here, there: n_dk + alpha_k (or n_wk + eta_wk) of the current and the proposed topic; total_here,
    total_there: their totals n_k + eta_k. All are counted without the token; in the paper, the token is
    counted.
    """
    return there * total_here, here * total_there


@kernel_part(**PART)
def _move(topics, proposals, weights, totals, state):
    """Accept or reject the proposed topic of each token of a document or word; changes topics.

    weights (topics): count + prior in the document or word, kept up to date; totals (topics): n_k + eta_k.
    """
    for i in range(len(topics)):
        s, t = topics[i], proposals[i]
        if s != t:
            gain, cost = odds(weights[s] - 1.0, weights[t], totals[s] - 1.0, totals[t])
            if uniform(state) * cost < gain:
                weights[s] -= 1.0
                weights[t] += 1.0
                topics[i] = t


@kernel_part(**PART)
def _add(used, used_out):
    """Add a thread's counts of tokens (groups × topics) to used_out, which threads share.

    This is done once, at the end of a call: writing to shared memory in between would slow threads down.
    """
    for g in range(len(used)):
        for k in range(used.shape[1]):
            used_out[g, k] += used[g, k]


@kernel_part(**PART)
def _leave(topics, prior, weights, used_out):
    """Finish a document or word: count its tokens' topics in used_out (topics), and reset `weights` (topics)
    to the prior.
    """
    for i in range(len(topics)):
        k = topics[i]
        weights[k] = prior[k]
        used_out[k] += 1


@njit(**PART)
def first_above(x, sums, start):
    """The first topic from `start` on whose running sum is above x, or the last topic, to draw a topic near a
    known start.
    """
    k = start
    while sums[k] <= x and k < len(sums) - 1:
        k += 1
    return k


@njit(**PART)
def search_above(x, sums):
    """The first topic whose running sum is above x, by bisection; the last one if none is."""
    low, high = 0, len(sums) - 1
    while low < high:
        middle = (low + high) // 2
        if sums[middle] > x:
            high = middle
        else:
            low = middle + 1
    return low


@kernel_part(**PART)
def _draw_from_document(topics, alpha, state, proposals_out):
    """Fill proposals_out with a topic for each token of a document, from the document's topics and alpha.

    Topic k is proposed in proportion to n_dk + alpha_k, where n_dk leaves out the token itself: the proposal
    is the topic of one of the document's other tokens, or one drawn from alpha (a table of running sums). The
    topics of the tokens stay as they are; the random stream `state` moves on.
    """
    others = len(topics) - 1
    total = alpha.sums[len(alpha.sums) - 1]
    cells = len(alpha.starts)
    for i in range(len(topics)):
        x = uniform(state) * (others + total)
        j = np.int64(x)
        if j < others:
            proposals_out[i] = topics[j + np.int64(j >= i)]
        else:
            cell = min(np.int64((x - others) * (cells / total)), cells - 1)
            proposals_out[i] = first_above(x - others, alpha.sums, alpha.starts[cell])


@kernel_part(**PART)
def _draw_from_word(topics, eta, n_topics, state, proposals_out):
    """Fill proposals_out with a topic for each token of a word, proposed in proportion to n_wk + eta.

    It is the topic of another token of the word, or one drawn uniformly.
    """
    others = len(topics) - 1
    for i in range(len(topics)):
        x = uniform(state) * (others + eta * n_topics)
        j = np.int64(x)
        if j < others:
            proposals_out[i] = topics[j + np.int64(j >= i)]
        else:
            proposals_out[i] = min(np.int64((x - others) / eta), n_topics - 1)


@kernel_part(**PART)
def _draw_from_informed_word(topics, sums, state, proposals_out):
    """Fill proposals_out as `_draw_from_word` does, but in proportion to n_wk + eta_wk, with an eta per
    topic.

    `sums` (topics): running sums of eta_wk.
    """
    others = len(topics) - 1
    total = sums[len(sums) - 1]
    for i in range(len(topics)):
        x = uniform(state) * (others + total)
        j = np.int64(x)
        if j < others:
            proposals_out[i] = topics[j + np.int64(j >= i)]
        else:
            proposals_out[i] = search_above(x - others, sums)


@kernel_part(**PART)
def _enter_word(tokens, chain, weights, totals, state, topics_out, proposals_out):
    """Begin with a word: copy its tokens' topics and proposals to adjacent memory, and accept or reject each
    proposal.

    weights (topics): the prior, to which the topics' counts are added.
    """
    for i in range(len(tokens)):
        k = chain.topics[tokens[i]]
        topics_out[i] = k
        proposals_out[i] = chain.proposals[tokens[i]]
        weights[k] += 1.0
    _move(topics_out, proposals_out, weights, totals, state)


@kernel_part(**PART)
def _leave_word(tokens, topics, proposals, prior, weights, chain_out, used_out):
    """Finish a word: copy its tokens' topics and proposals back to the chain, and count the topics in
    used_out.

    `weights` (topics) is reset to the prior.
    """
    for i in range(len(tokens)):
        chain_out.topics[tokens[i]] = topics[i]
        chain_out.proposals[tokens[i]] = proposals[i]
    _leave(topics, prior, weights, used_out)


@kernel_part(**OPTIONS)
def _room_for_words(offsets, part, chain):
    """Working memory for the topics and the proposals of one word's tokens, enough for any word of a range
    (two arrays).
    """
    longest = 0
    for w in range(part.first, part.last):
        longest = max(longest, offsets[w + 1] - offsets[w])
    return np.empty(longest, chain.topics.dtype), np.empty(longest, chain.topics.dtype)


@njit(**OPTIONS)
def visit_documents(offsets, alpha, part, chain_out, used_out):
    """The document phase: accept or reject the topics proposed by words, then propose topics from the
    documents.

    offsets (documents × groups + 1): a document's tokens are sorted by group (language); alpha: Prior; part:
    Range of documents; chain_out: Chain, changed; used_out (groups × topics, int64): the numbers of these
    documents' tokens by their new topic are added. Counts of the document are up to date and leave the token
    itself out, all others are those at the start of the phase. Algorithm 2 of Chen et al. (2016).
    """
    weights = alpha.values.copy()
    used, state = np.zeros(part.totals.shape, np.int64), np.empty(2, np.uint64)
    n_groups = len(part.totals)
    for d in range(part.first, part.last):
        ends = offsets[d * n_groups : (d + 1) * n_groups + 1]
        topics = chain_out.topics[ends[0] : ends[n_groups]]
        proposals = chain_out.proposals[ends[0] : ends[n_groups]]
        seeded(part.keys[d], state)
        for i in range(len(topics)):
            weights[topics[i]] += 1.0
        for g in range(n_groups):
            a, b = ends[g] - ends[0], ends[g + 1] - ends[0]
            _move(topics[a:b], proposals[a:b], weights, part.totals[g], state)
        _draw_from_document(topics, alpha, state, proposals)
        for g in range(n_groups):
            _leave(topics[ends[g] - ends[0] : ends[g + 1] - ends[0]], alpha.values, weights, used[g])
    _add(used, used_out)


@njit(**OPTIONS)
def visit_words(index, eta, part, chain_out, used_out):
    """The word phase: accept or reject the topics proposed by documents, then propose topics from the words.

    index: Index; eta (words), the same for every topic; part: Range of words; chain_out: Chain, changed;
    used_out (groups × topics, int64): the numbers of these words' tokens by their new topic are added.
    """
    n_topics = part.totals.shape[1]
    all_topics, all_proposals = _room_for_words(index.offsets, part, chain_out)
    weights, prior = np.zeros(n_topics), np.zeros(n_topics)
    used, state = np.zeros(part.totals.shape, np.int64), np.empty(2, np.uint64)
    for w in range(part.first, part.last):
        tokens = index.tokens[index.offsets[w] : index.offsets[w + 1]]
        n, g = len(tokens), index.groups[w]
        if n == 0:
            continue
        seeded(part.keys[w], state)
        if eta[w] != prior[0]:
            prior[:] = eta[w]
            weights[:] = eta[w]
        topics, proposals = all_topics[:n], all_proposals[:n]
        _enter_word(tokens, chain_out, weights, part.totals[g], state, topics, proposals)
        _draw_from_word(topics, eta[w], n_topics, state, proposals)
        _leave_word(tokens, topics, proposals, prior, weights, chain_out, used[g])
    _add(used, used_out)


@njit(**OPTIONS)
def visit_informed_words(index, eta, part, chain_out, used_out):
    """The word phase if eta differs between topics (words × topics); otherwise the same as `visit_words`."""
    n_topics = part.totals.shape[1]
    all_topics, all_proposals = _room_for_words(index.offsets, part, chain_out)
    weights, sums = np.empty(n_topics), np.empty(n_topics)
    used, state = np.zeros(part.totals.shape, np.int64), np.empty(2, np.uint64)
    for w in range(part.first, part.last):
        tokens = index.tokens[index.offsets[w] : index.offsets[w + 1]]
        n, g = len(tokens), index.groups[w]
        if n == 0:
            continue
        seeded(part.keys[w], state)
        total = 0.0
        for k in range(n_topics):
            weights[k] = eta[w, k]
            total += eta[w, k]
            sums[k] = total
        topics, proposals = all_topics[:n], all_proposals[:n]
        _enter_word(tokens, chain_out, weights, part.totals[g], state, topics, proposals)
        _draw_from_informed_word(topics, sums, state, proposals)
        _leave_word(tokens, topics, proposals, eta[w], weights, chain_out, used[g])
    _add(used, used_out)


@njit(**OPTIONS)
def index_words(words, index_out):
    """Fill index_out.tokens with the numbers of all tokens, sorted by word, in document order within a word.

    words (tokens): the word of each; index_out.offsets must be filled already.
    """
    free = index_out.offsets.copy()
    for i in range(len(words)):
        w = words[i]
        index_out.tokens[free[w]] = i
        free[w] += 1


@njit(**OPTIONS)
def count_words(index, topics, counts_out):
    """Count tokens by word and topic: add them to counts_out (words × topics, int32). index: Index; topics
    (tokens).
    """
    for w in range(len(index.offsets) - 1):
        for i in range(index.offsets[w], index.offsets[w + 1]):
            counts_out[w, topics[index.tokens[i]]] += 1
