"""What tokens are, which of them are eligible, and how an analysis is kept."""

import json

import pytest

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus


def words(text: str, **settings) -> list[str]:
    return Analysis(**settings).analyse(text).words


def test_tokens_of_the_default_pattern():
    text = "Don’t panic: the 4th e-mail (x2) cost 10 € in Zürich, didn't it? 'Quoted' naïve_b"
    assert words(text) == [
        "don't", "panic", "the", "4th", "e", "mail", "x2", "cost",
        "in", "zürich", "didn't", "it", "quoted", "naïve", "b"
    ]  # fmt: skip


def test_an_apostrophe_ends_a_french_word():
    assert words("L'homme n’est pas", language="fr") == ["l", "homme", "n", "est", "pas"]


@pytest.mark.parametrize(
    ("name", "code"),
    [("en-US", "en"), ("zh_CN", "zh"), (" PT-br ", "pt"), ("no", "nb"), ("sw", "sw"), ("haw", "haw")],
)
def test_codes_of_languages(name, code):
    assert Analysis(name, stop_words="none").language == code


@pytest.mark.parametrize("name", ["", "-", "x", "1a", "klingon", "none", "é!", "-en"])
def test_what_is_no_language(name):
    with pytest.raises(UserError, match="unknown language"):
        Analysis(name)


def test_normalization_lower_case_and_stems():
    assert words("Cafe\u0301 ﬁn", normalization="NFC") == ["café", "ﬁn"]
    assert words("Cafe\u0301 ﬁn", normalization="NFKC") == ["café", "fin"]
    assert words("Cafe\u0301", normalization=None, lowercase=False) == ["Cafe\u0301"]
    assert words("Topics running", stemming=True) == ["topic", "run"]
    assert words("Läufe", language="German", stemming=True) == ["lauf"]


def test_offsets_point_into_the_text_as_it_came():
    text = "ﬀ Cafe\u0301 Running"
    analysis = Analysis(normalization="NFKC", stemming=True)
    tokens = analysis.analyse(text)
    ends = analysis.ends(text, tokens.starts.tolist())
    assert [text[a:b] for a, b in zip(tokens.starts, ends, strict=True)] == ["ﬀ", "Cafe\u0301", "Running"]
    assert tokens.words == ["ff", "café", "run"]


def test_sentences():
    text = 'One two. "Three four?" Five e.g. six! 3.5 seven\n\nEight。Nine'
    tokens = Analysis().analyse(text)
    assert [tokens.words[start] for start in tokens.sentences] == [
        "one",
        "three",
        "five",
        "seven",
        "eight",
        "nine",
    ]


def test_eligible_words():
    analysis = Analysis(extra_stop_words=("Dogs",), min_length=3)
    assert analysis.eligible(["don't", "the", "dogs", "ox", "cat"]).tolist() == [
        False,
        False,
        False,
        False,
        True,
    ]
    assert hash(Analysis(extra_stop_words=["Dogs"])) == hash(Analysis(extra_stop_words=("Dogs",)))
    with pytest.raises(UserError, match="extra_stop_words='Dogs'"):
        Analysis(extra_stop_words="Dogs")
    stemmed = Analysis(extra_stop_words=("Dogs",), stemming=True)
    assert stemmed.eligible(["dog", "cat", "becom"]).tolist() == [False, True, False]
    assert Analysis(stop_words="none", min_length=1).eligible(["a", "the"]).all()
    assert Analysis("de").eligible(["und", "haus"]).tolist() == [False, True]
    assert Analysis().eligible(["system", "fire", "bill", "computer"]).all()


def test_a_pattern_of_the_user():
    assert words("a-b c", token_pattern=r"\S+") == ["a-b", "c"]
    assert words("ab", token_pattern=r"x*") == []
    assert words("key=val", token_pattern=r"(\w+)=") == ["key="]


def test_an_analysis_is_kept_with_its_stop_words(tmp_path):
    analysis = Analysis("de", stemming=True, extra_stop_words=("haus",), token_pattern=r"\p{L}+")
    corpus = Corpus.from_texts(["Ein Haus am See", "Boote"], analysis=analysis)
    stored = corpus.write(tmp_path / "corpus")
    assert stored.analysis == corpus.analysis == analysis.resolved()
    assert "und" in json.loads((tmp_path / "corpus" / "corpus.json").read_text())["analysis"]["stop_words"]
    assert Analysis.from_dict(json.loads(json.dumps(analysis.to_dict()))) == analysis


@pytest.mark.parametrize("name", ["en", "english", "English"])
def test_languages_have_two_names(name):
    assert Analysis(name).language == "en"


def test_english_possessives_join_their_word():
    text = "The president's and the boss’s house; it's, let’s, McDonald's, 's, children's"
    joined = ["the", "president", "and", "the", "boss", "house", "it's", "let's", "mcdonald", "s", "children"]
    assert words(text) == joined
    assert words(text, possessives="apart")[1] == "president's"
    assert words("THE BOSS'S", lowercase=False) == ["THE", "BOSS"]
    assert words("boss’s it’s", normalization=None) == ["boss", "it’s"]
    assert words("Peter's Haus", language="de") == ["peter's", "haus"]
    analysis = Analysis()
    ends = analysis.ends("the boss's", analysis.analyse("the boss's").starts.tolist())
    assert ends == [3, 10]
    assert Analysis().eligible(["'s", "n't", "it's", "let's"]).tolist() == [False] * 4


def test_an_analysis_of_before_keeps_possessives_apart():
    values = Analysis().to_dict()
    assert values.pop("possessives") == "joined"
    assert Analysis.from_dict(values).possessives == "apart"
    assert Analysis.from_dict(values).to_dict() == values
    with pytest.raises(UserError, match="unknown possessives"):
        Analysis(possessives="no")


def test_elided_words_are_stop_words():
    french, italian = Analysis("fr"), Analysis("it")
    text = "L’homme d'aujourd'hui, jusqu'à l'eau qu'il a"
    found = french.analyse(text).words
    assert [w for w, e in zip(found, french.eligible(found), strict=True) if e] == ["homme", "eau"]
    found = italian.analyse("L'uomo dell'acqua, quest'anno un'altra").words
    assert [w for w, e in zip(found, italian.eligible(found), strict=True) if e] == ["uomo", "acqua", "anno"]
