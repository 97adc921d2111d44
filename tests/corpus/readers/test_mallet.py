"""MALLET's lines of name, label and text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.corpus.readers.reading import error_in, packings, read, skipping

from stickbreaker.corpus import Corpus, ReadingOptions


def test_names_labels_and_texts(tmp_path):
    content = b"d1 en The cat sat.\r\nd2\tX\t two  dogs \n\nd3, de, ja, ja\nd4 en\nd5\n en a b\n"
    for packing, packed in packings(content).items():
        path = tmp_path / f"a{packing}"
        path.write_bytes(packed)
        found = [(one.id, one.metadata.get("label"), one.text) for one in read(path, format="mallet")]
        assert found == [
            ("d1", "en", "The cat sat."),
            ("d2", "X", "two  dogs "),
            ("d3,", "de,", "ja, ja"),  # a comma that touches a name is a part of it, as in MALLET
            ("d4", "en", ""),
            ("d5", None, ""),
            (f"a{packing}:7", "en", "a b"),
        ]


def test_bad_lines(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"d1 en cat\nd2 en \xff\n")
    assert error_in(path, format="mallet").startswith(":2: byte 0xff at position 7 is not UTF-8")
    assert [one.id for one in skipping(path, format="mallet")[0]] == ["d1"]
    path.write_bytes(b"d1 en cat\nd1 en dog\n")
    with pytest.raises(ValueError, match=r"a.txt:2: the id 'd1' was used before"):
        Corpus.build(path, reading=ReadingOptions("mallet"))


NAMES = st.text(st.characters(categories=["L", "N", "P"], exclude_characters=","), min_size=1, max_size=8)


@given(rows=st.lists(st.tuples(NAMES, NAMES, st.text(max_size=20)), max_size=5))
def test_what_was_written_is_read(tmp_path_factory, rows):
    rows = [(name, label, re.sub(r"[\n\r\0]", " ", text).strip(" \t\f\v,")) for name, label, text in rows]
    path = tmp_path_factory.mktemp("mallet") / "a"
    path.write_text("".join(f"{name}\t{label}\t{text}\n" for name, label, text in rows), newline="")
    found = [(one.id, one.metadata["label"], one.text) for one in read(path, format="mallet")]
    assert found == rows


def test_names_that_repeat_are_numbered_if_asked_for(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("x en one cat\nx de zwei Hunde\n")
    found = read(path, format="mallet", id_field="none")
    assert [(one.id, one.metadata) for one in found] == [
        ("a.tsv:1", {"label": "en", "name": "x"}),
        ("a.tsv:2", {"label": "de", "name": "x"}),
    ]
