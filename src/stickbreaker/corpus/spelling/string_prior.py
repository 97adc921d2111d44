"""The base distribution of an open vocabulary: p(string) as a word, by letters and length.

Zhai (2014), section 7.2.1. Kernels are imported on use: loading a model does not need them.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError, is_whole
from stickbreaker.core.records import AnyArray, Array, Field
from stickbreaker.core.untrusted import refuse_negative
from stickbreaker.corpus.readers.word_list import read_words
from stickbreaker.corpus.spelling.string_lengths import Lengths, lengths_of, nearest_lengths

if TYPE_CHECKING:
    from stickbreaker.kernels.string_prior import Trie

Integers = NDArray[np.int64]

CODE_POINTS = 0x110000 - 0x800  # code points that a word may contain: all but the surrogates
MOST_TIMES = 1e15  # largest count of an n-gram: sums of them stay exact
LARGEST_ORDER = 20  # an n-gram of each size is stored for each letter
LENGTHS = ("empirical", "least-squares")


@dataclass(frozen=True)
class Spelling:
    """How an open vocabulary learns what words look like (Zhai 2014, section 7.2.1).

    `order`: a letter is predicted from the order - 1 letters before it. `lengths`: the distribution of words'
    lengths, "empirical" or "least-squares" (the paper's; in English, words that were not in the training data
    cost 2 to 6 nats more with it). `words`: what to learn from, a sequence of words, or the path of a file
    with one word per line; None: the words of the first minibatches. They are used unchanged, so they should
    be in the form of the corpus after its analysis (lower case, stemmed).

    >>> Spelling(order=3).lengths
    'empirical'
    """

    order: int = 4
    lengths: str = "empirical"
    words: tuple[str, ...] | str | None = None

    def __post_init__(self) -> None:
        if not is_whole(self.order, 1) or self.order > LARGEST_ORDER:
            problem = f"the order of the spelling is {self.order!r}"
            raise UserError(problem, remedy=f"it is a whole number from 1 to {LARGEST_ORDER}")
        if self.lengths not in LENGTHS:
            choices = " or ".join(f'"{name}"' for name in LENGTHS)
            raise UserError(f"there are no lengths {self.lengths!r}", remedy=f"lengths is {choices}")
        if isinstance(self.words, Path):
            object.__setattr__(self, "words", str(self.words))
        if self.words is not None and not isinstance(self.words, str):
            try:
                object.__setattr__(self, "words", tuple(self.words))
            except TypeError:
                problem = f"Spelling(words={self.words!r})"
                raise UserError(problem, remedy="give words, a path or None") from None
            _utf_32(self.words)
            if not self.words:
                raise UserError("the spelling has no words", remedy="give words, a path or None")

    def word_list(self) -> tuple[str, ...] | None:
        """The words to learn from, read from their file if `words` is a path; None: the first minibatches'.

        Raises UserError if the file cannot be read, has no words or invalid ones.
        """
        if not isinstance(self.words, str):
            return self.words
        words = read_words(self.words, distinct=False)
        if not words:
            raise UserError("the file has no words", where=self.words, remedy="give one word per line")
        _utf_32(words, self.words)
        return words


@dataclass(frozen=True, eq=False)
class CharacterModel:
    """A distribution over all strings, learned from words: G0(word) = zeta(length) prod p(letter | before).

    Letters are code points. p is an n-gram model with one mark before every word, smoothed by Witten and
    Bell's interpolation (1991, method C) down to a uniform distribution over the alphabet and one escape
    symbol. The escape's probability is divided equally among all other code points (lone surrogates
    excluded). zeta, the distribution of lengths, has a geometric tail. So the probabilities of all strings of
    one letter or more sum to one, and none is zero.

    An n-gram is encoded as a number: the index in `ngrams` (from 1; 0 if empty) of the n-gram without its
    last letter, times (letters + 1), plus the last letter's index in the alphabet (from 1; 0 for the mark).

    >>> model = CharacterModel.learn(["haus", "maus", "laus"], Spelling(order=3))
    >>> model.log_probability(["raus", "suar"]).round(1).tolist()
    [-19.7, -25.3]
    """

    alphabet: Integers  # letters: code points, ascending
    ngrams: Integers  # ngrams of 1 to `order` letters, ascending
    counts: Array  # ngrams: the count of each; 0 for the mark
    lengths: Lengths

    @classmethod
    def learn(
        cls, words: Sequence[str], settings: Spelling, weights: Sequence[float] | None = None
    ) -> "CharacterModel":
        """Learn the model from some words; their order does not matter.

        `weights` (words): the count of each; None: each distinct word once, as in a dictionary. Raises
        UserError if there are no words, or one is empty or is not valid text.
        """
        types, times = _distinct(words, weights)
        points, offsets = code_points(types)
        alphabet = np.unique(points).astype(np.int64)
        ngrams, counts = count_ngrams(points, offsets, times, alphabet, settings.order)
        lengths = lengths_of(np.diff(offsets), times)
        model = cls(alphabet, ngrams, counts, lengths)
        if settings.lengths == "empirical":
            return model
        log_letters = model.log_letters(points, offsets)
        return replace(model, lengths=nearest_lengths(np.diff(offsets), times, log_letters))

    def log_probability(self, words: Sequence[str]) -> Array:
        """log G0 of each word (nats), always finite. UserError for a word that is empty or not valid text."""
        points, offsets = code_points(words)
        return self.lengths.log_probability(np.diff(offsets)) + self.log_letters(points, offsets)

    def log_letters(self, points: NDArray[np.int32], offsets: Integers) -> Array:
        """The sum of log p(letter | letters before) of each word (nats): log G0 without the length.

        points, offsets: the words' code points, as `code_points` returns them.
        """
        from stickbreaker.kernels.string_prior import log_spelling

        size = len(self.alphabet)
        log_unseen = -np.log(size + 1.0) - np.log(max(CODE_POINTS - size, 1))
        out = np.empty(len(offsets) - 1)
        log_spelling(points, offsets, self.alphabet, self.trie, log_unseen, out)
        return out

    @cached_property
    def trie(self) -> "Trie":
        """The n-grams with their smoothed probabilities as a trie, the form that the kernel reads."""
        return trie_of(self.ngrams, self.counts, len(self.alphabet))

    def to_fields(self) -> dict[str, Field]:
        """The model as named arrays of floats, to be saved with others.

        N-gram numbers are below 2⁵³, and so exact as floats.
        """
        tail = np.array([self.lengths.log_tail, self.lengths.log_decay])
        return {
            "spelling_alphabet": _field(self.alphabet, "letters"),
            "spelling_ngrams": _field(self.ngrams, "ngrams"),
            "spelling_counts": _field(self.counts, "ngrams"),
            "spelling_lengths": _field(self.lengths.log_p, "lengths"),
            "spelling_tail": _field(tail, "tail"),
        }

    @classmethod
    def from_fields(cls, record: Mapping[str, Field]) -> "CharacterModel":
        """The model from the named arrays that `to_fields` made; others in the record are ignored.

        Raises KeyError if one is missing, ValueError if the arrays are not those of a model.
        """
        alphabet, ngrams, counts, log_p, tail = (
            record[f"spelling_{name}"].values for name in ("alphabet", "ngrams", "counts", "lengths", "tail")
        )
        parents = ngrams // (len(alphabet) + 1)
        # except for the first, marks do not occur within a word
        marks = (ngrams > 0) & (ngrams % (len(alphabet) + 1) == 0)
        rising = not marks.any() and all(
            (np.diff(values, prepend=-1) > 0).all() for values in (alphabet, ngrams)
        )
        if not rising or counts.shape != ngrams.shape or (parents > np.arange(len(ngrams))).any():
            raise ValueError("n-grams that fit no spelling")
        refuse_negative(counts, "counts of n-grams")
        if (counts[ngrams > 0] <= 0.0).any() or (counts > MOST_TIMES).any():
            raise ValueError("counts that fit no n-grams")
        if len(alphabet) and not 0 <= alphabet[0] <= alphabet[-1] <= sys.maxunicode:
            raise ValueError("letters that fit no alphabet")
        if tail.shape != (2,) or log_p.ndim != 1 or not len(log_p) or max(log_p.max(), tail[1]) > 1e-9:
            raise ValueError("lengths that fit no spelling")
        if not (np.isfinite(log_p).all() and np.isfinite(tail).all()):
            raise ValueError("lengths that are not finite")
        lengths = Lengths(log_p, float(tail[0]), float(tail[1]))
        return cls(alphabet.astype(np.int64), ngrams.astype(np.int64), counts, lengths)


def _field(values: NDArray[np.int64] | Array, axis: str) -> Field:
    return Field(values.astype(np.float64), (axis,), additive=False)


def code_points(words: Sequence[str]) -> tuple[NDArray[np.int32], Integers]:
    """The code points of all words, concatenated, and offsets (words + 1).

    Raises UserError for a word that is empty or is not valid text.
    """
    points = np.frombuffer(_utf_32(words), "<i4")
    sizes = np.fromiter(map(len, words), np.int64, len(words))
    return points, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _utf_32(words: Sequence[str], where: object = None) -> bytes:
    """All words, concatenated, as UTF-32. UserError for one that is empty, not a string or not valid text."""
    if isinstance(words, str):
        raise UserError(f"{words[:30]!r} is one string", where=where, remedy="give a list of words")
    try:
        if all(words):
            return "".join(words).encode("utf-32-le")
    except (TypeError, UnicodeEncodeError):
        pass
    raise _mistake(words, where)


def _mistake(words: Sequence[object], where: object) -> UserError:
    """The error for the first invalid word: not a string, empty, or not valid text."""
    word = next(word for word in words if not isinstance(word, str) or not word or _has_surrogate(word))
    if not isinstance(word, str):
        return UserError(f"{word!r} is not a word", where=where, remedy="words are strings")
    if not word:
        return UserError("a word is empty", where=where, remedy="leave empty strings out")
    problem = f"the word {word[:30]!a} has a lone surrogate, which is not valid text"
    return UserError(problem, where=where, remedy='decode the file with errors="replace"')


def _has_surrogate(word: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in word)


def _distinct(words: Sequence[str], weights: Sequence[float] | None) -> tuple[list[str], Array]:
    """The distinct words, sorted, and the sum of each one's weights (1 for each word if `weights` is None).

    Words of weight zero are left out. Raises UserError if none is left.
    """
    _utf_32(words)
    if weights is None:
        total = dict.fromkeys(sorted(words), 1.0)
    else:
        total = _summed(words, weights)
    if not total:
        raise UserError("there are no words to learn spelling from", remedy="give at least one")
    return list(total), np.array(list(total.values()))


def _summed(words: Sequence[str], weights: Sequence[float]) -> dict[str, float]:
    if len(weights) != len(words) or not all(0.0 <= weight < np.inf for weight in weights):
        raise UserError("the weights do not fit the words", remedy="give each word a weight of zero or more")
    total: dict[str, float] = {}
    for word, weight in sorted(
        zip(words, weights, strict=True)
    ):  # so that sums do not depend on the given order
        if weight > 0.0:
            total[word] = total.get(word, 0.0) + float(weight)
    return total


def count_ngrams(
    points: NDArray[np.int32], offsets: Integers, times: Array, alphabet: Integers, order: int
) -> tuple[Integers, Array]:
    """The n-grams of words (ascending, encoded as in `CharacterModel`) and their counts.

    points, offsets as in `code_points`; times (words): the count of each word. Every letter ends one n-gram
    of each size up to `order` that fits between the mark and itself.
    """
    n_words, base = len(times), len(alphabet) + 1
    starts = offsets[:-1] + np.arange(n_words)
    letters = np.insert(np.searchsorted(alphabet, points) + 1, offsets[:-1], 0)
    sizes = np.diff(offsets) + 1  # including the mark
    # letters and mark before each one in its word
    before = np.arange(len(letters)) - np.repeat(starts, sizes)
    weights = np.where(before > 0, np.repeat(times, sizes), 0.0)
    nodes = np.zeros(len(letters), np.int64)  # index of the n-gram that ends before each letter
    ngrams, counts, n_nodes = list[Integers](), list[AnyArray](), 1
    for size in range(1, order + 1):
        ends = np.flatnonzero(before >= size - 1)
        if not len(ends):
            break
        found, which = np.unique(nodes[ends] * base + letters[ends], return_inverse=True)
        ngrams.append(found)
        counts.append(np.bincount(which, weights[ends]))
        after = np.zeros(len(letters) + 1, np.int64)
        after[ends + 1] = n_nodes + which
        nodes, n_nodes = after[:-1], n_nodes + len(found)
    return np.concatenate(ngrams), np.concatenate(counts)


def trie_of(ngrams: Integers, counts: Array, n_letters: int) -> "Trie":
    """A trie of n-grams with Witten-Bell probabilities: p = (count + kinds · p(shorter)) / (total + kinds).

    ngrams, counts: as in `CharacterModel`; n_letters: size of the alphabet. For each context, `total` is the
    count of letters that followed it, `kinds` the number of distinct ones, and p(shorter) the probability
    after the context without its first letter.
    """
    from stickbreaker.kernels.string_prior import Trie

    base, n_nodes = n_letters + 1, len(ngrams) + 1
    parents, letters = np.divmod(np.concatenate([[0], ngrams]), base)
    total = np.bincount(parents[1:], counts, n_nodes)
    kinds = np.bincount(parents[1:], counts > 0.0, n_nodes)
    mass = np.where(total > 0.0, total + kinds, 1.0)
    first = np.searchsorted(parents[1:], np.arange(n_nodes + 1)) + 1
    # initially: the escape or any letter
    shorter, p = (np.zeros(n_nodes, np.int64), np.full(n_nodes, 1.0 / base))
    level = slice(int(first[0]), int(first[1]))
    lower = np.full(level.stop - level.start, 1.0 / base)
    while level.start < level.stop:
        parent = parents[level]
        p[level] = (counts[level.start - 1 : level.stop - 1] + kinds[parent] * lower) / mass[parent]
        level = slice(int(first[level.start]), int(first[level.stop]))
        shorter[level] = np.searchsorted(ngrams, shorter[parents[level]] * base + letters[level]) + 1
        lower = p[shorter[level]]
    back = np.where(total > 0.0, kinds / mass, 1.0)
    return Trie(letters, first, shorter, np.log(p), np.log(back))
