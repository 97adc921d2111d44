"""Parquet, Arrow and Feather files, and tables of other libraries."""

import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.corpus.readers.reading import error_in, packings, read, skipping
from tests.corpus.readers.samples import TABLE, feather_of, file_of, parquet_of, stream_of

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus

METADATA = {
    "day": "1988-02-12",
    "when": "1988-02-12T10:30:00",
    "zoned": "1988-02-12T10:00:00+01:00",
    "price": 1.5,
    "count": 1,
    "share": 0.5,
    "good": True,
}

WRITERS = [("a.parquet", parquet_of), ("a.arrow", file_of), ("a.arrow", stream_of), ("a.feather", feather_of)]


@pytest.mark.parametrize(("name", "content_of"), WRITERS)
def test_rows_become_documents(tmp_path, name, content_of):
    for packing, packed in packings(content_of(TABLE)).items():
        path = tmp_path / (name + packing)
        path.write_bytes(packed)
        first, second, third = read(path)
        assert [(one.id, one.text) for one in (first, second, third)] == [
            ("a", "one cat"), ("b", "two dogs"), ("c", "a bird")
        ]  # fmt: skip
        assert first.metadata == {"words": ["one", "cat"], **METADATA}
        assert (second.metadata["day"], second.metadata["share"], third.line) == (None, None, 3)
        tokens = read(path, text_field="words")
        assert [one.tokens for one in tokens] == [["one", "cat"], [], ["bird"]]
        assert tokens[0].metadata == {"text": "one cat", **METADATA}
        assert read(path, id_field="count")[2].id == "3"


@pytest.mark.parametrize(("name", "content_of"), WRITERS)
def test_bad_tables(tmp_path, name, content_of):
    path = tmp_path / name

    def line(**columns) -> str:
        path.write_bytes(content_of(pa.table(columns)))
        return error_in(path)

    assert line(body=["a"]) == ": no column 'text' (columns: body); name the column by text_field"
    assert line(text=["a", None]).startswith(":2: the field 'text' is null; name a field")
    assert [document.text for document in skipping(path)[0]] == ["a"]
    assert line(text=[["a"], ["b", None]]).startswith(":2: the field 'text' is not a string")
    assert line(text=[1]).startswith(":1: the field 'text' is not a string")
    assert line(text=[[1.5]]).startswith(":1: the field 'text' is not a string")
    assert line(text=["a"], id=[1.5]).startswith(":1: the id in the field 'id' is not a string")
    far = pa.array([2**62], pa.timestamp("s" if name != "a.parquet" else "us"))
    assert line(text=["a"], day=far).startswith(": the column 'day' cannot be read (")
    path.write_bytes(content_of(TABLE.slice(0, 0)))
    assert read(path) == []


