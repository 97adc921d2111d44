"""CSV and TSV."""

import csv
import io
import warnings
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.corpus.readers.reading import error_in, packings, read, skipping

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus, ReadingOptions, VocabularyRule
from stickbreaker.corpus.readers import Problems, read_inputs
from stickbreaker.corpus.readers.problems import ReadingWarning
from stickbreaker.corpus.readers.tables import QuotesWarning

GOOD = b"id,text,year\na,one cat,1988\n"
CELLS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)


def test_rows_cells_and_line_numbers(tmp_path):
    content = b'\xef\xbb\xbf id,text,,year\r\na,"a ""big"", red\r\n\r\ncat",x,1988\r\n\r\nb,two dogs,,\r\n'
    for packing, packed in packings(content).items():
        path = tmp_path / f"a.csv{packing}"
        path.write_bytes(packed)
        first, second = read(path)
        assert (first.id, first.text, first.line) == ("a", 'a "big", red\r\n\r\ncat', 2)
        assert first.metadata == {"year": 1988}  # a column without a name is left out
        assert (second.id, second.text, second.line, second.metadata) == ("b", "two dogs", 6, {"year": None})


def test_tabs(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text('text\tn\nit\'s 5" wide\t1\n"two\nlines"\t2\n')
    assert [(one.text, one.id) for one in read(path)] == [
        ("it's 5\" wide", "a.tsv:2"),
        ("two\nlines", "a.tsv:3"),
    ]


def test_a_long_cell(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text\n" + "cat " * 100_000 + "\n")  # beyond what the csv module takes by default
    assert len(read(path)[0].text) == 400_000


def test_a_header_and_nothing_else(tmp_path):
    path = tmp_path / "a.csv"
    for content in ("", "\n\n", "text\n"):
        path.write_text(content)
        assert read(path) == []


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a,b\n", ":1: no column 'text' (columns: a, b); name the column by text_field"),
        (b"\na,b\n", ":2: no column 'text' (columns: a, b); name"),
        (b",\n", ":1: no column 'text' (columns: none); name"),
        (
            b"id;text\n",
            ":1: no column 'text' (columns: id;text); give separator ';', since cells seem to be",
        ),
        (b"id\ttext\n", ":1: no column 'text' (columns: id text); give format=\"tsv\", since cells seem"),
        (b"text,a,a\n", ":1: two columns are named 'a'; give each a name of its own"),
        (b"text,\xff\na,b\n", ":1: byte 0xff at position 6 is not UTF-8; convert"),
        (b'text,"b\n', ":1: malformed row, up to line 1 (unexpected end of data); a cell in quotes ends"),
    ],
)
def test_bad_headers(tmp_path, content, expected):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    assert error_in(path).startswith(expected)
    assert skipping(path)[0] == []


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"b,two\n", ":3: the row has 2 cells, the first row 3; give a cell for each column"),
        (b"b,two,1989,more\n", ":3: the row has 4 cells, the first row 3; give"),
        (b'b,"two\n"more,1\n', ":3: malformed row, up to line 4 (',' expected after '\"'); a cell in quotes"),
        (b'\nb,"two\n\xe9\n",1\n', ":4: byte 0xe9 at position 1 is not UTF-8; convert"),
        (b'b,"two\n\0\n",1\n', ":3: binary bytes (NUL), not UTF-8 text; convert"),
    ],
)
def test_bad_rows(tmp_path, content, expected):
    path = tmp_path / "a.csv"
    path.write_bytes(GOOD + content + b"z,the last,2000\n")
    assert error_in(path).startswith(expected)
    documents, problems = skipping(path)
    assert [document.id for document in documents] == ["a", "z"]
    assert sum(problems.counts.values()) == 1


