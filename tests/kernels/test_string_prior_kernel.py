"""The walk through a trie of n-grams: against a trie by hand, and against the plain model."""

import numpy as np
import pytest
from tests.oracle import spelling as oracle

from stickbreaker.corpus.spelling.string_prior import CharacterModel, Spelling, code_points
from stickbreaker.kernels.string_prior import MARK, ROOT, Trie, _find, log_spelling

pytestmark = pytest.mark.kernels

SCRIPTS = ["abc", "aé\u0301ñ", "مرحبا", "中文字", "😀👍🏽\u200d", "\x07\u202e ", "\U0010ffff\ue000"]


def random_words(seed, n_words=30, longest=7):
    """Words of a few scripts each."""
    rng = np.random.default_rng(seed)
    letters = list("".join(rng.permutation(SCRIPTS)[:3]))
    return ["".join(rng.choice(letters, rng.integers(1, longest + 1))) for _ in range(n_words)]


def test_find_is_a_search():
    values = np.array([2, 3, 5, 5, 9, 1, 4])  # ascending from 0 to 5, and from 5 on
    for start, stop in [(0, 5), (1, 4), (0, 0), (5, 7), (2, 2)]:
        for value in range(11):
            part = values[start:stop].tolist()
            expected = start + part.index(value) if value in part else -1
            assert _find(values, start, stop, value) == expected


def test_a_trie_by_hand():
    """Of the bigrams ^a and ab: letters a, b are the code points 97, 98."""
    names = ["root", "mark", "a", "b", "^a", "ab"]
    trie = Trie(
        letters=np.array([0, 0, 1, 2, 1, 2]),
        first=np.array([1, 4, 5, 6, 6, 6, 6]),
        shorter=np.array([names.index(name) for name in ("root", "root", "root", "root", "a", "b")]),
        log_p=np.array([0.0, 0.0, -1.0, -2.0, -0.25, -0.5]),
        log_back=np.array([-10.0, -20.0, -40.0, 0.0, 0.0, 0.0]),
    )
    assert (ROOT, MARK) == (0, 1)
    expected = {
        "ab": -0.25 - 0.5,
        "ba": (-20 - 2) + -1,  # back from the mark; b is no context, so for free
        "aa": -0.25 + (-40 - 1),
        "xa": (-20 - 10 - 1000) + -1,  # x is unseen, and a follows nothing
        "": 0.0,
    }
    points = np.array([ord(letter) for letter in "".join(expected)], np.int32)
    offsets = np.cumsum([0] + [len(word) for word in expected])
    out = np.full(len(expected), np.nan)
    log_spelling(points, offsets, np.array([97, 98]), trie, -1000.0, out)
    assert out.tolist() == list(expected.values())


@pytest.mark.parametrize("order", [1, 2, 3, 4, 9])
def test_letters_equal_the_oracle(order):
    for seed in range(4):
        words = random_words(seed)
        model = CharacterModel.learn(words, Spelling(order=order))
        followers = oracle.followers_of(dict.fromkeys(words, 1), order)
        tried = words[:5] + random_words(seed + 100) + ["😀", "z" * 12, "a\u0300b"]
        expected = [oracle.log_letters(word, followers, order) for word in tried]
        assert model.log_letters(*code_points(tried)) == pytest.approx(expected, rel=1e-12)
