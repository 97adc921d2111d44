"""Document completion: predicting one part of each document, mostly half, from the other.

It scores topic-word matrices from any program: split documents, infer the topics of observed halves with that
program, score the other halves here. Compare with the unigram score: a model that is not better has learned
nothing (Wallach et al. 2009, section 5.1, use the same split).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.arguments import numbers_in, refuse_no
from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import stream
from stickbreaker.corpus.shards import Bags, content_of
from stickbreaker.topics import purposes

ENTRIES_AT_ONCE = 1 << 17  # bounds the memory of scoring, besides a few numbers per entry

Words = NDArray[np.int32]
Counts = NDArray[np.float32]


class Completion(NamedTuple):
    """A score of predicted words: the sum of their log probabilities in `nats`, how many `tokens` they are,
    and the nats of each document (D).
    """

    nats: float
    tokens: float
    per_document: NDArray[np.float64]

    @property
    def nats_per_word(self) -> float:
        """Mean log probability of a word: negative, higher is better."""
        return self.nats / self.tokens

    @property
    def perplexity(self) -> float:
        """exp(-nats per word): the size of a uniform vocabulary that is equally hard to predict."""
        return float(np.exp(-self.nats_per_word))


def split_halves(
    bags: Bags,
    share: float = 0.5,
    words: Sequence[str] | None = None,
    digests: NDArray[np.uint64] | None = None,
) -> tuple[Bags, Bags]:
    """Split each document's tokens at random into two: those that are observed, and the rest, which are to be
    predicted.

    Of n tokens, floor(share · n) are observed, so a document of one token is predicted from nothing. Whole
    counts are split token by token, without replacement; a document with fractional weights is split word by
    word. Tokens outside the vocabulary stay with the rest. The split depends only on the numbers of the
    document's words and on their counts, not on other documents. It depends on their spelling instead with
    `digests` (`Vocabulary.digests`), or with `words`, the spelling of each word number, in ascending order.
    Raises UserError unless 0 <= share < 1.

    >>> bags = Bags(np.array([0, 1]), np.array([7]), np.array([4.0], np.float32), np.zeros(1, np.float32))
    >>> [half.counts.tolist() for half in split_halves(bags)]
    [[2.0], [2.0]]
    """
    refuse_no("bags", bags, Bags, "corpus.bags(block)")
    if not 0 <= share < 1:
        raise UserError(f"the observed share must be at least 0 and below 1, not {share}")
    observed = np.zeros(len(bags.counts), np.float32)
    for start, stop in zip(bags.offsets[:-1].tolist(), bags.offsets[1:].tolist(), strict=True):
        rows, counts = bags.words[start:stop], bags.counts[start:stop]
        if digests is not None:
            own = digests[rows]
            order = np.argsort(own)
            key = content_of(own[order], counts[order])
            observed[start:stop][order] = _observed(key, counts[order], share)
            continue
        key = content_of(rows, counts) if words is None else _spelled(words, rows, counts)
        observed[start:stop] = _observed(key, counts, share)
    nothing = np.zeros_like(bags.unseen)
    return _with_counts(bags, observed, nothing), _with_counts(bags, bags.counts - observed, bags.unseen)


def completion_score(rest: Bags, theta: NDArray[np.floating], topic_word: NDArray[np.floating]) -> Completion:
    """Score predictions: the log probability (nats) of the words of `rest` under the mixture Σ_k θ_dk φ_kw.
    Tokens outside the vocabulary are left out.

    `theta` (D × K), topic shares, and `topic_word` (K × V), word probabilities: rows sum to one. A document's
    score does not depend on the others, to the last bit. A word of probability zero scores -inf. Raises
    UserError if shapes do not match or there is no word to score.

    >>> rest = Bags(np.array([0, 1]), np.array([7]), np.array([4.0], np.float32), np.zeros(1, np.float32))
    >>> round(completion_score(rest, np.ones((1, 1)), np.full((1, 50), 1 / 50)).perplexity, 6)
    50.0
    """
    documents, topics = len(rest.offsets) - 1, len(topic_word)
    if theta.shape != (documents, topics):
        raise UserError(f"theta is {theta.shape}, but there are {documents} documents and {topics} topics")
    owner = _owners(rest)
    probability = np.zeros(len(owner))
    for start in range(0, len(owner), ENTRIES_AT_ONCE):
        here = slice(start, start + ENTRIES_AT_ONCE)
        for topic in range(topics):  # topic by topic: the same order of addition for every document
            weight = theta[owner[here], topic].astype(np.float64)
            probability[here] += weight * topic_word[topic, rest.words[here]]
    return _score(rest, owner, probability)


def completion_of_rest(
    rest: Bags,
    theta: NDArray[np.floating],
    topic_words: Callable[[NDArray[np.integer]], NDArray[np.floating]],
) -> Completion:
    """`completion_score` for topics that are not in memory as a whole: only the probabilities of the words in
    `rest` are read.

    `topic_words`: a function that returns them (topics × words) for given word numbers, ascending.
    """
    rows, places = np.unique(rest.words, return_inverse=True)
    topic_word = np.ascontiguousarray(topic_words(rows))
    return completion_score(rest._replace(words=places.astype(np.int32)), theta, topic_word)


def unigram_score(rest: Bags, word_probability: NDArray[np.floating]) -> Completion:
    """Log probability of the words of `rest` if every document has the same word probabilities (V).

    Use smoothed word shares of the training corpus: a word of probability zero scores -inf.

    >>> rest = Bags(np.array([0, 1]), np.array([7]), np.array([4.0], np.float32), np.zeros(1, np.float32))
    >>> round(unigram_score(rest, np.full(50, 1 / 50)).perplexity, 6)
    50.0
    """
    refuse_no("rest", rest, Bags, "corpus.bags(block), or a part of `split_halves`")
    p = numbers_in("word_probability", word_probability, "one for each word")
    return _score(rest, _owners(rest), p[rest.words])


def _spelled(words: Sequence[str], rows: Words, counts: Counts) -> bytes:
    """The seed of a document's random split: bytes made of its words' spelling and counts, so that it does
    not depend on how the words are numbered.

    words: the vocabulary; rows, counts: the document's word numbers and their counts.
    """
    spelled = [words[int(row)] for row in rows.tolist()]
    lengths = np.array([len(word) for word in spelled], np.int32)
    return content_of(lengths, counts) + "".join(spelled).encode()


def _observed(key: bytes, counts: Counts, share: float) -> Counts:
    """How many tokens of each word of one document are observed, drawn at random with a generator seeded by
    `key`; the remaining tokens are to be predicted.

    counts: the document's. If all are whole numbers, `share` of the tokens is drawn without replacement.
    Otherwise `share` of the words is drawn: these keep their whole count, and the others get zero.
    """
    draw = stream(0, purposes.COMPLETION, key=key)
    whole = np.rint(counts).astype(np.int64)
    if (whole == counts).all():
        seen = draw.multivariate_hypergeometric(whole, _floor(share * whole.sum()), method="marginals")
        return seen.astype(np.float32)
    chosen = draw.permutation(len(counts))[: _floor(share * len(counts))]
    observed = np.zeros_like(counts)
    observed[chosen] = counts[chosen]
    return observed


def _floor(amount: float) -> int:
    return int(np.floor(amount + 1e-9))  # 0.29 * 100 is a little less than 29


def _with_counts(bags: Bags, counts: NDArray[np.float32], unseen: NDArray[np.float32]) -> Bags:
    """The same documents with other counts (one per entry of `bags`); entries with a count of zero are
    removed.

    unseen: each document's new number of tokens outside the vocabulary.
    """
    kept = counts > 0
    offsets = np.concatenate([[0], np.cumsum(kept)])[bags.offsets].astype(np.int64)
    return Bags(offsets, bags.words[kept], counts[kept], unseen)


def _owners(bags: Bags) -> NDArray[np.int64]:
    """For each entry of `bags` (a word in a document, with its count), the number of its document."""
    return np.repeat(np.arange(len(bags.offsets) - 1), np.diff(bags.offsets))


def _score(rest: Bags, owner: NDArray[np.int64], probability: NDArray[np.float64]) -> Completion:
    tokens = float(rest.counts.sum(dtype=np.float64))
    if tokens == 0:
        raise UserError("no word to score", remedy="score longer documents, or of the same vocabulary")
    with np.errstate(divide="ignore"):
        nats = rest.counts * np.log(probability)
    per_document = np.zeros(len(rest.offsets) - 1)
    np.add.at(per_document, owner, nats)
    return Completion(float(per_document.sum()), tokens, per_document)
