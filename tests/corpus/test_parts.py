"""Long documents cut into parts."""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker import Corpus, UserError
from stickbreaker.corpus import Analysis, Document, ReadingOptions
from stickbreaker.corpus.readers.problems import ReadingWarning
from stickbreaker.corpus.text.parts import Split, split_documents

TEXTS = st.text(st.sampled_from(" \n\t.!?ab“”(c水。'\u2028"), max_size=80)
SPLITS = st.sampled_from(["paragraphs", "sentences:1", "sentences:3", "words:1", "words:4", "words:1000"])
QUOTED = " He said: “No. Never.” (Then\nhe left.) All\n \n\nwere sad. 3 cats.\n"


@given(TEXTS, SPLITS)
def test_nothing_is_lost_but_blanks(text, split):
    parts = Split.parse(split).parts(text)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(part and part == part.strip() for part in parts)


@given(TEXTS, st.integers(1, 9))
def test_parts_have_about_the_same_number_of_words(text, size):
    lengths = [len(part.split()) for part in Split("words", size).parts(text)]
    assert all(n <= size for n in lengths)
    assert not lengths or max(lengths) - min(lengths) <= 1
    assert len(lengths) == -(-len(text.split()) // size)


@pytest.mark.parametrize(
    ("split", "parts"),
    [
        ("paragraphs", ["He said: “No. Never.” (Then\nhe left.) All", "were sad. 3 cats."]),
        ("sentences:2", ["He said: “No. Never.”", "(Then\nhe left.) All", "were sad. 3 cats."]),
        ("words:100", [QUOTED.strip()]),
    ],
)
def test_what_parts_are(split, parts):
    assert Split.parse(split).parts(QUOTED) == parts


WRONG = ("", "pages", "words", "words:0", "words:-1", "words:x", "paragraphs:2", "words:9999999999")


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_split(text):
    with pytest.raises(UserError, match="give paragraphs, sentences:20, words:300"):
        Split.parse(text)


def test_parts_keep_the_id_and_metadata_of_the_whole():
    documents = [Document("a", text="one two three", metadata={"year": 1}), Document(None, text="")]
    parts = list(split_documents(documents, Split("words", 2)))
    assert [part.id for part in parts] == ["a#1", "a#2", "1#1"]
    assert [part.text for part in parts] == ["one", "two three", ""]
    assert parts[1].metadata == {"year": 1, "part_of": "a", "part": 2}
    with pytest.raises(UserError, match="only texts in one language are split"):
        list(split_documents([Document("a", tokens=["b"])], Split("words", 2)))


def test_files_are_split_as_they_are_read(tmp_path):
    (tmp_path / "a.txt").write_text("One cat.\n\nTwo dogs.")
    corpus = Corpus.build(tmp_path / "a.txt", reading=ReadingOptions(format="files", split="paragraphs"))
    assert [one.text for one in corpus] == ["One cat.", "Two dogs."]
    assert [one.metadata["part"] for one in corpus] == [1, 2]
    with pytest.raises(UserError, match="several languages cannot be split"):
        Corpus.build(tmp_path / "a.txt", reading=ReadingOptions(text_field="de=a,en=b", split="words:3"))
    with pytest.raises(UserError, match="unknown split"):
        Corpus.build(tmp_path / "a.txt", reading=ReadingOptions(split="pages"))


CHINESE = "我来了。你说：“好吗？”他走了！（再见）图书馆的书。"


@pytest.mark.parametrize(
    ("split", "parts"),
    [
        ("words:8", ["我来了。你说：", "“好吗？”他走了！（再", "见）图书馆的书。"]),
        ("sentences:1", ["我来了。", "你说：“好吗？”", "他走了！", "（再见）图书馆的书。"]),
        ("sentences:2", ["我来了。你说：“好吗？”", "他走了！（再见）图书馆的书。"]),
    ],
)
def test_parts_of_a_language_without_spaces(split, parts):
    assert Split.parse(split).parts(CHINESE, Analysis(language="zh")) == parts
    assert Split.parse("words:2").parts("ไทย abc", Analysis(language="th")) == ["ไท", "ย abc"]


def test_sentences_of_thai_end_with_lines():
    """Thai has no full stop, and its spaces separate phrases too; ICU ends sentences so."""
    text = "ฉันชอบแมว มันน่ารักมาก\nวันนี้อากาศดี! ไปกันเถอะ\n\nลาก่อน"
    parts = ["ฉันชอบแมว มันน่ารักมาก", "วันนี้อากาศดี!", "ไปกันเถอะ", "ลาก่อน"]
    assert Split.parse("sentences:1").parts(text, Analysis(language="th")) == parts
    assert Split.parse("sentences:1").parts("One\ntwo. Three", Analysis()) == ["One\ntwo.", "Three"]


def test_long_documents_without_an_end_of_a_sentence_are_counted():
    documents = [Document("a", "ฉันชอบแมว " * 300), Document("b", "แมว"), Document("c", "One. Two. " * 300)]
    split = Split.parse("sentences:1000")
    with pytest.warns(ReadingWarning, match="^1 long document has no end of a sentence, and stays whole"):
        ids = [one.id for one in split_documents(documents, split, Analysis(language="th"))]
    assert ids == ["a#1", "b#1", "c#1"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(list(split_documents(documents[:1], Split.parse("words:300"), Analysis("th")))) > 1


@pytest.mark.parametrize("language", ["ja", "zh", "th"])
@given(TEXTS, SPLITS)
def test_nothing_is_lost_in_languages_without_spaces(language, text, split):
    parts = Split.parse(split).parts(text, Analysis(language=language))
    assert "".join("".join(parts).split()) == "".join(text.split())
