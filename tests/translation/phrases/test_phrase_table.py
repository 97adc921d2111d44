"""Phrase tables against counts in plain Python."""

import numpy as np
import pytest
from tests.oracle.phrase_pairs import Table
from tests.translation.planted_bitexts import random_bitext, sentences_of_bitext

from stickbreaker.translation.alignment.aligned_words import links_of, sentences_of
from stickbreaker.translation.kernels.phrase_extraction import MOST
from stickbreaker.translation.phrases.phrase_table import PhraseTable

pytestmark = pytest.mark.kernels


def random_case(seed, unknown=0.0):
    """Sides, links and sizes of a bitext in which phrases come often, and its sentences for the oracle."""
    rng = np.random.default_rng(seed)
    sizes, pairs, links = (3, 2), [], []
    for _ in range(25):
        pair = [rng.integers(0, size, rng.integers(1, 6)).tolist() for size in sizes]
        pair = [[word if rng.random() >= unknown else -1 for word in words] for words in pair]
        places = [(i, j) for i in range(len(pair[0])) for j in range(len(pair[1]))]
        links.append([place for place in places if rng.random() < 0.3])
        pairs.append(pair)
    sides = tuple(sentences_of([pair[side] for pair in pairs]) for side in range(2))
    named = [
        (*([word if word >= 0 else None for word in words] for words in pair), own)
        for pair, own in zip(pairs, links, strict=True)
    ]
    return sides, links_of(links), sizes, Table(named)


def rows_of(table):
    """Each translation of a table: the phrases, c(f, e), c(f), c(e), links."""
    words, lengths = table.source_of(table.phrases)
    for option in range(table.n_options):
        f = tuple(words[option, : lengths[option]].tolist())
        assert (words[option, lengths[option] :] == -1).all()
        e = tuple(table.target_words[slice(*table.offsets[option : option + 2])].tolist())
        links = {divmod(bit, MOST) for bit in range(MOST * MOST) if table.links[option] >> bit & 1}
        counts = (counts[option] for counts in table.scores)
        yield f, e, tuple(map(int, counts)), frozenset(links)


@pytest.mark.parametrize(("seed", "unknown"), [(0, 0.0), (1, 0.0), (2, 0.0), (3, 0.2), (4, 0.5)])
def test_counts_and_links_are_those_of_loops(seed, unknown):
    sides, links, sizes, oracle = random_case(seed, unknown)
    table = PhraseTable.of(sides, links, sizes, most=1000)
    found = {(f, e): (counts, within) for f, e, counts, within in rows_of(table)}
    assert len(found) == table.n_options
    assert {key: counts for key, (counts, _) in found.items()} == {
        (f, e): (n, oracle.sources[f], oracle.targets[e]) for (f, e), n in oracle.together.items()
    }
    for (f, e), (_, within) in found.items():
        assert within in oracle.most_frequent_links(f, e)
    log_p = table.scores.log_p(np.arange(table.n_options))
    for f in oracle.sources:
        of_phrase = [np.exp(log_p[row, 0]) for row, key in enumerate(found) if key[0] == f]
        assert sum(of_phrase) == pytest.approx(1.0)
    for e in oracle.targets:
        of_phrase = [np.exp(log_p[row, 1]) for row, key in enumerate(found) if key[1] == e]
        assert sum(of_phrase) == pytest.approx(1.0)


@pytest.mark.parametrize("most", [1, 2, 5])
def test_the_most_frequent_translations_are_kept(most):
    sides, links, sizes, oracle = random_case(6)
    table = PhraseTable.of(sides, links, sizes, most=most)
    kept = {}
    for f, e, counts, _ in rows_of(table):
        kept.setdefault(f, []).append(counts[0])
        assert counts == (oracle.together[f, e], oracle.sources[f], oracle.targets[e])  # over all
    assert {*kept} == {*oracle.sources}
    for f, counts in kept.items():
        assert counts == sorted(oracle.translations(f).values(), reverse=True)[:most]
    assert max(map(len, kept.values())) == most


def test_equally_frequent_links_are_those_of_the_smallest_number():
    sides = sentences_of([[0, 1]] * 2), sentences_of([[0, 0]] * 2)
    crossed, straight = [(0, 1), (1, 0)], [(0, 0), (1, 1)]  # bits 1 and 5; bits 0 and 6
    for links in ([crossed, straight], [straight, crossed]):
        table = PhraseTable.of(sides, links_of(links), (2, 1))
        (both,) = [within for f, _, _, within in rows_of(table) if f == (0, 1)]
        assert both == {*crossed}  # 2 + 32 < 1 + 64


@pytest.mark.parametrize("sentences", [0, 2])
def test_a_bitext_without_links_has_an_empty_table(sentences):
    sides = sentences_of([[0]] * sentences), sentences_of([[0]] * sentences)
    table = PhraseTable.of(sides, links_of([[]] * sentences), (1, 1))
    assert (table.n_options, table.starts.tolist(), table.offsets.tolist()) == (0, [0], [0])
    begin, lengths = np.array([0]), np.array([1], np.int8)
    assert table.index.find(np.zeros(1, np.int32), begin, lengths).tolist() == [-1]
    assert table.scores.log_p(np.zeros(0, np.int64)).shape == (0, 2)
    same = PhraseTable.from_arrays(table.to_arrays())
    assert (same.n_options, same.index.keys) == (0, ())


def test_arrays_are_the_whole_table():
    sides, links, sizes, _ = random_case(7)
    table = PhraseTable.of(sides, links, sizes)
    same = PhraseTable.from_arrays(table.to_arrays())
    assert [*rows_of(same)] == [*rows_of(table)]
    assert same.starts.tolist() == table.starts.tolist()


def test_words_of_a_bitext_are_numbered_as_in_its_table():
    bitext, links, _ = random_bitext(3, 6)
    oracle = Table([rest for _, *rest in sentences_of_bitext(bitext, links)])
    table = PhraseTable.of(bitext.sides, links, (len(bitext.words[0]), len(bitext.words[1])))
    spelled = {
        (tuple(bitext.words[0][n] for n in f), tuple(bitext.words[1][n] for n in e)): counts[0]
        for f, e, counts, _ in rows_of(table)
    }
    assert spelled == dict(oracle.together)
