"""Tokens of sentences: the same however a text was cut before, with ICU and without."""

import importlib.util

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stickbreaker.translation import sentence_tokens
from stickbreaker.translation.sentence_tokens import plain, tokens_of

ICU = importlib.util.find_spec("icu4py") is not None
MIXED = st.text(
    alphabet=st.one_of(
        st.characters(),
        st.sampled_from("aÄßİıſñ1٣.,:;-–@&' ’„“|[]<>\t\u200b\u00ad\u0301中文字。カなกำ"),
    ),
    max_size=40,
)
PIECES = st.lists(
    st.sampled_from(
        (
            *(
                "&apos;",
                "&amp;",
                "&",
                "amp;",
                "quot;",
                "@-@",
                " @-@ ",
                "@",
                "-",
                " ",
                "1,5",
                "3.",
                ".5",
                "1st",
            ),
            *(
                "don't",
                "Übung",
                "İ",
                "中文",
                "字",
                "a\u0301",
                "\u0301",
                "lt;",
                "&#124;",
                "#",
                "\u00a0",
                "\u2028",
            ),
        )
    ),
    max_size=10,
).map("".join)


@pytest.fixture(params=[True, False], ids=["icu", "characters"])
def icu(request, monkeypatch):
    """With ICU, where it is installed, and without."""
    if request.param and not ICU:
        pytest.skip("needs icu4py")
    monkeypatch.setattr(sentence_tokens, "has_icu", lambda: request.param)
    return request.param


def check(text, language=None):
    """The tokens have no spaces, and are those of their own text."""
    tokens = tokens_of(text, language)
    assert all(tokens)
    assert all(token.split() == [token] for token in tokens)
    assert tokens_of(" ".join(tokens), language) == tokens


@pytest.mark.parametrize("language", [None, "en", "de", "tr", "zh", "th"])
def test_tokens_of_tokens_are_the_same(icu, language):
    @given(st.one_of(MIXED, PIECES))
    @example("&amp;apos;")
    @example("a @-@ @-@ b")
    @example("1.5.a 3.4:b 1,2,x")
    @example("DŽ ǅ ﬁ ŉ ẞ İI ıi")
    @example("\ud800")
    def same(text):
        check(text, language)

    same()


@given(st.one_of(MIXED, PIECES))
def test_a_plain_text_is_plain(text):
    once = plain(text)
    assert "\n" not in once
    assert once == " ".join(once.split())
    if "&" not in once:  # what is escaped twice is undone once
        assert tokens_of(once) == tokens_of(text)


@pytest.mark.parametrize(
    ("raw", "cut"),
    [  # as Moses's tokenizer.perl writes them, with -a and without
        ("Don't touch it!", "Don &apos;t touch it !"),
        ("L'homme d'état", "L&apos; homme d&apos; état"),
        ("a state-of-the-art tool", "a state @-@ of @-@ the @-@ art tool"),
        ("a state-of-the-art tool", "a state-of-the-art tool"),
        ('He said: "No."', "He said : &quot; No . &quot;"),
        ("R&D <b> [x] a|b", "R &amp; D &lt; b &gt; &#91; x &#93; a &#124; b"),
        ("It costs 1,234.56 (about).", "It costs 1,234.56 ( about ) ."),
        ("Am 3. Mai, um 10:30 Uhr.", "Am 3 . Mai , um 10:30 Uhr ."),
        ("„So“, sagte er – und ging.", "&quot; So &quot; , sagte er - und ging ."),
        ("the U.S. and Mr. Smith", "the U.S. and Mr. Smith"),
        ("Größe … ÄRGER", "größe … ärger"),
    ],
)
def test_text_that_moses_cut_has_the_tokens_of_the_raw_text(raw, cut):
    assert tokens_of(raw) == tokens_of(cut)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("3.5 % 1,000,000 10:30 1. 2nd v2.0 4x4", "3.5 % 1,000,000 10:30 1 . 2nd v2 . 0 4x4"),
        ("e-mail@example.org", "e - mail @ example . org"),
        ("soft\u00adhyphen zero\u200bwidth \ufeffmark", "softhyphen zerowidth mark"),
        ("cafe\u0301", "café"),
        ("’‘`'", "' ' ' '"),
        ('“”„"', '" " " "'),
        ("\U0001f600\U0001f44d\U0001f3fd", "\U0001f600 \U0001f44d \U0001f3fd"),
        ("", ""),
        (" \t\r\n\u2028\u3000", ""),
    ],
)
def test_tokens(text, tokens):
    assert tokens_of(text) == tokens.split()


def test_case_follows_the_language():
    assert tokens_of("IŞIK İN", "tr") == ["ışık", "in"]
    assert tokens_of("IS", "en") == ["is"]


def test_chinese_without_icu_is_single_characters(monkeypatch):
    monkeypatch.setattr(sentence_tokens, "has_icu", lambda: False)
    assert tokens_of("「帮助」菜单 Help 3.5版", "zh") == [*"「帮助」菜单", "help", "3.5", "版"]
    assert tokens_of("2022年3月 Office软件 A股", "zh") == [
        "2022",
        "年",
        "3",
        "月",
        "office",
        "软",
        "件",
        "a",
        "股",
    ]
    assert tokens_of("ภาษาไทย", "th") == ["ภ", "า", "ษ", "า", "ไ", "ท", "ย"]
    assert tokens_of("กำ\u0e48", "th")[-1].endswith("\u0e48")  # a mark stays with its character


@pytest.mark.skipif(not ICU, reason="needs icu4py")
def test_chinese_with_icu_is_words():
    assert tokens_of("我们喜欢北京", "zh") == ["我们", "喜欢", "北京"]
    assert tokens_of("2022年3月 Office软件, 版本3.5", "zh") == [
        "2022",
        "年",
        "3",
        "月",
        "office",
        "软件",
        ",",
        "版本",
        "3.5",
    ]
