"""Lower case by language, and marks within words that nobody sees."""

import unicodedata

import pytest
import regex
import stop_words
from hypothesis import given
from hypothesis import strategies as st
from tests.tiers import sampled

from stickbreaker.corpus import Analysis, Corpus
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.text.languages import has_stemmer, stop_words_of
from stickbreaker.corpus.text.letters import MARKS, lower_case, without_marks
from stickbreaker.grammars.text_symbols import analysis_of_symbols

EVERY = sorted({*stop_words.LANGUAGE_MAPPING, "en"})
SHY = "\u00ad"


def words(text: str, language: str | None = None, **settings) -> list[str]:
    return Analysis(language=language, **settings).analyse(text).words


@pytest.mark.parametrize("language", ["tr", "az"])
@pytest.mark.parametrize("normalization", ["NFC", "NFKC", None])
def test_lower_case_of_turkish(language, normalization):
    settings = {"stop_words": "none", "normalization": normalization}
    assert words("İstanbul IŞIK I\u0307zmir DIŞİŞLERİ", language, **settings) == [
        "istanbul",
        "ışık",
        "izmir",
        "dışişleri",
    ]
    assert words("İstanbul IŞIK", language, lowercase=False, stop_words="none") == ["İstanbul", "IŞIK"]


def test_lower_case_of_others():
    assert words("ΣΟΦΟΣ ΟΔΟΣ", "el") == ["σοφος", "οδος"]
    assert words("INTERNET", "de") == ["internet"]
    assert words("KIRMIZI", "tr", stemming=True) == words("kırmızı", "tr", stemming=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ශ්‍රී ලංකා", ["ශ්‍රී", "ලංකා"]),  # Sinhala
        ("می‌خواهم کتاب‌ها", ["می‌خواهم", "کتاب‌ها"]),  # Persian
        ("क्‍ष न्‌", ["क्‍ष", "न्"]),  # Hindi; a joiner at the end spells nothing
        (f"hy{SHY}phen{SHY}a{SHY}tion", ["hyphenation"]),
        (f"don{SHY}'t don'{SHY}t", ["don't", "don't"]),
        ("\u200fשלום\u200f \u202aabc\u202c", ["שלום", "abc"]),
        ("Auf\u200clage ﬁ\u200dn x\ufeffy wo\u2060rd", ["auflage", "ﬁn", "xy", "word"]),
        (f"{SHY} {SHY}{SHY}a {SHY}", ["a"]),
        ("two\u200bwords", ["two", "words"]),  # a space without width ends a word
    ],
)
def test_marks_end_no_word(text, expected):
    assert words(text) == expected
    tokens = Analysis(language=None).analyse(text)
    ends = Analysis(language=None).ends(text, tokens.starts.tolist())
    assert [without_marks(text[a:b]).lower() for a, b in zip(tokens.starts, ends, strict=True)] == expected


BEFORE = {  # how earlier versions read the texts of the next test
    "Ի՞նչ": ["ի", "նչ"],
    'צה"ל צה״ל': ["צה", "ל", "צה", "ל"],
    "ג׳ירפה רח׳": ["ג", "ירפה", "רח"],
    "col·lecció coŀlecció": ["col", "lecció", "coŀlecció"],
    "donʼt": ["donʼt"],
    f"4{SHY}th": ["th"],
    "wo\u180erd": ["wo", "rd"],
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ի՞նչ այո՛, ինչո՞ւ", ["ինչ", "այո", "ինչու"]),  # Armenian: the marks stand after a vowel
        ("Այո՝ ոչ", ["այո", "ոչ"]),  # a comma
        ('צה"ל צה״ל', ["צה״ל", "צה״ל"]),  # Hebrew: an acronym
        ('"שלום" אמר', ["שלום", "אמר"]),  # quotes
        ("ג׳ירפה ג'ירפה רח׳", ["ג'ירפה", "ג'ירפה", "רח"]),
        ("col·lecció COL·LECCIÓ coŀlecció", ["col·lecció"] * 3),
        ("Sports·News l· ·l", ["sports", "news", "l", "l"]),
        ("donʼt don＇t мʼята ʼa", ["don't", "don't", "м'ята", "a"]),
        (f"4{SHY}th 4\u0301th 19{SHY}98", ["4th", "4\u0301th"]),
        ("wo\u180erd ᠴᠢᠨᠠ\u180eᠠ 4\u200dth", ["word", "ᠴᠢᠨᠠ\u180eᠠ", "4th"]),
    ],
)
def test_marks_and_signs_belong_to_words(text, expected):
    assert words(text) == expected


def test_an_apostrophe_is_one_however_it_is_written():
    assert words("lʼhomme l’homme l'homme", "fr", stop_words="none") == ["l", "homme"] * 3
    assert words("the presidentʼs itʼs", "en", stop_words="none") == ["the", "president", "it's"]
    assert words("lʼexcel·lent", "ca", stop_words="none") == ["l", "excel·lent"]


@pytest.mark.parametrize(("text", "expected"), BEFORE.items())
def test_words_of_before_stay(text, expected):
    assert words(text, letters="language") == expected


