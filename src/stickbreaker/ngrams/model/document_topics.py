"""The prior of documents' topic shares: drawing its parameter alpha, and its probability."""

import numpy as np
from scipy.special import gammaln

from stickbreaker.kernels.restaurant_tables import draw_tables
from stickbreaker.ngrams.kernels.topic_sweeps import Words
from stickbreaker.ngrams.model.hyperparameters import draw_concentration

LEAST = 1e-12  # of a topic's alpha: smaller values make no difference, and the logarithm stays finite


def draw_alpha(words: Words, key: np.uint64, generator: np.random.Generator) -> None:
    """Draw alpha, the Dirichlet parameter of documents' topic shares, given the topics of words; set
    `words.prior` to it.

    alpha = alpha_0 beta, with the priors alpha_0 ~ Gamma(1, 1) and beta ~ Dir(1). Each document is a
    restaurant of a Dirichlet process whose tables are drawn as auxiliary variables; key: of the random stream
    for tables.
    """
    counts, prior = words.counts[:, 1:], words.prior
    documents, topics = np.nonzero(counts)
    tables = np.zeros(len(prior) - 1, np.int64)
    draw_tables(topics, counts[documents, topics].astype(np.int64), prior[1:], key, tables)
    sizes = words.sizes[words.sizes > 0].astype(np.int64)
    total = draw_concentration(prior.sum(), sizes, int(tables.sum()), generator)
    prior[1:] = np.maximum(total * generator.dirichlet(1.0 + tables), LEAST)


def log_documents(words: Words) -> float:
    """log p(topics of documents, alpha) in nats; words of the common topic are left out."""
    counts, prior, sizes = words.counts[:, 1:], words.prior[1:], words.sizes
    total = prior.sum()
    nats = (gammaln(total) - gammaln(total + sizes)).sum()
    nats += (gammaln(prior + counts) - gammaln(prior)).sum()
    return float(nats + gammaln(len(prior)) - total - (len(prior) - 1) * np.log(total))
