"""The mean-field local step of the Chinese restaurant franchise: tokens to tables, tables to topics.

Paper: Wang, Paisley & Blei (2011), section 3, with updates derived for tables sorted by size and for empty
tables, which are closed and contribute to no statistic and no term of the bound.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, digamma64, exp32, log64, log_gamma64

CLOSED = 1e-6  # of a document's tokens, at most 1: smaller tables are closed
FLUSH = np.float32(1e-12)  # smaller probabilities of a table's topics become zero


class Menu(NamedTuple):
    """The words of a shard's documents, with their E[log beta]. An entry is a distinct word of a document.

    `offsets` (documents + 1): first entry of each; `codes`, `counts` (entries): the word's number in the
    shard, and its tokens; `positions` (shard's words): the row of each in `logs` (rows × topics), E[log beta]
    minus the row's maximum, which is in `log_scale`.
    """

    offsets: NDArray[np.int64]  # documents + 1
    codes: NDArray[np.int32]  # entries: number of a word in the shard
    counts: NDArray[np.float32]  # entries
    positions: NDArray[np.int64]  # shard's words: row of `logs`
    logs: NDArray[np.float32]  # rows × topics: E[log beta], largest of a row is 0
    log_scale: NDArray[np.float64]  # rows: the maxima subtracted from them


class Prior(NamedTuple):
    """The prior of documents: their concentration alpha, and the expected log share of each topic, E[log
    sigma(V)] (topics).
    """

    alpha: float
    log_weights: NDArray[np.float64]


class Seats(NamedTuple):
    """The output of `seat_documents`: sizes and zeta are also the starting point, scores are set, the rest is
    added to.

    `sizes` (documents × tables): expected tokens, 0 if closed; `zeta` (documents × tables × topics): q(c),
    the distribution of a table's topic; `counts` (shard's words × topics), `tokens` (documents × topics):
    expected tokens; `served` (topics): expected tables; `sticks` (2): open tables, and the sum of E[log(1 -
    pi')].
    """

    sizes: NDArray[np.float64]  # documents × tables: expected tokens, 0 of closed tables
    zeta: NDArray[np.float32]  # documents × tables × topics: q(c), zero of closed tables
    counts: NDArray[np.float32]  # shard's words × topics: expected counts
    tokens: NDArray[np.float64]  # documents × topics: expected tokens
    served: NDArray[np.float64]  # topics: expected tables
    sticks: NDArray[np.float64]  # 2: open tables, and the sum of their E[log(1 - pi')]
    scores: NDArray[np.float64]  # documents: terms of the bound, in nats


class Bench(NamedTuple):
    """Working memory for inferring one document, allocated once per document instead of once per round."""

    order: NDArray[np.int64]  # tables: the open ones, the largest first
    log_shares: NDArray[np.float64]  # tables: E[log pi]
    seats: NDArray[np.float32]  # tables × words: count × q(z)
    tops: NDArray[np.float32]  # words
    norms: NDArray[np.float32]  # words


@njit(**OPTIONS)
def expected_logs(concentration, log_totals, logs_out, log_scale_out):
    """Fill logs_out (words × topics, single) with E[log beta] minus each row's maximum, and log_scale_out
    (words) with the maxima.

    concentration (words × topics, double): Dirichlet parameters; log_totals (topics): psi of their column
    totals.
    """
    n_words, n_topics = concentration.shape
    row = np.empty(n_topics)
    for w in range(n_words):
        largest = -1e300
        for k in range(n_topics):
            row[k] = digamma64(concentration[w, k]) - log_totals[k]
        for k in range(n_topics):
            largest = max(largest, row[k])
        log_scale_out[w] = largest
        for k in range(n_topics):
            logs_out[w, k] = np.float32(row[k] - largest)


@kernel_part(**PART)
def _order(sizes, order_out):
    """Fill order_out with the numbers of the open tables (size above 0), largest first; returns how many are
    open.
    """
    n_open = 0
    for t in range(len(sizes)):
        if sizes[t] == 0.0:
            continue
        place = n_open
        while place > 0 and sizes[order_out[place - 1]] < sizes[t]:
            order_out[place] = order_out[place - 1]
            place -= 1
        order_out[place] = t
        n_open += 1
    return n_open


@kernel_part(**PART)
def _break_sticks(sizes, alpha, order, n_open, log_shares_out):
    """Fill log_shares_out with E[log pi] of the open tables: the expected log share of each in the document.

    Their sticks have q(pi'_t) = Beta(a_t, b_t), in order of size, with a_t = 1 + n_t, b_t = alpha + sum of
    later n. Returns -KL(q(pi') || p(pi')) in nats, and the sum of E[log(1 - pi')].
    """
    tail = 0.0
    for place in range(n_open):
        tail += sizes[order[place]]
    log_rest = 0.0
    terms = 0.0
    for place in range(n_open):
        size = sizes[order[place]]
        tail = max(tail - size, 0.0)
        a, b = 1.0 + size, alpha + tail
        whole = digamma64(a + b)
        log_stick, log_left = digamma64(a) - whole, digamma64(b) - whole
        log_shares_out[order[place]] = log_rest + log_stick
        log_rest += log_left
        terms += log64(alpha) - size * log_stick - tail * log_left
        terms += log_gamma64(a) + log_gamma64(b) - log_gamma64(a + b)
    return terms, log_rest


@kernel_part(**PART)
def _likelihoods(block, zeta, order, n_open, out):
    """Fill out (tables × words) with the expected log likelihood of each word at each open table.

    out[t, i] = sum over topics k of zeta[t, k] × block[k, i]. zeta (tables × topics): q(topic of a table);
    block (topics × words): E[log beta].
    """
    n_topics, n_words = block.shape
    for place in range(n_open):
        t = order[place]
        for i in range(n_words):
            out[t, i] = np.float32(0.0)
        for k in range(n_topics):
            share = zeta[t, k]
            if share > np.float32(0.0):
                for i in range(n_words):
                    out[t, i] += share * block[k, i]


@kernel_part(**PART)
def _seat(counts, log_shares, order, n_open, seats_out, tops_out, norms_out):
    """Update q(z), the tables of a document's words: seats_out[t, i] becomes the expected number of tokens of
    word i at table t.

    On entry, seats_out has the log likelihoods (`_likelihoods`). The log of the normaliser of word i is
    tops_out[i] + log(norms_out[i]).
    """
    n_words = len(counts)
    for i in range(n_words):
        tops_out[i] = np.float32(-3.0e38)
        norms_out[i] = np.float32(0.0)
    for place in range(n_open):
        t = order[place]
        share = np.float32(log_shares[t])
        for i in range(n_words):
            seats_out[t, i] += share
            tops_out[i] = max(tops_out[i], seats_out[t, i])
    for place in range(n_open):
        t = order[place]
        for i in range(n_words):
            seats_out[t, i] = exp32(seats_out[t, i] - tops_out[i])
            norms_out[i] += seats_out[t, i]
    for place in range(n_open):
        t = order[place]
        for i in range(n_words):
            seats_out[t, i] *= counts[i] / norms_out[i]


@kernel_part(**PART)
def _resize(seats, order, n_open, n_words, sizes_out):
    """Fill sizes_out with the expected tokens of the open tables; one with hardly any is closed and gets 0.

    Returns the sum of the absolute changes.
    """
    total, change = 0.0, 0.0
    for place in range(n_open):
        total += sizes_out[order[place]]
    least = CLOSED * min(total, 1.0)
    for place in range(n_open):
        t = order[place]
        size = np.float32(0.0)
        for i in range(n_words):
            size += seats[t, i]
        change += abs(np.float64(size) - sizes_out[t])
        sizes_out[t] = np.float64(size) if np.float64(size) >= least else 0.0
    return change


@kernel_part(**PART)
def _serve(block, seats, log_weights, zeta_out):
    """Update q(c), the topic of one table: fill zeta_out (topics) in proportion to exp(log_weights_k + sum_i
    seats_i block[k, i]).

    seats (words): the table's expected tokens; block (topics × words): E[log beta].
    """
    n_topics, n_words = block.shape
    top = np.float32(-3.0e38)
    for k in range(n_topics):
        logit = np.float32(0.0)
        for i in range(n_words):
            logit += seats[i] * block[k, i]
        zeta_out[k] = logit + log_weights[k]
        top = max(top, zeta_out[k])
    norm = np.float32(0.0)
    for k in range(n_topics):
        zeta_out[k] = exp32(zeta_out[k] - top)
        norm += zeta_out[k]
    for k in range(n_topics):
        share = zeta_out[k] / norm
        zeta_out[k] = share if share >= FLUSH else np.float32(0.0)


@kernel_part(**PART)
def _topic_terms(zeta, log_weights, served_out):
    """The terms of the bound for one table's topic, in nats: sum over topics of zeta (E[log sigma] - log
    zeta).

    Adds zeta to served_out, the expected number of tables with each topic.
    """
    terms = 0.0
    for k in range(len(zeta)):
        share = np.float64(zeta[k])
        if share > 0.0:
            terms += share * (log_weights[k] - log64(share))
            served_out[k] += share
    return terms


@kernel_part(**PART)
def _share_out(seats, zeta, order, n_open, codes, block_out, counts_out, tokens_out):
    """Add a document's expected counts by word and topic to counts_out (shard's words × topics).

    Their sums are added to tokens_out (topics); block_out is working memory.
    """
    n_topics, n_words = block_out.shape
    for k in range(n_topics):
        for i in range(n_words):
            block_out[k, i] = np.float32(0.0)
    for place in range(n_open):
        t = order[place]
        for k in range(n_topics):
            share = zeta[t, k]
            if share > np.float32(0.0):
                for i in range(n_words):
                    block_out[k, i] += share * seats[t, i]
    for k in range(n_topics):
        total = 0.0
        for i in range(n_words):
            total += np.float64(block_out[k, i])
        tokens_out[k] += total
    for i in range(n_words):
        word = codes[i]
        for k in range(n_topics):
            counts_out[word, k] += block_out[k, i]


@kernel_part(**PART)
def _gather(menu, start, block_out):
    """Copy E[log beta] of a document's words to adjacent memory, block_out (topics × words).

    Returns the sum of count × log scale, which belongs to the document's score.
    """
    n_topics, n_words = block_out.shape
    scale = 0.0
    for i in range(n_words):
        row = menu.positions[menu.codes[start + i]]
        scale += menu.counts[start + i] * menu.log_scale[row]
        for k in range(n_topics):
            block_out[k, i] = menu.logs[row, k]
    return scale


@kernel_part(**PART)
def _place(block, counts, alpha, sizes, zeta, bench_out):
    """Update the sticks and q(z) of a document's tables, given their sizes and topics (zeta); fills
    bench_out.

    Returns the number of open tables and the results of `_break_sticks`.
    """
    n_open = _order(sizes, bench_out.order)
    terms, log_rests = _break_sticks(sizes, alpha, bench_out.order, n_open, bench_out.log_shares)
    _likelihoods(block, zeta, bench_out.order, n_open, bench_out.seats)
    _seat(
        counts,
        bench_out.log_shares,
        bench_out.order,
        n_open,
        bench_out.seats,
        bench_out.tops,
        bench_out.norms,
    )
    return n_open, terms, log_rests


@kernel_part(**PART)
def _iterate_document(block, counts, prior, log_weights, rule, bench, sizes_out, zeta_out):
    """Infer one document: update q(z), sizes and topics of its tables until sizes are stable or rounds run
    out.
    """
    n_tables = len(sizes_out)
    for _ in range(rule.max_iter):
        n_open, _, _ = _place(block, counts, prior.alpha, sizes_out, zeta_out, bench)
        change = _resize(bench.seats, bench.order, n_open, len(counts), sizes_out)
        for place in range(n_open):
            t = bench.order[place]
            if sizes_out[t] > 0.0:
                _serve(block, bench.seats[t], log_weights, zeta_out[t])
            else:
                zeta_out[t] = np.float32(0.0)
        if change < rule.tol * n_tables:
            break


@njit(**OPTIONS)
def seat_documents(menu, prior, rule, seats_out):
    """Mean-field inference of a shard's documents: the tables of tokens and the topics of tables, given all
    else.

    menu: Menu; prior: Prior; rule: Rule of `mean_field` (tol applies to the mean change of a table's tokens);
    seats_out: Seats, from whose sizes and zeta it starts. A document's score has the bound's terms at the
    last q(c) (topics of tables) and q(pi') (sticks), with q(z) (tables of tokens) at its optimum, which is
    also used for the statistics. For documents without words, nothing is written.
    """
    n_documents, n_tables, n_topics = seats_out.zeta.shape
    log_weights = prior.log_weights.astype(np.float32)
    order, log_shares = np.empty(n_tables, np.int64), np.empty(n_tables)
    for d in range(n_documents):
        start, stop = menu.offsets[d], menu.offsets[d + 1]
        size = stop - start
        if size == 0:
            continue
        counts, codes = menu.counts[start:stop], menu.codes[start:stop]
        block, seats = np.empty((n_topics, size), np.float32), np.empty((n_tables, size), np.float32)
        bench = Bench(order, log_shares, seats, np.empty(size, np.float32), np.empty(size, np.float32))
        sizes, zeta = seats_out.sizes[d], seats_out.zeta[d]
        score = _gather(menu, start, block)
        _iterate_document(block, counts, prior, log_weights, rule, bench, sizes, zeta)
        n_open, terms, log_rests = _place(block, counts, prior.alpha, sizes, zeta, bench)
        for i in range(size):
            score += counts[i] * (np.float64(bench.tops[i]) + log64(np.float64(bench.norms[i])))
        for place in range(n_open):
            terms += _topic_terms(zeta[order[place]], prior.log_weights, seats_out.served)
        _share_out(seats, zeta, order, n_open, codes, block, seats_out.counts, seats_out.tokens[d])
        seats_out.sticks[0] += n_open
        seats_out.sticks[1] += log_rests
        seats_out.scores[d] = score + terms
