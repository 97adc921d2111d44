"""The character model of an open vocabulary: a distribution, by hand, against the oracle, and saved."""

import itertools
import json
import math
from collections import Counter
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.oracle import spelling as oracle
from tests.tiers import sampled

from stickbreaker import UserError
from stickbreaker.core.serialize import flat_record, record_from
from stickbreaker.corpus.spelling.string_lengths import least_squares
from stickbreaker.corpus.spelling.string_prior import (
    CODE_POINTS,
    CharacterModel,
    Spelling,
    code_points,
)

BOTH = ["empirical", "least-squares"]
WORDS = st.lists(st.text(st.sampled_from("abcdé😀中"), min_size=1, max_size=6), min_size=1, max_size=12)
GERMAN = ["haus", "maus", "laus", "hausmaus", "mausehaus", "aus", "raus", "sau"]


def learned(words, order=3, lengths="empirical", weights=None):
    return CharacterModel.learn(words, Spelling(order=order, lengths=lengths), weights)


def zeta(model, length):
    return math.exp(model.lengths.log_probability(np.array([length]))[0])


@pytest.mark.parametrize("lengths", BOTH)
@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_all_strings_together_have_probability_one(order, lengths):
    """Strings of a, b, c and anything else up to six letters, by enumeration; longer ones by zeta."""
    model = learned(["a", "ab", "abc", "cab", "bbbb", "ba"], order, lengths)
    total = 0.0
    for length in range(1, 7):
        words = ["".join(letters) for letters in itertools.product("abc?", repeat=length)]
        others = np.array([word.count("?") for word in words])  # each stands for all other code points
        chances = np.exp(model.log_probability(words) + others * math.log(CODE_POINTS - 3))
        assert chances.sum() == pytest.approx(zeta(model, length), rel=1e-12)
        total += chances.sum()
    total += sum(zeta(model, length) for length in range(7, 400))
    assert total == pytest.approx(1.0, abs=1e-10)


def test_code_points_outside_the_alphabet_are_alike():
    model = learned(GERMAN)
    words = [f"ha{letter}s" for letter in "x😀中\u0301\x00\u202e\U0010ffff"]
    values = model.log_probability(words)
    assert (values == values[0]).all()
    assert values[0] < model.log_probability(["hams"])[0] - math.log(CODE_POINTS - 7)


def test_by_hand():
    """The words ab and b, order 2. Letters: a once, b twice; after the mark a and b once; after a b once."""
    model = learned(["ab", "b"], order=2)
    a, b, rest = (1 + 2 / 3) / 5, (2 + 2 / 3) / 5, (2 / 3) / 5
    zeta_2 = (1 + 2 * 1 / 2.5 * 1.5 / 2.5) / 4  # lengths 1 and 2; geometric with mean 2.5
    ab = zeta_2 * (1 + 2 * a) / 4 * (1 + b) / 2
    ba = zeta_2 * (1 + 2 * b) / 4 * a  # nothing ever followed b
    odd = zeta_2 * 2 * rest / 4 / (CODE_POINTS - 2) * b
    assert np.exp(model.log_probability(["ab", "ba", "?b"])) == pytest.approx([ab, ba, odd], rel=1e-12)


