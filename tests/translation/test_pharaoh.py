"""Links in files: what was written is read, and what is wrong is refused by line."""

import gzip

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stickbreaker.core.errors import UserError
from stickbreaker.translation.alignment.aligned_words import as_lists, links_of
from stickbreaker.translation.alignment.pharaoh import read_pharaoh, write_pharaoh

LINKS = st.lists(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 7)), max_size=9), max_size=5)


@given(pairs=LINKS, ending=st.sampled_from(["links", "links.gz"]))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_round_trip(tmp_path, pairs, ending):
    links = links_of(pairs)
    write_pharaoh(links, tmp_path / ending, overwrite=True)
    sizes = np.full(len(pairs), 6), np.full(len(pairs), 8)
    found = read_pharaoh(str(tmp_path / ending), *sizes)
    for one, other in zip(found, links, strict=True):
        assert one.tolist() == other.tolist()
        assert one.dtype == other.dtype


def test_files_of_others(tmp_path):
    """Links in any order, repeated, lines that end in CR LF, gzip."""
    path = tmp_path / "forward.align"
    path.write_bytes(gzip.compress(b"2-1 0-0 0-0\r\n\r\n0-0\n"))
    links = read_pharaoh(str(path), np.array([3, 1, 1]), np.array([2, 1, 1]))
    assert as_lists(links) == [[(0, 0), (2, 1)], [], [(0, 0)]]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("0-0\n0:1\n", 2, "'0:1' is not a link"),
        ("0-0\n1\n", 2, "'1' is not a link"),
        ("0--1\n\n", 1, "'0--1' is not a link"),
        ("0-0\n²-0\n", 2, "'²-0' is not a link"),
        ("0-0\n0-0 2-0\n", 2, "the link 2-0 is beyond the source sentence, which has 2 words"),
        ("0-1\n\n", 1, "the link 0-1 is beyond the target sentence, which has 1 word"),
        ("0-0\n\n\n", 3, "has more lines than there are sentence pairs (2)"),
        ("0-0\n", None, "has 1 line for 2 sentence pairs"),
        ("", None, "has 0 lines for 2 sentence pairs"),
    ],
)
def test_what_is_wrong_is_refused(tmp_path, text, line, problem):
    path = tmp_path / "links"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read_pharaoh(str(path), np.array([2, 2]), np.array([1, 3]))
    assert (caught.value.line, caught.value.problem) == (line, problem)
    assert caught.value.where == str(path)
    assert caught.value.remedy


def test_a_file_is_not_replaced_unasked(tmp_path):
    path = tmp_path / "links"
    path.write_text("mine")
    with pytest.raises(UserError, match="already exists"):
        write_pharaoh(links_of([[(0, 0)]]), path)
    assert path.read_text() == "mine"
