"""Eq. 4.8 of Zhai (2014) by enumeration."""

from itertools import product

import numpy as np
from scipy.special import gammaln


def posterior(tokens, log_weights, alpha):
    """Every assignment of a document (assignments × tokens), its probability, and the log of their sum.

    tokens: a word each; log_weights (words × topics) E[log beta]; alpha (topics).
    """
    n_topics = len(alpha)
    assignments = np.array(list(product(range(n_topics), repeat=len(tokens))))
    scores = np.empty(len(assignments))
    for i, z in enumerate(assignments):
        n = np.bincount(z, minlength=n_topics)
        prior = gammaln(alpha.sum()) - gammaln(alpha.sum() + len(tokens))
        prior += (gammaln(n + alpha) - gammaln(alpha)).sum()
        scores[i] = prior + log_weights[tokens, z].sum()
    evidence = np.logaddexp.reduce(scores)
    return assignments, np.exp(scores - evidence), evidence
