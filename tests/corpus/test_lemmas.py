"""Words in the form of a dictionary's entry."""

import sys

import pytest

from stickbreaker import LDA
from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.text import languages

TEXTS = ["The mice went home.", "A mouse goes home.", "The president's houses", "Presidents and a house"]


def test_english_and_german_lemmas():
    assert Analysis(lemmas=True).analyse(TEXTS[0] + TEXTS[2]).words == [
        "the", "mouse", "go", "home", "the", "president", "house"
    ]  # fmt: skip
    assert Analysis("de", lemmas=True).analyse("Bücher ging schöne").words == ["buch", "gehen", "schön"]


@pytest.mark.slow
def test_all_languages_that_are_said_to_have_lemmas_have():
    for code in sorted(languages._WITH_LEMMAS):
        assert isinstance(languages.lemmatizer_of(code)("x"), str)


def test_a_model_reads_new_texts_by_lemmas(tmp_path):
    corpus = Corpus.from_texts(TEXTS, analysis=Analysis(lemmas=True))
    assert set(corpus.vocabulary.words) >= {"mouse", "president", "house", "home"}
    assert not {"mice", "houses", "went"} & set(corpus.vocabulary.words)
    LDA(2, max_iter=2, random_state=0).fit(corpus).save(tmp_path / "model")
    one, other = LDA.load(tmp_path / "model").transform(["mice and houses", "mouse house"])
    assert one.tolist() == other.tolist()


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"language": "zh"}, "no lemmas are known for zh"),
        ({"language": None, "stop_words": "none"}, "no lemmas are known for no language"),
        ({"stemming": True}, "lemmas cannot go with stemming"),
    ],
)
def test_settings_that_cannot_be(settings, problem):
    with pytest.raises(UserError, match=problem):
        Analysis(lemmas=True, **settings)


def test_without_the_package_the_remedy_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "simplemma", None)
    with pytest.raises(
        UserError, match=r"lemmas need the package simplemma; pip install 'stickbreaker\[lemmas\]'"
    ):
        Analysis(lemmas=True).analyse("mice")
