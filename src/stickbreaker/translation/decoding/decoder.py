"""Phrase-based translation of sentences, given options for their phrases, weights and a language model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.records import Array
from stickbreaker.ngrams.backoff_model import BackoffModel
from stickbreaker.translation.kernels.best_paths import Paths, best_paths
from stickbreaker.translation.kernels.decoder import Limits, search
from stickbreaker.translation.kernels.phrase_options import Options, Weights, sentence_of

MOST_WORDS = 256  # of a sentence translated in one piece
PUNCTUATION = frozenset(".,;:!?…—–()。，；：！？")  # words after which longer sentences are cut
LIMITS = Limits(stack=100, candidates=2000, threshold=np.inf, distortion=6)
STEPS_PER_TRANSLATION = 1000  # limit of the search for a list of best translations


class SentenceOptions(NamedTuple):
    """A source sentence as the decoder takes it: the translation options of its spans, each a phrase of
    target words with features."""

    n: int  # source words
    longest: int  # words of the longest span with options; 1 without options
    options: Options
    passed: tuple[str, ...]  # source words copied to the translation, numbered after the known ones


class SpanPair(NamedTuple):
    """A span of source words and the span of target words that translates it; ends are exclusive."""

    source_begin: int
    source_end: int
    target_begin: int
    target_end: int


class Translation(NamedTuple):
    """A translation of a sentence that the decoder found; score = weights · features."""

    words: tuple[str, ...]
    score: float
    features: Array  # of the options, summed, then log p (nats), number of words, minus words jumped over
    spans: tuple[SpanPair, ...]  # in the order of the target words


def cut_sentence(words: Sequence[str], most: int = MOST_WORDS) -> list[Sequence[str]]:
    """Cut a sentence into pieces of at most `most` words, after punctuation if possible.

    A sentence that is short enough is one piece, also without words.

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
    """Finds the best translations of sentences, given weights of features and a language model.

    The score of a translation is exactly weights · features. `limits` bound the search.
    """

    model: BackoffModel
    weights: Weights
    limits: Limits = LIMITS

    def translate(self, sentence: SentenceOptions, n_best: int = 1) -> list[Translation]:
        """The best translations that are found, at most `n_best`, the best first; no two have the same words.

        The list is empty if the options do not cover the sentence. Raises UserError for a sentence of more
        than MOST_WORDS words; use `cut_sentence` first.
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

    def _translation(self, sentence: SentenceOptions, paths: Paths, number: int) -> Translation:
        """The translation with this number among `paths`, with its words spelled out."""
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
