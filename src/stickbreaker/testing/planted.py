"""Data drawn from a known topic model, for tests that look for its topics."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_matrix, hstack

from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array
from stickbreaker.testing import purposes


class Planted(NamedTuple):
    """Documents drawn from a known topic model, and the truth behind them.

    counts: documents × words, sparse; topics: topics × words; theta: documents × topics; alpha: topics.
    """

    counts: csr_matrix
    topics: Array
    theta: Array
    alpha: Array


def plant_topics(
    n_documents: int = 400,
    n_topics: int = 5,
    n_words: int = 200,
    length: int = 60,
    alpha: float | Array = 0.1,
    eta: float = 0.05,
    seed: int = 0,
) -> Planted:
    """Draw documents from LDA: beta_k ~ Dirichlet(eta), theta_d ~ Dirichlet(alpha), `length` tokens each.

    >>> plant_topics(n_documents=3).counts.shape
    (3, 200)
    """
    generator = stream(seed, purposes.PLANTED)
    prior = np.broadcast_to(np.asarray(alpha, np.float64), n_topics).copy()
    topics = generator.dirichlet(np.full(n_words, eta), n_topics)
    theta = generator.dirichlet(prior, n_documents)
    counts = np.stack([generator.multinomial(length, row / row.sum()) for row in theta @ topics])
    return Planted(csr_matrix(counts.astype(np.float64)), topics, theta, prior)


def plant_languages(sizes: Sequence[int] = (120, 80), seed: int = 0, **settings: Any) -> Planted:
    """Draw documents with a text in each of several languages; a document's texts share its theta.

    `sizes`: the number of words of each language; `settings`: those of `plant_topics`, with `length` tokens
    per language. The columns are the words of all languages, one after another; `topics` sum to one in each
    language.

    >>> plant_languages((30, 20), n_documents=2).counts.shape
    (2, 50)
    """
    first = plant_topics(n_words=sizes[0], seed=seed, **settings)
    topics, counts = [first.topics], [first.counts]
    generator = stream(seed, purposes.PLANTED_LANGUAGES)
    length = int(first.counts[:1].sum())
    for size in sizes[1:]:
        topics.append(generator.dirichlet(np.full(size, settings.get("eta", 0.05)), len(first.alpha)))
        shares = first.theta @ topics[-1]
        drawn = np.stack([generator.multinomial(length, row / row.sum()) for row in shares])
        counts.append(csr_matrix(drawn.astype(np.float64)))
    return first._replace(counts=csr_matrix(hstack(counts)), topics=np.hstack(topics))


def matched(found: Array, truth: Array) -> tuple[NDArray[np.intp], Array]:
    """Find the best one-to-one match of found topics to true ones (both topics × words).

    Returns, for each true topic, the index of its found topic, and the cosine of the two. If fewer topics
    were found than there are, true topics without a match are left out.
    """
    a = found / np.linalg.norm(found, axis=1, keepdims=True)
    b = truth / np.linalg.norm(truth, axis=1, keepdims=True)
    cosines = b @ a.T
    true, chosen = linear_sum_assignment(-cosines)
    return chosen, cosines[true, chosen]