@pytest.mark.parametrize(("name", "content_of"), WRITERS)
def test_files_that_are_cut_off_or_something_else(tmp_path, name, content_of):
    path = tmp_path / name
    content = content_of(TABLE)
    for wrong in (b"", b"text\na\n", content[: len(content) // 2], b"ARROW1" + content[9:90], content[:8]):
        path.write_bytes(wrong)
        assert ": cannot be read (" in error_in(path)


def test_two_columns_of_one_name(tmp_path):
    path = tmp_path / "a.arrow"
    path.write_bytes(file_of(pa.Table.from_arrays([pa.array(["a"])] * 2, ["text", "text"])))
    assert error_in(path) == ": two columns are named 'text'; give each a name of its own"


def test_tables_in_memory():
    corpus = Corpus.from_frame(TABLE)
    assert corpus.ids(0) == ["a", "b", "c"]
    assert corpus.documents(0)[0].metadata == {"words": ["one", "cat"], **METADATA}
    assert corpus.vocabulary.words == ("bird", "cat", "dogs")
    assert Corpus.from_frame(TABLE.drop_columns("id").slice(1)).ids(0) == ["0", "1"]
    assert Corpus.from_frame(TABLE, id_field="count", analysis=Analysis(min_length=4)).ids(0) == [
        "1",
        "2",
        "3",
    ]
    assert Corpus.from_frame(TABLE, "words").documents(0)[0].tokens == ["one", "cat"]
    assert Corpus.from_frame(TABLE.to_batches()[0]).n_documents == 3


def test_tables_of_pandas_and_polars(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": ["one cat", "two dogs", "a bird"], "year": [1, 2, 3]})
    frame["day"] = pandas.Timestamp("1988-02-12T10:30:00.000000001")
    frame["kind"] = pandas.Categorical(["x", "y", "x"])
    rest = frame[frame.year > 1]  # an index without a name, which is not from 0
    corpus = Corpus.from_frame(rest, out=tmp_path / "corpus")
    assert Corpus.open(tmp_path / "corpus").fingerprint == corpus.fingerprint
    assert corpus.ids(0) == ["0", "1"]
    assert corpus.documents(0)[0].metadata == {"year": 2, "day": "1988-02-12T10:30:00", "kind": "y"}
    frame["text"] = frame.text.str.split()
    assert Corpus.from_frame(frame).documents(0)[1].tokens == ["two", "dogs"]
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"body": ["one cat", "two"], "day": [dt.date(1988, 2, 12), None]})
    assert Corpus.from_frame(frame, "body").documents(0)[0].metadata == {"day": "1988-02-12"}
    frame = polars.DataFrame({"text": [["one", "cat"], ["two"]]})
    assert Corpus.from_frame(frame).documents(0)[0].tokens == ["one", "cat"]


def test_polylingual_tables():
    sides = pa.table({"en": ["a cat", "one"], "de": ["die Katze", None]})
    assert list(Corpus.from_frame(sides, "en=en,de=de").vocabulary.languages) == ["de", "en"]
    rows = pa.table({"id": [1, 1], "text": ["a cat", "die Katze"], "code": ["en", "de"]})
    corpus = Corpus.from_frame(rows, language_field="code")
    assert (corpus.n_documents, list(corpus.vocabulary.languages)) == (1, ["de", "en"])


class Broken:
    def __arrow_c_stream__(self, requested_schema=None):
        return pa.array(["a"]).__arrow_c_array__()[1]


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (
            [1],
            "list is not a table that Arrow can read; give a table of pandas (2.2 or later), polars or Arrow",
        ),
        (Broken(), "the table: cannot be read ("),
        (pa.table({"body": ["a"]}), "the table: no column 'text' (columns: body); name the column"),
        (pa.table({"text": ["a", None]}), "row 1: the field 'text' is null; leave the row out"),
        ([{"text": "a"}, {"text": None}], "row 1: the field 'text' is null; leave the row out"),
        ([{"text": "a"}, "b"], "record 1 is not a dict; give a table"),
        (pa.table({"text": ["a", "b"], "id": [3, 3]}), "row 1: the id '3' was used before; ids must differ"),
        (pa.table({"text": pa.array([], pa.string())}), "the table: no document found"),
    ],
)
def test_bad_frames(frame, expected):
    with pytest.raises(UserError) as caught:
        Corpus.from_frame(frame)
    assert str(caught.value).startswith(expected)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@settings(deadline=None, max_examples=30)
@given(
    rows=st.lists(
        st.tuples(TEXTS, st.lists(TEXTS, max_size=3), st.none() | st.dates()), min_size=1, max_size=5
    )
)
@pytest.mark.parametrize(("name", "content_of"), WRITERS)
def test_what_was_written_in_columns_is_read(tmp_path_factory, name, content_of, rows):
    texts, tokens, days = (list(column) for column in zip(*rows, strict=True))
    columns = {
        "text": texts,
        "words": pa.array(tokens, pa.list_(pa.string())),
        "day": pa.array(days, pa.date32()),
    }
    path = tmp_path_factory.mktemp("arrow") / name
    path.write_bytes(content_of(pa.table(columns)))
    assert [document.text for document in read(path)] == texts
    assert [document.tokens for document in read(path, text_field="words")] == tokens
    assert [document.metadata["day"] for document in read(path)] == [day and day.isoformat() for day in days]
