"""The options of a sentence, phrase by phrase, by a function that finds those of one."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.translation.decoding.decoder import SentenceOptions
from stickbreaker.translation.kernels.phrase_options import Options


class PhraseOptions(NamedTuple):
    """The translations of one source phrase."""

    offsets: NDArray[np.int64]  # options + 1: where the words of each are in `words`
    words: NDArray[np.int64]  # target words, by number
    features: Array  # options × features


def sentence_options(
    source: Sequence[str],
    find: Callable[[tuple[str, ...]], PhraseOptions | None],
    longest: int,
    n_words: int,
    passed_features: Array,
) -> SentenceOptions:
    """The options of a sentence, by a function that finds those of a phrase of at most `longest` words.

    A source word without options of its own may stand for itself. It gets a number for this sentence, from
    `n_words` (how many target words have numbers) on in the order of the sentence, the same each time that it
    comes, and the features `passed_features`: these should be so low that
    longer phrases with it are preferred.
    """
    found: list[tuple[int, int, PhraseOptions]] = []
    passed: dict[str, int] = {}
    for begin in range(len(source)):
        for end in range(begin + 1, min(begin + longest, len(source)) + 1):
            phrase = find(tuple(source[begin:end]))
            if phrase is None and end == begin + 1:
                number = n_words + passed.setdefault(source[begin], len(passed))
                words, features = np.array([number]), np.reshape(passed_features, (1, -1))
                phrase = PhraseOptions(np.array([0, 1]), words, features)
            if phrase is not None:
                found.append((begin, end, phrase))
    reach = max((end - begin for begin, end, _ in found), default=1)
    return SentenceOptions(len(source), reach, _joined(found, len(passed_features)), tuple(passed))


def _joined(found: list[tuple[int, int, PhraseOptions]], n_features: int) -> Options:
    """The options of spans (begin, end, options) one after another."""
    counts = [len(phrase.offsets) - 1 for _, _, phrase in found]
    begins = np.repeat(np.array([begin for begin, _, _ in found], np.int64), counts)
    ends = np.repeat(np.array([end for _, end, _ in found], np.int64), counts)
    lengths = [np.diff(phrase.offsets) for _, _, phrase in found]
    offsets = np.concatenate([np.zeros(1, np.int64), *lengths]).cumsum()
    words = np.concatenate([np.empty(0, np.int64), *(phrase.words for _, _, phrase in found)])
    features = np.concatenate([np.empty((0, n_features)), *(phrase.features for _, _, phrase in found)])
    return Options(begins, ends, offsets, words, features)
