"""Parquet, Arrow and Feather files, and tables of other libraries."""

import base64
import datetime as dt
import io
import uuid
import warnings
from decimal import Decimal
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.corpus.readers.reading import error_in, packings, read, skipping
from tests.corpus.readers.samples import TABLE, feather_of, file_of, parquet_of, stream_of

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus, ReadingOptions, VocabularyRule
from stickbreaker.corpus.readers.problems import ReadingWarning

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
    path.write_bytes(content_of(pa.table({"text": ["a"], "day": far})))
    assert read(path)[0].metadata == {"day": None}
    maps = pa.array([[("a", "b")]], pa.map_(pa.string(), pa.string()))
    assert line(text=maps).startswith(": the column 'text' holds maps or records, not text; name")
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


def metadata_and_notes(build):
    """The metadata of the second document of a corpus, and what a build says about what it left out."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        metadata = build().documents(0)[1].metadata
    return metadata, [str(one.message) for one in caught if isinstance(one.message, ReadingWarning)]


BODY = ["one cat", "two dogs"]
UNIQUE = uuid.UUID(int=3)


def test_columns_of_pandas_that_are_no_numbers(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": BODY, "month": pandas.period_range("2001-02", periods=2, freq="M")})
    frame["group"] = pandas.arrays.IntervalArray.from_tuples([(0, 3), (3, 9)])
    frame["at"], frame["who"], frame["lasts"] = dt.time(1, 2, 3), UNIQUE, pandas.Timedelta(90, "m")
    frame["raw"] = b"x"
    expected = {
        "month": "2001-03", "group": "(3, 9]", "at": "01:02:03", "who": str(UNIQUE), "lasts": 5400
    }  # fmt: skip
    frame.to_parquet(tmp_path / "a.parquet")
    cut = frame.assign(group=pandas.cut([1, 5], [0, 3, 9]))
    left_out = [
        "left out the field raw, since metadata are text, numbers, truth values, dates and lists of strings"
    ]
    for build in (
        lambda: Corpus.from_frame(frame),
        lambda: Corpus.from_frame(cut),
        lambda: Corpus.from_frame(frame.to_dict("records")),
        lambda: Corpus.build(tmp_path / "a.parquet"),
    ):
        assert metadata_and_notes(build) == (expected, left_out)


def test_a_file_of_pandas_is_read_where_pandas_is_not_yet_imported():
    kind = pa.int64()
    field = pa.field("month", kind, metadata={"ARROW:extension:name": "pandas.period",
                                              "ARROW:extension:metadata": '{"freq": "M"}'})  # fmt: skip
    table = pa.table([pa.array(BODY), pa.array([373, 374])], schema=pa.schema([("text", pa.string()), field]))
    pytest.importorskip("pandas")
    assert metadata_and_notes(lambda: Corpus.from_frame(table)) == ({"month": "2001-03"}, [])
    unknown = table.cast(
        pa.schema([("text", pa.string()), field.with_metadata({"ARROW:extension:name": "x.y"})])
    )
    assert metadata_and_notes(lambda: Corpus.from_frame(unknown))[0] == {}


def test_columns_of_polars(tmp_path):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"text": BODY, "tags": [["x"], ["y", "z"]], "pair": [["a", "b"], ["c", "d"]]})
    frame = frame.with_columns(
        polars.col("pair").cast(polars.Array(polars.String, 2)),
        kinds=polars.col("tags").cast(polars.List(polars.Categorical)),
        group=polars.Series(["u", "v"], dtype=polars.Categorical),
        level=polars.Series(["low", "high"], dtype=polars.Enum(["low", "high"])),
        price=polars.Series([Decimal("2.50"), Decimal("1.10")]),
        lasts=dt.timedelta(seconds=1.5),
    )
    expected = {
        "tags": ["y", "z"], "pair": ["c", "d"], "kinds": ["y", "z"], "group": "v", "level": "high",
        "price": 1.1, "lasts": 1.5,
    }  # fmt: skip
    assert metadata_and_notes(lambda: Corpus.from_frame(frame)) == (expected, [])
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_ipc(tmp_path / "a.arrow")
    frame.write_ipc(tmp_path / "b.arrow", compression="lz4")
    for name in ("a.parquet", "a.arrow", "b.arrow"):
        assert metadata_and_notes(lambda name=name: Corpus.build(tmp_path / name)) == (expected, [])
    long = polars.DataFrame({"text": BODY, "n": polars.Series([1, 2], dtype=polars.Int128)})
    assert metadata_and_notes(lambda: Corpus.from_frame(long))[0] == {"n": 2}
    long = long.with_columns(n=polars.Series([1, 10**30], dtype=polars.Int128))
    assert metadata_and_notes(lambda: Corpus.from_frame(long))[0] == {"n": str(10**30)}
    assert Corpus.from_frame(frame, "tags").documents(0)[1].tokens == ["y", "z"]


def test_lists_of_every_layout(tmp_path):
    texts = [["a"], None, ["b", "c"]]
    kinds = [pa.large_list(pa.large_string()), pa.list_(pa.string_view()), pa.list_view(pa.string())]
    for kind in kinds:
        table = pa.table({"text": ["x", "y", "z"], "tags": pa.array(texts, kind)})
        (tmp_path / "a.arrow").write_bytes(file_of(table))
        assert [one.metadata["tags"] for one in read(tmp_path / "a.arrow")] == [["a"], None, ["b", "c"]]


def test_decimals_and_dates(tmp_path):
    values = [Decimal("12.50"), Decimal("12345678901234567.25")]
    days = pa.array([0, 10**7], pa.date32())
    table = pa.table({"text": BODY, "price": values, "day": days, "whole": [Decimal(7), Decimal(10**25)]})
    (tmp_path / "a.parquet").write_bytes(parquet_of(table))
    metadata, notes = metadata_and_notes(lambda: Corpus.build(tmp_path / "a.parquet"))
    assert metadata == {"price": "12345678901234567.25", "day": None, "whole": 10**25}
    assert notes == ["dates outside the years 1 to 9999 are missing: day (1)"]
    assert read(tmp_path / "a.parquet")[0].metadata == {"price": 12.5, "day": "1970-01-01", "whole": 7}


@pytest.mark.parametrize(("name", "content_of"), WRITERS)
def test_columns_that_are_left_out(tmp_path, name, content_of):
    path = tmp_path / name
    path.write_bytes(content_of(TABLE))
    kept = {name: METADATA[name] for name in METADATA if name not in ("day", "count")}
    assert read(path, without=("day", "count"))[0].metadata == {"words": ["one", "cat"], **kept}
    with pytest.raises(UserError, match="no document has the field 'dya'; check without"):
        Corpus.build(path, reading=ReadingOptions(without=("dya",)))
    assert [one.id for one in read(path, id_field="none")] == [f"{name}:{n}" for n in (1, 2, 3)]
    assert read(path, id_field="none")[0].metadata["id"] == "a"


def test_a_row_group_that_lacks_rows(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    out = io.BytesIO()
    pq.write_table(pa.table({"text": ["a", "b", "c", "d"]}), out, row_group_size=2)
    path.write_bytes(out.getvalue())
    assert len(read(path)) == 4

    class Short(pq.ParquetFile):
        def iter_batches(self, *given, row_groups, **named):
            batches = super().iter_batches(*given, row_groups=row_groups, **named)
            return batches if row_groups == [0] else iter([])  # as pyarrow does with some damaged files

    monkeypatch.setattr(pq, "ParquetFile", Short)
    assert (
        error_in(path)
        == ": cannot be read (row group 1 has 0 rows, and should have 2); write the table again"
    )


def test_an_encrypted_column_is_left_out(tmp_path):
    encryption = pytest.importorskip("pyarrow.parquet.encryption")

    class Keys(encryption.KmsClient):
        def wrap_key(self, key_bytes, master_key_identifier):
            return base64.b64encode(key_bytes)

        def unwrap_key(self, wrapped_key, master_key_identifier):
            return base64.b64decode(wrapped_key)

    def write(**columns):
        factory = encryption.CryptoFactory(lambda _: Keys())
        config = encryption.EncryptionConfiguration(
            footer_key="f", column_keys={"c": ["secret"]}, plaintext_footer=True
        )
        properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), config)
        pq.write_table(pa.table(columns), tmp_path / "a.parquet", encryption_properties=properties)

    write(text=BODY, secret=["x", "y"])
    build = partial(Corpus.build, tmp_path / "a.parquet")
    assert metadata_and_notes(build) == ({}, ["left out what is encrypted: secret"])
    assert error_in(tmp_path / "a.parquet", text_field="secret").startswith(
        ": the column 'secret' is encrypted; "
    )


def test_an_arrow_stream_that_was_cut_between_batches(tmp_path):
    out, batch = io.BytesIO(), pa.record_batch({"text": BODY})
    with pa.ipc.new_stream(out, batch.schema) as file:
        file.write_batch(batch)
        whole = out.tell()
        file.write_batch(batch)
    path = tmp_path / "a.arrow"
    told = "Arrow streams without a mark at their end, so that rows may be missing: 1, in .*a.arrow"
    after = "Arrow streams with bytes after their end, which are not read: 1, in"
    content = out.getvalue()
    for some, number, warning in ((content, 4, None), (content[:whole], 2, told), (2 * content, 4, after)):
        path.write_bytes(some)
        with warnings.catch_warnings() if warning is None else pytest.warns(ReadingWarning, match=warning):
            warnings.simplefilter("error" if warning is None else "always")
            assert Corpus.build(path, rule=VocabularyRule(1, 1.0)).n_documents == number


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_numbers_of_128_bits_in_files_of_polars(tmp_path, name):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"text": BODY, "n": polars.Series([1, 2], dtype=polars.Int128)})
    getattr(frame, {"a.parquet": "write_parquet", "a.arrow": "write_ipc"}[name])(tmp_path / name)
    told = "a column of whole numbers of 128 bits, which cannot be read; write the column as Int64 or String"
    with pytest.raises(UserError, match=told):
        Corpus.build(tmp_path / name)
