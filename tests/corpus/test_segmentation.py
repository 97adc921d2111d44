"""Scripts without spaces: by characters, and by ICU where it is installed."""

import json
import sys

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus

ASTRAL_SELECTOR = "葛\U000e0100"  # a variation of a Han letter, two code points
ALPHABET = "我𠮷葛\U000e0100々〇ーカｶﾞﾟか\u3099ไนำ้ខ្မြaé\u0301’'1٣٤ 。!?\n\u200b\u200d😀👨\ud800\udc00\ufffd한א"
ANY = st.text(st.one_of(st.sampled_from(ALPHABET), st.characters(exclude_categories=())), max_size=40)


def words(text: str, **settings) -> list[str]:
    return Analysis(**settings).analyse(text).words


def slices(text: str, analysis: Analysis) -> list[str]:
    """The text of each token, from where it starts to where `ends` says."""
    starts = analysis.analyse(text).starts.tolist()
    return [text[start:end] for start, end in zip(starts, analysis.ends(text, starts), strict=True)]


@pytest.mark.parametrize(
    ("language", "text", "tokens"),
    [
        ("zh", "我爱北京。", ["我", "爱", "北", "京"]),
        ("zh", "𠮷野家", ["𠮷", "野", "家"]),  # the first is outside the basic plane
        ("zh", f"{ASTRAL_SELECTOR}城", [ASTRAL_SELECTOR, "城"]),
        ("zh", "用Python3写4th，第3章", ["用", "python3", "写", "4th", "第", "章"]),
        ("zh", "他说don't和a'我", ["他", "说", "don't", "和", "a", "我"]),
        ("zh", "二〇二〇年", ["二", "二", "年"]),  # 〇 is a number, as 0 is
        ("zh", "好😀👨\u200d👩\u200d👧的", ["好", "的"]),
        ("ja", "コーヒーを", ["コー", "ヒー", "を"]),
        ("ja", "か\u3099", ["が"]),  # a mark of its own, which NFC joins
        ("ja", "ｶﾞｽ", ["ｶﾞ", "ｽ"]),
        ("ja", "人々", ["人", "々"]),
        ("th", "น้ำดี", ["น้ำ", "ดี"]),
        ("km", "ខ្ញុំ", ["ខ្", "ញុំ"]),
        ("my", "မြန်", ["မြ", "န်"]),
        ("lo", "ລາວ", ["ລ", "າ", "ວ"]),
        ("zh", "한국어 Привет", ["한국어", "привет"]),
    ],
)
def test_characters(language, text, tokens):
    assert words(text, language=language) == tokens
    assert words(text, language=None, segmentation="characters") == tokens


def test_the_language_decides_by_itself():
    assert words("我爱 cats", language="en") == ["我爱", "cats"]
    assert words("我爱 cats", language=None) == ["我爱", "cats"]
    assert words("我爱 cats", language="zh", segmentation="pattern") == ["我爱", "cats"]
    assert words("我爱 cats", language="en", segmentation="characters") == ["我", "爱", "cats"]
    assert words("我爱", language="zh", token_pattern=r"\p{L}+") == ["我爱"]


def test_the_default_does_not_ask_for_icu(monkeypatch):
    monkeypatch.setitem(sys.modules, "icu4py.breakers", None)
    assert words("天安门", language="zh") == ["天", "安", "门"]


def test_slices_are_the_text_as_it_came():
    text = f"𠮷が{ASTRAL_SELECTOR}ABC か\u3099! น้ำ"
    analysis = Analysis("ja", normalization="NFKC")
    assert slices(text, analysis) == ["𠮷", "が", ASTRAL_SELECTOR, "ABC", "か\u3099", "น้ำ"]


def test_sentences():
    tokens = Analysis("zh").analyse("你好。再见！what is it? Yes｡好")
    assert [tokens.words[start] for start in tokens.sentences] == ["你", "再", "what", "yes", "好"]
    khmer = Analysis("km").analyse("ក។ខ")
    assert khmer.sentences.tolist() == [0, 1]


def test_one_character_words_are_not_too_short():
    analysis = Analysis("zh", stop_words=("的",))
    assert analysis.eligible(["水", "的", "𠮷", "が", "x", "xy", "1"]).tolist() == [
        True, False, True, True, False, True, False,
    ]  # fmt: skip
    assert Analysis("en").eligible(["水"]).tolist() == [True]
    corpus = Corpus.from_texts(["山水a", "火"], analysis=Analysis("zh", stop_words="none"))
    assert sorted(corpus.vocabulary.words) == ["山", "水", "火"]


def test_thai_needs_no_stop_words():
    assert Analysis("Thai").resolved().stop_words == ()
    assert "的" in Analysis("Chinese").resolved().stop_words


