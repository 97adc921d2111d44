"""Expected links of model 1 and of the hidden Markov model against sums over all alignments of tiny pairs."""

import numpy as np
import pytest
from tests.oracle import word_links as oracle
from tests.tiers import sampled

from stickbreaker.translation.alignment.aligned_words import sentences_of
from stickbreaker.translation.alignment.sentence_pieces import cell_starts, pairs_of
from stickbreaker.translation.kernels.ordered_alignment import (
    Contexts,
    Shares,
    Side,
    count_in_agreement,
    count_with_order,
    likeliest_links,
)
from stickbreaker.translation.kernels.word_alignment import (
    WIDEST,
    Direction,
    count_without_order,
    expected_translations,
    likeliest_translations,
)

pytestmark = pytest.mark.kernels
SHARES = Shares(0.3, 0.15)


class Text:
    """Three pairs (one with an empty side), a cell for each slot, and random parameters."""

    def __init__(self, seed, source=((0, 1, 0), (), (2, 1)), target=((1, 0, 2), (1,), (2,))):
        self.draw = np.random.default_rng(seed)
        self.source, self.target = sentences_of(source), sentences_of(target)
        self.starts = cell_starts(self.source, self.target)
        slots = np.arange(self.starts[-1], dtype=np.int32)
        self.pairs = pairs_of(self.source, self.target, slots, self.starts)
        self.directions = [self.direction(), self.direction()]

    def direction(self):
        jumps, starts = self.draw.dirichlet(np.ones(2 * WIDEST + 1)), self.draw.dirichlet(np.ones(WIDEST))
        return Direction(self.draw.random(self.starts[-1] + 2), self.draw.random(4), jumps, starts)

    def side(self, number):
        direction = self.directions[number]
        counts = Direction(*(np.zeros_like(values) for values in direction))
        contexts = Contexts(np.zeros((WIDEST + 1, WIDEST + 1)), np.zeros(WIDEST))
        return Side(self.pairs[number], direction, counts, contexts)

    def tables(self, number, pair):
        """translations[j, i], null[j] and slot of (j, i) of a pair in a direction."""
        n, m = len(self.words(1, pair)), len(self.words(0, pair))
        slots = self.starts[pair] + np.arange(n * m).reshape(m, n)
        slots = slots.T if number == 0 else slots
        null = self.directions[number].null[self.words(1 - number, pair)]
        return self.directions[number].translations[slots], null, slots

    def words(self, side, pair):
        sentences = self.target if side else self.source
        return sentences.words[sentences.offsets[pair] : sentences.offsets[pair + 1]]

    def expected(self, number, pair):
        """Links, jumps and p of the words of a pair in a direction, by enumeration."""
        translations, null, _ = self.tables(number, pair)
        direction = self.directions[number]
        return oracle.expected(
            (
                alignment,
                p * np.prod([null[j] if i is None else translations[j, i] for j, i in enumerate(alignment)]),
            )
            for alignment, p in oracle.alignments(
                *translations.shape, direction.jumps, direction.starts, SHARES.null, SHARES.anywhere
            )
        )


PAIRS = (0, 2)  # with words on both sides


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("seed", sampled(range(3), 2))
def test_model_1(seed, number):
    text = Text(seed)
    side = text.side(number)
    nats = count_without_order(side.pairs, side.direction, side.counts)
    counts, null_counts, whole = np.zeros_like(side.counts.translations), np.zeros(4), 0.0
    for pair in PAIRS:
        translations, null, slots = text.tables(number, pair)
        for j, word in enumerate(text.words(1 - number, pair)):
            total = (translations[j].sum() + null[j]) / (translations.shape[1] + 1)
            whole -= np.log(total)
            counts[slots[j]] += translations[j] / (translations[j].sum() + null[j])
            null_counts[word] += null[j] / (translations[j].sum() + null[j])
    assert nats == pytest.approx(whole)
    assert side.counts.translations == pytest.approx(counts)
    assert side.counts.null == pytest.approx(null_counts)


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("seed", sampled(range(3), 2))
def test_links_in_one_direction(seed, number):
    text = Text(seed)
    side = text.side(number)
    nats = count_with_order(side, SHARES)
    counts, null, whole = np.zeros_like(side.counts.translations), np.zeros(4), 0.0
    for pair in PAIRS:
        links, _, p = text.expected(number, pair)
        whole -= np.log(p)
        slots = text.tables(number, pair)[2]
        for (j, i), value in links.items():
            if i is None:
                null[text.words(1 - number, pair)[j]] += value
            else:
                counts[slots[j, i]] += value
    assert nats == pytest.approx(whole)
    assert side.counts.translations == pytest.approx(counts, abs=1e-8)
    assert side.counts.null == pytest.approx(null)


