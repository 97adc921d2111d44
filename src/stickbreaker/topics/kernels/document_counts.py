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
def count_meetings(offsets, words, first_place, topics, ranks, meetings):
    """Count, for each topic, the documents in which two of the topic's top words occur together.

    Document d has words[offsets[d]:offsets[d + 1]]. Word w is in the list of topics[p] at position ranks[p]
    (below 32), for p from first_place[w] to first_place[w + 1] (exclusive). The number of documents with both
    words is added to `meetings` (topics × positions × positions); on the diagonal, that of documents with the
    word.
    """
    present = np.zeros(len(meetings), np.uint32)  # of the present document: bit r for the word of rank r
    touched = np.empty(len(meetings), np.int64)
    n_ranks = meetings.shape[1]
    for d in range(len(offsets) - 1):
        n_touched = 0
        for entry in range(offsets[d], offsets[d + 1]):
            word = words[entry]
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
