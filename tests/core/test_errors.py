"""Messages of errors: what they repeat, and how much of it."""

import pytest

from stickbreaker.core.errors import UserError, shortened, shortened_path, shown


def test_messages_repeat_at_most_300_characters_of_a_piece():
    path = "/far" * 1_000 + "/away.jsonl"
    error = UserError("the id " + "x" * 10**6 + " is bad", where=path, line=3, remedy="y" * 10**6 + " ends")
    place, _, rest = str(error).partition(":3: ")
    problem, remedy = rest.split("; ")
    assert [len(piece) for piece in (place, problem, remedy)] == [300, 300, 300]
    assert place.startswith("…")
    assert place.endswith("/away.jsonl")
    assert problem.startswith("the id xxx")
    assert problem.endswith("xxx is bad")
    assert remedy.endswith(" ends")
    assert (len(error.problem), error.where, error.line, len(error.remedy)) == (1_000_014, path, 3, 1_000_005)


def test_short_messages_are_whole():
    problem, path = "p" * 300, "w" * 300
    assert str(UserError(problem, where=path)) == f"{path}: {problem}"
    assert UserError("it", where=3).where == 3


@pytest.mark.parametrize("length", [0, 1, 8, 9, 10, 11, 1_000])
def test_lengths(length):
    text = "abc" * length
    for cut in (shortened(text, 9), shortened_path(text, 9)):
        assert len(cut) == min(len(text), 9)
    assert len(shown(text, 9)) == min(len(text), 10) + 2
