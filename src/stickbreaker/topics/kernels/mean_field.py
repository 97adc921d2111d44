"""The mean-field local step of topic models: documents to their Dirichlet parameters and word statistics."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import (
    OPTIONS,
    PART,
    copy_numbers,
    digamma64,
    exp32,
    exp64,
    exp_digamma_exponent32,
    exp_digamma_exponent64,
    log64,
    log_gamma64,
)

FLUSH = np.float32(9.4e-14)
TINY = np.float32(1e-30)  # lower limit of a word's norm
FAINT = np.float32(1e-24)  # below this a word's share is computed in double precision
SMALL_MEAN = 0.1  # below this mean of gamma, exp(psi(gamma)) may underflow in single precision


class Rule(NamedTuple):
    """When the inference of a document ends: after `max_iter` rounds, or if the mean change of its parameters
    is below `tol`.
    """

    max_iter: int
    tol: float


class Report(NamedTuple):
    """The output of the local step: gamma is also the starting point; counts and log_theta are added to, the
    rest is set.
    """

    gamma: NDArray[np.float64]  # documents × topics
    counts: NDArray[np.float32]  # shard's words × topics: expected counts
    log_theta: NDArray[np.float64]  # topics: sum of E[log theta]
    scores: NDArray[np.float64]  # documents: terms of the bound, in nats
    rounds: NDArray[np.int64]  # documents: inner rounds taken


@kernel_part(**PART)
def _theta_weights(gamma, small, weights_out):
    """Fill weights_out with exp(psi(gamma)), in single precision and at least `FLUSH`.

    If gamma is `small`, so that these might underflow, they are divided by a common factor.
    """
    n = len(gamma)
    shift = np.float32(0.0)
    if small:
        shift = np.float32(-3.0e38)
        for k in range(n):
            shift = max(shift, exp_digamma_exponent32(gamma[k]))
    for k in range(n):
        g = gamma[k]
        value = (g + np.float32(4.0)) * exp32(exp_digamma_exponent32(g) - shift)
        weights_out[k] = max(value, FLUSH)  # not zero: else a word whose only topic has faded loses its count


@kernel_part(**PART)
def norm_of(block, i, theta_weights):
    """The sum over topics of block[i, k] theta_weights[k], at least `TINY`, by which q(z) of word i is
    normalised.

    block (words × topics): exp E[log beta], scaled; theta_weights (topics): exp E[log theta], scaled.
    """
    norm = np.float32(0.0)
    for k in range(len(theta_weights)):
        norm += block[i, k] * theta_weights[k]
    return max(norm, TINY)


@kernel_part(**PART)
def _four_norms(block, i, theta_weights):
    """The normalisers (see `norm_of`) of words i to i + 3; four sums keep the vector units busy."""
    a = b = c = d = np.float32(0.0)
    for k in range(len(theta_weights)):
        weight = theta_weights[k]
        a += block[i, k] * weight
        b += block[i + 1, k] * weight
        c += block[i + 2, k] * weight
        d += block[i + 3, k] * weight
    return max(a, TINY), max(b, TINY), max(c, TINY), max(d, TINY)


@kernel_part(**PART)
def _round(block, counts, theta_weights, gains_out):
    """One round over a document's words: fill gains_out (topics), from which gamma is updated.

    It is the sum over words of count × weight_k / (weights · theta_weights); times theta_weights, this is the
    expected number of tokens of each topic. block (words × topics): the weights of each word.
    """
    n_words, n_topics = block.shape
    for k in range(n_topics):
        gains_out[k] = np.float32(0.0)
    fours = n_words - n_words % 4
    for i in range(0, fours, 4):
        a, b, c, d = _four_norms(block, i, theta_weights)
        a, b, c, d = counts[i] / a, counts[i + 1] / b, counts[i + 2] / c, counts[i + 3] / d
        for k in range(n_topics):
            gains_out[k] += (a * block[i, k] + b * block[i + 1, k]) + (
                c * block[i + 2, k] + d * block[i + 3, k]
            )
    for i in range(fours, n_words):
        ratio = counts[i] / norm_of(block, i, theta_weights)
        for k in range(n_topics):
            gains_out[k] += ratio * block[i, k]


@kernel_part(**PART)
def _iterate(block, counts, alpha, rule, gamma_out, theta_weights, gains):
    """Iterate gamma = alpha + theta_weights × gains, the expected tokens, until it is stable (Blei et al.
    2003, fig. 6).

    Returns the number of rounds. theta_weights and gains are left as in the last round.
    """
    n_topics = len(alpha)
    total = np.float32(0.0)
    for k in range(n_topics):
        total += gamma_out[k]
    small = total < np.float32(SMALL_MEAN * n_topics)
    for done in range(rule.max_iter):
        _theta_weights(gamma_out, small, theta_weights)
        _round(block, counts, theta_weights, gains)
        change = np.float32(0.0)
        for k in range(n_topics):
            updated = alpha[k] + theta_weights[k] * gains[k]
            change += abs(updated - gamma_out[k])
            gamma_out[k] = updated
        if change < np.float32(rule.tol * n_topics):
            return done + 1
    return rule.max_iter


@kernel_part(**PART)
def _prior_terms(alpha):
    """The log normaliser of Dirichlet(alpha): log Gamma(sum alpha) - sum log Gamma(alpha)."""
    total = 0.0
    terms = 0.0
    for k in range(len(alpha)):
        total += alpha[k]
        terms -= log_gamma64(alpha[k])
    return terms + log_gamma64(total)


@kernel_part(**PART)
def _document_terms(alpha, gamma, log_theta_out):
    """A document's terms of the bound that depend on gamma, in nats, and psi of the sum of gamma.

    The terms are: sum of log Gamma(gamma) - log Gamma(sum) + (alpha - gamma) E[log theta]. With
    `_prior_terms` they make -KL(q(theta) || p(theta)). E[log theta] is added to log_theta_out.
    """
    total = 0.0
    for k in range(len(alpha)):
        total += gamma[k]
    psi_total = digamma64(total)
    terms = -log_gamma64(total)
    for k in range(len(alpha)):
        expected = digamma64(gamma[k]) - psi_total
        log_theta_out[k] += expected
        terms += log_gamma64(gamma[k]) + (alpha[k] - gamma[k]) * expected
    return terms, psi_total


@kernel_part(**PART)
def final_theta_weights(gamma, psi_total, exact_out, weights_out):
    """Fill exact_out (double) and weights_out (single) with a document's exp(E[log theta]), scaled against
    underflow.

    Each is exp(psi(gamma) - psi_total - shift), with psi_total psi of the sum of gamma; returns the shift.
    Values below 1e-30 are zero in weights_out.
    """
    shift = -1e300
    for k in range(len(gamma)):
        exact_out[k] = exp_digamma_exponent64(gamma[k])
        shift = max(shift, exact_out[k])
    for k in range(len(gamma)):
        exact_out[k] = (gamma[k] + 6.0) * exp64(exact_out[k] - shift)
        weights_out[k] = np.float32(exact_out[k] if exact_out[k] >= 1e-30 else 0.0)
    return shift - psi_total


@kernel_part(**PART)
def _share_out_exactly(block, i, count, exact, counts_out):
    """Divide one word's count among the topics in double precision, and add the parts to counts_out (topics);
    returns count × log(norm).

    It is for a word whose topics have faded from the document: the normaliser is too small for single
    precision.
    """
    norm = 1e-300
    for k in range(len(exact)):
        norm += np.float64(block[i, k]) * max(exact[k], 1e-290)
    for k in range(len(exact)):
        share = np.float64(block[i, k]) * max(exact[k], 1e-290) / norm
        counts_out[k] += np.float32(np.float64(count) * share)
    return np.float64(count) * log64(norm)


@kernel_part(**PART)
def _final_round(block, counts, theta_weights, exact, codes, counts_out):
    """Add a document's expected counts to counts_out (shard's words × topics).

    Returns the sum of count × log(weights · theta_weights), the words' part of the score. exact:
    theta_weights in double precision, for words that need it.
    """
    n_words = len(block)
    score = 0.0
    least = np.float32(1.0)
    fours = n_words - n_words % 4
    for i in range(0, fours, 4):
        a, b, c, d = _four_norms(block, i, theta_weights)
        least = min(least, min(min(a, b), min(c, d)))
        score += _share_out(block, i, counts, theta_weights, a, codes, counts_out)
        score += _share_out(block, i + 1, counts, theta_weights, b, codes, counts_out)
        score += _share_out(block, i + 2, counts, theta_weights, c, codes, counts_out)
        score += _share_out(block, i + 3, counts, theta_weights, d, codes, counts_out)
    for i in range(fours, n_words):
        norm = norm_of(block, i, theta_weights)
        least = min(least, norm)
        score += _share_out(block, i, counts, theta_weights, norm, codes, counts_out)
    if least < FAINT:
        for i in range(n_words):
            if norm_of(block, i, theta_weights) < FAINT:
                score += _share_out_exactly(block, i, counts[i], exact, counts_out[codes[i]])
    return score


@kernel_part(**PART)
def _share_out(block, i, counts, theta_weights, norm, codes, counts_out):
    """Divide one word's count among the topics, and add the parts to counts_out; returns count × log(norm).

    norm: sum over topics of block[i, k] theta_weights[k]; if it is too small for single precision, the word
    is left out (`_share_out_exactly` adds it).
    """
    count = counts[i] if norm >= FAINT else np.float32(0.0)
    ratio = count / norm
    word = codes[i]
    for k in range(len(theta_weights)):
        counts_out[word, k] += (ratio * theta_weights[k]) * block[i, k]
    return np.float64(count) * log64(np.float64(norm))


@kernel_part(**PART)
def longest(offsets):
    """The largest number of entries (distinct words) that a document has, for the size of working memory."""
    most = 0
    for d in range(len(offsets) - 1):
        most = max(most, offsets[d + 1] - offsets[d])
    return most


@kernel_part(**PART)
def gather(words, start, size, block_out):
    """Copy the weights of a document's words to adjacent memory, block_out (words × topics).

    Returns the sum of count × log scale, which belongs to the document's score.
    """
    scale = 0.0
    for i in range(size):
        row = words.positions[words.codes[start + i]]
        for k in range(block_out.shape[1]):
            block_out[i, k] = words.weights[row, k]
        scale += words.counts[start + i] * words.log_scale[row]
    return scale


@kernel_part(**PART)
def _iterate_document(block, counts, alpha, alpha32, rule, gamma, theta_weights, gains, gamma_out):
    """Infer one document in single precision: gamma_out has the start on entry, and the result, in double
    precision, on return.

    Returns the number of rounds. gamma, theta_weights and gains are working memory.
    """
    for k in range(len(alpha)):
        gamma[k] = gamma_out[k]
    rounds = _iterate(block, counts, alpha32, rule, gamma, theta_weights, gains)
    for k in range(len(alpha)):
        gamma_out[k] = alpha[k] + np.float64(theta_weights[k]) * np.float64(gains[k])
    return rounds


@kernel_part(**PART)
def _value(block, counts, alpha, gamma, exact, theta_weights, log_theta):
    """The part of a document's score that depends on gamma, in nats, at the best phi, to compare two results.

    log_theta, exact and theta_weights are working memory.
    """
    terms, psi_total = _document_terms(alpha, gamma, log_theta)
    shift = final_theta_weights(gamma, psi_total, exact, theta_weights)
    for i in range(len(block)):
        count = np.float64(counts[i])
        terms += count * (shift + log64(np.float64(norm_of(block, i, theta_weights))))
    return terms


@kernel_part(**PART)
def _finish(d, start, block, words, alpha, prior_terms, scale, exact, theta_weights, report_out):
    """Add the expected counts and E[log theta] of document d to the report, and set its score, given its
    final gamma.
    """
    size = len(block)
    terms, psi_total = _document_terms(alpha, report_out.gamma[d], report_out.log_theta)
    if size > 0:
        counts, codes = words.counts[start : start + size], words.codes[start : start + size]
        shift = final_theta_weights(report_out.gamma[d], psi_total, exact, theta_weights)
        score = _final_round(block, counts, theta_weights, exact, codes, report_out.counts)
        total = 0.0
        for i in range(size):
            total += counts[i]
        terms += score + scale + total * shift
    report_out.scores[d] = terms + prior_terms


@njit(**OPTIONS)
def infer_documents(words, alphas, rule, report_out):
    """Mean-field inference of a shard's documents with the topics held fixed: fills gamma, statistics and
    scores of report_out.

    words: Words; alphas (documents × topics, or 1 × topics for all documents); rule: Rule; report_out:
    Report. A document's score is sum_v n_v log sum_k exp(E[log theta_k] + E[log beta_kv]) - KL(q(theta) ||
    p(theta)): eq. 2.4 of Zhai (2014) with phi at its optimum. The result is gamma = alpha + sum_v n_v phi_v,
    with phi from the last round (alpha if the document has no words); statistics and scores use the phi that
    is best given this gamma.
    """
    n_topics = alphas.shape[1]
    block = np.empty((longest(words.offsets), n_topics), np.float32)
    alpha, alpha32 = alphas[0], alphas[0].astype(np.float32)
    gamma = np.empty(n_topics, np.float32)
    theta_weights = np.empty(n_topics, np.float32)
    gains = np.empty(n_topics, np.float32)
    exact = np.empty(n_topics)
    prior_terms = _prior_terms(alpha)
    for d in range(len(words.offsets) - 1):
        start, size = words.offsets[d], words.offsets[d + 1] - words.offsets[d]
        here = block[:size]
        if len(alphas) > 1:
            alpha, alpha32 = alphas[d], alphas[d].astype(np.float32)
            prior_terms = _prior_terms(alpha)
        scale = gather(words, start, size, here)
        counts = words.counts[start : start + size]
        if size > 0:
            report_out.rounds[d] = _iterate_document(
                here, counts, alpha, alpha32, rule, gamma, theta_weights, gains, report_out.gamma[d]
            )
        else:
            copy_numbers(alpha, report_out.gamma[d])
        _finish(d, start, here, words, alpha, prior_terms, scale, exact, theta_weights, report_out)


@njit(**OPTIONS)
def infer_documents_twice(words, alphas, rule, kept, report_out):
    """Infer documents as `infer_documents` does, but from the better of two starts.

    These are report_out.gamma and `kept` (documents × topics), the result of an earlier pass. If the kept
    gamma scores better than the result of the first start, inference continues from it, so that the
    document's score never falls below that of its kept gamma.
    """
    n_topics = alphas.shape[1]
    block = np.empty((longest(words.offsets), n_topics), np.float32)
    alpha, alpha32 = alphas[0], alphas[0].astype(np.float32)
    gamma = np.empty(n_topics, np.float32)
    theta_weights = np.empty(n_topics, np.float32)
    gains = np.empty(n_topics, np.float32)
    exact = np.empty(n_topics)
    scratch = np.empty(n_topics)
    prior_terms = _prior_terms(alpha)
    for d in range(len(words.offsets) - 1):
        start, size = words.offsets[d], words.offsets[d + 1] - words.offsets[d]
        here = block[:size]
        if len(alphas) > 1:
            alpha, alpha32 = alphas[d], alphas[d].astype(np.float32)
            prior_terms = _prior_terms(alpha)
        scale = gather(words, start, size, here)
        counts = words.counts[start : start + size]
        if size > 0:
            found = report_out.gamma[d]
            report_out.rounds[d] = _iterate_document(
                here, counts, alpha, alpha32, rule, gamma, theta_weights, gains, found
            )
            fresh = _value(here, counts, alpha, found, exact, theta_weights, scratch)
            if _value(here, counts, alpha, kept[d], exact, theta_weights, scratch) > fresh:
                copy_numbers(kept[d], found)
                report_out.rounds[d] += _iterate_document(
                    here, counts, alpha, alpha32, rule, gamma, theta_weights, gains, found
                )
        else:
            copy_numbers(alpha, report_out.gamma[d])
        _finish(d, start, here, words, alpha, prior_terms, scale, exact, theta_weights, report_out)


@njit(**OPTIONS)
def expected_log_words(words, counts):
    """The sum over a shard's words and topics of counts × E[log beta], in nats; counts (words × topics):
    expected.
    """
    total = 0.0
    for i in range(len(counts)):
        row = words.positions[i]
        for k in range(counts.shape[1]):
            if counts[i, k] > np.float32(1e-12):
                log_weight = log64(np.float64(words.weights[row, k])) + words.log_scale[row]
                total += np.float64(counts[i, k]) * log_weight
    return total
