"""Trying splits and merges of topics on a shard's documents: expected counts, and terms of the bound.

A split divides a topic in two halves. A handover divides a topic's tokens among one or several others, the
targets; with one target it is a merge.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, digamma64, exp64, log64, log_gamma64
from stickbreaker.topics.kernels.mean_field import FAINT, final_theta_weights, gather, longest, norm_of

ROUNDS = 10  # rounds for a document between topics
CLOSE = 1e-2  # tokens: iterations stop at a smaller change
FEW = 0.01  # tokens: with fewer of a topic, a document's are split like the priors
TRACE = 1e-9  # tokens of a word: fewer count as none
FAINT64 = 1e-200  # of a word's weights: smaller ones have lost digits
NEAR, FAR, SURE = 300.0, 400.0, 700.0  # log odds: exp(NEAR + FAR) is finite, and beyond SURE nothing changes
NOTHING = 1e-6  # tokens: with fewer, a document does not have the topic


class Document(NamedTuple):
    """The documents of a shard as kernels read them. An entry is a distinct word of a document.

    `offsets` (documents + 1): first entry of each; `codes` (entries): the word's number in the shard;
    `totals` (documents): sum of gamma, with the alpha of unused topics.
    """

    offsets: NDArray[np.int64]  # documents + 1
    codes: NDArray[np.int32]  # entries: number of a word in the shard
    totals: NDArray[np.float64]  # documents: sum of gamma, the rest included


class Halves(NamedTuple):
    """The output of `add_halves`, which tries to split a topic in two halves; the shares are set, the rest is
    added to.

    `counts` (shard's words × 2): tokens; `log_theta` (2): sums of E[log theta]; `own` (1): gain of the bound
    without the terms of priors and topics, in nats; `shares` (documents): the second half's share of gamma.
    """

    counts: NDArray[np.float64]  # shard's words × 2
    log_theta: NDArray[np.float64]  # 2: sum of E[log theta]
    own: NDArray[np.float64]  # 1: gain of the bound without the priors' and the topics' terms, in nats
    shares: NDArray[np.float64]  # documents: share of the second half in gamma


class Handover(NamedTuple):
    """The output of `add_handover`, which tries to give a topic's tokens to others, its targets; the shares
    are set, the rest is added to.

    `counts` (shard's words × targets): tokens that the targets gain; `log_theta` (targets), `log_whole`
    (targets + 1, the topic last): sums of E[log theta] after and before; `own` (1): as in `Halves`; `shares`
    (documents × targets): of the topic's gamma.
    """

    counts: NDArray[np.float64]  # shard's words × targets: tokens that the targets gain
    log_theta: NDArray[np.float64]  # targets: sum of E[log theta] afterwards
    log_whole: NDArray[np.float64]  # targets + 1: and before, the topic's last
    own: NDArray[np.float64]  # 1: as in Halves
    shares: NDArray[np.float64]  # documents × targets: of the topic's gamma


@njit(**OPTIONS)
def topic_parts(words, gamma, topics, parts_out):
    """Fill parts_out (topics × entries) with the expected tokens n_v phi_vk of some topics, for each word v
    of each document.

    words: Words of kernels.document_words; gamma (documents × all topics); topics (topics): the columns of
    these in it.
    """
    n_topics, most = gamma.shape[1], longest(words.offsets)
    block = np.empty((most, n_topics), np.float32)
    parts = np.empty((most, len(topics)), np.float32)  # of a document
    theta_weights = np.empty(n_topics, np.float32)
    exact, thetas = np.empty(n_topics), np.empty(len(topics))
    for d in range(len(words.offsets) - 1):
        start, size = words.offsets[d], words.offsets[d + 1] - words.offsets[d]
        gather(words, start, size, block)
        final_theta_weights(gamma[d], 0.0, exact, theta_weights)
        for p in range(len(topics)):
            thetas[p] = max(exact[topics[p]], 1e-290)
        for i in range(size):
            norm = np.float64(norm_of(block, i, theta_weights))
            if norm < FAINT:
                norm = 1e-300
                for k in range(n_topics):
                    norm += np.float64(block[i, k]) * max(exact[k], 1e-290)
            factor = np.float64(words.counts[start + i]) / norm
            for p in range(len(topics)):
                tokens = np.float64(block[i, topics[p]]) * thetas[p] * factor
                parts[i, p] = np.float32(tokens if tokens > TRACE else 0.0)
        for p in range(len(topics)):
            for i in range(size):
                parts_out[p, start + i] = parts[i, p]


@kernel_part(**PART)
def _tokens(parts, start, stop, p):
    total = 0.0
    for i in range(start, stop):
        total += np.float64(parts[p, i])
    return total


@kernel_part(**PART)
def _own(tokens, gamma, expected):
    """The terms of one topic in a document's bound, without the prior's: (tokens - gamma) E[log theta] + log
    Gamma(gamma).

    expected: E[log theta] of the topic.
    """
    return (tokens - gamma) * expected + log_gamma64(gamma)


@njit(**OPTIONS)
def add_direction(document, parts, p, direction, chosen, ease, sums_out, hard):
    """One step towards a direction along which a topic can be split: from scores of words to scores of
    documents, and back.

    This is reciprocal averaging (correspondence analysis) on the documents' words of the topic. parts
    (topics × entries): expected tokens; p: the topic's row; direction (shard's words): scores of words. A
    document's score is their mean over its tokens of the topic, with `ease` tokens of score zero. Adds to
    sums_out (shard's words × 2) tokens × document score, and tokens; if `hard`, tokens of documents with
    positive scores, and of the others. chosen (documents): which to use.
    """
    for d in range(len(document.offsets) - 1):
        start, stop = document.offsets[d], document.offsets[d + 1]
        if not chosen[d]:
            continue
        total, score = ease, 0.0
        for i in range(start, stop):
            total += np.float64(parts[p, i])
            score += np.float64(parts[p, i]) * direction[document.codes[i]]
        score /= total
        for i in range(start, stop):
            tokens = np.float64(parts[p, i])
            if hard:
                sums_out[document.codes[i], 0 if score > 0.0 else 1] += tokens
            else:
                sums_out[document.codes[i], 0] += tokens * score
                sums_out[document.codes[i], 1] += tokens


class Held(NamedTuple):
    """The entries of a document that have tokens of a topic, for `add_halves`, which fills them (each of the
    longest document's entries).

    `tokens`: of the topic; `codes`: the words' numbers in the shard; `logs`: their log odds for the first
    half, without the document's; `against`: exp(-logs), if all are within `NEAR`; `first`: the tokens in the
    first half.
    """

    tokens: NDArray[np.float64]
    codes: NDArray[np.int64]
    logs: NDArray[np.float64]
    against: NDArray[np.float64]
    first: NDArray[np.float64]


@kernel_part(**PART)
def _hold(held, document, parts, p, start, stop, log_odds, against):
    """Fill `held` with a document's entries that have tokens of a topic; returns their number.

    p: the topic's row of `parts`; log_odds, against (shard's words): see `Held`.
    """
    n = 0
    for i in range(start, stop):
        code = document.codes[i]
        held.tokens[n], held.codes[n] = np.float64(parts[p, i]), code
        held.logs[n], held.against[n] = log_odds[code], against[code]
        n += 1 if parts[p, i] > np.float32(0.0) else 0  # else the next takes its place: faster than a branch
    return n


@kernel_part(**PART)
def _odds(held, i, lean, away, far):
    """How many times more probable the second half of a topic is than the first, for the tokens of an entry.

    lean: the document's log odds for the first half; away: exp(-lean), within exp(±FAR). `far`: whether log
    odds of words are beyond `NEAR`, so that the product of two exponentials could overflow.
    """
    if far:
        return exp64(min(max(-held.logs[i] - lean, -SURE), SURE))
    return held.against[i] * away


@kernel_part(**PART)
def _part_document(held, n, total, first, second, far):
    """The expected number of a document's tokens in the first half of a split topic, of `total` in both.

    It iterates to a fixed point of inference between two topics with the priors `first` and `second`. held:
    the document's n entries. Documents with few tokens are split like the priors.
    """
    tokens = 0.5 * total
    if total < FEW:
        return total * first / (first + second)
    for _ in range(ROUNDS):
        lean = digamma64(first + tokens) - digamma64(second + total - tokens)
        away = exp64(min(max(-lean, -FAR), FAR))
        updated = 0.0
        for i in range(n):
            updated += held.tokens[i] / (1.0 + _odds(held, i, lean, away, far))
        change = abs(updated - tokens)
        tokens = updated
        if change < CLOSE:
            break
    return tokens


@kernel_part(**PART)
def _divide(held, n, lean, far):
    """Fill held.first with the tokens of a document's n entries that are in the first half; returns their sum
    and the entropy of the division in nats.

    lean: E[log theta'] - E[log theta''] of the document. A token is in the two halves with probabilities p
    and q; their entropy is log(1 + q / p) - q log(q / p).
    """
    lean = lean if far else min(max(lean, -FAR), FAR)
    away = 0.0 if far else exp64(-lean)
    entropy = 0.0
    for i in range(n):
        odds = _odds(held, i, lean, away, far)  # q / p
        logs = min(max(held.logs[i] + lean, -SURE), SURE)  # log(p / q)
        entropy += held.tokens[i] * (log64(1.0 + odds) + odds / (1.0 + odds) * logs)
    for i in range(n):
        held.first[i] = held.tokens[i] / (1.0 + _odds(held, i, lean, away, far))
    tokens = 0.0  # a loop of its own: tests/array_places.py
    for i in range(n):
        tokens += held.first[i]
    return tokens, entropy


@njit(**OPTIONS)
def add_halves(document, parts, p, gamma, log_odds, priors, chosen, halves_out, whole_out):
    """Split a topic in a shard's documents into two halves, and add what changes to halves_out (Halves).

    parts (topics × entries): expected tokens; p: the topic's row; gamma (documents): the topic's;
    log_odds (shard's words): E[log beta'] - E[log beta'']; priors (2): alpha of the halves; chosen
    (documents): which are read. Since gamma' + gamma'' = gamma and phi' + phi'' = phi, the other topics of a
    document stay as they are. `own` is the change of sum_k (S_k - gamma_k) E[log theta_k] + log
    Gamma(gamma_k), with S_k the tokens of topic k, and of the entropy of phi. whole_out (1) += E[log theta]
    of the whole topic.
    """
    size = longest(document.offsets)
    held = Held(np.empty(size), np.empty(size, np.int64), np.empty(size), np.empty(size), np.empty(size))
    against, far = np.empty(len(log_odds)), False
    for v in range(len(log_odds)):
        far = far or abs(log_odds[v]) > NEAR
    for v in range(len(log_odds)):
        against[v] = exp64(min(max(-log_odds[v], -NEAR), NEAR))
    for d in range(len(document.offsets) - 1):
        if not chosen[d]:
            continue
        start, stop = document.offsets[d], document.offsets[d + 1]
        total = _tokens(parts, start, stop, p)
        n = _hold(held, document, parts, p, start, stop, log_odds, against) if total >= NOTHING else 0
        tokens = _part_document(held, n, total, priors[0], priors[1], far)
        share = (priors[1] + total - tokens) / (priors[0] + priors[1] + total)
        tiny = 1e-12
        share = min(max(share, tiny), 1.0 - tiny)
        halves_out.shares[d] = share
        at, other = gamma[d] * (1.0 - share), gamma[d] * share
        psi_total = digamma64(document.totals[d])
        expected, expected_other = digamma64(at) - psi_total, digamma64(other) - psi_total
        lean = expected - expected_other
        if total < FEW:
            lean = lean_of(priors)
            held.logs[:n] = 0.0
            held.against[:n] = 1.0
        tokens, entropy = _divide(held, n, lean, far)
        for i in range(n):
            halves_out.counts[held.codes[i], 0] += held.first[i]
            halves_out.counts[held.codes[i], 1] += held.tokens[i] - held.first[i]
        halves_out.log_theta[0] += expected
        halves_out.log_theta[1] += expected_other
        whole_out[0] += digamma64(gamma[d]) - psi_total
        whole = _own(total, gamma[d], digamma64(gamma[d]) - psi_total)
        parted = _own(tokens, at, expected) + _own(total - tokens, other, expected_other)
        halves_out.own[0] += parted - whole + entropy


@kernel_part(**PART)
def lean_of(priors):
    return log64(priors[0]) - log64(priors[1])


@kernel_part(**PART)
def _powers(logs, out):
    """Fill out with exp(logs), scaled to a maximum of one."""
    largest = -1e300
    for j in range(len(logs)):
        largest = max(largest, logs[j])
    for j in range(len(logs)):
        out[j] = exp64(logs[j] - largest)


@kernel_part(**PART)
def _leaning(code, words, log_words, odds, expected, shares_out):
    """Fill shares_out (targets) with the share of each target in the tokens of one word: the softmax of E[log
    beta] + E[log theta].

    code: the word's number; words, odds: exp of these two, scaled; the logarithms log_words and expected are
    only used if the product underflows.
    """
    for j in range(len(odds)):
        shares_out[j] = words[code, j] * odds[j]
    total = 0.0  # a loop of its own: tests/array_places.py
    for j in range(len(odds)):
        total += shares_out[j]
    if total < FAINT64:
        total = 0.0
        for j in range(len(expected)):
            shares_out[j] = log_words[code, j] + expected[j]
        _powers(shares_out, shares_out)
        for j in range(len(expected)):
            total += shares_out[j]
    for j in range(len(expected)):
        shares_out[j] /= total


@kernel_part(**PART)
def _targets(prior, moved, total, gamma, psi_total, gamma_out, expected_out):
    """Fill gamma_out and expected_out (E[log theta]) of the targets, after a topic's `total` tokens in a
    document went to them.

    moved (targets): the tokens that each takes. The topic's gamma, the last entry of `gamma`, is divided in
    proportion to prior + moved.
    """
    whole = total
    for j in range(len(prior)):
        whole += prior[j]
    for j in range(len(prior)):
        gamma_out[j] = gamma[j] + gamma[len(prior)] * (prior[j] + moved[j]) / whole
        expected_out[j] = digamma64(gamma_out[j]) - psi_total


@kernel_part(**PART)
def _mixed(prior, gamma, old, moved, psi_total, gamma_out, expected_out):
    """Fill gamma_out and expected_out (E[log theta]) of the targets, if their own tokens in a document were
    divided again together with those of the dissolved topic.

    The targets had `old` tokens and now have `moved`, including those of the topic. The part of a target's
    gamma that is not from tokens (gamma - old) stays its own, with `prior` added. The sum of gamma, including
    the topic's, stays the same.
    """
    n = len(moved)
    mass, beside, tokens = gamma[n], 0.0, 0.0
    for j in range(n):
        gamma_out[j] = max(gamma[j] - old[j], 0.0) + prior[j]
        mass, beside, tokens = mass + gamma[j], beside + gamma_out[j], tokens + moved[j]
    for j in range(n):
        gamma_out[j] += max(mass - beside, 0.0) * moved[j] / tokens
        gamma_out[j] *= min(1.0, mass / beside)
        expected_out[j] = digamma64(gamma_out[j]) - psi_total


@kernel_part(**PART)
def _concerned(start, stop, parts, places, mixing, at_out, own_out, all_out):
    """The entries of a document that have tokens to be divided when a topic is dissolved; returns their
    number.

    Fills three arrays: at_out with the entries' numbers, own_out with the topic's tokens, and all_out with
    the tokens to be divided. With `mixing` these are those of all rows `places` of `parts` (that of the topic
    last), otherwise only the topic's.
    """
    m = 0
    for i in range(start, stop):
        own = np.float64(parts[places[-1], i])
        tokens = own
        for j in range(len(places) - 1 if mixing else 0):
            tokens += np.float64(parts[places[j], i])
        at_out[m], own_out[m], all_out[m] = i, own, tokens
        m += 1 if tokens > 0.0 else 0  # else the next takes its place: faster than a branch
    return m


@njit(**OPTIONS)
def add_handover(document, parts, places, gamma, log_words, prior, mixing, handover_out):
    """Try to dissolve a topic in a shard's documents: divide its tokens and its gamma among other topics, the
    targets.

    What changes is added to handover_out (Handover). With one target this is a merge. parts (topics ×
    entries): expected tokens; places (targets + 1): the rows of the targets, then of the topic; gamma
    (documents × targets + 1): in the same order; log_words (shard's words × targets): E[log beta] of the
    targets; prior (targets): the alpha that each gains.

    With `mixing`, the targets' own tokens in documents that have the topic are then divided again too, since
    its removal can affect them.
    """
    n = len(prior)
    moved, updated, old, odds = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    wide, expected, shares, words = np.empty(n), np.empty(n), np.empty(n), np.empty((len(log_words), n))
    for v in range(len(log_words) if n > 1 else 0):
        _powers(log_words[v], words[v])
    shares[:] = 1.0  # of a single target
    size = longest(document.offsets)
    at, own, every = np.empty(size, np.int64), np.empty(size), np.empty(size)
    for d in range(len(document.offsets) - 1):
        start, stop = document.offsets[d], document.offsets[d + 1]
        psi_total = digamma64(document.totals[d])
        total = _tokens(parts, start, stop, places[n])
        for j in range(n):
            old[j], moved[j] = _tokens(parts, start, stop, places[j]), total / n
        _targets(prior, moved, total, gamma[d], psi_total, wide, expected)
        m = _concerned(start, stop, parts, places, mixing, at, own, every) if total >= NOTHING else 0
        chosen, mixed = total >= FEW and n > 1, False
        rounds = 0
        for _ in range(2 * ROUNDS if chosen else 0):
            _powers(expected, odds)
            updated[:] = 0.0
            for e in range(m):
                tokens = every[e] if mixed else own[e]
                if tokens == 0.0:
                    continue
                _leaning(document.codes[at[e]], words, log_words, odds, expected, shares)
                for j in range(n):
                    updated[j] += tokens * shares[j]
            change = 0.0
            for j in range(n):
                change += abs(updated[j] - moved[j])
                moved[j] = updated[j]
            if mixed:
                _mixed(prior, gamma[d], old, moved, psi_total, wide, expected)
            else:
                _targets(prior, moved, total, gamma[d], psi_total, wide, expected)
            rounds += 1
            if change < CLOSE or rounds == ROUNDS:
                if mixed == mixing:
                    break
                mixed, rounds = True, 0
        if n > 1:
            _powers(expected, odds)
        updated[:] = 0.0
        entropy = 0.0
        for e in range(m):
            tokens = every[e] if mixed else own[e]
            if tokens == 0.0:
                continue
            code = document.codes[at[e]]
            if n > 1:
                _leaning(code, words, log_words, odds, expected, shares)
            entropy += _x_log_x(own[e])
            for j in range(n):
                before = np.float64(parts[places[j], at[e]])
                after = tokens * shares[j] if mixed else before + tokens * shares[j]
                updated[j] += after - before
                handover_out.counts[code, j] += after - before
                entropy += _x_log_x(before) - _x_log_x(after)
        handover_out.own[0] += entropy
        for j in range(n):
            whole = digamma64(gamma[d, j]) - psi_total
            handover_out.own[0] += _own(old[j] + updated[j], wide[j], expected[j])
            handover_out.own[0] -= _own(old[j], gamma[d, j], whole)
            handover_out.log_theta[j] += expected[j]
            handover_out.log_whole[j] += whole
            handover_out.shares[d, j] = (wide[j] - gamma[d, j]) / gamma[d, n]
        gone = digamma64(gamma[d, n]) - psi_total
        handover_out.own[0] -= _own(total, gamma[d, n], gone)
        handover_out.log_whole[n] += gone


@kernel_part(**PART)
def _x_log_x(x):
    return x * log64(x) if x > 0.0 else 0.0
