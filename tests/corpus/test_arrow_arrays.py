"""Arrow arrays that are made without pandas are those that PyArrow makes."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker.corpus.arrow_arrays import arrow_numbers, arrow_strings, numbers_in

STRINGS = st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=4))
KINDS = st.sampled_from([np.int32, np.int64, np.float64])


@given(STRINGS)
def test_strings(texts):
    found = arrow_strings(texts)
    found.validate(full=True)
    assert found.equals(pa.array(texts, pa.string()))


@given(st.lists(st.integers(-9, 9)), KINDS, st.integers(0, 3))
def test_numbers_there_and_back(values, kind, start):
    array = np.array(values, kind)
    found = arrow_numbers(array)
    found.validate(full=True)
    assert found.equals(pa.array(array))
    back = numbers_in(found[start:])
    assert back.dtype == kind
    assert back.tolist() == values[start:]


def test_missing_numbers_are_refused():
    with pytest.raises(ValueError, match="missing"):
        numbers_in(pa.array([1, None], pa.int32()))


def test_a_corpus_is_built_without_pandas(tmp_path):
    (tmp_path / "a.txt").write_text("One cat. Two cats.")
    code = (
        "import sys; from stickbreaker.corpus import Corpus; "
        f"Corpus.build({str(tmp_path / 'a.txt')!r}, {str(tmp_path / 'out')!r}); "
        "print('pandas' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"
