"""Left-to-right held-out likelihood of whole documents under given topics from any source.

Document completion measures how well one half of a document predicts the other; this estimates log p(w | phi,
alpha) of all of it, each word predicted from those before it (Wallach et al. 2009): by expected counts
(`log_probability`, used by `score` and `perplexity` of topic models), or by particles. Why not a bound:
docs/decisions/0032-scores-are-probabilities.md.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import stream
from stickbreaker.corpus.shards import Bags, content_of, cut_blocks, in_order_of
from stickbreaker.topics import purposes
from stickbreaker.topics.evaluation.completion import Completion

if TYPE_CHECKING:
    from stickbreaker.topics.kernels.left_to_right import Orders

WEIGHTS_AT_ONCE = 1 << 22  # words × topics of a block; two arrays in double precision: 64 MiB
MOST_UNITS = 1 << 17  # of a document; in a larger one, a unit is several tokens
SUM_TOLERANCE = 1e-3

Digests = NDArray[np.uint64]  # of the words of a vocabulary
WordTopics = Callable[[NDArray[np.integer]], NDArray[np.floating]]


def left_to_right_score(
    bags: Bags,
    topic_word: ArrayLike,
    alpha: ArrayLike,
    particles: int = 20,
    seed: int = 0,
    digests: Digests | None = None,
) -> Completion:
    """Estimate log p(w | phi, alpha) of each document, in nats (Wallach et al. 2009, algorithm 3).

    `topic_word` (K × V): rows sum to one, or to less if words are missing; `alpha` (K): Dirichlet parameters,
    not shares. Words are taken in random order, which does not change p(w); there is no multinomial
    coefficient. Time grows with the square of a document's length, and with `particles`. Tokens outside the
    vocabulary are left out, an empty document scores 0, a word of probability zero -inf. Order and draws
    depend only on the document's words and counts, not on its number or other documents: on the words'
    numbers, or on their spelling with `digests` (`Vocabulary.digests`).

    Accuracy: with one particle exp(score) has mean p(w), so the score is too low on average (Jensen). More
    particles reduce its variance, but its limit is only near log p(w), below or above, since particles are
    not weighted by the earlier words (six words, random topics: 0.1 nats off). Averaged over documents drawn
    from the model itself, the score is never too high, since the predictive probabilities of each word sum to
    one. Raises UserError for counts that are not whole, shapes that do not fit, or no word to score.

    >>> bags = Bags(np.array([0, 1]), np.array([7]), np.array([4.0], np.float32), np.zeros(1, np.float32))
    >>> round(left_to_right_score(bags, np.full((2, 50), 1 / 50), [0.1, 0.3]).perplexity, 6)
    50.0
    """
    topics, prior = _checked_model(topic_word, alpha)
    if particles < 1:
        raise UserError(f"particles must be at least 1, not {particles}")
    if not bags.counts.sum() > 0:
        raise UserError("no word to score", remedy="score longer documents, or of the same vocabulary")
    if bags.words.min() < 0 or bags.words.max() >= topics.shape[1]:
        raise UserError(
            f"a word's number is {bags.words.max()}, but topic_word has {topics.shape[1]} words",
            remedy="use the vocabulary of the model",
        )
    refuse_weights(bags)
    nats = np.zeros(len(bags.offsets) - 1)
    most = max(1, WEIGHTS_AT_ONCE // len(prior))
    for start, stop in cut_blocks(bags.offsets, most, len(nats)):
        nats[start:stop] = _score_block(bags.slice(start, stop), topics, prior, particles, seed, digests)
    return Completion(float(nats.sum()), float(bags.counts.sum(dtype=np.float64)), nats)


def _score_block(
    bags: Bags,
    topic_word: NDArray[np.floating],
    alpha: NDArray[np.float64],
    particles: int,
    seed: int,
    digests: Digests | None,
) -> NDArray[np.float64]:
    """(documents,) log p(w) in nats of each document of a block, estimated with particles; arguments as for
    `left_to_right_score`, checked.
    """
    from stickbreaker.topics.kernels.left_to_right import Documents, left_to_right  # takes numba

    size = len(bags.offsets) - 1
    orders, keys = [np.zeros(0, np.int32)], np.zeros(size, np.uint64)
    bags = bags if digests is None else in_order_of(bags, digests)
    for document in range(size):
        order, keys[document] = _drawn(bags.slice(document, document + 1), seed, digests)
        orders.append(order)
    lengths = np.array([len(order) for order in orders])  # of nothing, then of each document
    words, codes = np.unique(np.concatenate(orders), return_inverse=True)
    weights = np.ascontiguousarray(topic_word[:, words].T, dtype=np.float64)
    sums = np.zeros(len(codes))
    documents = Documents(np.cumsum(lengths), codes.astype(np.int32), keys)
    left_to_right(documents, weights, alpha, particles, sums)
    with np.errstate(divide="ignore"):
        nats = np.log(sums / particles)
    per_document = np.zeros(size)
    np.add.at(per_document, np.repeat(np.arange(size), lengths[1:]), nats)
    return per_document


def _drawn(document: Bags, seed: int, digests: Digests | None) -> tuple[NDArray[np.int32], np.uint64]:
    """A document's tokens (word numbers) in random order, and a random number for the draws of its particles.
    Both depend only on the document's words and counts, and `seed`. digests: None: words by number.
    """
    tokens = np.repeat(document.words.astype("<i4"), document.counts.astype(np.int64))
    tokens = np.sort(tokens) if digests is None else tokens
    key = tokens if digests is None else digests[tokens].astype("<u8")
    draw = stream(seed, purposes.LEFT_TO_RIGHT, key=key.tobytes())
    return draw.permutation(tokens), draw.integers(0, 2**64, dtype=np.uint64)


def alike(
    alphas: NDArray[np.floating], documents: int
) -> Iterator[tuple[NDArray[np.floating], NDArray[np.int64]]]:
    """Each distinct alpha (topics), and the numbers of the documents that have it. alphas: documents ×
    topics, or one row for all `documents`.
    """
    if len(alphas) == 1:
        yield alphas[0], np.arange(documents)
        return
    distinct, places = np.unique(alphas, axis=0, return_inverse=True)
    for number, alpha in enumerate(distinct):
        yield alpha, np.flatnonzero(places.ravel() == number)


def log_probability(
    bags: Bags, topic_words: WordTopics, alpha: NDArray[np.floating], digests: Digests | None = None
) -> Completion:
    """Log probability of documents, each word predicted from those before it, in nats.

    `topic_words`: returns E[phi] of given ascending words (topics × words); `alpha` (topics): Dirichlet
    parameters. p(w_1 … w_N) is the product of Σ_k θ_k φ_kw, where θ is the mean of the document's topic
    shares given the words before: α / Σα before the first. So the predictive probabilities of each word sum
    to one, and so do those of all sequences of a length in the order in which they are written. It is exact
    for one or two words; for more, θ is approximate (expected counts, revised after 2, 4, 8, … words). Time
    is linear in the words.

    Words are taken in a random order determined by the document's words and counts, so its score does not
    depend on other documents; with `digests` (`Vocabulary.digests`), it depends on the words' spelling and
    not on their numbers. There is no multinomial coefficient. Tokens outside the vocabulary are left
    out, a word of probability zero scores -inf. Counts can be fractional: half a token counts half its nats.

    >>> bags = Bags(np.array([0, 1]), np.array([1]), np.array([1.0], np.float32), np.zeros(1, np.float32))
    >>> topics = np.array([[0.9, 0.1], [0.5, 0.5]])
    >>> round(float(np.exp(log_probability(bags, lambda rows: topics[:, rows], np.ones(2)).nats)), 6)
    0.3
    """
    from stickbreaker.topics.kernels.left_to_right import log_probabilities  # takes numba

    nats, prior = np.zeros(len(bags.unseen)), np.ascontiguousarray(alpha, np.float64)
    most = max(1, WEIGHTS_AT_ONCE // len(prior))
    for start, stop in cut_blocks(bags.offsets, most, max(1, len(nats))):
        block = bags.slice(start, stop)
        block = block if digests is None else in_order_of(block, digests)
        rows, words = np.unique(block.words, return_inverse=True)
        weights = np.ascontiguousarray(topic_words(rows).T, np.float64)
        keys = block.words if digests is None else digests[block.words]
        log_probabilities(_orders(block, words.astype(np.int32), keys), weights, prior, nats[start:stop])
    return Completion(float(nats.sum()), float(bags.counts.sum(dtype=np.float64)), nats)


def _orders(bags: Bags, words: NDArray[np.int32], keys: NDArray[np.integer]) -> "Orders":
    """Documents in the form that the compiled code takes: as units in random order. A unit is a token, part
    of one if its count is fractional, or several in a very long document (see `_units`).

    words: for each entry of `bags` (a word in a document), its row in the array of word weights that the
    compiled code gets too; keys: what the random order depends on, its word's number or digest.
    """
    from stickbreaker.topics.kernels.left_to_right import Orders

    entries, sizes = [np.zeros(0, np.int32)], [np.zeros(0)]
    counts = bags.counts.astype(np.float64)
    for start, stop in zip(bags.offsets[:-1].tolist(), bags.offsets[1:].tolist(), strict=True):
        key = content_of(keys[start:stop], bags.counts[start:stop])
        of_document = _units(counts[start:stop], key)
        entries.append(of_document[0])
        sizes.append(of_document[1])
    offsets = np.cumsum([len(part) for part in entries])  # of nothing, then of each document
    return Orders(offsets, np.concatenate(entries), np.concatenate(sizes), bags.offsets, words)


def _units(counts: NDArray[np.float64], key: bytes) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Cut a document's counts into units and put them in random order: for each unit, the index in `counts`
    of its word, and its size in tokens.

    A count c is cut into ⌈c⌉ equal units, or into fewer if the document has more than `MOST_UNITS`. key: seed
    of the order.
    """
    numbers = np.ceil(counts / max(1.0, float(counts.sum()) / MOST_UNITS)).astype(np.int64)
    entries = np.arange(len(counts), dtype=np.int32).repeat(numbers)
    entries = entries[stream(0, purposes.LEFT_TO_RIGHT, key=key).permutation(len(entries))]
    if (numbers == counts).all():
        return entries, np.ones(len(entries))
    return entries, (counts / np.maximum(numbers, 1))[entries]


