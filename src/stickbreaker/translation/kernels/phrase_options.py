"""The translation options of a sentence with their scores, and estimated scores of spans."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.ngrams.kernels.backoff_trigrams import EXACT, LEAF, ROOT, number_of, step


class Options(NamedTuple):
    """The translation options of one sentence: phrases of target words for spans of its source words."""

    begins: NDArray[np.int64]  # options: the first source word
    ends: NDArray[np.int64]  # options: the last source word + 1
    offsets: NDArray[np.int64]  # options + 1: where the target words of each begin in `words`
    words: NDArray[np.int64]  # target words, by the caller's numbers
    features: NDArray[np.float64]  # options × features


class Weights(NamedTuple):
    """The weights of the features, as the decoder uses them."""

    options: NDArray[np.float64]  # features of options
    language_model: float  # weight of log p of the target words and the sentence's end (nats)
    words: float  # weight of the number of target words
    distortion: float  # weight of minus the words jumped over between spans, forward or back


class ScoredOptions(NamedTuple):
    """The translation options of a sentence with their scores, and estimates with the language model, for the
    search."""

    scores: NDArray[np.float64]  # options: weights · features, without the language model
    estimates: NDArray[np.float64]  # options: the same with the language model, without context
    numbers: NDArray[np.int64]  # target words: their numbers in the language model
    states: NDArray[np.int64]  # target words: state after each, without context before the option
    log_p: NDArray[np.float64]  # target words: sum of log p up to each, without context
    order: NDArray[np.int64]  # all options, sorted by span, then by descending estimate
    firsts: NDArray[np.int64]  # spans + 1: where the options of each span begin in `order`


class Sentence(NamedTuple):
    """A source sentence prepared for the decoder: the scored translation options of its spans, and the
    estimated best score for translating each span, used for what is still untranslated."""

    n: int  # source words
    longest: int  # source words of the longest span with options
    options: Options
    scored: ScoredOptions
    spans: NDArray[np.float64]  # n + 1 × n + 1: from `estimate_spans`


@kernel_part(**LEAF)
def span_of(begin, end, longest):
    """A number for the span of words from `begin` to `end` (exclusive), if spans have at most `longest`
    words; sorts by begin, then by length."""
    return begin * longest + end - begin - 1


@kernel_part(**EXACT)
def score_options(n, longest, options, weights, model):
    """Score the translation options of a sentence of n words: returns `ScoredOptions`.

    longest: most source words that an option translates; model: the arrays of a backoff language model.
    """
    n_options, n_words = len(options.begins), len(options.words)
    scores, estimates = np.empty(n_options), np.empty(n_options)
    numbers, states, log_p = np.empty(n_words, np.int64), np.empty(n_words, np.int64), np.empty(n_words)
    firsts = np.zeros(n * longest + 1, np.int64)
    for option in range(n_options):
        first, last = options.offsets[option], options.offsets[option + 1]
        score = 0.0
        for feature in range(options.features.shape[1]):
            score += weights.options[feature] * options.features[option, feature]
        score += weights.words * (last - first)
        state, total = np.int64(ROOT), 0.0
        for at in range(first, last):
            numbers[at] = number_of(model, options.words[at])
            nats, state = step(model, state, numbers[at])
            total += nats
            states[at], log_p[at] = state, total
        scores[option] = score
        estimates[option] = score + weights.language_model * total
        firsts[span_of(options.begins[option], options.ends[option], longest) + 1] += 1
    for span in range(n * longest):
        firsts[span + 1] += firsts[span]
    order, places = np.empty(n_options, np.int64), firsts.copy()
    for option in np.argsort(-estimates, kind="mergesort"):
        span = span_of(options.begins[option], options.ends[option], longest)
        order[places[span]] = option
        places[span] += 1
    return ScoredOptions(scores, estimates, numbers, states, log_p, order, firsts)


@kernel_part(**EXACT)
def estimate_spans(n, longest, scored):
    """The estimated score of translating each span, by begin and end (n + 1 × n + 1): the highest sum of
    estimates of options that together cover it, without distortion (Koehn 2010, section 6.3.2).

    -inf: no options cover the span. 0: an empty span.
    """
    estimates = np.full((n + 1, n + 1), -np.inf)
    for begin in range(n + 1):
        estimates[begin, begin] = 0.0
    for length in range(1, n + 1):
        for begin in range(n - length + 1):
            end = begin + length
            best = -np.inf
            if length <= longest:
                span = span_of(begin, end, longest)
                if scored.firsts[span] < scored.firsts[span + 1]:
                    best = scored.estimates[scored.order[scored.firsts[span]]]
            for middle in range(begin + 1, end):
                best = max(best, estimates[begin, middle] + estimates[middle, end])
            estimates[begin, end] = best
    return estimates


@njit(**EXACT)
def sentence_of(n, longest, options, weights, model):
    """Prepare a sentence of n words with these options for the decoder: returns `Sentence`.

    longest: most source words that an option translates; model: the arrays of a backoff language model.
    """
    scored = score_options(n, longest, options, weights, model)
    return Sentence(n, longest, options, scored, estimate_spans(n, longest, scored))


@njit(**LEAF)
def extend(model, sentence, option, state):
    """log p in nats of an option's target words after a state of the language model, and the state after
    them.

    Once the state is the one that the words would have without context, the rest is taken from
    `ScoredOptions`.
    """
    scored, first = sentence.scored, sentence.options.offsets[option]
    last = sentence.options.offsets[option + 1]
    total, at, apart = 0.0, first, True
    while at < last and apart:
        nats, state = step(model, state, scored.numbers[at])
        total += nats
        apart = state != scored.states[at]
        at += 1
    if at < last:
        total += scored.log_p[last - 1] - scored.log_p[at - 1]
        state = scored.states[last - 1]
    return total, state
