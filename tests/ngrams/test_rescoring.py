"""Candidates of n-best lists, ranked by a language model."""

import numpy as np
import pytest

from stickbreaker import NgramModel, TopicNgramModel
from stickbreaker.ngrams.arpa_model import ArpaModel
from stickbreaker.ngrams.interpolation import Interpolated
from stickbreaker.ngrams.nbest_lists import Candidate
from stickbreaker.ngrams.rescoring import log_probabilities, rescored

TEXTS = ["the cat saw the dog", "the dog ran", "a cat ran"] * 3
ARPA = (
    "\\data\\\nngram 1=4\nngram 2=2\n\n\\1-grams:\n-99\t<s>\t-0.5\n-0.6\t</s>\n-0.7\ta\t-0.1\n-0.9\t<unk>\n\n"
    "\\2-grams:\n-0.2\t<s> a\n-0.3\ta </s>\n\n\\end\\\n"
)


@pytest.fixture(scope="module")
def ngram():
    return NgramModel(2, max_iter=3, random_state=0).fit(TEXTS)


def candidates(*texts):
    return [Candidate(0, text, {}, 0.0, ()) for text in texts]


def of_nothing(model):
    """log p of a candidate without words, alone and beside others."""
    alone, among = log_probabilities(model, [candidates(""), candidates("cat", " ", "the dog ran")])
    assert alone[0] == among[1]
    return float(alone[0])


def test_a_candidate_without_words_has_log_p_of_an_end_at_the_beginning(ngram):
    learned = ngram.learned_
    end = learned.numbers.end
    p = learned.model.next_words([end], np.exp(learned.base.log_p))
    assert of_nothing(ngram) == pytest.approx(np.log(p[end]))


def test_a_file_and_two_models_give_it_that_too(ngram, tmp_path):
    (tmp_path / "m.arpa").write_text(ARPA)
    arpa = ArpaModel.read(tmp_path / "m.arpa")
    assert of_nothing(arpa) == pytest.approx(-1.1 * np.log(10))
    other = NgramModel(1, max_iter=2, random_state=1).fit(TEXTS)
    both = Interpolated(ngram, other, 0.3)
    p = 0.3 * np.exp(of_nothing(ngram)) + 0.7 * np.exp(of_nothing(other))
    assert of_nothing(both) == pytest.approx(np.log(p))


def test_models_with_topics_give_it_less_than_one():
    model = TopicNgramModel(2, order=2, max_iter=2, random_state=0).fit(TEXTS)
    assert -20.0 < of_nothing(model) < -0.1


def test_nothing_does_not_win_alone(ngram):
    ((best, second),) = rescored(ngram, [candidates("", "the dog ran")], 1.0)
    assert {best.text, second.text} == {"", "the dog ran"}
    assert best.score >= second.score
    assert min(best.score, second.score) < 0.0
