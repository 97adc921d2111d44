"""Phrases by number against a dict of tuples."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker.translation.kernels.phrase_extraction import MOST
from stickbreaker.translation.phrases.phrase_places import number_phrases

N_WORDS = 4
texts = st.lists(st.integers(-1, N_WORDS - 1), min_size=1, max_size=30)


@st.composite
def texts_with_places(draw):
    """A text, and phrases of it: where they begin and how many words they have."""
    text = draw(texts)
    begin = draw(st.lists(st.integers(0, len(text) - 1), max_size=20))
    return text, [(b, draw(st.integers(1, min(MOST, len(text) - b)))) for b in begin]


def as_arrays(places):
    both = np.array(places, np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1].astype(np.int8)


def all_places(text):
    return [(b, n) for b in range(len(text)) for n in range(1, min(MOST, len(text) - b) + 1)]


@given(texts_with_places(), texts)
def test_phrases_have_numbers_and_are_found_by_them(case, other):
    text, places = case
    words = np.array(text, np.int32)
    index, numbers = number_phrases(words, *as_arrays(places), N_WORDS)
    phrases = [tuple(text[b : b + n]) for b, n in places]
    by_phrase = dict(zip(phrases, numbers.tolist(), strict=True))
    known = {phrase: number for phrase, number in by_phrase.items() if -1 not in phrase}
    assert [by_phrase[phrase] for phrase in phrases] == numbers.tolist()  # the same wherever it stands
    assert all((number == -1) == (-1 in phrase) for phrase, number in by_phrase.items())
    assert len(set(known.values())) == len(known)
    in_order = sorted(known, key=known.__getitem__)
    assert [*map(len, in_order)] == sorted(map(len, in_order))  # by length
    assert all(known[phrase] < index.starts[-1] for phrase in known)
    # In any text an index finds what it was made of, and what that begins with.
    beginnings = {phrase[:n] for phrase in phrases for n in range(1, len(phrase))}
    for line in (text, other):
        everywhere = all_places(line)
        found = index.find(np.array(line, np.int32), *as_arrays(everywhere)).tolist()
        for (b, n), number in zip(everywhere, found, strict=True):
            phrase = tuple(line[b : b + n])
            if phrase in known:
                assert number == known[phrase]
            else:
                assert number == -1 or phrase in beginnings


def test_an_index_of_nothing_finds_nothing():
    words = np.array([0, 1], np.int32)
    index, numbers = number_phrases(words, *as_arrays([]), N_WORDS)
    assert (index.keys, numbers.tolist(), index.starts.tolist()) == ((), [], [0])
    assert index.find(words, *as_arrays([(0, 1), (0, 2)])).tolist() == [-1, -1]
