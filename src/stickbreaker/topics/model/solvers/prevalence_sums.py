"""Sums over a shard's documents from which a prior by metadata is learned, from draws of tokens' topics.

Mean-field inference makes documents that share words more alike than they are, and a prior learned from its
shares would run off (docs/models/prevalence.md). So the prior is learned from draws.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core import purposes
from stickbreaker.core.random_streams import numbered_keys
from stickbreaker.core.records import Array, Field
from stickbreaker.corpus.shards import Bags, Shard, tokens_by_document
from stickbreaker.topics.model.priors.prevalence_terms import (
    LEAST,
    Coefficients,
    DocumentTerms,
    as_fields,
    sums_of_terms,
)
from stickbreaker.topics.model.samplers.tokens import whole_counts

if TYPE_CHECKING:
    from stickbreaker.kernels.document_words import Words

BURN_IN, SAMPLES = 5, 4  # sweeps per document and pass


def sampled_sums(
    words: "Words",
    shard: Shard[Bags],
    covariates: Array,
    coefficients: Coefficients,
    alphas: Array,
    seed: int,
) -> dict[str, Field]:
    """The sums of a shard that mean-field inference infers: topics of its tokens are drawn in a few sweeps,
    with the weights of the words fixed.

    covariates: as of `alphas_of`; alphas (documents × topics): at these coefficients. Raises UserError for
    counts that are not whole.
    """
    tokens = tokens_by_document(shard.content.offsets, shard.content.counts)
    samples = draw_topics(words, shard, alphas, (BURN_IN, SAMPLES), seed)
    return sums_of_draws(samples, tokens, alphas, covariates, coefficients)


def draw_topics(
    words: "Words", shard: Shard[Bags], alphas: Array, sweeps: tuple[int, int], seed: int
) -> NDArray[np.int32]:
    """Draw the topics of a shard's tokens (samples × tokens). sweeps: how many are discarded, and how many
    count.
    """
    from stickbreaker.kernels.hybrid import room_for_draws, sample_documents

    size = int(whole_counts(shard.content.counts).sum())
    burn_in, samples = sweeps
    cells = min(size * samples, shard.n_entries * alphas.shape[1])
    draws = room_for_draws(shard.n_documents, alphas.shape[1], samples, size, cells)
    keys = numbered_keys(seed, purposes.ASSIGNMENTS, 0, shard.documents)
    sample_documents(words, np.maximum(alphas, LEAST), burn_in, keys, draws)
    return draws.samples


def sums_of_draws(
    samples: NDArray[np.int32], tokens: Array, alphas: Array, covariates: Array, coefficients: Coefficients
) -> dict[str, Field]:
    """The sums of documents whose tokens have the drawn topics `samples` (samples × tokens), as fields.

    tokens (documents): of each; alphas (documents × topics): of these covariates and coefficients.
    """
    offsets = np.concatenate([[0], np.cumsum(tokens)]).astype(np.int64)
    half = (len(samples) + 1) // 2
    first = mean_terms(offsets, samples[:half], alphas)
    second = mean_terms(offsets, samples[half:], alphas) if len(samples) > 1 else first
    weight = half / len(samples)
    terms = DocumentTerms(*(weight * a + (1.0 - weight) * b for a, b in zip(first, second, strict=True)))
    return as_fields(sums_of_terms(covariates, coefficients, alphas, terms, first.slopes, second.slopes))


def mean_terms(offsets: NDArray[np.int64], samples: NDArray[np.int32], alphas: Array) -> DocumentTerms:
    """The mean of documents' terms over samples of their tokens' topics (samples × tokens)."""
    from stickbreaker.topics.kernels.document_terms import add_document_terms

    terms = DocumentTerms(np.zeros(alphas.shape), np.zeros(alphas.shape), np.zeros(len(alphas)))
    for topics in samples:
        add_document_terms(offsets, np.ascontiguousarray(topics), alphas, 1.0 / len(samples), terms)
    return terms