@given(WORDS, WORDS, st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_equals_the_oracle(words, tried, order):
    model = learned(words, order)
    times = dict.fromkeys(words, 1)
    expected = [oracle.log_probability(word, times, order) for word in tried]
    assert model.log_probability(tried) == pytest.approx(expected, rel=1e-12)


@given(st.lists(st.text(min_size=1), max_size=5), st.sampled_from(BOTH))
@settings(max_examples=60, deadline=None)
def test_any_text_has_a_probability(tried, lengths):
    for words in (GERMAN, [*GERMAN, *tried]):
        values = learned(words, 3, lengths).log_probability(tried)
        assert np.isfinite(values).all()
        assert (values < 0).all()


@pytest.mark.parametrize("lengths", BOTH)
def test_weights_say_how_often_a_word_counts(lengths):
    words, weights = ["ab", "b", "ab", "cab"], [2.0, 1.5, 1.0, 0.0]
    model = learned(words, 2, lengths, weights)
    same = learned(["ab", "b"], 2, lengths, [3.0, 1.5])
    tried = ["ab", "b", "abb", "cab"]
    assert model.log_probability(tried).tolist() == same.log_probability(tried).tolist()
    if lengths == "empirical":
        expected = [oracle.log_probability(word, {"ab": 3.0, "b": 1.5}, 2) for word in tried]
        assert model.log_probability(tried) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("lengths", BOTH)
def test_the_order_of_the_words_is_nothing(lengths):
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcde"), rng.integers(1, 9))) for _ in range(300)]
    weights = rng.gamma(0.3, 1.0, 300)
    shuffled = rng.permutation(300)
    tried = [*words, "xyz"]
    for given_, again in ((None, None), (weights, weights[shuffled])):
        one = learned(words, 4, lengths, given_)
        two = learned([words[i] for i in shuffled], 4, lengths, again)
        assert one.log_probability(tried).tolist() == two.log_probability(tried).tolist()
        assert one.counts.tolist() == two.counts.tolist()
    assert learned(words * 2, 4).counts.tolist() == learned(words, 4).counts.tolist()  # distinct words


def test_a_ten_thousand_letter_word_has_a_probability():
    long = "ab" * 5000
    for lengths in BOTH:
        short = learned(GERMAN, lengths=lengths).log_probability([long, "\U0010fffe" * 10_000, "haus"])
        assert np.isfinite(short).all()
        assert (short[:2] < -1000).all()
        with_long = learned([*GERMAN, long], 4, lengths)
        assert np.isfinite(with_long.log_probability([long, "haus", long + "a"])).all()
        assert sum(zeta(with_long, n) for n in range(1, 10_001)) < 1


def test_least_squares_by_slsqp():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(1, 5, 25)
        p, c = rng.dirichlet(np.ones(25)), rng.gamma(1.0, 0.1, 25)
        lengths = np.unique(sizes)

        def loss(z, sizes=sizes, p=p, c=c, lengths=lengths):
            return ((p - z[np.searchsorted(lengths, sizes)] * c) ** 2).sum()

        start = np.full(len(lengths), 1 / len(lengths))
        simplex = {"type": "eq", "fun": lambda z: z.sum() - 1}
        bounds = [(0, 1)] * len(lengths)
        best = minimize(
            loss, start, method="SLSQP", bounds=bounds, constraints=simplex, options={"ftol": 1e-15}
        )
        found = least_squares(sizes, p, np.log(c))
        assert found.sum() == pytest.approx(1.0)
        assert found[lengths - 1] == pytest.approx(best.x, abs=1e-5)
        assert loss(found[lengths - 1]) <= best.fun + 1e-12


@pytest.mark.parametrize("seed", sampled(range(8), 2))
def test_least_squares_is_exact_where_letters_are_rare(seed):
    """Products of letters fall by seven powers of ten a length, so the parabolas by fourteen."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 7, 20)
    p, c = rng.dirichlet(np.ones(20)), rng.random(20) * 10.0 ** (-sizes * rng.choice([0, 1, 7]))
    found = least_squares(sizes, p, np.log(c))
    expected = oracle.least_squares(sizes.tolist(), p.tolist(), c.tolist())
    assert {size: found[size - 1] for size in expected} == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_least_squares_without_room_for_all_of_the_mass():
    """Where no length is worth its share, the level falls below zero, evenly by 1 / a."""
    found = least_squares(np.array([1, 3]), np.array([0.01, 0.01]), np.log([1.0, 0.5]))
    assert found[1] == 0.0
    expected = oracle.least_squares([1, 3], [0.01, 0.01], [1.0, 0.5])
    assert found[[0, 2]] == pytest.approx(list(expected.values()), rel=1e-12)


def test_zeta_by_least_squares_is_smoothed_alike():
    model = learned(GERMAN, 3, "least-squares")
    sizes = [len(word) for word in GERMAN]
    p, c = [1 / len(GERMAN)] * len(GERMAN), np.exp(model.log_letters(*code_points(GERMAN)))
    shares = oracle.least_squares(sizes, p, c.tolist())
    masses = {size: share * len(GERMAN) for size, share in shares.items()}
    expected = [oracle.length_probability(n, masses, len(set(sizes))) for n in range(1, 15)]
    assert [zeta(model, n) for n in range(1, 15)] == pytest.approx(expected, rel=1e-9)
    assert learned(GERMAN, 3).counts.tolist() == model.counts.tolist()


def test_words_like_those_learned_are_likelier():
    model = learned(GERMAN)
    good, bad = model.log_probability(["hausaus", "sauhsua"])
    assert sorted("hausaus") == sorted("sauhsua")
    assert good > bad + 3


@pytest.mark.parametrize("lengths", BOTH)
def test_saved_with_a_model(tmp_path, lengths):
    """Through safetensors, as a part of a run's small record; n-grams are whole numbers, exact as doubles."""
    from safetensors.numpy import load_file, save_file

    words = [*GERMAN, "中文", "\U0010ffff" * 3, "😀é"]
    model = learned(words, 4, lengths)
    save_file(flat_record("small/", model.to_fields()), tmp_path / "state")
    again = CharacterModel.from_fields(record_from("small/", load_file(tmp_path / "state")))
    for name in ("alphabet", "ngrams", "counts"):
        assert getattr(again, name).dtype == getattr(model, name).dtype
        assert getattr(again, name).tolist() == getattr(model, name).tolist()
    tried = [*words, "mauhaus", "z" * 30]
    assert again.log_probability(tried).tolist() == model.log_probability(tried).tolist()


def test_numbers_of_ngrams_stay_small_for_large_alphabets():
    """20,000 letters to the power of four would be above 2⁵³; an n-gram's number names a shorter one."""
    words = ["".join(map(chr, range(start, start + 5))) for start in range(0x4E00, 0x4E00 + 20_000, 5)]
    model = learned(words, 4)
    assert model.ngrams.max() < 2**32
    assert (np.diff(model.ngrams) > 0).all()
    assert Counter(model.counts.tolist()) == {1.0: 4_000 * (5 + 5 + 4 + 3), 0.0: 1}


def test_no_words_give_no_values():
    assert learned(GERMAN).log_probability([]).shape == (0,)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "there are no words to learn spelling from; give at least one"),
        (["a", ""], "a word is empty; leave empty strings out"),
        (
            ["a", "b\ud83d"],
            r"the word 'b\ud83d' has a lone surrogate, which is not valid text; decode the file",
        ),
        (["a", 3], "3 is not a word; words are strings"),
        (["a", None], "None is not a word"),
        ("abc", "'abc' is one string; give a list of words"),
    ],
)
def test_refused_in_one_line(words, told):
    with pytest.raises(UserError) as error:
        learned(words)
    assert str(error.value).startswith(told)
    assert "\n" not in str(error.value)
    if words:
        with pytest.raises(UserError) as again:
            learned(GERMAN).log_probability(words)
        assert str(again.value) == str(error.value)


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [1.0, math.nan], [1.0, math.inf]])
def test_weights_that_do_not_fit(weights):
    with pytest.raises(UserError, match="the weights do not fit the words"):
        learned(["a", "b"], weights=weights)


