"""Estimates of spans, and options scored after a state."""

import numpy as np
import pytest
from tests.oracle.phrase_translation import Lines, best_estimate, own_estimate
from tests.tiers import sampled
from tests.translation.random_translations import arpa, decoder, flat, sentence, weights_of

from stickbreaker.ngrams.kernels.backoff_trigrams import next_state
from stickbreaker.translation.kernels.phrase_options import extend, sentence_of

pytestmark = pytest.mark.kernels

WEIGHTS = [0.7, -0.3, 0.5, 0.2, 0.4]


def prepared(tmp_path, seed, n):
    rng = np.random.default_rng(seed)
    text, options = arpa(rng, 3), sentence(rng, n)
    arrays = decoder(tmp_path / "m.arpa", text, WEIGHTS).model.arrays
    given = flat(n, options)
    found = sentence_of(n, given.longest, given.options, weights_of(WEIGHTS), arrays)
    return found, arrays, options, Lines(text)


@pytest.mark.parametrize("seed", sampled(range(4), 2))
def test_estimates_of_spans_are_the_best_of_their_options(tmp_path, seed):
    found, _, options, lines = prepared(tmp_path, seed, 5)
    own = [own_estimate(option, lines, WEIGHTS) for option in options]
    assert found.scored.estimates == pytest.approx(own)
    for begin in range(6):
        for end in range(begin, 6):
            expected = best_estimate(begin, end, options, lines, WEIGHTS)
            assert found.spans[begin, end] == pytest.approx(expected)
    for first, last in zip(found.scored.firsts[:-1], found.scored.firsts[1:], strict=True):
        assert (np.diff(found.scored.estimates[found.scored.order[first:last]]) <= 0.0).all()


@pytest.mark.parametrize("seed", sampled(range(4), 2))
def test_an_option_after_a_state_is_its_words_one_by_one(tmp_path, seed):
    found, arrays, _, _ = prepared(tmp_path, seed, 5)
    offsets, words = found.options.offsets, found.options.words
    for state in np.unique(arrays.states):
        for option in range(len(offsets) - 1):
            total, after = 0.0, state
            for word in words[offsets[option] : offsets[option + 1]]:
                log_p, after = next_state(arrays, after, word)
                total += log_p
            log_p, reached = extend(arrays, found, option, state)
            assert log_p == pytest.approx(total)
            assert reached == after
