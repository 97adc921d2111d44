"""Documents that repeat others are told of, or left out."""

import json
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.running import write_lines

from stickbreaker import Corpus, UserError
from stickbreaker.corpus import Analysis, Document, ReadingOptions
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.readers.repeats import Dropped, Repeats, RepeatsWarning
from stickbreaker.corpus.text.parts import words_for_repeats

LONG = (
    "the cat sat on the mat and looked at the river where boats went by and gulls cried over the old bridge "
    "until the evening came and lamps were lit along every street that led down to water from our small "
    "town whose people had gone home early because rain was near and no one wished for wet shoes that late"
)
ROWS = [
    {"id": "a", "text": LONG},
    {
        "id": "b",
        "text": "dogs ran along the beach while the sun went down behind hills of sand and grass " * 2,
    },
    {"id": "c", "text": "  " + LONG + "\n"},
    {"id": "d", "text": LONG.replace("gulls", "crows")},
    {"id": "e", "text": ""},
    {"id": "f", "text": ""},
    {"id": "g", "text": "yes"},
    {"id": "h", "text": "yes"},
]


@pytest.fixture
def file(tmp_path):
    return write_lines(tmp_path / "rows.jsonl", ROWS)


def ids(file, dropped):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        corpus = Corpus.build(file, reading=ReadingOptions(drop_repeats=dropped))
    return "".join(one.id for one in corpus), dict(corpus.skipped)


def test_repeats_are_left_out_where_that_is_asked_for(file):
    assert ids(file, None) == ("abcdefgh", {})
    assert ids(file, "exact") == ("abdefgh", {"repeated document": 1})
    assert ids(file, "near") == ("abefgh", {"repeated document": 2})
    assert ids(file, "near:1.0") == ("abdefgh", {"repeated document": 1})
    corpus = Corpus.build(file, reading=ReadingOptions(drop_repeats="exact"))
    assert corpus.about.first_skipped == {"repeated document": "'c' repeats 'a'"}


def test_long_ones_are_told_of(cli, file, tmp_path):
    with pytest.warns(
        RepeatsWarning, match="1 document has the same text as others, for example 'c' and 'a'"
    ):
        Corpus.build(file)
    told = cli("corpus", "build", file, "--out", tmp_path / "c").stderr
    assert "for example 'c' and 'a'; --drop-repeats exact leaves them out" in told
    told = cli("corpus", "build", file, "--out", tmp_path / "d", "--drop-repeats", "near").stderr
    assert "skipped 2 (repeated document); the first: 'c' repeats 'a'" in told
    assert "has the text" not in told
    assert json.loads(cli("corpus", "info", tmp_path / "d", "--json").stdout)["documents"] == 6
    vocabulary = Corpus.open(tmp_path / "d").vocabulary
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Corpus.build(file, vocabulary=vocabulary)


@given(st.lists(st.sampled_from(["one cat " * 20, "two dogs " * 20, "", "a bird flew"]), max_size=12))
def test_the_first_of_each_stays(texts):
    documents = [Document(str(n), text=text) for n, text in enumerate(texts)]
    kept = list(Repeats(Dropped(), Problems(skip=False)).look_at(documents))
    wanted = [n for n, text in enumerate(texts) if len(text) < 100 or text not in texts[:n]]
    assert [int(one.id) for one in kept] == wanted


def test_tokens_and_bags_repeat_too():
    documents = [
        Document("a", tokens=["one", "cat"] * 20),
        Document("b", tokens=["one", "cat"] * 20),
        Document("c", words=["cat" * 40], weights=[1.0]),
        Document("d", words=["cat" * 40], weights=[2.0]),
        Document("e", tokens=["one", "cat"]),
        Document("f", tokens=["one", "cat"]),
    ]
    kept = Repeats(Dropped(0.8), Problems(skip=False)).look_at(documents)
    assert [one.id for one in kept] == ["a", "c", "d", "e", "f"]


def test_near_repeats_with_ids_that_occur_twice(tmp_path):
    """An id that occurs twice is reported as that, not by the index of near repeats."""
    rows = [{"id": "a", "text": LONG}, {"id": "a", "text": ROWS[1]["text"]}, {"id": "b", "text": LONG}]
    file = write_lines(tmp_path / "rows.jsonl", rows)
    with pytest.raises(UserError, match="id 'a'"):
        Corpus.build(file, reading=ReadingOptions(drop_repeats="near"))
    documents = [Document("1", text=LONG), Document(None, text=ROWS[1]["text"]), Document("b", text=LONG)]
    kept = Repeats(Dropped(0.8), Problems(skip=True)).look_at(documents)
    assert [one.id for one in kept] == ["1", None]


@pytest.mark.parametrize("text", ["", "all", "near:", "near:0", "near:2", "near:x", "exact:1"])
def test_what_is_no_way_to_drop(text, file):
    with pytest.raises(UserError, match="give exact, near or near"):
        Corpus.build(file, reading=ReadingOptions(drop_repeats=text))


@pytest.mark.parametrize("dropped", [None, "exact", "near"])
def test_what_repeats_what_goes_to_a_file(file, tmp_path, dropped):
    path = tmp_path / "repeats.tsv"
    reading = ReadingOptions(drop_repeats=dropped, repeats_to=str(path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Corpus.build(file, reading=reading)
    near = "d\ta\n" if dropped == "near" else ""
    assert path.read_text() == f"id\trepeats\nc\ta\n{near}"
    with pytest.raises(UserError, match=r"repeats\.tsv: exists already; give another file"):
        Corpus.build(file, reading=reading)


def test_near_repeats_in_chinese_are_found_by_its_words():
    text = (
        "我们的图书馆里有许多关于河流与山脉的旧书每天都有人来这里阅读和写作直到晚上灯光熄灭街道安静下来" * 3
    )
    other = text.replace("旧", "新", 1)
    documents = [Document("a", text=text), Document("b", text=other)]
    words_of = words_for_repeats(Analysis(language="zh"))
    assert [one.id for one in Repeats(Dropped(0.8), Problems(False), words_of).look_at(documents)] == ["a"]
    assert words_for_repeats(Analysis()) is None