def _checked_model(
    topic_word: ArrayLike, alpha: ArrayLike
) -> tuple[NDArray[np.floating], NDArray[np.float64]]:
    """The topics (K × V) and alpha (K) as arrays. Raises UserError unless they are probabilities (rows may
    sum to less than one) and Dirichlet parameters.
    """
    topics, prior = np.asarray(topic_word), np.ascontiguousarray(alpha, np.float64)
    if topics.ndim != 2 or prior.shape != (len(topics),) or not len(prior):
        raise UserError(
            f"topic_word is {topics.shape} and alpha {prior.shape}",
            remedy="give topics × words, and one alpha for each topic",
        )
    totals = topics.sum(axis=1, dtype=np.float64)
    if not ((topics >= 0).all() and (totals <= 1 + SUM_TOLERANCE).all()):
        row = int(np.argmax(~((topics >= 0).all(axis=1) & (totals <= 1 + SUM_TOLERANCE))))
        raise UserError(
            f"topic {row} of topic_word is not a distribution (its sum is {totals[row]:.6g})",
            remedy="divide each row by its sum",
        )
    if not (np.isfinite(prior).all() and (prior >= 0).all() and prior.sum() > 0):
        raise UserError("alpha must be finite, not negative, and above zero for some topic")
    return topics, prior


def refuse_weights(bags: Bags, first: int = 0) -> None:
    """Raise UserError if a word's count is not a whole number, as left-to-right scoring by particles needs.

    first: the number of the first of these documents in the corpus, for the message.
    """
    odd = np.flatnonzero((bags.counts != np.rint(bags.counts)) | (bags.counts < 0))
    if len(odd):
        row = int(np.searchsorted(bags.offsets, odd[0], side="right")) - 1
        raise UserError(
            f"a word has the count {bags.counts[odd[0]]:.6g}, but left-to-right needs whole tokens",
            where=f"document {first + row}",
            remedy="use completion_score for fractional weights",
        )
