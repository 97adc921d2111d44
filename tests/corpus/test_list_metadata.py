"""Metadata with several values: kept, and counted in each of them."""

import json

import pyarrow as pa
import pyarrow.parquet as pq

from stickbreaker.corpus import Corpus
from stickbreaker.topics.report.dates_and_groups import breakdowns_of, sums_of
from stickbreaker.topics.report.document_entries import DocumentEntry


def test_lists_of_strings_are_kept(tmp_path):
    records = [{"text": "cat", "topics": ["grain", "wheat"], "n": [1], "o": {"a": "b"}, "none": []}]
    (tmp_path / "a.jsonl").write_text(json.dumps(records[0]) + "\n")
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "a.parquet")
    read = Corpus.build(tmp_path / "a.jsonl", tmp_path / "out")
    assert read.documents(0)[0].metadata == {"topics": ["grain", "wheat"], "none": []}
    assert read.metadata_fields == ("topics", "none")
    table = Corpus.build(tmp_path / "a.parquet")
    assert table.documents(0)[0].metadata == {"topics": ["grain", "wheat"]}
    assert Corpus.from_frame(pa.Table.from_pylist(records)).metadata_fields == ("topics",)
    assert Corpus.from_texts(["cat"], metadata=[{"a": ["b"]}]).documents(0)[0].metadata == {"a": ["b"]}


def test_a_document_is_in_the_group_of_each_of_its_values():
    values = [["grain", "wheat", "grain"], ["grain"], [], None, "wheat"]
    documents = [
        DocumentEntry(str(i), str(i), "", [(i % 2, 1.0)], 10, {"topics": value})
        for i, value in enumerate(values)
    ]
    (found,) = breakdowns_of(sums_of(documents, 2), "topics")
    assert dict(zip(found.names, found.documents, strict=True)) == {"grain": 2, "wheat": 2}
    assert found.left_out == 2
    assert dict(zip(found.names, found.shares, strict=True)) == {"grain": [0.5, 0.5], "wheat": [1.0, 0.0]}