def test_a_corpus_of_before_reads_new_text_as_it_did(tmp_path):
    before = Analysis(language=None, letters="language", stop_words="none", min_length=1)
    documents = [Document(str(n), text) for n, text in enumerate([*BEFORE, " ".join(BEFORE)])]
    Corpus.from_documents(documents, tmp_path / "corpus", analysis=before)
    corpus = Corpus.open(tmp_path / "corpus")
    assert corpus.analysis is not None
    assert corpus.analysis.to_dict() == before.resolved().to_dict()
    read = [word for text in BEFORE for word in corpus.analysis.words_of(text)]
    assert read == [word for expected in BEFORE.values() for word in expected]
    assert set(corpus.vocabulary.words) == set(read)


def test_marks_in_scripts_without_spaces():
    assert words(f"水{SHY}火 ab{SHY}cd", "zh", stop_words="none") == ["水", "火", "abcd"]
    assert words(f"水{SHY}ab", "zh", stop_words="none") == ["水", "ab"]
    symbols = analysis_of_symbols("characters").analyse(f"a{SHY}b ශ්‍රී").words
    assert symbols == [f"a{SHY}", "b", "ශ්\u200d", "රී"]  # as they are written


@pytest.mark.slow
@given(st.text(st.sampled_from("aİIé'’1 -" + SHY + "\u200c\u200d\u2060水क्")))
def test_soft_hyphens_change_no_word(text):
    plain = text.replace(SHY, "").replace("\u2060", "")
    between = "".join(f"{letter}{SHY}" if letter.isalpha() else letter for letter in plain)
    assert words(between, "tr") == words(plain, "tr")
    assert not any(SHY in word for word in words(text, "tr"))


@pytest.mark.slow
@given(st.text(), st.sampled_from([None, "tr", "en", "zh"]))
def test_the_form_of_a_form_is_itself(text, language):
    analysis = Analysis(language=language)
    for word in analysis.analyse(text).words:
        assert analysis.form(word) == word or lower_case(word, language) != word


@pytest.mark.parametrize("language", sampled(EVERY, 4))
@pytest.mark.parametrize(
    "settings",
    sampled(
        [
            *(
                {},
                {"lowercase": False},
                {"normalization": "NFKC"},
                {"normalization": None},
                {"stemming": True},
            ),
            *({"segmentation": "pattern"}, {"segmentation": "characters"}),
        ],
        4,
    ),
    ids=str,
)
def test_stop_words_disappear(language, settings):
    if settings.get("stemming") and not has_stemmer(language):
        return
    analysis = Analysis(language=language, min_length=1, **settings)
    again = Analysis.from_dict(analysis.resolved().to_dict())
    upper = {"i": "İ", "ı": "I"} if language in ("tr", "az") else {}
    left: list[str] = []
    for word in stop_words_of(language):
        spellings = {word, f"({word})"}
        if analysis.normalization:
            spellings |= {unicodedata.normalize("NFD", word), f"{word[0]}{SHY}{word[1:]}"}
        if analysis.lowercase:
            capital = upper.get(word[0], word[0].upper()) + word[1:]
            spellings |= {capital} if lower_case(capital, language) == lower_case(word, language) else set()
        for spelling in spellings:
            for one in (analysis, again):
                tokens = one.analyse(spelling).words
                left += [word] if len(tokens) == 1 and one.eligible(tokens).any() else []
    assert left == []


def test_an_analysis_of_before_reads_as_before(tmp_path):
    values = Analysis(language="tr").to_dict()
    assert values.pop("letters") == "unicode"
    before = Analysis.from_dict(values)
    assert before.letters == "plain"
    assert before.to_dict() == values
    assert before.analyse(f"IŞIK ha{SHY}va").words == ["işik", "ha", "va"]
    corpus = Corpus.from_texts([f"IŞIK ha{SHY}va", "hava"], analysis=before)
    assert corpus.analysis is not None
    assert Analysis.from_dict(corpus.analysis.to_dict()).letters == "plain"


@pytest.mark.parametrize("first", [f"Ne{SHY}w", "Ne՞w", "Col·lecció", "Colʼs"])
def test_phrases_are_joined_and_shown_whole(first):
    word = words(first)[0]
    analysis = Analysis(language=None).with_phrases([{(word, "york"): f"{word}_york"}])
    text = f"{first} Yo{SHY}rk is a city"
    tokens = analysis.analyse(text)
    assert tokens.words[0] == f"{word}_york"
    assert text[: analysis.ends(text, tokens.starts.tolist())[0]] == f"{first} Yo{SHY}rk"


def test_many_marks_take_no_more_than_linear_time():
    assert len(without_marks("क" + "\u200d" * 500_000 + "क")) == 500_002


def test_marks_are_format_characters():
    marks = [chr(i) for i in range(1 << 16) if regex.fullmatch(f"[{MARKS}]", chr(i))]
    assert {unicodedata.category(mark) for mark in marks} <= {"Cf", "Cn"}
    assert SHY in marks
