"""Document counts for ranking words: documents by word and topic, and co-occurrences of a topic's words."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.math import OPTIONS


class DocumentTopics(NamedTuple):
    """The topics of documents, and their shares: document d has topics[starts[d]:starts[d + 1]], and the
    shares in the same places. Each topic is listed once per document.
    """

    starts: NDArray[np.int64]  # documents + 1
    topics: NDArray[np.int32]
    shares: NDArray[np.float64]


@njit(**OPTIONS)
def count_words(entries, documents, words, damped, of_documents, probabilities, sums_out):
    """Add to sums_out (words × 4 K) in how many documents words have each of K topics, and how far documents
    support them.

    An entry is a distinct word of a document: words[entry], its damped count and documents[entry], whose
    topics and their shares theta_dk are in `of_documents`, a `DocumentTopics`. `entries`: those to count.
    probabilities (words × topics): beta. With

    φ_dwk = theta_dk beta_kw / sum_j theta_dj beta_jw,  O_dkw = φ_dwk damped_dw,  W_dk = sum_w O_dkw,

    columns 4 k to 4 k + 3 of word w gain the sums over documents of φ_dwk, O_dkw, O_dkw² and O_dkw W_dk. A
    word that none of the document's topics has adds nothing.
    """
    starts, topics, shares = of_documents
    whole = np.zeros(len(topics))
    scales = np.empty(len(words))
    for entry in entries:
        d, probability = documents[entry], probabilities[words[entry]]
        norm = 0.0
        for j in range(starts[d], starts[d + 1]):
            norm += shares[j] * probability[topics[j]]
        scales[entry] = 1.0 / norm if norm > 0.0 else 0.0
        scale = damped[entry] * scales[entry]
        for j in range(starts[d], starts[d + 1]):
            whole[j] += shares[j] * probability[topics[j]] * scale
    for entry in entries:
        d, probability, sums = documents[entry], probabilities[words[entry]], sums_out[words[entry]]
        for j in range(starts[d], starts[d + 1]):
            phi = shares[j] * probability[topics[j]] * scales[entry]
            weight, column = phi * damped[entry], 4 * topics[j]
            sums[column] += phi
            sums[column + 1] += weight
            sums[column + 2] += weight * weight
            sums[column + 3] += weight * whole[j]


@njit(**OPTIONS)
def count_meetings(offsets, words, first_place, topics, ranks, meetings):
    """Count, for each topic, the documents (or windows) in which two of the topic's top words occur together.

    Document d has words[offsets[d]:offsets[d + 1]], in which a word may be repeated; -1 is any other word.
    Word w is in the list of topics[p] at position ranks[p] (below 32), for p from first_place[w] to
    first_place[w + 1] (exclusive). The number of documents with both words is added to `meetings` (topics ×
    positions × positions); on the diagonal, that of documents with the word.
    """
    n_topics, n_ranks = len(meetings), meetings.shape[1]
    present = np.zeros(n_topics, np.uint32)  # of the present document: bit r for the word of rank r
    found = np.empty((n_topics, n_ranks), np.int64)  # these ranks, and their number
    sizes = np.zeros(n_topics, np.int64)
    touched = np.empty(n_topics, np.int64)
    for d in range(len(offsets) - 1):
        n_touched = 0
        for entry in range(offsets[d], offsets[d + 1]):
            word = words[entry]
            if word < 0:
                continue
            for p in range(first_place[word], first_place[word + 1]):
                k = topics[p]
                bit = np.uint32(1) << np.uint32(ranks[p])
                if present[k] & bit:
                    continue
                if present[k] == 0:
                    touched[n_touched] = k
                    n_touched += 1
                present[k] |= bit
                found[k, sizes[k]] = ranks[p]
                sizes[k] += 1
        for t in range(n_touched):
            k = touched[t]
            for a in range(sizes[k]):
                i = found[k, a]
                meetings[k, i, i] += 1
                for b in range(a):
                    j = found[k, b]
                    meetings[k, i, j] += 1
                    meetings[k, j, i] += 1
            present[k] = np.uint32(0)
            sizes[k] = 0
