"""The sampled local step of topic models: draws the topics of documents' tokens, and counts the draws."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, digamma64, log64, trigamma64
from stickbreaker.kernels.random import seeded, uniform
from stickbreaker.kernels.sparse_topics import InUse, add_one, remove_one

CHUNK = 16  # topics summed at once when all are searched


class Draws(NamedTuple):
    """Arrays that a sampled local step fills: its draws of topics, and sums over them.

    A cell is a word of a document with a topic that was drawn for it. Cells are filled from the front.
    """

    gamma: NDArray[np.float64]  # documents × topics: alpha + mean count
    scores: NDArray[np.float64]  # documents: log of an unbiased estimate of the document's evidence, in nats
    gains: NDArray[np.float64]  # topics: sum of psi(n + alpha) - psi(alpha) over documents and samples
    bends: NDArray[np.float64]  # topics: the same for psi'(alpha) - psi'(n + alpha)
    samples: NDArray[np.int32]  # samples × tokens: the draws, entry by entry
    codes: NDArray[np.int32]  # cells: number of the word in the shard
    topics: NDArray[np.int32]  # cells
    times: NDArray[np.int32]  # cells: the number of draws, over all samples


def room_for_draws(n_documents: int, n_topics: int, samples: int, tokens: int, cells: int) -> Draws:
    """A `Draws` of the sizes given, to be filled by `sample_documents`; `gains` and `bends` are zero.

    samples: the number of draws of each token; tokens: the number in all documents; cells: the largest number
    of cells.
    """
    return Draws(
        gamma=np.empty((n_documents, n_topics)),
        scores=np.empty(n_documents),
        gains=np.zeros(n_topics),
        bends=np.zeros(n_topics),
        samples=np.empty((samples, tokens), np.int32),
        codes=np.empty(cells, np.int32),
        topics=np.empty(cells, np.int32),
        times=np.empty(cells, np.int32),
    )


@kernel_part(**PART)
def _smoothing(row, alpha):
    """The sum over topics k of alpha_k w_k, for a word with the weights `row` (w)."""
    total = np.float32(0.0)
    for k in range(len(alpha)):
        total += alpha[k] * row[k]
    return total


@kernel_part(**PART)
def _from_prior(row, alpha, target):
    """Draw a topic in proportion to alpha_k w_k: the one at which the running sum exceeds `target`.

    row (topics): the word's weights w; target: uniform between 0 and the whole sum.
    """
    n_topics = len(alpha)
    k = 0
    passed = np.float32(0.0)
    while k + CHUNK < n_topics:
        part = np.float32(0.0)
        for i in range(CHUNK):
            part += alpha[k + i] * row[k + i]
        if passed + part > target:
            break
        passed += part
        k += CHUNK
    for j in range(k, n_topics):
        passed += alpha[j] * row[j]
        if passed > target:
            return j
    best = n_topics - 1  # rounding moved the sum past its end: the last topic that is possible
    while row[best] <= np.float32(0.0):
        best -= 1
    return best


@kernel_part(**PART)
def _draw(row, alpha, smoothing, used, size, state):
    """Draw a topic k in proportion to (n_k + alpha_k) w_k (eq. 4.9); returns it and the sum over all topics.

    row (topics): the word's weights w; used: InUse, with the counts n_k of the document's `size` topics;
    smoothing: the sum of alpha_k w_k; state: of the random stream. Other topics are searched only if the draw
    falls into `smoothing`.
    """
    total = np.float32(0.0)
    for j in range(size):
        total += used.counts[j] * row[used.topics[j]]
        used.sums[j] = total
    target = np.float32(uniform(state) * np.float64(total + smoothing))
    if target < total:
        j = 0
        while used.sums[j] <= target:
            j += 1
        return np.int64(used.topics[j]), total + smoothing
    return np.int64(_from_prior(row, alpha, target - total)), total + smoothing


@kernel_part(**PART)
def _place(words, start, stop, alpha, smoothing, used, state, z_out):
    """Draw the first topics of a document's tokens into z_out (tokens), each given those before it.

    Entries `start` to `stop` of `words` are the document's; smoothing (shard's words): sum_k alpha_k w_k.
    Returns the number of topics in use, and the log of the product of the draws' normalisers. That product,
    divided by prod_n (sum_k alpha_k + n), is an unbiased estimate of sum_z p(z | alpha) prod_n exp E[log
    beta].
    """
    size, n, nats, product = 0, 0, 0.0, 1.0
    for i in range(start, stop):
        code = words.codes[i]
        row = words.weights[words.positions[code]]
        nats += words.counts[i] * words.log_scale[words.positions[code]]
        for _ in range(np.int64(words.counts[i])):
            k, norm = _draw(row, alpha, smoothing[code], used, size, state)
            size = add_one(k, size, used)
            z_out[n] = k
            n += 1
            product *= np.float64(norm)
            if product < 1e-200 or product > 1e200:
                nats += log64(product)
                product = 1.0
    return size, nats + log64(product)


@kernel_part(**PART)
def _sweep(words, start, stop, alpha, smoothing, used, size, state, z_out):
    """Resample the topic of each of a document's tokens (z_out), given the topics of the others.

    Returns the number of topics in use. The arguments are those of `_place`; `size`: topics in use before.
    """
    n = 0
    for i in range(start, stop):
        code = words.codes[i]
        row = words.weights[words.positions[code]]
        smooth = smoothing[code]
        for _ in range(np.int64(words.counts[i])):
            size = remove_one(z_out[n], size, used)
            k, _norm = _draw(row, alpha, smooth, used, size, state)
            size = add_one(k, size, used)
            z_out[n] = k
            n += 1
    return size


@kernel_part(**PART)
def _tally(words, start, stop, samples, times, drawn, cell, draws_out):
    """Count how often each word of a document was drawn with each topic, as cells of draws_out.

    samples (samples × tokens): the topics drawn; cell: the first free cell; times, drawn (topics): working
    memory. Returns the next free cell.
    """
    n = 0
    for i in range(start, stop):
        n_drawn = 0
        for _ in range(np.int64(words.counts[i])):
            for s in range(len(samples)):
                k = samples[s, n]
                if times[k] == 0:
                    drawn[n_drawn] = k
                    n_drawn += 1
                times[k] += 1
            n += 1
        for j in range(n_drawn):
            draws_out.codes[cell] = words.codes[i]
            draws_out.topics[cell] = drawn[j]
            draws_out.times[cell] = times[drawn[j]]
            times[drawn[j]] = 0
            cell += 1
    return cell


@kernel_part(**PART)
def _add_sample(used, size, alpha, psi_alpha, share, gamma_out, draws_out):
    """Add one sample of a document's topics to the sums of a local step.

    Topic counts times `share` are added to gamma_out (topics), and to `gains` and `bends` of draws_out (see
    `Draws`) the terms from which alpha is learned. psi_alpha (topics × 2): psi and psi' of alpha.
    """
    for j in range(size):
        k = used.topics[j]
        n = np.float64(used.counts[j])
        gamma_out[k] += share * n
        draws_out.gains[k] += digamma64(n + alpha[k]) - psi_alpha[k, 0]
        draws_out.bends[k] += psi_alpha[k, 1] - trigamma64(n + alpha[k])


@kernel_part(**PART)
def _take_alpha(alpha, alpha32_out, psi_alpha_out):
    """Fill alpha32_out with alpha (topics), and psi_alpha_out (topics × 2) with psi and psi' of it; returns
    the sum of alpha.
    """
    total = 0.0
    for k in range(len(alpha)):
        alpha32_out[k] = np.float32(alpha[k])
        psi_alpha_out[k, 0] = digamma64(alpha[k])
        psi_alpha_out[k, 1] = trigamma64(alpha[k])
        total += alpha[k]
    return total


@njit(**OPTIONS)
def sample_documents(words, alphas, burn_in, keys, draws_out):
    """Draw topics for the tokens of a shard's documents, given fixed topics (Zhai 2014, eq. 4.8-4.10).

    words: Words with whole counts; alphas (documents × topics, or 1 × topics for all, double); `burn_in`
    sweeps are discarded, then a sweep for each of the `samples` of draws_out counts; keys (documents,
    uint64): seeds, one per document; draws_out: Draws, whose `gains` and `bends` are added to, the rest
    filled. Returns the number of cells. Time grows with the topics in use: all topics are searched only if a
    draw comes from the prior's part, alpha_k w_k.
    """
    n_topics, samples = alphas.shape[1], len(draws_out.samples)
    alpha, alpha32 = alphas[0], np.empty(n_topics, np.float32)
    psi_alpha = np.empty((n_topics, 2))
    total_alpha = _take_alpha(alpha, alpha32, psi_alpha)
    smoothing = np.empty(len(words.positions), np.float32)
    if len(alphas) == 1:
        for code in range(len(words.positions)):
            smoothing[code] = _smoothing(words.weights[words.positions[code]], alpha32)
    used = InUse(
        np.empty(n_topics, np.int32),
        np.empty(n_topics, np.float32),
        np.full(n_topics, -1, np.int32),
        np.empty(n_topics, np.float32),
    )
    times, drawn = np.zeros(n_topics, np.int32), np.empty(n_topics, np.int32)
    state = np.empty(2, np.uint64)
    cell, first = 0, 0
    for d in range(len(words.offsets) - 1):
        start, stop = words.offsets[d], words.offsets[d + 1]
        n_tokens = 0
        for i in range(start, stop):
            n_tokens += np.int64(words.counts[i])
        if len(alphas) > 1:
            alpha = alphas[d]
            total_alpha = _take_alpha(alpha, alpha32, psi_alpha)
            for i in range(start, stop):
                row = words.weights[words.positions[words.codes[i]]]
                smoothing[words.codes[i]] = _smoothing(row, alpha32)
        seeded(keys[d], state)
        kept = draws_out.samples[:, first : first + n_tokens]
        z = kept[samples - 1]
        first += n_tokens
        size, nats = _place(words, start, stop, alpha32, smoothing, used, state, z)
        for n in range(n_tokens):
            nats -= log64(total_alpha + n)
        for _ in range(burn_in):
            size = _sweep(words, start, stop, alpha32, smoothing, used, size, state, z)
        draws_out.gamma[d] = alpha
        for s in range(samples):
            size = _sweep(words, start, stop, alpha32, smoothing, used, size, state, z)
            kept[s] = z
            _add_sample(used, size, alpha, psi_alpha, 1.0 / samples, draws_out.gamma[d], draws_out)
        cell = _tally(words, start, stop, kept, times, drawn, cell, draws_out)
        draws_out.scores[d] = nats
        for j in range(size):
            used.places[used.topics[j]] = -1
    return cell
