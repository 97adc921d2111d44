"""Backoff language models against probabilities by definition, and files that are no models."""

import gzip
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.corpus.readers.reading import packings
from tests.oracle.phrase_translation import Lines
from tests.tiers import sampled
from tests.translation.random_translations import WORDS, arpa

from stickbreaker import NgramModel, UserError
from stickbreaker.ngrams.arpa import write_arpa
from stickbreaker.ngrams.arpa_model import is_arpa
from stickbreaker.ngrams.backoff_model import BackoffModel
from stickbreaker.ngrams.kernels.backoff_trigrams import next_state

TEXT = ["The cat sat. The cat ran. The dog sat on the mat. A dog ran.", "The cat sat on a mat. The end."]
GOOD = "\\data\\\nngram 1=4\nngram 2=2\n\n\\1-grams:\n-99\t<s>\t-0.3\n-1\t</s>\n-0.5\ta\t-0.2\n-0.7\tb\n" + (
    "\n\\2-grams:\n-0.3\t<s> a\n-0.4\ta b\n\n\\end\\\n"
)


def read(tmp_path, text, words=WORDS):
    path = tmp_path / "m.arpa"
    path.write_text(text, encoding="utf-8")
    return BackoffModel.read(path, words)


@pytest.mark.kernels
@pytest.mark.parametrize("seed", sampled(range(12), 2))
@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_words_have_the_probability_of_the_definition(tmp_path, seed, order):
    rng = np.random.default_rng(seed)
    text = arpa(rng, order, unknown=seed % 2 == 0, share=0.3 if order == 5 else 0.6)
    model, lines = read(tmp_path, text), Lines(text)
    assert model.order == order
    for length in (0, 1, 3, 8):
        numbers = rng.integers(0, len(WORDS) + 2, length)
        words = [WORDS[number] if number < len(WORDS) else "zebra" for number in numbers]
        assert model.log_probabilities(numbers) == pytest.approx(lines.sentence(words))


@pytest.mark.kernels
def test_states_are_no_longer_than_what_matters(tmp_path):
    text = GOOD.replace("ngram 2=2", "ngram 2=3").replace("-0.4\ta b\n", "-0.4\ta b\n-0.1\ta a\t0\n")
    arrays = read(tmp_path, text).arrays
    after_a = next_state(arrays, arrays.beginning, 0)[1]
    assert next_state(arrays, after_a, 0)[1] == after_a
    assert next_state(arrays, arrays.beginning, 1)[1] == 0  # nothing begins with b, which has no weight
    assert next_state(arrays, after_a, 3) == (pytest.approx(-10.2 * math.log(10)), 0)  # an unknown word


@pytest.mark.parametrize("order", [1, 3])
def test_a_fitted_model_is_the_same(tmp_path, order):
    model = NgramModel(order, min_count=2, max_iter=10, samples=1, random_state=0).fit(TEXT)
    found = BackoffModel.of(model, model.words_[:-1])
    for numbers in ([], [0, 1, 2, 1], [2, len(model.words_) - 2, 0]):
        words = np.array(numbers, np.int64)
        expected = model.learned_.model.log_probabilities(words, np.zeros(1, np.int64))
        assert found.log_probabilities(words) == pytest.approx(expected)
    write_arpa(model.learned_.model, model.learned_.base, tmp_path / "m.arpa")
    assert BackoffModel.read(tmp_path / "m.arpa", ["a"]).arrays.log_p.shape == found.arrays.log_p.shape


