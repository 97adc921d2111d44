"""N-best lists: what is written is read, and what cannot be read is named by its line."""

import gzip
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.readers.problems import ReadingWarning
from stickbreaker.ngrams.nbest_lists import Candidate, candidate_of, lines_of, read_candidates

NUMBERS = st.floats(-1e6, 1e6).map(lambda value: float(f"{value:.9g}"))
TEXTS = st.lists(st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=5), max_size=5).map(
    " ".join
)
NAMES = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=6).filter(
    lambda name: "|||" not in name and not name.endswith("=")
)


@st.composite
def candidate_lists(draw):
    """Lists of candidates, some without any; all candidates have the same features."""
    names = draw(st.lists(NAMES, unique=True, max_size=3))
    sizes = [draw(st.integers(0, 3)) for _ in names]
    lists = []
    for sentence in range(draw(st.integers(1, 4))):
        own = []
        for _ in range(draw(st.integers(0, 3))):
            features = {
                name: tuple(draw(NUMBERS) for _ in range(n)) for name, n in zip(names, sizes, strict=True)
            }
            text = " ".join(draw(TEXTS).replace("|||", "|").split())
            rest = tuple(draw(st.lists(st.just("0-0 1-2"), max_size=2)))
            own.append(Candidate(sentence, text, features, draw(NUMBERS), rest))
        lists.append(own)
    while lists and not lists[-1]:
        lists.pop()
    return lists


@given(lists=candidate_lists())
def test_what_is_written_is_read(tmp_path_factory, lists):
    path = tmp_path_factory.mktemp("lists") / "some.nbest"
    path.write_text("".join(lines_of(lists)), encoding="utf-8")
    if not lists:
        with pytest.raises(UserError, match="holds no candidate"):
            read_candidates(path)
        return
    found = read_candidates(path)
    assert found == lists
    for one, other in zip(found, lists, strict=True):
        assert [list(x.features) for x in one] == [list(x.features) for x in other]  # in order


