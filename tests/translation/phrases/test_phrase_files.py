"""Moses's phrase table: every line against the model that it was written of, and read back."""

import gzip
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.translation.planted_bitexts import random_bitext
from tests.translation.planted_phrases import lexicon_of, phrase_model, phrase_of

from stickbreaker.core.errors import UserError
from stickbreaker.translation.alignment.aligned_words import links_of
from stickbreaker.translation.bitext import Bitext
from stickbreaker.translation.lexicon.directed_lexicon import Strengths
from stickbreaker.translation.phrases import phrase_files
from stickbreaker.translation.phrases.array_checks import require_table
from stickbreaker.translation.phrases.phrase_files import (
    phrase_pair_of,
    phrase_table_lines,
    read_phrase_table,
)
from stickbreaker.translation.phrases.translating import TokenDocument, translate_documents
from stickbreaker.translation.sentence_pairs import Pair
from stickbreaker.translation.sentence_tokens import escaped, plain, unescaped

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
        counts = model.table.scores[::-1]
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


# reading


def written(place, lines):
    path = place / "table"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def features_by_phrases(model):
    """The features of all translations of a table, by their words and links."""
    options = np.arange(model.table.n_options)
    keys = [(*phrase_of(model, option)[:2], *sorted(phrase_of(model, option)[2])) for option in options]
    return dict(zip(keys, model.features_of(options, HERE), strict=True))


def best_scores(model):
    """Scores of the translations of sentences of all words of the source; many are equally good."""
    words = [*model.lexicon.bitext.words[0], "neu"]
    sentences = [[words[(n * step) % len(words)] for n in range(5)] for step in range(1, 6)]
    (found,) = translate_documents(model, [TokenDocument(sentences, HERE)], 1, 1)
    return [own[0].score for own in found]