def test_a_quote_that_is_not_closed(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(GOOD + b'b,"two,1989\nc,three,1990\n')
    line = ":3: malformed row, up to line 4 (unexpected end of data)"
    assert error_in(path).startswith(line)
    assert [document.id for document in skipping(path)[0]] == ["a"]
    path.write_bytes(GOOD + b'b,"' + b"two\n" * 9 + b"\nc,three,1990\n")
    assert error_in(path, largest_text=20).startswith(":3: the row is larger than 20 bytes; raise the bound")


def test_a_row_that_lacks_a_line_is_left_out(tmp_path):
    """The line is too large, and what is left of the row is another row than was written."""
    path = tmp_path / "a.csv"
    for row, after in (
        (b'b,"two\n' + b"x" * 40 + b'\n",1989\n', ["a", "c"]),
        (b"y" * 40 + b"\n", ["a", "c"]),
    ):
        path.write_bytes(GOOD + row + b"c,three,1990\n")
        documents, problems = skipping(path, largest_text=30)
        assert [document.id for document in documents] == after
        assert problems.counts == {"too large": 1}
    assert documents[1].line == 4


def test_a_cell_may_be_larger_than_the_csv_module_allows(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"text\n" + b"cat " * 50_000 + b"\n")
    limit = csv.field_size_limit(1_000)
    try:
        assert len(read(path)[0].text or "") == 200_000
    finally:
        csv.field_size_limit(limit)


def test_columns_that_options_name(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("key,en,de,lang\n1,cat,Katze,en\n2, ,Hund,de\n")
    documents = read(path, text_field="en=en,de=de", id_field="key")
    assert [document.texts for document in documents] == [{"en": "cat", "de": "Katze"}, {"de": "Hund"}]
    documents = read(path, text_field="en", id_field="key", language_field="lang")
    assert [(document.id, document.language) for document in documents] == [("1", "en"), ("2", "de")]
    assert "no column 'no' (columns: key, en, de, lang); name the column by id_field" in error_in(
        path, text_field="en", id_field="no"
    )
    assert "name the column by language_field" in error_in(path, text_field="en", language_field="no")
    assert "no column 'a, b' (columns" in error_in(path, text_field="en=a,de=b")


@settings(deadline=None)
@given(
    rows=st.lists(st.tuples(CELLS, CELLS.filter(lambda text: text == text.strip())), max_size=6),
    separator=st.sampled_from([",", "\t"]),
    end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
)
def test_what_was_written_is_read(tmp_path_factory, rows, separator, end, quoting):
    path = tmp_path_factory.mktemp("csv") / ("a.csv" if separator == "," else "a.tsv")
    if quoting == csv.QUOTE_MINIMAL:  # by which Python's csv leaves carriage returns bare
        rows = [(text.replace("\r", ""), note.replace("\r", "")) for text, note in rows]
    rows = [(text, f"note {note}") for text, note in rows]  # neither a number nor missing
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerows([("text", "note"), *rows])
    path.write_bytes(out.getvalue().encode())
    assert [(one.text, one.metadata["note"]) for one in read(path)] == rows
    numbers = [one.line for one in read(path)]
    assert numbers == sorted(set(numbers))


LITERAL = 'text\nplain row\n"unclosed start\nmiddle row\nends with quote"\nlast row\n'


def test_quotes_as_plain_characters(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text(LITERAL)
    rows = ["plain row", '"unclosed start', "middle row", 'ends with quote"', "last row"]
    assert [one.text for one in read(path, quotes="none")] == rows
    assert [one.line for one in read(path, quotes="none")] == [2, 3, 4, 5, 6]
    path.write_text('id\ttext\na\tsaid "yes" \nb\t""\n')
    assert [one.text for one in read(path, quotes="none")] == ['said "yes" ', '""']
    with pytest.raises(UserError, match="unknown quotes 'single'; take double or none"):
        ReadingOptions(quotes="single")


def test_a_cell_of_lines_that_look_like_rows_is_told(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text(LITERAL)
    told = f"{path}: 1 cell in quotes holds lines that look like rows, in line 3; if quotes are plain"
    with pytest.warns(QuotesWarning) as caught:
        assert [one.text for one in read(path)] == [
            "plain row", "unclosed start\nmiddle row\nends with quote", "last row"
        ]  # fmt: skip
    assert str(caught[0].message).startswith(told)
    path.write_text('id\ttext\na\t"one\nb\ttwo\nc\tthree"\nd\t"x\ne\ty"\n')
    with pytest.warns(QuotesWarning, match="2 cells in quotes hold .* the first in line 2"):
        read(path)


@pytest.mark.parametrize("cell", ['"a\nletter"', '"a, b\nc"', '"one\n\ntwo"', '"x"', '"a ""b"""'])
def test_cells_of_several_lines_are_fine(tmp_path, cell):
    path = tmp_path / "a.csv"
    path.write_text(f"id,text\na,{cell}\nb,two\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read(path)) == 2


@pytest.mark.parametrize(
    ("end", "documents", "skipped"), [("", 0, 82), ('x" y\n', 0, 82), ('x"\nz\tok\n', 2, 0)]
)
def test_rows_that_a_quote_swallows_count(tmp_path, end, documents, skipped):
    path = tmp_path / "a.tsv"
    rows = "".join(f"{i}\trow\n" for i in range(2, 82))
    path.write_text(f'id\ttext\n1\t"said yes\n{rows}82\t{end or "end" + chr(10)}')
    found, problems = skipping(path)
    assert (len(found), problems.counts.total()) == (documents, skipped)


def test_rows_that_make_one_too_large_count(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text('id\ttext\n1\t"said yes\n' + "".join(f"{i}\tsome row\n" for i in range(2, 12)))
    found, problems = skipping(path, largest_text=60)
    assert len(found) + problems.counts.total() == 11


def test_a_line_that_names_the_separator(tmp_path):
    path = tmp_path / "a.csv"
    for first in ("sep=;\r\n", '"sep=;"\n', "\ufeffSEP=;\r"):
        end = "\r" if first.endswith("\r") else "\n"
        path.write_bytes(f"{first}id;text{end}a;one, cat{end}".encode())
        assert [(one.id, one.text, one.line) for one in read(path)] == [("a", "one, cat", 3)]
    assert [one.text for one in read(path, separator=";")] == ["one, cat"]
    path.write_bytes(b"sep=,\nid;text\na;one\n")
    assert [one.text for one in read(path, separator=";")] == ["one"]
    path.write_bytes(b"sep=\n1\n")
    assert error_in(path).startswith(":1: no column 'text'")


def metadata_of(path, **options):
    return [one.metadata for one in read(path, **options)]


def test_columns_of_numbers_are_numbers(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        "text,year,price,zip,code,group,empty,date,n\n"
        "a,1988,1.50,01234,7,NA,,2004.10,12345678901234567890\n"
        'b, 1989,"2",99999,7b,x,,2004.9,1\n'
        "c,,NaN,55555,,-,NA,2004.8,2\n"
    )
    with pytest.warns(ReadingWarning) as caught:
        corpus = Corpus.build(path, analysis=Analysis(min_length=1), rule=VocabularyRule(min_documents=1))
    assert [str(one.message) for one in caught] == [
        "7 cells are empty or NA, and so missing: empty (3), group (1), year (1), price (1), code (1)"
    ]
    assert [one.metadata for one in corpus.documents(0)] == [
        {"year": 1988, "price": 1.5, "zip": "01234", "code": "7", "group": None, "empty": None,
         "date": "2004.10", "n": "12345678901234567890"},
        {"year": 1989, "price": 2, "zip": "99999", "code": "7b", "group": "x", "empty": None,
         "date": "2004.9", "n": "1"},
        {"year": None, "price": None, "zip": "55555", "code": None, "group": "-", "empty": None,
         "date": "2004.8", "n": "2"},
    ]  # fmt: skip


def test_ids_texts_and_dates_of_a_form_are_no_numbers(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,text,title,day,n\n7,12,,20040512,3\n8,13,5,20040513,-4e2\n")
    first, second = read(path, text_field="title+text", date_format="%Y%m%d")
    assert (first.id, first.text, first.metadata) == ("7", "12", {"title": "", "day": "2004-05-12", "n": 3})
    assert second.metadata == {"title": "5", "day": "2004-05-13", "n": -400.0}
    assert metadata_of(path, text_field="title", id_field="none")[0] == {
        "id": 7, "text": 12, "day": 20040512, "n": 3
    }  # fmt: skip
    assert [one.id for one in read(path, id_field="none")] == ["a.csv:2", "a.csv:3"]
    assert metadata_of(path, without=("day", "n")) == [{"title": None}, {"title": 5}]


def test_numbers_of_a_table_that_is_read_once(tmp_path, monkeypatch):
    content = b"text,n,group\na,1,x\nb,2,1\nc,x,2\nd,3,NA\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    documents, _, _ = read_inputs(["-"], ReadingOptions(format="csv"), Problems(skip=False))
    assert [one.metadata for one in documents] == [
        {"n": 1, "group": "x"}, {"n": 2, "group": "1"}, {"n": "x", "group": "2"}, {"n": "3", "group": None}
    ]  # fmt: skip


def test_a_table_without_a_header(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,one cat,1988\nb,two dogs,1989\n")
    assert error_in(path).startswith(
        ":1: no column 'text' (columns: a, one cat, 1988); name the column by text_field, or give header"
    )
    found = read(path, header="none", text_field="2", id_field="1")
    assert [(one.id, one.text, one.metadata) for one in found] == [
        ("a", "one cat", {"3": 1988}), ("b", "two dogs", {"3": 1989})
    ]  # fmt: skip


def test_quoted_cells_with_another_separator(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('"id";"text"\n"a";"one cat"\n')
    assert "; give separator ';', since it seems to separate the cells" in error_in(path)
    assert [one.text for one in read(path, separator=";")] == ["one cat"]


def test_a_zip_of_several_files_is_refused_as_that(tmp_path):
    path = tmp_path / "posts.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "text\na\n")
        archive.writestr("b.csv", "text\nb\n")
    with pytest.raises(UserError, match=r"posts\.zip: the zip file holds 2 files, not one; unpack it"):
        read(path)