def test_a_line_of_moses_is_read():
    line = (
        "3 ||| the house is small ||| LexicalReordering0= -0.5 0 0 Distortion0= 0 LM0= -14.2 "
        "TranslationModel0= -1 -2.5 -3 -4 ||| -7.25 ||| 0-1=0-1 2=2"
    )
    one = candidate_of(line)
    assert (one.sentence, one.text, one.score, one.rest) == (3, "the house is small", -7.25, ("0-1=0-1 2=2",))
    assert list(one.features) == ["LexicalReordering0", "Distortion0", "LM0", "TranslationModel0"]
    assert one.values == (-0.5, 0.0, 0.0, 0.0, -14.2, -1.0, -2.5, -3.0, -4.0)
    assert one.line() == line


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a house", "one column, but a candidate has two to four"),
        ("0 ||| a ||| LM= 1", "could not convert"),
        ("x ||| a ||| LM= 1 ||| 2", "invalid literal"),
        ("1.5 ||| a ||| LM= 1 ||| 2", "invalid literal"),
        ("-1 ||| a ||| LM= 1 ||| 2", "the sentence -1"),
        ("0 ||| a ||| 1 LM= 1 ||| 2", "expected the name of a feature, not '1'"),
        ("0 ||| a ||| LM= one ||| 2", "could not convert"),
        ("0 ||| a ||| LM= nan ||| 2", "'nan' is not finite"),
        ("0 ||| a ||| LM= 1e999 ||| 2", "is not finite"),
        ("0 ||| a ||| LM= 1 ||| inf", "'inf' is not finite"),
        ("0 ||| a ||| LM= 1 ||| ", "could not convert"),
        ("0 ||| a ||| LM= 1 LM= 2 ||| 2", "the feature 'LM' occurs twice"),
        ("0 ||| a ||| = 1 ||| 2", "expected the name of a feature, not"),
        ("0 ||| a ||| LM= " + "9" * 5000 + "x ||| 2", "could not convert"),
        ("0 ||| a ||| LM= 1 ||| 2\0", "NUL"),
        ("0 ||| b ||| TM= 1 ||| 2", "the features differ from the first candidate's"),
        ("0 ||| b ||| LM= 1 2 ||| 2", "the features differ from the first candidate's"),
        ("0 ||| b |||  ||| 2", "the features differ from the first candidate's"),
        ("9" * 30 + " ||| a ||| LM= 1 ||| 2", "the sentence 9"),
    ],
)
def test_bad_lines_are_named(tmp_path, line, problem):
    path = tmp_path / "some.nbest"
    path.write_text(f"0 ||| a ||| LM= -1 ||| -1\n\n{line}\n", encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read_candidates(path)
    text = str(caught.value)
    assert problem in text
    assert ":3: " in text or "line 3" in text
    assert "\n" not in text
    assert len(text) < 600


def test_sentences_stand_in_order_and_may_be_left_out(tmp_path):
    path = tmp_path / "some.nbest"
    path.write_text("1 ||| a ||| ||| 1\n4 ||| b ||| ||| 2\n4 ||| c ||| ||| 1\n", encoding="utf-8")
    assert [[one.text for one in own] for own in read_candidates(path)] == [[], ["a"], [], [], ["b", "c"]]
    for second in ("0", "3"):
        path.write_text(f"4 ||| a ||| ||| 1\n{second} ||| b ||| ||| 1\n", encoding="utf-8")
        with pytest.raises(UserError, match=f"the sentence {second} after 4; number the sentences in order"):
            read_candidates(path)


def test_sentences_may_be_numbered_from_one(tmp_path):
    path = tmp_path / "some.nbest"
    path.write_text("1 ||| a ||| ||| 1\n2 ||| b ||| ||| 2\n", encoding="utf-8")
    assert [[one.text for one in own] for own in read_candidates(path, 2)] == [["a"], ["b"]]
    assert next(lines_of(read_candidates(path, 2))).startswith("1 ||| a")
    for known in (None, 3):
        with pytest.warns(ReadingWarning, match="no candidate of sentence 0: if it is numbered from 1"):
            assert [len(own) for own in read_candidates(path, known)] == [0, 1, 1]


def test_a_line_cannot_make_a_million_sentences(tmp_path):
    path = tmp_path / "some.nbest"
    path.write_text("0 ||| a\n900000 ||| b\n", encoding="utf-8")
    with pytest.raises(UserError, match="the sentence 900000 after 0; number the sentences in order"):
        read_candidates(path)
    path.write_text("\n".join(f"{n} ||| a" for n in range(0, 30_000, 90)), encoding="utf-8")
    assert len(read_candidates(path)) == 29_971


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xff\xfe\x00", bytes(range(256))])
def test_files_of_something_else_are_refused(tmp_path, content):
    path = tmp_path / "some.nbest"
    path.write_bytes(content)
    with pytest.raises(UserError):
        read_candidates(path)


def test_compressed_lists_and_other_ends_of_lines_are_read(tmp_path):
    path = tmp_path / "some.nbest.gz"
    path.write_bytes(
        gzip.compress(b"\xef\xbb\xbf0 ||| a b ||| LM= -1 ||| -1\r\n0 ||| c ||| LM= -2 ||| -2\r\n")
    )
    ((first, second),) = read_candidates(path)
    assert (first.text, second.text, second.score) == ("a b", "c", -2.0)


def test_a_candidate_may_be_empty():
    one = candidate_of("0 |||  ||| LM= 0 ||| 0")
    assert (one.text, one.values) == ("", (0.0,))
    assert candidate_of(one.line()) == one
    assert math.copysign(1.0, candidate_of("0 ||| a ||| LM= -0 ||| 0").values[0]) == -1.0


def test_plain_lists_are_read(tmp_path):
    path = tmp_path / "some.nbest"
    path.write_text("0 ||| a house ||| -1.5\n0 ||| a mouse ||| -2\n1 ||| yes\n", encoding="utf-8")
    first, second = read_candidates(path)
    assert [(one.text, one.score, dict(one.features)) for one in first] == [
        ("a house", -1.5, {}), ("a mouse", -2.0, {})
    ]  # fmt: skip
    assert [(one.text, one.score) for one in second] == [("yes", 0.0)]
