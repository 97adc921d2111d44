"""Phrases against their definition."""

from itertools import pairwise

import numpy as np
import pytest
from tests.oracle.phrase_pairs import phrase_pairs
from tests.tiers import sampled

from stickbreaker.translation.alignment.aligned_words import links_of, sentences_of
from stickbreaker.translation.kernels.phrase_extraction import MOST, PhrasePlaces, extract_phrases
from stickbreaker.translation.phrases import phrase_places as places_module
from stickbreaker.translation.phrases.phrase_places import phrase_places

pytestmark = pytest.mark.kernels


def bitext_of(sizes, links):
    """Sentences of so many words, all different, and their links."""
    sides = []
    for side in range(2):
        ends = np.cumsum([0] + [size[side] for size in sizes]).tolist()
        sides.append(sentences_of(range(a, b) for a, b in pairwise(ends)))
    return (sides[0], sides[1]), links_of(links)


def phrases_of(sizes, links):
    """The phrases of each pair of sentences as the oracle has them, sorted."""
    sides, held = bitext_of(sizes, links)
    found = [[] for _ in sizes]
    for row in zip(*phrase_places(sides, held), strict=True):
        s, t, source_words, target_words, mask = map(int, row)
        pair = int(np.searchsorted(sides[0].offsets, s, side="right")) - 1
        s, t = s - sides[0].offsets[pair], t - sides[1].offsets[pair]
        within = {divmod(bit, MOST) for bit in range(MOST * MOST) if mask >> bit & 1}
        found[pair].append((s, s + source_words, t, t + target_words, sorted(within)))
    return [sorted(own) for own in found]


def by_definition(sizes, links):
    return [
        sorted((*place, sorted(within)) for *place, within in phrase_pairs(*size, own))
        for size, own in zip(sizes, links, strict=True)
    ]


def random_links(rng, n_source, n_target, share):
    places = [(i, j) for i in range(n_source) for j in range(n_target)]
    return [place for place in places if rng.random() < share]


@pytest.mark.parametrize("seed", sampled(range(12), 2))
def test_phrases_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    sizes = [tuple(rng.integers(1, 9, 2).tolist()) for _ in range(6)]
    share = (0.05, 0.15, 0.3, 0.6)[seed % 4]
    links = [random_links(rng, *size, share) for size in sizes]
    assert phrases_of(sizes, links) == by_definition(sizes, links)


@pytest.mark.parametrize("seed", sampled(range(4), 2))
def test_straight_sentences_with_words_left_out(seed):
    rng = np.random.default_rng(seed)
    sizes = [(n, n) for n in (1, 6, 11, 12)]
    links = [[(i, i) for i in range(n) if rng.random() < 0.6] for n, _ in sizes]
    found = phrases_of(sizes, links)
    assert found == by_definition(sizes, links)
    assert max(row[1] - row[0] for own in found for row in own) == MOST


@pytest.mark.parametrize(
    ("size", "links", "number"),
    [
        ((1, 1), [(0, 0)], 1),
        ((1, 1), [], 0),
        ((5, 5), [(2, 2)], 81),  # words without a link on all sides: 9 spans around the middle, each way
        ((6, 6), [(0, 0), (5, 0)], 0),  # a word linked with two, too far apart for a phrase
        ((5, 5), [(0, 4), (1, 3), (2, 2), (3, 1), (4, 0)], 15),
        ((5, 5), [(i, j) for i in range(5) for j in range(5)], 1),
        ((6, 1), [(i, 0) for i in range(6)], 0),
        ((1, 5), [(0, 0), (0, 4)], 1),
        ((1, 6), [(0, 0), (0, 5)], 0),
    ],
)
def test_corners(size, links, number):
    (found,) = phrases_of([size], [links])
    assert len(found) == number
    assert [found] == by_definition([size], [links])


def test_little_room_is_used_again(monkeypatch):
    rng = np.random.default_rng(5)
    sizes = [tuple(rng.integers(1, 7, 2).tolist()) for _ in range(40)]
    links = [random_links(rng, *size, 0.2) for size in sizes]
    monkeypatch.setattr(places_module, "ROOM", 1)
    assert phrases_of(sizes, links) == by_definition(sizes, links)


def test_no_sentence_has_no_phrase():
    sides, links = bitext_of([], [])
    assert [len(column) for column in phrase_places(sides, links)] == [0] * 5


def test_room_of_one_pair_is_left_alone_by_the_next():
    sides, links = bitext_of([(1, 1), (1, 1)], [[(0, 0)]] * 2)
    room = PhrasePlaces(
        np.full(125, -7), np.full(125, -7), *(np.full(125, -7, kind) for kind in (np.int8, np.int8, np.int32))
    )
    both = links.source, links.target
    pair, n = extract_phrases(sides[0].offsets, sides[1].offsets, both, links.offsets, 0, room)
    assert (pair, n) == (1, 1)  # the second might not have room
    assert [column[:2].tolist() for column in room] == [[0, -7], [0, -7], [1, -7], [1, -7], [1, -7]]
