"""Phrase-based translation of sentences by the options of their phrases, weights and a language model."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.records import Array
from stickbreaker.translation.decoding.backoff_model import BackoffModel
from stickbreaker.translation.kernels.best_paths import Paths, best_paths
from stickbreaker.translation.kernels.decoder import Limits, search
from stickbreaker.translation.kernels.phrase_options import Options, Weights, sentence_of

MOST_WORDS = 256  # of a sentence that is translated in one piece
PUNCTUATION = frozenset(".,;:!?…—–()。，；：！？")  # words after which longer ones are cut
LIMITS = Limits(stack=100, candidates=2000, threshold=np.inf, distortion=6)
STEPS_PER_TRANSLATION = 1000  # how far a list of best translations is looked for


class PhraseOptions(NamedTuple):
    """The translations of one source phrase."""

    offsets: NDArray[np.int64]  # options + 1: where the words of each are in `words`
    words: NDArray[np.int64]  # target words, by number
    features: Array  # options × features


class SentenceOptions(NamedTuple):
    """What a sentence is translated by."""

    n: int  # source words
    longest: int  # words of the longest span with options; 1 if there is none
    options: Options
    passed: tuple[str, ...]  # source words that are their own translation, by number after the known ones


class SpanPair(NamedTuple):
    """A source span and what it became; the ends are not included."""

    source_begin: int
    source_end: int
    target_begin: int
    target_end: int


class Translation(NamedTuple):
    """A translation; score = weights · features."""

    words: tuple[str, ...]
    score: float
    features: Array  # of the options, summed, then log p (nats), number of words, minus words jumped over
    spans: tuple[SpanPair, ...]  # in the order of the target words


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


def cut_sentence(words: Sequence[str], most: int = MOST_WORDS) -> list[Sequence[str]]:
    """A sentence in pieces of at most `most` words, each cut after its last punctuation, if it has any.

    >>> cut_sentence(["a", ",", "b", "c", "d", "e"], 3)
    [['a', ','], ['b', 'c', 'd'], ['e']]
    """
    pieces: list[Sequence[str]] = []
    while len(words) > most:
        marks = [place for place in range(most) if words[place] in PUNCTUATION]
        end = marks[-1] + 1 if marks else most
        pieces.append(words[:end])
        words = words[end:]
    return [*pieces, words]


@dataclass(frozen=True, eq=False)
class Decoder:
    """Finds the best translations of sentences. The score of a translation is weights · features, exactly."""

    model: BackoffModel
    weights: Weights
    limits: Limits = LIMITS

    def translate(self, sentence: SentenceOptions, n_best: int = 1) -> list[Translation]:
        """The best translations of different words that the search meets, at most `n_best`, the best first.

        The list is empty if options do not cover the sentence. Raises UserError for a sentence of more than
        MOST_WORDS words, which `cut_sentence` makes shorter.
        """
        if sentence.n > MOST_WORDS:
            problem = f"a sentence has {counted(sentence.n, 'word')}"
            raise UserError(problem, remedy=f"cut it into pieces of at most {MOST_WORDS} words")
        n, longest, options, arrays = sentence.n, sentence.longest, sentence.options, self.model.arrays
        prepared = sentence_of(n, longest, options, self.weights, arrays)
        if prepared.spans[0, n] == -np.inf:
            return []
        graph = search(prepared, self.weights, arrays, self.limits)
        steps = STEPS_PER_TRANSLATION * n_best + n + 1
        paths = best_paths(n, n_best, steps, graph, options, self.weights, arrays)
        order = np.argsort(-paths.scores, kind="stable")
        return [self._translation(sentence, paths, number) for number in order.tolist()]

    def translate_all(
        self, sentences: Sequence[SentenceOptions], n_best: int = 1, threads: int = 1
    ) -> list[list[Translation]]:
        """Translations of each sentence; the number of threads changes nothing but the time."""
        if threads == 1:
            return [self.translate(sentence, n_best) for sentence in sentences]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(lambda sentence: self.translate(sentence, n_best), sentences))

    def _translation(self, sentence: SentenceOptions, paths: Paths, number: int) -> Translation:
        """One of the translations that were found."""
        options, words = sentence.options, list[str]()
        spans: list[SpanPair] = []
        for option in paths.options[paths.starts[number] : paths.starts[number + 1]].tolist():
            before = len(words)
            for word in options.words[options.offsets[option] : options.offsets[option + 1]].tolist():
                known = word < len(self.model.words)
                words.append(
                    self.model.words[word] if known else sentence.passed[word - len(self.model.words)]
                )
            begin, end = int(options.begins[option]), int(options.ends[option])
            spans.append(SpanPair(begin, end, before, len(words)))
        return Translation(tuple(words), float(paths.scores[number]), paths.features[number], tuple(spans))
