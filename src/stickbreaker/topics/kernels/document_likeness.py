"""Similarities of documents, computed from an inverted index."""

from numba import njit

from stickbreaker.kernels.math import OPTIONS

# seeds are drawn by these sums, which must be identical on all machines
_EXACT = {**OPTIONS, "fastmath": False}


@njit(**_EXACT)
def fill_likeness(offsets, words, values, having, documents, their_values, chosen, likeness_out):
    """Fill likeness_out (chosen × documents) with the inner products of some documents with all documents.

    Document d has words[offsets[d]:offsets[d + 1]], with the weights in `values`. In the inverted index, word
    w is in documents[having[w]:having[w + 1]], with the weights in their_values. chosen: the numbers of the
    documents whose rows are filled.
    """
    for c in range(len(chosen)):
        row = likeness_out[c]
        row[:] = 0.0
        for i in range(offsets[chosen[c]], offsets[chosen[c] + 1]):
            w, value = words[i], values[i]
            for j in range(having[w], having[w + 1]):
                row[documents[j]] += value * their_values[j]
