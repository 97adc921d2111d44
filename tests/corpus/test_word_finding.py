"""The kernel that finds words, against the patterns that say what words are."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stickbreaker import Corpus
from stickbreaker.corpus import Analysis, building
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.phrases.joining import breaks_in
from stickbreaker.corpus.phrases.phrase_blocks import TokenBlock
from stickbreaker.corpus.text import word_finding
from stickbreaker.corpus.text.word_finding import WordFinder

ANALYSES = (
    Analysis(),
    Analysis(language="fr"),  # an apostrophe ends a word
    Analysis(language="de", letters="plain", sentences="line", stemming=True),
    Analysis(language="tr", sentences="document"),
    Analysis(sentence_marks="dropped", possessives="apart", lowercase=False),
    Analysis(clean="web", sentence_marks="dropped"),
    Analysis(language="ca", stop_words="none"),
    Analysis(language="fr", letters="language"),
    Analysis(letters="language", normalization=None),
    Analysis(language="he", letters="plain", stop_words="none", segmentation="pattern"),
)
# of each kind that the patterns tell apart: letters of one to four bytes, marks, digits, invisible marks,
# apostrophes, ends of sentences, closing quotes, spaces of several kinds
ALPHABET = (
    "abTIé\u00dfα水\ud55c\U00010400"
    "\u0301\u093e"
    "12\u0660\u00bd\U0001d7d8"
    "\u00ad\u200d\u2060"
    "'’\u02bc\uff07\u055a\u05f3"
    "\u055b\u055e\u055d\u180e\u200b\u202f"
    "lL·\u0140\u05d0\u05ea\ufb4f\u05b8\u05f4"
    ".!?…。！\u17d4"
    '"”)]'
    " \t\n\r\u00a0\u2028\u0085"
    "@&;:#-,<s>/\U0001f600\x1c"
)


def assert_alike(finder: WordFinder, texts: list[str]) -> None:
    for text, found in zip(texts, finder.analyse(texts), strict=True):
        wanted = finder.analysis.analyse(text)
        assert list(found.words) == list(wanted.words), repr(text)
        assert found.starts.tolist() == wanted.starts.tolist(), repr(text)
        assert found.sentences.tolist() == wanted.sentences.tolist(), repr(text)


@given(
    st.lists(st.text(st.sampled_from(ALPHABET), max_size=14) | st.text(max_size=8), min_size=1, max_size=8),
    st.sampled_from(ANALYSES),
)
@example(["", "a"], ANALYSES[0])
@example(["4th 44th 4\u0301th a4 4'th th'4 'a' a''b a'\u00adb a'\u00ad"], ANALYSES[0])
@example(['One. Two. three.Four!" Five?) \n\nsix.. Seven\r\rEight\r\n \r\nNine。ten .!? Eleven'], ANALYSES[0])
@example(["<s> one </s>\n<s> two </s>", "three"], ANALYSES[4])
@example(["RT @ab: a&amp;b &lt;i> b@a.ab http://a.b/c. <i x='1'>T</i> www.a.b", "<s> a </s> @a"], ANALYSES[5])
@example(["\ud800a \U00010400\ud800"], ANALYSES[0])
@example(["4\u00adth 4\u0301\u00ad4th \u00ad4a 4\u00ad 4\u00ad.a 4\u00ad"], ANALYSES[0])
@example(['\u05d0"\u05d0 \u05d0\u05b8\u05f4\u00ad\u05ea"\u05ea \u05d04"\u05ea \u05d0"a \u05d0"'], ANALYSES[0])
@example(["l·l L\u0301·\u00adL·l l·a a·l l· ·l l·\u00ad l'·l"], ANALYSES[6])
def test_words_are_those_of_the_pattern(texts: list[str], analysis: Analysis):
    assert_alike(WordFinder(analysis), texts)


def test_texts_with_codes_are_cleaned_once(monkeypatch):
    calls: list[str] = []
    clean = Analysis.cleaned
    monkeypatch.setattr(Analysis, "cleaned", lambda self, text: calls.append(text) or clean(self, text))
    texts = ["rock &amp; roll", "plain", "<s> &lt;marks </s>"]
    found = WordFinder(ANALYSES[5]).analyse(texts)
    assert calls == texts
    assert [list(one.words) for one in found] == [["rock", "roll"], ["plain"], ["marks"]]
    assert found[0].starts.tolist() == [0, 11]


@given(st.lists(st.none() | st.text(st.sampled_from(ALPHABET), max_size=14), min_size=1, max_size=6))
@example([None, "a,b", "é\u00adé. c"])
@example(["al·la b", "al·a b", '\u05d0"\u05d0 b', "l·", "a ·l", "\u055b a \u055d b"])
@pytest.mark.parametrize("letters", ["unicode", "language"])
def test_phrases_end_with_the_characters_of_the_pattern(letters: str, texts: list[str | None]):
    """A document without a text has tokens all the same, of which nothing is known."""
    analysis = Analysis(letters=letters)
    documents = [
        Document(str(n), tokens=["a", "b"]) if text is None else Document(str(n), text, language="en")
        for n, text in enumerate(texts)
    ]
    block = Corpus.from_documents([*documents, Document("last", "word")], analysis=analysis).source.read(0)
    wanted: list[bool] = []
    for text in texts:
        if text is None:
            wanted += [False, False]
            continue
        tokens = analysis.analyse(text)
        breaks = np.union1d(tokens.sentences, breaks_in(text, tokens.starts, analysis.letters))
        wanted += np.isin(np.arange(len(tokens.words)), breaks).tolist()
    found = TokenBlock.of(block, letters=letters).breaks.tolist()
    firsts = np.cumsum([0, *(len(one) for one in block.column("tokens").to_pylist())])
    given = [place for n, text in enumerate(texts) if text is None for place in range(*firsts[n : n + 2])]
    for place in given:  # they are one sentence
        found[place] = False
    assert found[: len(wanted)] == wanted


def test_spellings_are_remembered_and_forgotten(monkeypatch):
    monkeypatch.setattr(word_finding, "_MOST_SPELLINGS", 3_000)
    finder = WordFinder(Analysis())
    for start in range(0, 8_000, 500):
        texts = [f"A{n:o}x Word{n % 7} é{n}" for n in range(start, start + 500)]
        assert_alike(finder, texts)
        assert len(finder.spellings) <= 3_000 + 2 * 500 + 7


def test_a_block_may_hold_words_that_were_found_in_several_ways(monkeypatch, tmp_path: Path):
    """Documents that brought their tokens, words by patterns, by a kernel, and after it forgot its words."""
    documents = [
        Document(str(n), tokens=["The", "cat"]) if n % 5 == 2 else Document(str(n), f"The cat {n}b it's. {n}")
        for n in range(60)
    ]
    stored: list[bytes] = []
    for worth, most in ((1 << 60, 1 << 60), (0, 1 << 60), (300, 20)):
        monkeypatch.setattr(building, "WORTH_A_KERNEL", worth)
        monkeypatch.setattr(word_finding, "_MOST_SPELLINGS", most)
        monkeypatch.setattr(building, "READ_TOGETHER", 100)
        place = tmp_path / str(len(stored))
        Corpus.from_documents(documents, place, analysis=Analysis())
        stored.append(b"".join(path.read_bytes() for path in sorted(place.iterdir())))
    assert stored[0] == stored[1] == stored[2]


@pytest.mark.parametrize(
    "text",
    [
        *("x" * 70_000, "'" * 70_000, "4" * 70_000, "." * 70_000, "\u0301a" * 30_000),
        *("4\u00ad" * 30_000, '\u05d0"' * 30_000, "l·" * 30_000, "l" + "\u00ad" * 70_000 + "·l"),
    ],
    ids=[0, 1, 2, 3, 4, 5, 6, 7, 8],
)
def test_long_texts_take_linear_time(text: str):
    assert_alike(WordFinder(Analysis()), [text])