@pytest.mark.parametrize("ranks", [0, 2])
def test_a_table_that_was_exported_translates_alike(tmp_path, ranks):
    bitext, links, own_shares = random_bitext(5, 8)
    model = phrase_model(lexicon_of(bitext, links, own_shares, Strengths(0.7, 3.0)), tmp_path)
    weights = {"topic_lexical": 0.3, "topic_rank_1": 0.2, "topic_rank_2": 0.1}
    model = replace(model, weights=model.weights | weights, ranks=ranks)
    lines = list(phrase_table_lines(model, None))
    (tmp_path / "table.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    for path in (written(tmp_path, lines[::-1]), tmp_path / "table.gz"):
        table, too_long, too_many = read_phrase_table(path, bitext.words)
        assert (too_long, too_many, table.more_words) == (0, 0, ((), ()))
        again = replace(model, table=table)
        first, second = features_by_phrases(model), features_by_phrases(again)
        assert {*first} == {*second}
        for key, features in first.items():
            np.testing.assert_allclose(second[key], features, atol=1e-5)
        assert best_scores(again) == pytest.approx(best_scores(model), abs=1e-4)
    columns = [line.split(" ||| ")[:4] for line in lines]
    assert [line.split(" ||| ") for line in phrase_table_lines(again, None)] == columns  # without counts
    for one, other in zip(
        phrase_table_lines(model, HERE), phrase_table_lines(again, HERE), strict=True
    ):  # adapted
        numbers = [[float(p) for p in line.split(" ||| ")[2].split()] for line in (one, other)]
        assert numbers[0] == pytest.approx(numbers[1], rel=1e-4)


TABLE = """der Hund ||| the dog ||| 0.5 0.4 1 0.6 2.718 ||| 0-0 1-1 ||| 2 1 1
a&amp;b ||| x &#124; ||| 0.1 0 0.25 0.6 ||| 0-0 0-1
a&amp;b ||| x ||| 0.1 0.2 0.75 0.6 ||| 0-0 ||| |||
e1 ||| e2 e3 e4 e5 e6 e7 ||| 1 1 1 1
e1 ||| f1 ||| 1 1 1 1 ||| 0-0 0-0"""


def test_words_and_scores_of_a_file(tmp_path):
    path = written(tmp_path, TABLE.split("\n"))
    table, too_long, too_many = read_phrase_table(path, (("e1", "der"), ("x", "y")))
    assert (too_long, too_many) == (1, 0)
    assert table.more_words == (("Hund", "a&b"), ("the", "dog", "|", "f1"))
    rows = {}
    words, lengths = table.source_of(table.phrases)
    for option in range(table.n_options):
        source = tuple(words[option, : lengths[option]].tolist())
        target = tuple(table.target_words[slice(*table.offsets[option : option + 2])].tolist())
        scores = table.scores.log_phrases[option], table.scores.log_lexical[option]
        rows[source, target] = np.concatenate(scores), int(table.links[option])
    assert [key for key in rows if key[0] == (3,)] == [((3,), (0,)), ((3,), (0, 4))]  # by p(e | f)
    assert [links for _, links in rows.values()].count(0b1000001) == 1
    scores, links = rows[(3,), (0, 4)]
    assert links == 0b11
    assert scores == pytest.approx([math.log(0.25), math.log(0.1), math.log(0.6), -100.0])
    assert rows[(1, 2), (2, 3)][0] == pytest.approx(np.log([1, 0.5, 0.6, 0.4]))
    assert len(rows) == 4


def test_the_most_probable_translations_are_kept(tmp_path):
    lines = [f"a ||| e{n} ||| 1 1 {p} 1 ||| 0-0" for n, p in enumerate([0.01] * 20 + [0.02] * 10)]
    table, _, too_many = read_phrase_table(written(tmp_path, lines), (("a",), ()))
    assert too_many == 10
    kept = [table.more_words[1][word] for word in table.target_words]
    assert kept == [f"e{n}" for n in (*range(20, 30), *range(10))]


def test_words_that_the_bitext_lacks_are_translated(tmp_path):
    bitext, links, own_shares = random_bitext(5, 8)
    model = phrase_model(lexicon_of(bitext, links, own_shares, Strengths(0.7, 3.0)), tmp_path)
    lines = ["hund f0 ||| dog cat ||| 1 1 1 1 ||| 0-0 1-1", "f0 ||| e0 ||| 1 1 1 1 ||| 0-0"]
    table = read_phrase_table(written(tmp_path, lines), bitext.words).table
    words = bitext.words[1] + table.more_words[1]
    model = replace(model, table=table, language_model=replace(model.language_model, words=words))
    (found,) = translate_documents(model, [TokenDocument([["hund", "f0", "neu"]], HERE)], 1, 1)
    assert found[0][0].words == ("dog", "cat", "neu")
    (option,) = np.flatnonzero(np.diff(table.offsets) == 2)
    features = model.features_of(np.array([option]), HERE)[0]
    assert features.tolist() == pytest.approx([0, 0, 0, 0, 1, 0, 0])  # topics know nothing of them
    ranked = replace(model, ranks=2).features_of(np.array([option]), HERE)
    assert np.isfinite(ranked).all()


GOOD = "a b ||| x ||| 0.5 0.4 1 0.6 ||| 0-0"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a b", "fewer than three columns"),
        ("a ||| x", "fewer than three columns"),
        (" ||| x ||| 1 1 1 1 ||| 0-0", "a phrase without a word"),
        ("a ||| ||| 1 1 1 1 ||| 0-0", "a phrase without a word"),
        ("a ||| x ||| 1 1 1 ||| 0-0", "3 scores, but there should be four"),
        ("a ||| x ||| 1 1 1 1 1 ||| 0-0", "5 scores, but there should be four"),
        ("a ||| x ||| 1 1 1 one ||| 0-0", "could not convert string to float: 'one'"),
        ("a ||| x ||| 1 1 1 1.5 ||| 0-0", "a score that is not a probability"),
        ("a ||| x ||| 1 1 1 nan ||| 0-0", "a score that is not a probability"),
        ("a ||| x ||| 1 1 1 1 ||| 0:0", "'0:0' is not a link"),
        ("a ||| x ||| 1 1 1 1 ||| 1-0", "the link 1-0 is beyond the phrase"),
        ("a ||| x ||| 1 1 1 1 ||| 0-1", "the link 0-1 is beyond the phrase"),
        ("a ||| x ||| 1 1 1 1 ||| ", "no word links, which topics need"),
        ("a ||| x ||| 1 1 1 1", "no word links, which topics need"),
        (GOOD, "the pair of phrases occurs twice"),
    ],
)
def test_what_is_no_phrase_pair_is_named_by_line(tmp_path, line, problem):
    path = written(tmp_path, [GOOD, GOOD.replace("x", "y"), line, line])
    with pytest.raises(UserError) as caught:
        read_phrase_table(path, ((), ()))
    assert (caught.value.where, caught.value.line) == (path, 3)
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_without_phrases_are_refused(tmp_path):
    for lines in ([], ["a ||| b c d e f g ||| 1 1 1 1 ||| 0-0"]):
        with pytest.raises(UserError, match="holds no phrase of at most 5 words; write lines like"):
            read_phrase_table(written(tmp_path, lines), ((), ()))
    with pytest.raises(UserError, match="no such file"):
        read_phrase_table(tmp_path / "nowhere", ((), ()))


TOKENS = st.lists(st.text("ab|&[;amp#124'", min_size=1, max_size=4), min_size=1, max_size=5)


@given(TOKENS, TOKENS, st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4), st.data())
def test_lines_are_read_as_they_are_written(source, target, scores, data):
    places = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    links = data.draw(st.sets(places, min_size=1))
    sides = [" ".join(map(escaped, tokens)) for tokens in (source, target)]
    within = " ".join(f"{s}-{t}" for s, t in links)
    pair = phrase_pair_of(" ||| ".join((*sides, " ".join(map(repr, scores)), within)))
    assert [*map(unescaped, pair.source)] == source
    assert [*map(unescaped, pair.target)] == target
    assert [*pair.scores] == scores
    assert pair.links == sum(1 << 5 * s + t for s, t in links)


@given(st.text("ab|&.0123 -\te\n", max_size=120), st.integers(0, len(TABLE)))
def test_any_text_is_a_table_or_refused(tmp_path_factory, text, place):
    path = tmp_path_factory.mktemp("any") / "table"
    path.write_text(TABLE[:place] + text + TABLE[place:], encoding="utf-8")
    try:
        table = read_phrase_table(path, (("a", "b"), ("x",))).table
    except UserError:
        return
    require_table(table, (("a", "b"), ("x",)))
