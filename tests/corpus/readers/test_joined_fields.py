"""Texts put together of several fields, other separators, and fields that a model remembers."""

import dataclasses
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus, ReadingOptions

JOINED = ReadingOptions(text_field="title+text")
RECORDS = [
    {"id": "a", "title": "Red sun", "text": "Blue sea."},
    {"id": "b", "title": None, "text": "Green"},
    {"id": "c", "title": "Only title", "text": "  "},
]


def texts_in(corpus: Corpus) -> list[str | None]:
    return [document.text for document in corpus.documents(0)]


EXPECTED = ["Red sun\n\nBlue sea.", "Green", "Only title"]


def test_json_lines(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in [*RECORDS, {"id": "d", "text": "no title"}]))
    corpus = Corpus.build(file, reading=JOINED)
    assert texts_in(corpus) == [*EXPECTED, "no title"]
    assert [one.metadata.get("title") for one in corpus.documents(0)] == ["Red sun", None, "Only title", None]
    assert corpus.sequences(0).starts.tolist() == [0, 2, 4, 5, 7]
    with pytest.raises(UserError, match="no document has the field 'titel'; check text_field"):
        Corpus.build(file, reading=ReadingOptions(text_field="titel+text"))
    with pytest.raises(UserError, match="no field 'x\\+y'"):
        Corpus.build(file, reading=ReadingOptions(text_field="x+y"))
    with pytest.raises(UserError, match="lacks a name"):
        Corpus.build(file, reading=ReadingOptions(text_field="title+"))
    file.write_text('{"title": 3, "text": "a"}\n')
    with pytest.raises(UserError, match="the field 'title' is not a string"):
        Corpus.build(file, reading=JOINED)
    file.write_text('{"title+text": "one field of that name"}\n')
    assert texts_in(Corpus.build(file, reading=JOINED)) == ["one field of that name"]


def test_tables(tmp_path):
    table = pa.Table.from_pylist(RECORDS)
    pq.write_table(table, tmp_path / "a.parquet")
    (tmp_path / "a.csv").write_text('id,title,text\na,Red sun,Blue sea.\nb,,Green\nc,Only title,"  "\n')
    for name in ("a.parquet", "a.csv"):
        assert texts_in(Corpus.build(tmp_path / name, reading=JOINED)) == EXPECTED
    assert texts_in(Corpus.from_frame(table, text_field="title+text")) == EXPECTED
    wrong = ReadingOptions(text_field="titel+text")
    for name in ("a.parquet", "a.csv"):
        with pytest.raises(UserError, match="no column 'titel' \\(columns: id, title, text\\)"):
            Corpus.build(tmp_path / name, reading=wrong)


def test_each_language_may_be_put_together(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps({"te": "Sun", "en": "sea", "de": "Meer"}) + "\n")
    corpus = Corpus.build(file, reading=ReadingOptions(text_field="en=te+en,de=de"))
    assert texts_in(corpus) == ["Meer\n\nSun\n\nsea"]


def test_another_separator(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text('id;text\na;"red; sun"\nb;blue, sea\n')
    with pytest.raises(UserError, match="give separator ';'"):
        Corpus.build(file)
    corpus = Corpus.build(file, reading=ReadingOptions(separator=";"))
    assert texts_in(corpus) == ["red; sun", "blue, sea"]
    for wrong in ("", ";;", '"', "\n"):
        with pytest.raises(UserError, match="give one character"):
            ReadingOptions(separator=wrong)


def test_the_field_is_remembered(tmp_path):
    words = "1\tmice\tmouse\tNOUN\t_\t_\t0\troot\t_\t_\n2\tran\trun\tVERB\t_\t_\t1\tx\t_\t_\n\n"
    file = tmp_path / "a.conllu"
    file.write_text(words)
    learned = Corpus.build(file, tmp_path / "c", reading=ReadingOptions(text_field="lemma"))
    analysis = learned.analysis
    assert isinstance(analysis, Analysis)
    assert analysis.text_field == "lemma"
    scored = Corpus.build(file, analysis=analysis, vocabulary=learned.vocabulary)
    assert scored.n_tokens == 2.0
    other = tmp_path / "b.jsonl"
    other.write_text('{"text": "mice ran"}\n')
    with pytest.raises(UserError, match="no field 'lemma' \\(fields: text\\); name the field"):
        Corpus.build(other, analysis=analysis, vocabulary=learned.vocabulary)
    text = tmp_path / "c.txt"
    text.write_text("mice ran\n")
    for inputs in ([text], [file, text]):
        with pytest.raises(UserError, match=r"no field 'lemma', which the model learned from; .*text_field"):
            Corpus.build(inputs, analysis=analysis, vocabulary=learned.vocabulary)
    as_it_stands = dataclasses.replace(analysis, text_field="text")
    assert Corpus.build(text, analysis=as_it_stands, vocabulary=learned.vocabulary).n_tokens == 0.0
    plain = Corpus.build(file, reading=ReadingOptions(text_field="form")).analysis
    assert isinstance(plain, Analysis)
    assert "text_field" not in plain.to_dict()
