"""Texts of the web, cleaned before words are found."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker import LDA
from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.text.analysis import SPACED
from stickbreaker.corpus.text.cleaning import cleaned

WEB = Analysis(clean="web")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("RT @ann_b: @bob@mas.to hello", "hello"),
        ("RTE and R&amp;B, art@home", "rte and r b art home"),
        ("see https://a.org/x?y=1&amp;z=2, www.b.com/c and pic.twitter.com/Ab1 now", "see and now"),
        ("U.S./China or and/or 3.5/4", "u s china or and or"),
        ("write to ann.b+c@mail.example.org!", "write to"),
        ("one<br /><br />two <a href='x'>three</a> <!-- four --> x <5", "one two three x"),
        ("don&#39;t caf&eacute; &bogus; &#xe9;t&#xE9;", "don't café bogus été"),
        ("#tags stay", "tags stay"),
        ("Read HTTPS://Example.COM/Page, Http://t.co/a and WWW.b.com now", "read and now"),
        ("a < b > c <- d -> e", "a b c d e"),
    ],
)
def test_what_is_left(text, words):
    assert WEB.analyse(text).words == words.split()


def test_nothing_is_cleaned_unless_asked():
    assert Analysis().analyse("@ann &amp; <br>").words == ["ann", "amp", "br"]


def test_words_are_shown_where_they_stand():
    text = "@ann: don&#39;t. R&amp;B caf&eacute;, http://x.org/y. Two"
    found = WEB.analyse(text)
    ends = WEB.ends(text, found.starts.tolist())
    shown = [text[start:end] for start, end in zip(found.starts, ends, strict=True)]
    assert shown == ["don&#39;t", "R", "B", "caf&eacute;", "Two"]
    assert found.sentences.tolist() == [0, 1, 4]


def test_phrases_are_joined_and_shown():
    analysis = Analysis(clean="web", phrases=(("new york",),))
    text = "R&amp;D in New York, @ann new york"
    found = analysis.analyse(text)
    ends = analysis.ends(text, found.starts.tolist())
    shown = [text[start:end] for start, end in zip(found.starts, ends, strict=True)]
    assert found.words == ["r", "d", "in", "new_york", "new_york"]
    assert shown == ["R", "D", "in", "New York", "new york"]


def test_lines_of_words_between_spaces_are_cleaned():
    analysis = Analysis(clean="web", token_pattern=SPACED, sentences="line")
    text = "@ann two &amp; three\nfour http://a.b/c"
    assert analysis.spaced_sentences(text) == [["two", "&", "three"], ["four"]]
    assert analysis.analyse(text).words == ["two", "&", "three", "four"]


@given(st.text(st.sampled_from("ab<>/!-@.:#&;x1htpsw \n"), max_size=40) | st.text(max_size=20))
def test_places_are_of_the_text_that_was_given(text):
    clean = cleaned(text)
    places = list(range(len(text) + 1)) if clean.places is None else clean.places.tolist()
    assert len(places) == len(clean.text) + 1
    assert places == sorted(places)
    assert places[-1] == len(text)
    for character, begin, end in zip(clean.text, places, places[1:], strict=False):
        given = text[begin:end]
        assert character in (" ", given) or given.startswith("&") or begin == end
    found = WEB.analyse(text)
    ends = WEB.ends(text, found.starts.tolist())
    for word, start, end in zip(found.words, found.starts.tolist(), ends, strict=True):
        assert WEB.form(html.unescape(text[start:end])) == word


@pytest.mark.parametrize(
    "unit", ["@", "<a ", "a.", "http://", "&amp", "a+", "www.", "RT ", "<!--", "@a@", "RT\t"]
)
def test_no_text_takes_quadratic_time(unit):
    cleaned(unit * 200_000)  # would take minutes


def test_a_model_cleans_new_texts_as_it_learned(tmp_path):
    texts = [
        "@ann cats purr &amp; sleep",
        "dogs bark http://dogs.org/x",
        "cats sleep",
        "dogs bark <b>loudly</b>",
    ]
    corpus = Corpus.from_texts(texts, analysis=WEB)
    assert not {"ann", "amp", "org", "http", "b"} & set(corpus.vocabulary.words)
    model = LDA(2, max_iter=3, random_state=0).fit(corpus)
    model.save(tmp_path / "model")
    known = LDA.load(tmp_path / "model")
    assert known.analysis_.clean == "web"
    plain, noisy = known.transform(["cats sleep", "@cats cats http://dogs.org/dogs sleep"])
    assert plain.tolist() == noisy.tolist()


def test_a_cleaning_that_is_not_known():
    with pytest.raises(UserError, match="unknown cleaning 'all'; take web, or leave it out"):
        Analysis(clean="all")
