"""Document counts for ranking words: documents by word and topic, and co-occurrences of a topic's words."""

import numpy as np
from numba import njit

from stickbreaker.kernels.math import OPTIONS


@njit(**OPTIONS)
def count_documents(offsets, codes, theta, words, counts):
    """Add to counts (words × topics) the expected number of documents in which each word has each topic:

    counts[i, k] += theta[d, k] words[i, k] / sum_j theta[d, j] words[i, j], once per document d and distinct
    word i. theta (documents × topics): topic shares; `words` (distinct words × topics): probabilities in the
    topics; codes[offsets[d]:offsets[d + 1]]: the words of document d. A word that none of the document's
    topics has adds nothing.
    """
    n_topics = theta.shape[1]
    for d in range(len(offsets) - 1):
        for entry in range(offsets[d], offsets[d + 1]):
            i = codes[entry]
            norm = 0.0
            for k in range(n_topics):
                norm += theta[d, k] * words[i, k]
            if norm > 0.0:
                for k in range(n_topics):
                    counts[i, k] += theta[d, k] * words[i, k] / norm


@njit(**OPTIONS)
def count_support(offsets, codes, damped, theta, probabilities, sums_out):
    """Add to sums_out (distinct words × 3 K) how far documents support the words of K topics.

    Document d has entries offsets[d] to offsets[d + 1] (exclusive), one for each distinct word: its number,
    codes[entry], and its damped count, damped[entry]. theta (documents × topics): topic shares; probabilities
    (distinct words × topics): the words' in the topics. With

    φ_dwk = theta_dk beta_kw / sum_j theta_dj beta_jw,  O_dkw = φ_dwk damped_dw,  W_dk = sum_w O_dkw,

    the row of word w gains sum_d O_dkw, sum_d O_dkw² and sum_d O_dkw W_dk (K columns each). A word that none
    of the document's topics has adds nothing.
    """
    n_topics = theta.shape[1]
    longest = 0
    for d in range(len(offsets) - 1):
        longest = max(longest, offsets[d + 1] - offsets[d])
    scales = np.empty(longest)
    whole = np.empty(n_topics)
    for d in range(len(offsets) - 1):
        first = offsets[d]
        whole[:] = 0.0
        for entry in range(first, offsets[d + 1]):
            i = codes[entry]
            norm = 0.0
            for k in range(n_topics):
                norm += theta[d, k] * probabilities[i, k]
            scale = damped[entry] / norm if norm > 0.0 else 0.0
            scales[entry - first] = scale
            for k in range(n_topics):
                whole[k] += theta[d, k] * probabilities[i, k] * scale
        for entry in range(first, offsets[d + 1]):
            i, scale = codes[entry], scales[entry - first]
            for k in range(n_topics):
                weight = theta[d, k] * probabilities[i, k] * scale
                sums_out[i, k] += weight
                sums_out[i, n_topics + k] += weight * weight
                sums_out[i, 2 * n_topics + k] += weight * whole[k]


@njit(**OPTIONS)
def count_meetings(offsets, words, first_place, topics, ranks, meetings):
    """Count, for each topic, the documents (or windows) in which two of the topic's top words occur together.

    Document d has words[offsets[d]:offsets[d + 1]], in which a word may be repeated; -1 is any other word.
    Word w is in the list of topics[p] at position ranks[p] (below 32), for p from first_place[w] to
    first_place[w + 1] (exclusive). The number of documents with both words is added to `meetings` (topics ×
    positions × positions); on the diagonal, that of documents with the word.
    """
    present = np.zeros(len(meetings), np.uint32)  # of the present document: bit r for the word of rank r
    touched = np.empty(len(meetings), np.int64)
    n_ranks = meetings.shape[1]
    for d in range(len(offsets) - 1):
        n_touched = 0
        for entry in range(offsets[d], offsets[d + 1]):
            word = words[entry]
            if word < 0:
                continue
            for p in range(first_place[word], first_place[word + 1]):
                k = topics[p]
                if present[k] == 0:
                    touched[n_touched] = k
                    n_touched += 1
                present[k] |= np.uint32(1) << np.uint32(ranks[p])
        for t in range(n_touched):
            k = touched[t]
            bits = present[k]
            present[k] = np.uint32(0)
            for i in range(n_ranks):
                if (bits >> np.uint32(i)) & np.uint32(1):
                    for j in range(i, n_ranks):
                        if (bits >> np.uint32(j)) & np.uint32(1):
                            meetings[k, i, j] += 1
                            if j > i:
                                meetings[k, j, i] += 1
