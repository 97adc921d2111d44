"""Words found by their spelling: against a dictionary, whatever the script, and with crowded slots."""

import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stickbreaker import Vocabulary
from stickbreaker.kernels.string_hash import fill_slots, find_words

pytestmark = [pytest.mark.kernels, pytest.mark.filterwarnings("ignore:overflow encountered")]

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


@settings(deadline=None)
@given(known=st.lists(words, min_size=1, max_size=40, unique=True), wanted=st.lists(words, max_size=40))
def test_an_arrow_array_is_looked_up_as_a_list_is(known, wanted):
    vocabulary = Vocabulary.of(known)
    wanted = [*wanted, *known[::2]]
    array = pa.array(["before", *wanted, "after"], pa.string())
    assert vocabulary.lookup(array[1:-1]).tolist() == vocabulary.lookup(wanted).tolist()
    assert vocabulary.lookup(array[1:-1]).dtype == np.int32


def test_words_that_share_a_slot_are_told_apart():
    known = [f"w{number}" for number in range(15)]
    offsets = np.concatenate([[0], np.cumsum([len(word) for word in known])])
    content = np.frombuffer("".join(known).encode(), np.uint8)
    slots = np.full(16, -1, np.int32)  # one is free
    fill_slots(content, offsets, slots)
    assert sorted(slots.tolist()) == [-1, *range(15)]
    found = np.zeros(3, np.int32)
    find_words(content, offsets, slots, np.frombuffer(b"w14w1x", np.uint8), np.array([0, 3, 5, 6]), found)
    assert found.tolist() == [14, 1, -1]


def test_words_without_utf8_and_empty_vocabularies_do_no_harm():
    assert Vocabulary.of(["a\ud800", "b"]).lookup(pa.array(["b", "a"])).tolist() == [1, -1]
    assert Vocabulary.of([]).lookup(pa.array(["b"])).tolist() == [-1]
    assert Vocabulary.of(["b"]).lookup(pa.array([], pa.string())).tolist() == []
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        assert Vocabulary.of(["", "b"]).lookup(pa.array(["b", None, ""], kind)).tolist() == [1, -1, 0]


def test_counts_change_and_tables_are_left_behind():
    """Of other counts the same words are found by the same table; none is sent to other processes."""
    vocabulary = Vocabulary.of(["a", "b"])
    found = vocabulary.lookup(pa.array(["b"]))
    other = vocabulary.counted(np.array([1, 2]), np.array([3.0, 4.0]))
    assert other.slots is vocabulary.slots
    assert other.tokens.tolist() == [3.0, 4.0]
    sent = pickle.loads(pickle.dumps(vocabulary))
    assert "slots" not in vars(sent)
    assert sent.words == vocabulary.words
    assert sent.lookup(pa.array(["b"])).tolist() == found.tolist() == [1]
