"""Cosines of documents, by the documents that have a word."""

from numba import njit

from stickbreaker.kernels.math import OPTIONS

# seeds are drawn by these sums, which are the same to the last digit wherever they are added
_EXACT = {**OPTIONS, "fastmath": False}


@njit(**_EXACT)
def fill_likeness(offsets, words, values, having, documents, their_values, chosen, likeness_out):
    """likeness_out (chosen × documents): the products of some documents with all.

    Document d has words[offsets[d]:offsets[d + 1]], with values; word w is in the documents from having[w] to
    having[w + 1], where it has their_values.
    """
    for c in range(len(chosen)):
        row = likeness_out[c]
        row[:] = 0.0
        for i in range(offsets[chosen[c]], offsets[chosen[c] + 1]):
            w, value = words[i], values[i]
            for j in range(having[w], having[w + 1]):
                row[documents[j]] += value * their_values[j]
