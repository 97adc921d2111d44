"""Fading counts against plain sums, what a checkpoint keeps of them, and their bound of memory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker.learning import fading_counts
from stickbreaker.learning.fading_counts import FADING, FadingCounts

WORDS = st.text(min_size=1, max_size=4)
STEPS = st.lists(st.dictionaries(WORDS, st.integers(1, 9), max_size=6), max_size=8)


def counted(steps):
    fading = FadingCounts()
    for step in steps:
        fading.add(list(step), np.array(list(step.values()), float))
    return fading


@given(STEPS)
def test_counts_are_plain_sums_and_checkpoints_keep_them(steps):
    fading = counted(steps)
    words = sorted({word for step in steps for word in step})
    expected = [
        [
            sum(step.get(word, 0) * rate ** (len(steps) - 1 - at) for at, step in enumerate(steps))
            for rate in FADING
        ]
        for word in words
    ]
    for found in (fading, FadingCounts.from_arrays(fading.to_arrays()), fading.copy()):
        np.testing.assert_allclose(found.of(words), np.reshape(expected, (-1, len(FADING))), rtol=1e-12)
        np.testing.assert_allclose(found.totals(), np.sum(expected, axis=0) if words else 0.0, rtol=1e-12)
        assert list(found.words) == list(fading.words)


def test_a_copy_changes_by_itself():
    fading = counted([{"bank": 2}])
    fading.copy().add(["bank", "loan"], np.array([1.0, 1.0]))
    assert fading.of(["bank", "loan"])[:, -1].tolist() == [2.0, 0.0]


def test_the_rarest_words_leave_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr(fading_counts, "MOST_WORDS", 4)
    fading = counted([{"a": 9, "b": 1, "c": 2, "d": 1}, {"e": 5}])
    assert list(fading.words) == ["a", "e"]
    assert fading.of(["a", "e", "b"])[:, -1].tolist() == [9.0, 5.0, 0.0]


def test_totals_by_language():
    fading = counted([{"de:haus": 2, "en:house": 3, "en:home": 1}])
    assert fading.totals(("de", "en"))[:, -1].tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    "change",
    [
        {"counts": np.zeros((1, 5))},
        {"counts": np.full((2, 5), -1.0)},
        {"counts": np.full((2, 5), np.nan)},
        {"nats": np.zeros(4)},
        {"nats": np.full(5, np.nan)},
        {"letters": np.frombuffer(b"aa", np.uint8)},
        {"letters": np.frombuffer(b"a\xff", np.uint8)},
        {"lengths": np.array([2])},
        {"lengths": np.array([1, 2])},
        {"lengths": np.array([2, 0])},
    ],
)
def test_arrays_that_make_no_sense_are_refused(change):
    arrays = counted([{"a": 1, "b": 2}]).to_arrays()
    assert FadingCounts.from_arrays({}) is None
    with pytest.raises(ValueError):
        FadingCounts.from_arrays({**arrays, **{f"fading/{name}": values for name, values in change.items()}})
