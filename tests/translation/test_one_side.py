"""Sentences in one language: lines, and rows with documents."""

import gzip
import json

import pytest

from stickbreaker.core.errors import UserError
from stickbreaker.translation.one_side import read_references, read_source
from stickbreaker.translation.sentence_pairs import BitextFields

FIELDS = BitextFields("de", "en")
ROWS = [
    {"doc": "a", "domain": "money", "de": "Ein Satz.", "en": "A sentence."},
    {"doc": "b", "de": "Zwei", "en": "Two"},
    {"doc": "a", "domain": "money", "de": "Drei\nZeilen", "en": "Three\nlines"},
]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_rows_have_documents_and_domains(tmp_path):
    path = write(tmp_path / "some.jsonl", ROWS)
    text = read_source(path, FIELDS)
    assert text.sentences == ["Ein Satz.", "Zwei", "Drei\nZeilen"]
    assert (text.document_of, text.domains) == ([0, 1, 0], ["money", ""])
    assert text.documents == ["Ein Satz.\nDrei\nZeilen", "Zwei"]
    assert read_references(path, FIELDS) == ["A sentence.", "Two", "Three\nlines"]


def test_fields_may_have_other_names(tmp_path):
    path = write(tmp_path / "some.jsonl", [{"x": "Haus", "y": "house", "page": 3, "kind": "law"}])
    fields = BitextFields("de", "en", "de=x,en=y", "page", "kind")
    text = read_source(path, fields)
    assert (text.sentences, text.domains) == (["Haus"], ["law"])
    assert read_references(path, fields) == ["house"]


@pytest.mark.parametrize("name", ["some.txt", "some", "some.de", "some.txt.gz"])
def test_lines_are_sentences_whether_they_have_words_or_not(tmp_path, name):
    content = b"\xef\xbb\xbfEins\r\n\r\n  \nZwei\n\nDrei"
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    text = read_source(path, BitextFields("de", "en", lines_per_document=4))
    assert [sentence.strip() for sentence in text.sentences] == ["Eins", "", "", "Zwei", "", "Drei"]
    assert (text.document_of, text.domains) == ([0, 0, 0, 0, 1, 1], ["", ""])
    assert read_references(path, FIELDS) == text.sentences


def test_rows_without_a_text_keep_their_place(tmp_path):
    rows = [{"de": "1", "en": ""}, {"de": "", "en": "2"}, {"en": "3"}, {"de": None, "en": "4"}, {"de": "5"}]
    path = write(tmp_path / "some.jsonl", rows)
    assert read_source(path, FIELDS).sentences == ["1", "", "", "", "5"]
    assert read_references(path, FIELDS) == ["", "2", "3", "4", ""]


def test_the_source_alone_is_enough(tmp_path):
    path = write(tmp_path / "some.jsonl", [{"de": "Eins"}, {"de": "Zwei"}])
    assert read_source(path, FIELDS).sentences == ["Eins", "Zwei"]
    table = tmp_path / "some.tsv"
    table.write_text("doc\tde\na\tEins\na\tZwei\n", encoding="utf-8")
    assert read_source(table, FIELDS).document_of == [0, 0]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("some.txt", b"", "holds no sentence; give one sentence per line"),
        ("some.txt", b"Eins\n\xff\xfe\n", "some.txt:2: "),
        ("some.txt", b"\0\n", "some.txt:1: "),
        ("some.jsonl", b"", ""),
        ("some.jsonl", b"{}\n", ""),
        ("some.jsonl", b'{"en": "x"}\n', "no row has a text in de; name the fields like those"),
        ("some.jsonl", b'{"de": 3}\n', ""),
        ("some.jsonl", b"Eins\n", "some.jsonl:1: "),
        ("some.txt.gz", b"Eins\n", "some.txt.gz"),
        ("some.csv", b"text\nEins\n", "de"),
    ],
)
def test_files_that_cannot_be_read_are_named(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError) as caught:
        read_source(tmp_path / name, FIELDS)
    text = str(caught.value)
    assert says in text
    assert str(tmp_path / name) in text
    assert "\n" not in text
    assert "skip" not in text  # there is no such option here
