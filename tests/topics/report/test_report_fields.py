"""Dates as people write them, bins of time, and groups found among metadata fields."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.text.dates import MOST_BINS, bins_of, date_of, span_of
from stickbreaker.topics.report.dates_and_groups import (
    MOST_GROUPS,
    breakdowns_of,
    in_order,
    sums_of,
    times_of,
)
from stickbreaker.topics.report.document_entries import DocumentEntry

DATES = st.dates(min_value=date(1000, 1, 1), max_value=date(2199, 12, 31))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1988, date(1988, 1, 1)),
        (1988.0, date(1988, 1, 1)),
        ("1988", date(1988, 1, 1)),
        ("1988-02", date(1988, 2, 1)),
        ("1988-02-12", date(1988, 2, 12)),
        ("1988/2/12", date(1988, 2, 12)),
        ("1993-03-01T12:08:28Z", date(1993, 3, 1)),
        ("27,May,2004", date(2004, 5, 27)),
        ("Mon, 27 May 2004 10:11:12 +0000", date(2004, 5, 27)),
        ("May 27, 2004", date(2004, 5, 27)),
        ("September 2004", date(2004, 9, 1)),
        ("3.10.1990", date(1990, 10, 3)),
        ("5/6/2004", None),
        ("1990-02-30", None),
        ("27,Mai 2004 foo", None),
        ("2015Q2", date(2015, 4, 1)),
        ("1100 Main Street", None),
        ("0027", None),
        (12, None),
        (1990.5, None),
        (True, None),
        (None, None),
        ("", None),
        ("19881201", None),
        ("9999-12-31", None),
        ("2004 was a year in which a great many things came to pass", None),
    ],
)
def test_dates(value, expected) -> None:
    assert date_of(value) == expected


@given(st.one_of(st.text(max_size=60), st.integers(), st.floats(allow_nan=False, allow_infinity=False)))
def test_any_value_is_a_date_or_none(value) -> None:
    found = date_of(value)
    assert found is None or found.year >= 1000


@given(DATES)
def test_iso_dates_are_read_back(day: date) -> None:
    assert date_of(day.isoformat()) == day
    assert date_of(f"{day.day} {day:%b} {day.year}") == day


@given(st.lists(DATES, min_size=1, max_size=80))
def test_bins_hold_every_date_in_order(days: list[date]) -> None:
    names, places = bins_of(days)
    assert len(set(names)) == len(names) <= MOST_BINS
    assert all(0 <= place < len(names) for place in places)
    ordered = [place for _, place in sorted(zip(days, places, strict=True))]
    assert ordered == sorted(ordered)
    assert {0, len(names) - 1} <= set(places)


@pytest.mark.parametrize(
    ("step", "n", "first", "count"),
    [
        (timedelta(hours=6), 120, "1990-01-01", 30),
        (timedelta(days=2), 120, "1990-01-01", 35),
        (timedelta(days=10), 120, "1990-01", 40),
        (timedelta(days=30), 120, "1990 Q1", 40),
        (timedelta(days=120), 120, "1990", 40),
        (timedelta(days=1000), 120, "1990s", 33),
    ],
)
def test_bins_are_as_long_as_the_span_needs(step: timedelta, n: int, first: str, count: int) -> None:
    names, _ = bins_of([date(1990, 1, 1) + i * step for i in range(n)])
    assert names[0] == first
    assert len(names) == count


def test_a_few_dates_far_from_all_others_are_left_out() -> None:
    days = [date(2004, 1, 1 + i % 28) for i in range(280)]
    assert span_of([date(1970, 1, 1), *days]) == (date(2004, 1, 1), date(2004, 1, 28))
    assert span_of([date(1970, 1, 1)] * 20 + days) == (date(1970, 1, 1), date(2004, 1, 28))


def entry(i: int, mix: list[tuple[int, float]], n_tokens: int, **metadata) -> DocumentEntry:
    return DocumentEntry(str(i), str(i), "", mix, n_tokens, metadata)


def test_shares_of_times_weigh_documents_by_their_words() -> None:
    years = [1990, 1990, 1991, 1992, "unknown"]
    mixes = [[(0, 1.0)], [(1, 0.5), (0, 0.25)], [(1, 1.0)], [(0, 0.5)], [(0, 1.0)]]
    documents = [entry(i, mixes[i], [10, 30, 5, 8, 9][i], year=years[i]) for i in range(5)] * 3
    times = times_of(sums_of(documents, 2), "year")
    assert times is not None
    assert (times.field, list(times.names), list(times.documents)) == (
        "year",
        ["1990", "1991", "1992"],
        [6, 3, 3],
    )
    assert times.left_out == 3
    np.testing.assert_allclose(times.shares, [[17.5 / 40, 15 / 40], [0.0, 1.0], [0.5, 0.0]])


def test_the_field_of_dates_is_found_by_its_name_first() -> None:
    documents = [entry(i, [], 5, size=1900 + i % 7, Year=1990 + i % 5) for i in range(60)]
    times = times_of(sums_of(documents, 1))
    assert times is not None
    assert times.field == "Year"
    assert times_of(sums_of([entry(i, [], 5, size=i % 7) for i in range(60)], 1)) is None
    assert times_of(sums_of([], 1)) is None


def test_only_fields_with_names_of_dates_are_times_unless_named() -> None:
    documents = [
        entry(i, [], 5, price=1000 + i % 9, address=f"{1100 + i % 9} Main Street", n=1990 + i % 5)
        for i in range(60)
    ]
    sums = sums_of(documents, 1)
    assert times_of(sums) is None
    named = times_of(sums, "n")
    assert named is not None
    assert list(named.names) == ["1990", "1991", "1992", "1993", "1994"]
    with pytest.raises(UserError, match="'address' has too few dates"):
        times_of(sums, "address")


@pytest.mark.parametrize(
    ("form", "names"),
    [
        ("201{}-Q1", ["2010", "2011", "2012", "2013", "2014"]),
        ("Q{0} 2015", ["2015 Q1", "2015 Q2", "2015 Q3"]),
        ("2015-W1{}", ["2015-03-02", "2015-03-09", "2015-03-16", "2015-03-23", "2015-03-30"]),
        ("2015-00{}", ["2015-01-01", "2015-01-02", "2015-01-03"]),
    ],
)
def test_times_of_quarters_weeks_and_days_of_the_year(form: str, names: list[str]) -> None:
    first, number = (1, 3) if len(names) == 3 else (0, 5)
    documents = [entry(i, [], 5, published_at=form.format(first + i % number)) for i in range(60)]
    times = times_of(sums_of(documents, 1))
    assert times is not None
    assert times.field == "published_at"
    assert list(times.names) == names


def test_fields_with_few_values_make_groups() -> None:
    documents = [
        entry(i, [(i % 2, 1.0)], 10, label="ab"[i % 2], author=str(i), constant="c", year=1990 + i % 4)
        for i in range(40)
    ]
    groups = breakdowns_of(sums_of(documents, 2), dated="year")
    assert [(group.field, list(group.names)) for group in groups] == [("label", ["a", "b"])]
    np.testing.assert_allclose(groups[0].shares, np.eye(2))
    (asked,) = breakdowns_of(sums_of(documents, 2), wanted="author")
    assert len(asked.names) == MOST_GROUPS
    assert sum(asked.documents) == 40
    assert asked.documents[-1] == 40 - MOST_GROUPS + 1


def test_a_field_that_is_not_there_is_told_with_those_that_are() -> None:
    documents = [entry(0, [], 1, year=1990), entry(1, [], 1, label="a")]
    with pytest.raises(UserError, match="'datum'; the model's documents have: year, label"):
        times_of(sums_of(documents, 1), "datum")
    with pytest.raises(UserError, match="'colour'"):
        breakdowns_of(sums_of(documents, 1), "colour")
    with pytest.raises(UserError, match="too few dates"):
        times_of(sums_of(documents, 1), "label")


@pytest.mark.parametrize(
    "ordered",
    [
        ["-3", "2", "9.5", "10"],
        ["1989", "1990", "2001"],
        ["1989-12", "1990-05-02", "May 2001"],
        ["April", "Ward 2", "ward 10", "Ward 11"],
        ["10s", "20s", "100s"],
        ["1990", "unknown"],
    ],
)
def test_groups_stand_in_the_order_in_which_they_are_looked_for(ordered) -> None:
    assert in_order(ordered[::-1]) == in_order(ordered) == ordered


@given(st.lists(st.text(max_size=6) | st.integers().map(str), unique=True, max_size=8))
def test_any_values_have_one_order(values) -> None:
    assert in_order(values) == in_order(values[::-1])
    assert sorted(in_order(values)) == sorted(values)


def test_the_most_frequent_groups_are_shown_in_order_and_the_others_last() -> None:
    n = MOST_GROUPS + 5
    documents = [
        entry(100 * age + i, [(age % 2, 1.0)], 10, age=age)
        for age in range(1, n + 1)
        for i in range(5 + (age > 5))
    ]
    (group,) = breakdowns_of(sums_of(documents, 2), wanted="age")
    assert group.names[-1] == "all others"
    numbers = [int(name) for name in group.names[:-1]]
    assert numbers == sorted(numbers)
    assert sum(group.documents) == len(documents)
    assert group.documents[:-1] == [6] * (MOST_GROUPS - 1)
    for name, shares in zip(group.names[:-1], group.shares, strict=False):
        assert shares[int(name) % 2] == pytest.approx(1.0)