@pytest.mark.parametrize(
    ("right", "wrong", "line", "problem"),
    [
        ("\\data\\", "data", 15, "ends too soon"),
        ("\\end\\", "", 15, "ends too soon"),
        ("\\end\\", "-0.1\tb b", 15, r"expected \\end\\"),
        ("ngram 2=2", "ngram 3=2", 3, "of order 2"),
        ("ngram 2=2", "ngram 2=3", 15, "expected an n-gram of order 2"),
        ("ngram 2=2", "ngram 2=1", 13, r"expected \\end\\"),
        ("\\2-grams:", "\\3-grams:", 11, "expected .2-grams"),
        ("-0.5\ta", "none\ta", 8, "expected numbers"),
        ("-0.5\ta", "-1_5\ta", 8, "expected numbers"),
        ("-0.5\ta", "-\uff11\ta", 8, "expected numbers"),
        ("ngram 2=2", "ngram 2=" + "9" * 5_000, 3, "expected a number of n-grams of at most 15 digits"),
        ("\\data\\", "iARPA\n\\data\\", 1, "IRSTLM whose numbers are not probabilities; convert"),
        ("-0.5\ta", "nan\ta", 8, "expected numbers"),
        ("-0.5\ta\t-0.2", "-0.5\ta\tinf", 8, "expected numbers"),
        ("-0.5\ta", "0.5\ta", 8, "a probability is above 1"),
        ("-0.5\ta\t-0.2", "-0.5\ta b\t-0.2", 8, "expected an n-gram of order 1"),
        ("-0.7\tb", "-0.7\ta", 9, "the word 'a' occurs twice"),
        ("-0.4\ta b", "-0.4\ta c", 13, "the word 'c' is not a unigram of the file"),
        ("-0.4\ta b", "-0.4\t<s> a", 13, "the n-gram occurs twice"),
        ("</s>", "c", 15, "the model has no word </s>"),
    ],
)
def test_files_that_are_no_models_are_refused_by_line(tmp_path, right, wrong, line, problem):
    assert right in GOOD
    with pytest.raises(UserError, match=problem) as caught:
        read(tmp_path, GOOD.replace(right, wrong, 1))
    assert (caught.value.line, str(caught.value.where)) == (line, str(tmp_path / "m.arpa"))


def test_higher_orders_and_other_encodings_are_refused(tmp_path):
    counts = "".join(f"ngram {order}=1\n" for order in range(1, 12))
    with pytest.raises(UserError, match="1 to 10"):
        read(tmp_path, f"\\data\\\n{counts}\n\\1-grams:\n")
    (tmp_path / "latin.arpa").write_bytes(GOOD.replace("a", "ä").encode("latin-1"))
    with pytest.raises(UserError, match="is not UTF-8"):
        BackoffModel.read(tmp_path / "latin.arpa", WORDS)


def test_a_backoff_weight_of_the_highest_order_is_ignored(tmp_path):
    plain = read(tmp_path, GOOD)
    assert "-0.4\ta b\n" in GOOD
    other = read(tmp_path, GOOD.replace("-0.4\ta b\n", "-0.4\ta b\t-0.7\n"))
    words = np.array([0, 1, 0, 1])
    assert other.log_probabilities(words) == pytest.approx(plain.log_probabilities(words))


def test_packed_files_with_a_mark_and_headers_of_irstlm_are_read(tmp_path):
    plain, words = read(tmp_path, GOOD), np.array([0, 1])
    content = "\ufeff" + GOOD.replace("ngram 1=", "ngram  1= ")
    for name, packed in packings(content.encode()).items():
        path = tmp_path / f"model{name}"
        path.write_bytes(packed)
        assert is_arpa(path)
        assert BackoffModel.read(path, WORDS).log_probabilities(words) == pytest.approx(
            plain.log_probabilities(words)
        )
    path = tmp_path / "cut.arpa.gz"
    path.write_bytes(gzip.compress(content.encode())[:-20])
    with pytest.raises(UserError, match=r"cut\.arpa\.gz: the compressed file is truncated"):
        BackoffModel.read(path, WORDS)


def test_spaces_and_infinite_logarithms_are_read(tmp_path):
    loose = GOOD.replace("\t", " ").replace("-99 ", "-inf ").replace("\n", "  \r\n")
    model = read(tmp_path, loose.replace(" a", " a\u00a0a"), ["a\u00a0a", "b"])
    assert model.log_probabilities(np.array([0, 1])) == pytest.approx(
        np.array([-0.3, -0.4, -1.0]) * math.log(10)
    )


@given(st.text("\\dataengrm123=-:.<s>/\t \n\r\u00a0ä", max_size=200), st.integers(0, len(GOOD)))
def test_any_text_is_a_model_or_refused(tmp_path_factory, text, place):
    for content in (text, GOOD[:place] + text + GOOD[place:], GOOD[:place] + GOOD[place + 3 :]):
        path = tmp_path_factory.mktemp("any") / "m.arpa"
        path.write_text(content, encoding="utf-8")
        try:
            model = BackoffModel.read(path, WORDS)
        except UserError:
            continue
        assert np.isfinite(model.log_probabilities(np.arange(6))).all()
