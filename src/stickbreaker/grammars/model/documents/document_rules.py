"""Sampling which of the start symbol's rules each sentence uses, if documents have weights of their own.

A document d draws theta_d ~ Dirichlet(alpha) over the rules of the start symbol; each of its sentences s
draws one of them, r_s, and then the tree below. The start symbol occurs only at the top of trees, so with
theta_d integrated out

    p(r_s = r | others) ~ (alpha_r + n_dr, without s) p(s | r),

where p(s | r) sums over trees and does not depend on the document. This is the conditional of a topic model
whose words are the distinct sentences; its kernel is used here.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import psi

from stickbreaker.core.records import Array
from stickbreaker.grammars.model.compiled import Integers
from stickbreaker.grammars.model.grammar_sentences import Sentences
from stickbreaker.kernels.document_words import Words
from stickbreaker.kernels.hybrid import room_for_draws, sample_documents

BURN_IN = 20  # sweeps over a document before those that count; cheap compared with the trees


class SentenceTypes(NamedTuple):
    """The distinct sentences (types) of some documents, and which of them each sentence is.

    They are sorted by content, so that draws of a document do not depend on other documents.
    """

    letters: Integers
    starts: NDArray[np.int64]  # types + 1
    codes: NDArray[np.int64]  # sentences: the type of each

    def repeated(self, codes: NDArray[np.int64]) -> tuple[Integers, NDArray[np.int64]]:
        """The terminals of sentences of the types `codes`, concatenated, and where each sentence begins."""
        sizes = np.diff(self.starts)[codes]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        places = np.arange(starts[-1]) + np.repeat(self.starts[codes] - starts[:-1], sizes)
        return self.letters[places], starts


class Choices(NamedTuple):
    """Which of the start symbol's rules (topics) were sampled for documents' sentences.

    A cell is a combination of a document, one of its distinct sentences, and a rule drawn for it.
    """

    gamma: Array  # documents × rules: alpha + mean uses
    scores: Array  # documents: log of an unbiased estimate of p(sentences | alpha)
    documents: NDArray[np.int64]  # cells
    codes: NDArray[np.int64]  # cells
    rules: NDArray[np.int64]  # cells: index among the start symbol's rules
    times: NDArray[np.int64]  # cells: times drawn, in all samples together
    gain: float  # sum over documents and rules of weight × mean of psi(alpha + n) - psi(alpha)
    spread: float  # weight × sum over documents of psi(alpha + tokens) - psi(alpha), alpha's sums


def types_of(sentences: Sentences) -> SentenceTypes:
    """Find the distinct sentences (types), sorted, and the type of each sentence."""
    letters, starts = sentences.letters, sentences.starts
    content, ends = letters.tobytes(), (starts * letters.itemsize).tolist()
    contents = [content[a:b] for a, b in pairwise(ends)]
    distinct = sorted(set(contents))
    numbers = {one: number for number, one in enumerate(distinct)}
    codes = np.array([numbers[one] for one in contents], np.int64)
    sizes = [len(one) // letters.itemsize for one in distinct]
    joined = np.frombuffer(b"".join(distinct), letters.dtype)
    return SentenceTypes(joined, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), codes)


def draw_choices(
    codes: NDArray[np.int64],
    documents: NDArray[np.int64],
    nats: Array,
    alpha: Array,
    weights: Array,
    samples: int,
    keys: NDArray[np.uint64],
) -> Choices:
    """Sample the rule (topic) of each sentence by collapsed Gibbs sampling, separately for each document.

    codes, documents (sentences): the type (distinct sentence) and the document of each; nats (types × rules):
    log p(type | rule), types with -inf for all rules are ignored; alpha (rules): the Dirichlet prior of
    documents' weights; weights (rules): alpha without its learned factor; keys (documents): of the random
    streams. `samples` sweeps count, after `BURN_IN` sweeps.
    """
    words = _bags(codes, documents, nats, len(keys))
    tokens = np.add.reduceat(np.append(words.counts, 0.0), words.offsets[:-1].clip(max=len(words.counts)))
    tokens = np.where(np.diff(words.offsets) > 0, tokens, 0.0)
    size, n = int(tokens.sum()), len(alpha)
    most = min(size * samples, len(words.codes) * n)
    draws = room_for_draws(len(keys), n, samples, size, most)
    cells = sample_documents(words, alpha[None, :], BURN_IN, keys, draws)
    times = draws.times[:cells].astype(np.int64)
    ends = np.cumsum(tokens.astype(np.int64) * samples)
    spread = float(psi(alpha.sum() + tokens).sum() - len(tokens) * psi(alpha.sum()))
    return Choices(
        draws.gamma,
        draws.scores,
        np.searchsorted(ends, np.cumsum(times) - 1, side="right"),
        draws.codes[:cells].astype(np.int64),
        draws.topics[:cells].astype(np.int64),
        times,
        float(weights @ draws.gains) / samples,
        float(weights.sum()) * spread,
    )


def _bags(codes: NDArray[np.int64], documents: NDArray[np.int64], nats: Array, n_documents: int) -> Words:
    """Turn documents into bags of distinct sentences, as the kernel of topic models reads bags of words.

    The weights of a type (distinct sentence) are p(type | rule), divided by their maximum. codes, documents
    (sentences): type and document of each; nats (types × rules): log p(type | rule). Types that no rule
    derives are left out.
    """
    greatest = nats.max(axis=1, initial=-np.inf)
    parsed = np.isfinite(greatest)
    scale = np.where(parsed, greatest, 0.0)
    kept = parsed[codes]
    pairs, counts = np.unique(documents[kept] * len(nats) + codes[kept], return_counts=True)
    owners = pairs // max(len(nats), 1)
    return Words(
        offsets=np.searchsorted(owners, np.arange(n_documents + 1)).astype(np.int64),
        codes=(pairs % max(len(nats), 1)).astype(np.int32),
        counts=counts.astype(np.float32),
        positions=np.arange(len(nats)),
        weights=np.exp(nats - scale[:, None]).astype(np.float32),
        log_scale=scale,
    )
