"""Derivatives of the probability of documents' topics by the logarithm of alpha, for learning it from
metadata.
"""

import numpy as np
from numba import njit

from stickbreaker.kernels.math import OPTIONS, digamma64, trigamma64


@njit(**OPTIONS)
def add_document_terms(offsets, topics, alphas, share, terms_out):
    """Add the terms of documents, times `share`, to terms_out (DocumentTerms; see
    `model/priors/prevalence_terms.py`).

    offsets (documents + 1); topics (tokens): the topic of each token, in document order; alphas (documents ×
    topics).
    """
    held = np.zeros(alphas.shape[1], np.int64)
    for d in range(len(offsets) - 1):
        alpha, size = alphas[d], np.float64(offsets[d + 1] - offsets[d])
        if size == 0.0:
            continue
        total = 0.0
        for k in range(len(alpha)):
            total += alpha[k]
        fall = digamma64(total + size) - digamma64(total)
        for k in range(len(alpha)):
            terms_out.slopes[d, k] -= share * fall * alpha[k]
        terms_out.spreads[d] += share * total * total * (trigamma64(total) - trigamma64(total + size))
        for t in range(offsets[d], offsets[d + 1]):
            held[topics[t]] += 1
        for t in range(offsets[d], offsets[d + 1]):
            k = topics[t]
            if held[k] == 0:
                continue
            more = alpha[k] + np.float64(held[k])
            terms_out.slopes[d, k] += share * alpha[k] * (digamma64(more) - digamma64(alpha[k]))
            terms_out.bends[d, k] += share * alpha[k] * alpha[k] * (trigamma64(alpha[k]) - trigamma64(more))
            held[k] = 0
