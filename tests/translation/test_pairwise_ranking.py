"""Tuning by pairs: planted weights are found, and translations keep the length of their references."""

import math

import numpy as np
import pytest

from stickbreaker import UserError
from stickbreaker.translation.bleu import Reference, sentence_bleu
from stickbreaker.translation.pairwise_ranking import PairSampling, learn_weights

PLANTED = np.array([1.0, -2.0, 0.5, 0.0])


def planted(seed, sentences=40, scale=(1.0, 1.0, 1.0, 1.0), noise=0.0):
    """Candidates whose quality is planted weights · features."""
    rng = np.random.default_rng(seed)
    features = [rng.normal(0.0, scale, (30, 4)) for _ in range(sentences)]
    quality = [each @ (PLANTED / scale) + rng.normal(0.0, noise, 30) for each in features]
    return features, quality


@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0, 1.0), (100.0, 1.0, 0.01, 1.0)])
def test_planted_weights_are_found(scale):
    weights = learn_weights(*planted(0, scale=scale, noise=0.1))
    expected = PLANTED / scale
    cosine = weights @ (expected * np.square(scale)) / np.linalg.norm(weights * scale)
    assert cosine / np.linalg.norm(expected * scale) > 0.99
    assert np.abs(weights).sum() == pytest.approx(1.0)


def test_the_same_seed_gives_the_same_weights_and_other_sentences_the_same_pairs():
    features, quality = planted(1)
    first = learn_weights(features, quality, 3)
    assert (learn_weights(features, quality, 3) == first).all()
    assert (learn_weights(features, quality, 4) != first).any()
    tied = [np.zeros(30) for _ in quality]  # which no pair is drawn from
    assert (learn_weights([*features, *features], [*quality, *tied], 3) == first).all()


def test_pairs_that_differ_too_little_teach_nothing():
    features, quality = planted(2)
    misled = [np.where(np.abs(each) < 0.5, -0.001 * each, each) for each in quality]
    weights = learn_weights(features, misled, sampling=PairSampling(least=0.4))
    assert weights @ PLANTED / np.linalg.norm(weights) / np.linalg.norm(PLANTED) > 0.95


def test_very_bad_candidates_do_not_hide_how_good_ones_differ():
    features, quality = planted(5)
    for each in quality:
        each[:5] = -30.0  # whatever their features are
    weights = learn_weights(features, quality)
    assert weights @ PLANTED / np.linalg.norm(weights) / np.linalg.norm(PLANTED) > 0.97


def test_a_feature_that_is_always_the_same_has_no_weight():
    features, quality = planted(3)
    for each in features:
        each[:, 3] = 7.0
    assert learn_weights(features, quality)[3] == 0.0


def test_candidates_that_do_not_differ_are_refused():
    for features, quality in ([], []), ([np.ones((3, 2))], [np.arange(3.0)]), ([np.eye(3)], [np.ones(3)]):
        with pytest.raises(UserError, match="no two candidates"):
            learn_weights(features, quality)
    with pytest.raises(UserError, match="no two candidates"):
        learn_weights([np.ones((1, 2)), np.empty((0, 2))], [np.ones(1), np.empty(0)])


def test_bleu_of_sentences():
    words = ["the", "cat", "sat", "on", "the", "mat"]
    reference = Reference.of(words)
    assert sentence_bleu(words, reference) == pytest.approx(1.0)
    assert sentence_bleu(words[:4], reference) == pytest.approx(math.exp(-0.5))
    precisions = [5 / 7, 4 / 7, 3 / 6, 2 / 5]  # the, the, cat, sat, on; then matches and n-grams, each + 1
    found = sentence_bleu(["the", "the", "cat", "sat", "on", "a", "hat"], reference)
    assert found == pytest.approx(math.prod(precisions) ** 0.25)
    assert sentence_bleu(["dog"], reference) == sentence_bleu([], reference) == 0.0
    assert sentence_bleu(["the"], Reference.of(["the"])) == pytest.approx(1.0)


def noisy(rng, reference):
    """A translation with words changed, left out and put in, some of them much shorter or longer."""
    changed, fewer, more = rng.uniform(0.0, 0.6, 3)
    words = [str(rng.integers(500)) if rng.random() < changed else word for word in reference]
    words = [word for word in words if rng.random() > fewer]
    for _ in range(rng.binomial(2 * len(reference), more)):
        words.insert(int(rng.integers(len(words) + 1)), str(rng.integers(500)))
    return words


def test_translations_keep_the_length_of_their_references():
    """Candidates of any length, and features that all grow with it, as those of translation do."""
    rng = np.random.default_rng(0)
    lists, features, quality = [], [], []
    for _ in range(60):
        reference = [str(word) for word in rng.integers(0, 500, 15)]
        candidates = [noisy(rng, reference) for _ in range(60)]
        wrong = np.array([sum(word not in reference for word in words) for words in candidates])
        lengths = np.array([len(words) for words in candidates])
        log_p = -2.0 * lengths - 4.0 * wrong + rng.normal(0.0, 4.0, 60)
        lists.append(lengths)
        features.append(np.column_stack([log_p, lengths]))
        wanted = Reference.of(reference)
        quality.append(np.array([sentence_bleu(words, wanted) for words in candidates]))
    weights = learn_weights(features, quality)
    best = [lengths[(each @ weights).argmax()] for lengths, each in zip(lists, features, strict=True)]
    assert np.mean(best) / 15 == pytest.approx(1.0, abs=0.1)