def test_weights_of_nothing():
    with pytest.raises(UserError, match="no words to learn"):
        learned(["a", "b"], weights=[0.0, 0.0])


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"order": 0}, "the order of the spelling is 0; it is a whole number from 1 to 20"),
        ({"order": 2.5}, "the order of the spelling is 2.5"),
        ({"order": 21}, "the order of the spelling is 21"),
        ({"lengths": "poisson"}, "there are no lengths 'poisson'; lengths is \"empirical\" or"),
        ({"words": ["a", ""]}, "a word is empty"),
        ({"words": []}, "the spelling has no words"),
        ({"words": 5}, "Spelling(words=5); give words, a path or None"),
    ],
)
def test_settings_that_are_refused(wrong, told):
    with pytest.raises(UserError) as error:
        Spelling(**wrong)
    assert str(error.value).startswith(told)


def test_settings_go_to_json_and_back(tmp_path):
    for words in (None, ["ab", "中"], tmp_path / "words.txt", "words.txt"):
        spelling = Spelling(order=5, lengths="least-squares", words=words)
        assert Spelling(**json.loads(json.dumps(asdict(spelling)))) == spelling


def test_words_from_a_file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("haus\nmaus\n\nhaus\n", encoding="utf-8")
    words = Spelling(words=path).word_list()
    assert words is not None
    assert set(words) == {"haus", "maus"}
    assert Spelling(words=["b", "a"]).word_list() == ("b", "a")
    assert Spelling().word_list() is None
    path.write_text("\n\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"words\.txt: the file has no words; give one word per line"):
        Spelling(words=str(path)).word_list()
    with pytest.raises(UserError, match="nowhere"):
        Spelling(words="nowhere.txt").word_list()