def test_settings_that_do_not_go_together():
    with pytest.raises(UserError, match="unknown segmentation 'words'; take language, pattern, characters"):
        Analysis(segmentation="words")
    with pytest.raises(UserError, match="a token pattern cannot go with segmentation by 'characters'"):
        Analysis(token_pattern="x", segmentation="characters")


def test_what_is_saved(tmp_path):
    corpus = Corpus.from_texts(["山水", "火"], analysis=Analysis("zh"))
    stored = corpus.write(tmp_path / "corpus")
    assert stored.analysis == Analysis("zh").resolved()
    told = json.loads((tmp_path / "corpus" / "corpus.json").read_text())["analysis"]
    assert told["segmentation"] == "characters"
    assert Analysis.from_dict(told) == stored.analysis
    del told["segmentation"]
    with pytest.raises(ValueError, match="no 'segmentation'"):
        Analysis.from_dict(told)


@settings(max_examples=300, deadline=None)
@given(text=ANY, language=st.sampled_from(["zh", "th", "fr"]), normalization=st.sampled_from(["NFKC", None]))
def test_any_string_by_characters(text, language, normalization):
    holds(text, Analysis(language, normalization, segmentation="characters"))


# ICU


def test_without_icu_a_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "icu4py.breakers", None)
    analysis = Analysis("zh", segmentation="icu")  # a corpus can be opened without it
    assert analysis.analyse("no such script").words == ["no", "such", "script"]
    with pytest.raises(UserError) as told:
        analysis.analyse("我爱")
    assert str(told.value) == (
        "word breaking by ICU needs the package icu4py; "
        "pip install 'stickbreaker[icu]', or segment by characters"
    )


@pytest.mark.parametrize(
    ("language", "text", "tokens"),
    [
        ("zh", "我爱北京天安门。", ["我", "爱", "北京", "天安门"]),
        ("zh", f"𠮷{ASTRAL_SELECTOR}😀北京", ["𠮷", ASTRAL_SELECTOR, "北京"]),
        ("zh", "用Python3写don't", ["用", "python3", "写", "don't"]),
        ("th", "ภาษาไทยง่ายมาก", ["ภาษา", "ไทย", "ง่าย", "มาก"]),
        ("ja", "コーヒーを飲む", ["コーヒー", "を", "飲む"]),
        (None, "北京 cats", ["北京", "cats"]),
    ],
)
def test_icu(language, text, tokens):
    pytest.importorskip("icu4py")
    analysis = Analysis(language, segmentation="icu", normalization=None)
    assert analysis.analyse(text).words == tokens
    assert [word.lower() for word in slices(text, analysis)] == tokens


def test_icu_cuts_what_a_pattern_matches():
    pytest.importorskip("icu4py")
    analysis = Analysis("zh", segmentation="icu", token_pattern=r"\p{L}*")
    assert analysis.analyse("北京天安门 cats 7").words == ["北京", "天安门", "cats"]


def test_a_corpus_by_icu_is_of_use_without_icu(monkeypatch, tmp_path):
    pytest.importorskip("icu4py")
    analysis = Analysis("zh", segmentation="icu")
    built = Corpus.from_texts(["北京 cats", "天安门"], analysis=analysis).write(tmp_path / "corpus")
    monkeypatch.setitem(sys.modules, "icu4py.breakers", None)
    opened = Corpus.open(tmp_path / "corpus")
    assert opened.analysis == built.analysis
    assert set(opened.vocabulary.words) == {"北京", "cats", "天安门"}
    assert analysis.ends("北京 cats", [0, 3]) == [1, 7]


def test_ends_of_tokens_that_icu_does_not_find():
    pytest.importorskip("icu4py")
    assert Analysis("zh", segmentation="icu").ends("北京好", [2, 1]) == [3, 1]


@settings(max_examples=300, deadline=None)
@given(text=ANY, language=st.sampled_from(["zh", "th", None]))
def test_any_string_by_icu(text, language):
    pytest.importorskip("icu4py")
    analysis = Analysis(language, segmentation="icu")
    holds(text, analysis)
    characters = Analysis(language, segmentation="characters")
    assert "".join(slices(text, analysis)) == "".join(slices(text, characters))


def holds(text: str, analysis: Analysis) -> None:
    """Tokens ascend, do not overlap, are made of text with a letter, and sentences begin at tokens."""
    tokens = analysis.analyse(text)
    starts = tokens.starts.tolist()
    ends = analysis.ends(text, starts)
    assert all(start < end for start, end in zip(starts, ends, strict=True))
    assert all(end <= start for end, start in zip(ends, starts[1:], strict=False))
    assert all(regex.search(r"\p{L}", text[a:b]) for a, b in zip(starts, ends, strict=True))
    sentences = tokens.sentences.tolist()
    assert sentences == sorted(set(sentences))
    assert all(sentence < len(starts) for sentence in sentences)
    assert sentences[:1] == ([0] if starts else [])
