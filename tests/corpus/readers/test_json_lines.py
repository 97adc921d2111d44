"""JSON Lines: fields that occur twice, and those that cannot be metadata, are said."""

import pytest

from stickbreaker.corpus import Corpus
from stickbreaker.corpus.readers.problems import ReadingWarning


def test_fields_that_occur_twice_and_objects_are_told(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"text": "one cat", "n": 1, "n": 2, "user": {"id": 1, "id": 2}}\n{"text": "two dogs", "n": 3}\n'
    )
    with pytest.warns(ReadingWarning) as caught:
        corpus = Corpus.build(path)
    assert [one.metadata for one in corpus.documents(0)] == [{"n": 2}, {"n": 3}]
    assert sorted(str(one.message) for one in caught) == [
        "fields that a JSON object has twice, of which the last was read: id (1), n (1)",
        "left out the field user, since metadata are text, numbers, truth values, dates and lists of strings",
    ]
