"""Moses's phrase table: every line against the model that it was written of."""

import math

import numpy as np
import pytest
from tests.translation.planted_bitexts import random_bitext
from tests.translation.planted_phrases import lexicon_of, phrase_model, phrase_of

from stickbreaker.translation.alignment.aligned_words import links_of
from stickbreaker.translation.bitext import Bitext
from stickbreaker.translation.lexicon.directed_lexicon import Strengths
from stickbreaker.translation.phrases import phrase_files
from stickbreaker.translation.phrases.phrase_files import phrase_table_lines
from stickbreaker.translation.sentence_pairs import Pair
from stickbreaker.translation.sentence_tokens import plain

pytestmark = pytest.mark.kernels
HERE = np.array([0.2, 0.5, 0.3])


@pytest.mark.parametrize("shares", [None, HERE])
def test_lines_are_those_of_the_model(tmp_path, monkeypatch, shares):
    monkeypatch.setattr(phrase_files, "AT_ONCE", 4)
    bitext, links, own_shares = random_bitext(2, 8)
    model = phrase_model(lexicon_of(bitext, links, own_shares, Strengths(0.7, 3.0)), tmp_path)
    features = model.features_of(np.arange(model.table.n_options), shares)
    wanted = {}
    for option in range(model.table.n_options):
        source, target, within = phrase_of(model, option)
        lexical, reverse = features[option, 2:4] + features[option, 5:7]
        scores = [features[option, 1], reverse, features[option, 0], lexical]
        counts = [model.table.target_counts, model.table.source_counts, model.table.counts]
        wanted[" ".join(source), " ".join(target)] = scores, within, [int(one[option]) for one in counts]
    lines = list(phrase_table_lines(model, shares))
    assert len(lines) == len(wanted)
    for line in lines:
        source, target, scores, within, counts = line.split(" ||| ")
        held = wanted.pop((source, target))
        assert [math.log(float(p)) for p in scores.split()] == pytest.approx(held[0], abs=1e-5)
        assert {tuple(map(int, link.split("-"))) for link in within.split()} == held[1]
        assert [int(n) for n in counts.split()] == held[2]
    assert [line.encode() for line in lines] == sorted(line.encode() for line in lines)


def test_topics_change_lexical_weights_alone(tmp_path):
    bitext, links, own_shares = random_bitext(3, 8)
    model = phrase_model(lexicon_of(bitext, links, own_shares, Strengths(0.7, 3.0)), tmp_path)
    plain_lines, adapted = (list(phrase_table_lines(model, shares)) for shares in (None, HERE))
    changed = 0
    for one, other in zip(plain_lines, adapted, strict=True):
        first, second = (line.split(" ||| ") for line in (one, other))
        assert [*first[:2], *first[3:]] == [*second[:2], *second[3:]]
        (a, b, c, d), (e, f, g, h) = first[2].split(), second[2].split()
        assert (a, c) == (e, g)
        changed += (b, d) != (f, h)
    assert changed > len(plain_lines) / 2


def test_unlikely_translations_are_left_out(tmp_path):
    bitext, links, own_shares = random_bitext(2, 8)
    model = phrase_model(lexicon_of(bitext, links, own_shares, Strengths()), tmp_path)
    everything = list(phrase_table_lines(model, None))
    likely = [line for line in everything if float(line.split(" ||| ")[2].split()[2]) >= 0.4]
    assert list(phrase_table_lines(model, None, 0.4)) == likely
    assert 0 < len(likely) < len(everything)
    assert not list(phrase_table_lines(model, None, 1.1))


def test_signs_that_mean_something_to_moses_are_escaped(tmp_path):
    bitext = Bitext.of([Pair("a | b [ & '", 'x < > ] "', "d")], "de", "en")
    links = links_of([[(i, min(i, 4)) for i in range(6)]])
    model = phrase_model(lexicon_of(bitext, links, np.ones((1, 1)), Strengths()), tmp_path)
    sources = {line.split(" ||| ")[0] for line in phrase_table_lines(model, None)}
    assert {"&#124;", "&#91;", "a &#124; b &#91;"} <= sources
    for line in phrase_table_lines(model, None):
        columns = line.split(" ||| ")
        assert len(columns) == 5
        assert not {*"|[]<>'\""} & {*columns[0], *columns[1]}
        assert {*plain(columns[0]).split()} <= {*"a|b[&'"}


def test_a_table_of_nothing_has_no_line(tmp_path):
    bitext = Bitext.of([Pair("a", "b", "d")], "de", "en")
    model = phrase_model(lexicon_of(bitext, links_of([[]]), np.ones((1, 1)), Strengths()), tmp_path)
    assert list(phrase_table_lines(model, None)) == []
