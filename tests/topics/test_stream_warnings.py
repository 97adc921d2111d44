"""Warnings of streams: once each, of what their order does to topics, and none of a stream that is mixed."""

import numpy as np
import pytest

from stickbreaker import HDP, LDA, Online
from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import refuse_other_kinds
from stickbreaker.learning.trace import line_of, record_of
from stickbreaker.topics.runs.stream_warnings import (
    TEXTS,
    is_warning,
    large_minibatches,
    warning_text,
    warnings_of,
)
from stickbreaker.topics.trace_fields import TRACE_FIELDS

KINDS, OWN = 6, 12


def sorted_by_kind(n):
    """Documents of words of their own kind, one kind after the other."""
    draw = np.random.default_rng(0)
    return [[f"kind{KINDS * d // n}w{word}" for word in draw.integers(OWN, size=20)] for d in range(n)]


def learned(documents, **more):
    given = {"words": "open", "schedule": Online(30, tau0=1.0), "random_state": 1, "n_jobs": 1, **more}
    model = LDA(12, alpha=1 / 12, **given)
    for start in range(0, len(documents), 30):
        model.partial_fit(documents[start : start + 30])
    return [warning["about"] for record in model.trace_ for warning in record.get("warnings", ())]


def test_a_stream_in_order_is_warned_of_once_and_a_mixed_one_is_not():
    documents = sorted_by_kind(900)
    with pytest.warns(UserWarning, match="mix the order of the documents"):
        found = learned(documents)
    assert "giant" in found
    assert len(found) == len(set(found))
    mixed = [documents[place] for place in np.random.default_rng(1).permutation(len(documents))]
    assert learned(mixed) == []


def test_bounds_of_the_shares():
    def about(totals, step=10, **more):
        given = {"grows": False, "before": (), **more}
        return [each["about"] for each in warnings_of(np.array(totals, float), step, **given)]

    assert about([34, *[11] * 6]) == ["giant"]
    assert about([33, *[11] * 6]) == []
    assert about([34, *[11] * 6], step=9) == []
    assert about([34, *[11] * 6], before=("giant",)) == []
    assert about([60, 40]) == about([60, 20, 20]) == []  # of few topics one may be large
    assert about([70, 20, 10]) == ["giant"]
    assert about([*[20] * 4, *[0.5] * 4]) == []
    assert about([*[20] * 4, *[0.5] * 5]) == ["starved"]
    assert about([*[20] * 4, *[0.5] * 5], grows=True) == []
    assert about([0, 0]) == []


def test_minibatches_of_a_tenth_are_not_too_large():
    assert large_minibatches(10, 100) == []
    assert large_minibatches(11, 100) == [{"about": "batch size", "share": 0.11}]
    assert large_minibatches(500, 100)[0]["share"] == 1.0


def test_every_warning_has_a_line_with_a_remedy():
    for about in TEXTS:
        line = warning_text({"about": about, "share": 0.5})
        assert "50%" in line
        assert ": " in line
        assert "\n" not in line
        assert is_warning({"about": about, "share": 0.5})
    for wrong in (
        {},
        {"about": "other", "share": 0.5},
        {"about": "giant"},
        {"about": "giant", "share": "x"},
        3,
    ):
        assert not is_warning(wrong)


def test_topics_of_an_hdp_that_nothing_needs_are_no_fault():
    model = HDP(12, words="open", schedule=Online(30, tau0=1.0), random_state=1, n_jobs=1)
    documents = sorted_by_kind(900)
    for place in range(0, 900, 30):
        model.partial_fit(documents[place % 900 :: 30][:30])
    assert "starved" not in [w["about"] for record in model.trace_ for w in record.get("warnings", ())]


def read(record):
    """A record that was written as a line, read as a topic model's."""
    found = record_of(line_of(record).encode())
    refuse_other_kinds(found, TRACE_FIELDS, needed=False)
    return found


@pytest.mark.parametrize(
    "wrong",
    [
        {"prequential": {"score": -7.0, "unigram": -8.0, "tokens": 9.0, "documents": 3}},
        {
            "prequential": {
                "score": "-7",
                "unigram": -8.0,
                "tokens": 9.0,
                "unseen": 0.0,
                "documents": 3,
                "fading": 0.9,
            }
        },
        {
            "prequential": {
                "score": -7.0,
                "unigram": -8.0,
                "tokens": -9.0,
                "unseen": 0.0,
                "documents": 3,
                "fading": 0.9,
            }
        },
        {"prequential": [-7.0]},
        {"warnings": [{"about": "another", "share": 0.5}]},
        {"warnings": {"about": "giant", "share": 0.5}},
    ],
)
def test_lines_of_a_trace_that_make_no_sense_are_refused(wrong):
    scores = {"score": -7.0, "unigram": -8.0, "tokens": 9.0, "unseen": 0.0, "documents": 3, "fading": 0.9}
    right = {"step": 1, "prequential": scores, "warnings": [{"about": "giant", "share": 0.5}]}
    assert read(right) == right
    with pytest.raises(ValueError, match=next(iter(wrong))):
        read({**right, **wrong})


def test_a_model_whose_trace_makes_no_sense_is_refused(tmp_path):
    model = LDA(2, max_iter=2, tol=0.0, random_state=0).fit(["a river bank", "bank money"])
    model.trace_[0]["topics"] = "two"
    model.save(tmp_path / "model")
    with pytest.raises(UserError, match="topics is two"):
        LDA.load(tmp_path / "model")
