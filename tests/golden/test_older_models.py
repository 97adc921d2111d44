"""What older versions wrote is loaded, and their runs go on, with the numbers that they gave."""

import json

import numpy as np
import pytest
from tests.golden.older_models import OLDER, file_name, summary_of, unpack
from tests.golden.runs import RUNS

from stickbreaker.estimators import fitting
from stickbreaker.saved import ModelDirectory

EXPECTED = {
    (folder.name, run): expected
    for folder in sorted(OLDER.iterdir())
    for run, expected in json.loads((folder / "expected.json").read_text("utf-8")).items()
}


@pytest.mark.parametrize(("version", "run"), EXPECTED)
def test_what_older_versions_wrote(version, run, tmp_path):
    expected = EXPECTED[version, run]
    path = unpack(OLDER / version / file_name(run), tmp_path / "model")
    if expected["status"] == "running":
        begun = type(RUNS[run][1]()).load(path)
        assert len(begun.trace_) == ModelDirectory(path).manifest()["run"]["step"]
        assert begun.topic_word_.sum(axis=1) == pytest.approx(1.0 - begun.rest_)
        fitting.resume(path, every=60, threads=2)
    found = summary_of(run, path)
    assert found["steps"] == expected["steps"]
    model = type(RUNS[run][1]()).load(path)
    for topic, (now, then) in enumerate(zip(found["words"], expected["words"], strict=True)):
        here, there = (probabilities_of(model, topic, words) for words in (now, then))
        assert here == pytest.approx(there, rel=1e-4), "the same words, but for ties"
    assert found["score"] == pytest.approx(expected["score"], rel=1e-6)
    np.testing.assert_allclose(found["shares"], expected["shares"], atol=1e-4)


def probabilities_of(model, topic, words):
    """Of a topic's leading words, in one language or several."""
    every = [word for own in words.values() for word in own] if isinstance(words, dict) else words
    rows = model.vocabulary_.lookup(every)
    assert (rows >= 0).all()
    return model.topic_word_[topic, rows].tolist()