@pytest.mark.parametrize("seed", sampled(range(3), 2))
def test_jumps(seed):
    """Of one long pair: jumps beyond the widest, and the positions there were to jump to."""
    long = tuple(range(9))
    text = Text(seed, (long,), ((0, 1, 2),))
    side = text.side(0)
    count_with_order(side, SHARES)
    jumps, starts = np.zeros(2 * WIDEST + 1), np.zeros(WIDEST)
    contexts = Contexts(np.zeros((WIDEST + 1, WIDEST + 1)), np.zeros(WIDEST))
    direction, m = side.direction, len(long)
    for (last, i), value in text.expected(0, 0)[1].items():
        p = oracle.jump_probability(last, i, m, direction.jumps, direction.starts, SHARES.anywhere)
        value *= 1 - SHARES.anywhere / m / p
        if last is None:
            starts[min(i, WIDEST - 1)] += value
            contexts.starts[-1] += value
        else:
            jumps[np.clip(i - last, -WIDEST, WIDEST) + WIDEST] += value
            contexts.jumps[min(last, WIDEST), min(m - 1 - last, WIDEST)] += value
    assert side.counts.jumps == pytest.approx(jumps)
    assert side.counts.starts == pytest.approx(starts)
    assert side.contexts.jumps == pytest.approx(contexts.jumps)
    assert side.contexts.starts == pytest.approx(contexts.starts)


@pytest.mark.parametrize("seed", sampled(range(3), 2))
def test_links_in_agreement(seed):
    """Links of both directions count by their product, jumps and null words as in each alone."""
    text = Text(seed)
    alone, sides = (text.side(0), text.side(1)), (text.side(0), text.side(1))
    nats = [count_with_order(side, SHARES) for side in alone]
    assert count_in_agreement(*sides, SHARES) == pytest.approx(nats)
    counts = np.zeros_like(sides[0].counts.translations)
    for pair in PAIRS:
        to_target, to_source = (text.expected(number, pair)[0] for number in (0, 1))
        slots = text.tables(0, pair)[2]
        for (j, i), value in to_target.items():
            if i is not None:
                counts[slots[j, i]] += value * to_source[i, j]
    for side, one in zip(sides, alone, strict=True):
        assert side.counts.translations == pytest.approx(counts, abs=1e-8)
        assert side.counts.null == pytest.approx(one.counts.null)
        assert side.counts.jumps == pytest.approx(one.counts.jumps)
        assert side.contexts.jumps == pytest.approx(one.contexts.jumps)


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("seed", sampled(range(5), 2))
def test_likeliest_links(seed, number):
    text = Text(seed)
    side = text.side(number)
    found = np.full(len(side.pairs.words), -1, np.int32)
    likeliest_links(side.pairs, side.direction, SHARES, found)
    for pair in PAIRS:
        links = text.expected(number, pair)[0]
        begin = side.pairs.generated_offsets[pair]
        for j in range(len(text.words(1 - number, pair))):
            best = max((value, i) for (k, i), value in links.items() if k == j and i is not None)
            assert found[begin + j] == (best[1] if best[0] > links[j, None] else -1)


def test_translations_from_counts():
    """By SciPy's digamma, and by division; a word that stands with nothing has none."""
    from scipy.special import digamma

    counts, given = np.array([2.0, 0.5, 0.0, 3.0, 9.0, 9.0]), np.array([0, 0, 0, 2], np.int32)
    found = np.full(6, 7.0)
    expected_translations(counts, given, 3, 0.1, found)
    of_first = np.exp(digamma(counts[:3] + 0.1) - digamma(2.8))
    assert found[:3] == pytest.approx(np.maximum(of_first, 1e-12), rel=1e-8)
    assert found[3] == pytest.approx(1.0)
    assert found[4:].tolist() == [7.0, 7.0]
    likeliest_translations(counts, given, 3, found)
    assert found.tolist() == pytest.approx([0.8, 0.2, 1e-12, 1.0, 7.0, 7.0])
