"""Matching of topics: which topic of one model corresponds to which topic of another, such as a run with
another seed.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickbreaker.core.arguments import numbers_in, refuse_no_list
from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.topk import descending
from stickbreaker.corpus import Vocabulary
from stickbreaker.topics.evaluation.given import topics_in_model

Ints = NDArray[np.int64]

SAME = 1e-12  # squared distances below this are rounding
LEAST_SHARED = 0.05  # least share of each model's probability in shared words


class Matching(NamedTuple):
    """Pairs of similar topics of two models, most similar first: topic `first[i]` of one matches topic
    `second[i]` of the other, and `similarity[i]` is between 0 and 1.

    `only_first`, `only_second`: topics without a partner, if one model has more topics.
    """

    first: Ints
    second: Ints
    similarity: NDArray[np.float64]
    only_first: Ints
    only_second: Ints

    @property
    def mean(self) -> float:
        """Mean similarity of the pairs."""
        return float(self.similarity.mean())


def topic_similarity(
    a: ArrayLike, b: ArrayLike, groups: Sequence[slice] = (slice(None),)
) -> NDArray[np.float64]:
    """1 - Hellinger distance between every topic of `a` (K × V) and every topic of `b` (L × V), an array (K ×
    L).

    1: the same distribution; 0: no common word. Columns are the same words in both; rows need not sum to one.
    `groups`: the columns of each language, compared separately and averaged. Raises UserError for shapes that
    do not match, and values that are negative, NaN or infinite.

    >>> topic_similarity([[1, 0], [0.5, 0.5]], [[1, 0], [0, 1]]).round(3).tolist()
    [[1.0, 0.0], [0.459, 0.459]]
    """
    left, right = (numbers_in(name, one, "topics × words") for name, one in (("a", a), ("b", b)))
    if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[1] or not left.size * right.size:
        raise UserError(
            f"topics are {left.shape} and {right.shape}", remedy="give topics × words, of the same words"
        )
    if not all(np.isfinite(one).all() and (one >= 0).all() for one in (left, right)):
        raise UserError("topics must be finite and not negative", remedy="give probabilities, or counts")
    squares = [1 - _roots(left[:, group]) @ _roots(right[:, group]).T for group in groups]
    return np.mean([1 - np.sqrt(np.where(square > SAME, square, 0)) for square in squares], axis=0)


def match_topics(
    a: ArrayLike | object, b: ArrayLike | object, groups: Sequence[slice] = (slice(None),)
) -> Matching:
    """Match the topics of two models so that the sum of similarities is greatest (Hungarian method).

    Arguments as for `topic_similarity`, or two fitted models or paths of these, whose topics are matched by
    the words that both have (`match_models`). If one model has more topics, some of them stay unmatched.

    >>> match_topics([[1, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 0, 1], [1, 0, 0]]).second.tolist()
    [2, 0]
    """
    from scipy.optimize import linear_sum_assignment

    one, other = topics_in_model(a), topics_in_model(b)
    if one is not None and other is not None:
        unused = one.unused_topics, other.unused_topics
        words = one.vocabulary, other.vocabulary
        return match_models(one.topic_word, words[0], other.topic_word, words[1], unused)[0]
    if one is not None or other is not None:
        raise UserError("a model and an array were given", remedy="give two models, or two arrays")
    similarity = topic_similarity(a, b, groups)  # pyright: ignore[reportArgumentType] (arrays by now)
    first, second = linear_sum_assignment(similarity, maximize=True)
    order = descending(similarity[first, second])
    first, second = first[order], second[order]
    return Matching(
        first,
        second,
        similarity[first, second],
        np.setdiff1d(np.arange(similarity.shape[0]), first),
        np.setdiff1d(np.arange(similarity.shape[1]), second),
    )


def match_models(
    a: ArrayLike,
    words_a: Vocabulary,
    b: ArrayLike,
    words_b: Vocabulary,
    unused: tuple[Sequence[int], Sequence[int]] = ((), ()),
) -> tuple[Matching, int]:
    """Match the topics of two models with different vocabularies: `match_topics` on the words that both have,
    language by language. Also returns the number of these words.

    `unused`: topics of each model to leave out. Raises UserError if the vocabularies have no word in common,
    or if the common words have less than a twentieth of the probability of one model's topics, since
    similarities would then be meaningless.

    >>> river, money = Vocabulary.of(["river", "bank"]), Vocabulary.of(["bank", "money", "river"])
    >>> match_models([[0.9, 0.1]], river, [[0.1, 0.8, 0.1], [0.1, 0, 0.9]], money)[0].second.tolist()
    [1]
    """
    rows, others = shared_words(words_a.words, words_b.words)
    if not len(rows):
        raise UserError("the models have no word in common", remedy="compare models of similar corpora")
    first, second = np.asarray(a), np.asarray(b)
    _refuse_few_shared(first, rows, second, others)
    cuts = [slice(*np.searchsorted(rows, (one.start, one.stop)).tolist()) for one in words_a.ranges.values()]
    groups = [cut for cut in cuts if cut.stop > cut.start] or [slice(None)]
    used, used_of_second = (
        np.setdiff1d(np.arange(len(one)), left_out)
        for one, left_out in zip((first, second), unused, strict=True)
    )
    matching = match_topics(first[used][:, rows], second[used_of_second][:, others], groups)
    return _renumbered(matching, used, used_of_second), len(rows)


def _renumbered(matching: Matching, first: Ints, second: Ints) -> Matching:
    """A matching of only the used topics of two models, converted to the topics' numbers in the models.

    first, second: for each used topic of the one and the other model, its number in that model.
    """
    return Matching(
        first[matching.first],
        second[matching.second],
        matching.similarity,
        first[matching.only_first],
        second[matching.only_second],
    )


def _refuse_few_shared(a: NDArray[np.float64], rows: Ints, b: NDArray[np.float64], others: Ints) -> None:
    """Raise UserError if two models have too few words in common to be compared: if in one of them these
    words have less than a twentieth of the topics' probability.

    a, b: topics × words; rows, others: the columns of the shared words in each.
    """
    shares = [float(one[:, held].sum() / one.sum()) for one, held in ((a, rows), (b, others))]
    if min(shares) < LEAST_SHARED:
        number = counted(len(rows), "word")
        first, second = (f"{100 * share:.1f} %" for share in shares)
        parts = f"{first} of the first's probability and {second} of the second's"
        problem = f"the models have {number} in common, with {parts}"
        least = f"topics can be compared from {100 * LEAST_SHARED:.0f} % of both on"
        raise UserError(problem, remedy=f"compare models of similar corpora ({least})")


def stability(models: Sequence[ArrayLike | object], groups: Sequence[slice] = (slice(None),)) -> float:
    """How much the topics of several models agree: the mean similarity of matched topics, over all pairs of
    models, fitted or as arrays. The models usually differ only in their seeds.

    Raises UserError for fewer than two models.

    >>> stability([[[1, 0], [0, 1]], [[0, 1], [1, 0]]])
    1.0
    """
    refuse_no_list("models", models)
    pairs = list(combinations(models, 2))
    if not pairs:
        raise UserError("stability needs at least two models")
    return float(np.mean([match_topics(a, b, groups).mean for a, b in pairs]))


def shared_words(a: Sequence[str], b: Sequence[str]) -> tuple[Ints, Ints]:
    """The positions in `a` and in `b` of the words that are in both, in the order of `a`.

    >>> [rows.tolist() for rows in shared_words(["river", "bank"], ["bank", "money"])]
    [[1], [0]]
    """
    for name, words in (("a", a), ("b", b)):
        refuse_no_list(name, words)
        if isinstance(words, Mapping) or not all(isinstance(word, str) for word in words):
            raise UserError(f"{name} is not a list of words", remedy="give the words of each vocabulary")
    places = {word: row for row, word in enumerate(b)}
    rows = [row for row, word in enumerate(a) if word in places]
    return np.array(rows, np.int64), np.array([places[a[row]] for row in rows], np.int64)


def _roots(topics: NDArray[np.float64]) -> NDArray[np.float64]:
    """Square roots of word probabilities (topics × words), for Hellinger distances; rows are first divided by
    their sums. A row of zeros stays zero, and so has similarity 0 to every topic.
    """
    totals = topics.sum(axis=1, keepdims=True)
    return np.sqrt(np.divide(topics, totals, out=np.zeros_like(topics), where=totals > 0))
