"""Dates as people write them, and the bins of time that a chart has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from stickbreaker.corpus.document import Scalar

MOST_BINS = 48
_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: number for number, name in enumerate(_NAMES, start=1)}
_ISO = re.compile(r"(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?(?![\d])")
_DAY_FIRST = re.compile(r"(?:[a-z]{3,9},?\s+)?(\d{1,2})[\s,.-]+([a-z]{3,9})[\s,.-]+(\d{4})(?!\d)", re.I)
_MONTH_FIRST = re.compile(r"([a-z]{3,9})\.?\s+(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})(?!\d)", re.I)
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)")


def date_of(value: Scalar) -> date | None:
    """The date that a metadata value tells: a year, ISO 8601, 27 May 2004, May 27, 2004 or 27.5.2004.

    What lacks a month or day is the first one. 5/6/2004 is two different days to two different readers, and
    so none; years after 2199 stand for none as well.

    >>> date_of("1988-02-12T10:00:00Z"), date_of("27,May,2004"), date_of(1988), date_of("5/6/2004")
    (datetime.date(1988, 2, 12), datetime.date(2004, 5, 27), datetime.date(1988, 1, 1), None)
    """
    if isinstance(value, bool | list) or value is None:
        return None
    if isinstance(value, float) and not value.is_integer():
        return None
    text = str(int(value)) if isinstance(value, int | float) else value.strip()
    for pattern, order in ((_ISO, "ymd"), (_DOTTED, "dmy"), (_DAY_FIRST, "dmy"), (_MONTH_FIRST, "mdy")):
        found = pattern.match(text)
        if found and (order != "ymd" or len(text) < 40):
            return _made({letter: found[i + 1] for i, letter in enumerate(order)})
    return None


def _made(parts: dict[str, str | None]) -> date | None:
    month = parts["m"] or "1"
    number = int(month) if month.isdecimal() else _MONTHS.get(month[:3].lower(), 0)
    year = int(parts["y"] or 0)
    try:
        return date(year, number, int(parts["d"] or 1)) if 1000 <= year < 2200 else None
    except ValueError:
        return None


def span_of(dates: Sequence[date], counts: Sequence[int] | None = None) -> tuple[date, date]:
    """The first and the last date to draw: all, unless one in a hundred at either end doubles the span.

    `counts`: how often each date stands for; once, if None.

    >>> days = [date(2004, 1, 1 + i % 30) for i in range(300)]
    >>> span_of([date(1970, 1, 1), *days])[0], span_of([date(2003, 12, 20), *days])[0]
    (datetime.date(2004, 1, 1), datetime.date(2003, 12, 20))
    """
    pairs = sorted(zip(dates, counts or [1] * len(dates), strict=True))
    aside = sum(count for _, count in pairs) // 100
    first, last = _after(pairs, aside), _after(pairs[::-1], aside)
    if 2 * (last - first) < pairs[-1][0] - pairs[0][0] and first < last:
        return first, last
    return pairs[0][0], pairs[-1][0]


def _after(pairs: Sequence[tuple[date, int]], aside: int) -> date:
    """The date that is reached after so many, in their order."""
    for day, count in pairs:
        aside -= count
        if aside < 0:
            return day
    return pairs[-1][0]


def bins_of(dates: Sequence[date], counts: Sequence[int] | None = None) -> tuple[list[str], list[int]]:
    """Names of equal bins of time from the first date to the last, and the bin of each date.

    The bins are the shortest of days, weeks, months, quarters, years, decades and centuries of which at most
    `MOST_BINS` cover the dates, and which the dates fill: half of the bins or more, with three dates or more
    each on average. Empty bins in between are kept. `counts` as of `span_of`.

    >>> bins_of([date(1990, 1, 5), date(1990, 1, 7)] * 3)
    (['1990-01-05', '1990-01-06', '1990-01-07'], [0, 2, 0, 2, 0, 2])
    """
    numbers: list[int] = []
    total = sum(counts or [1] * len(dates))
    for number, name in _UNITS:
        numbers = [number(day) for day in dates]
        first, last = min(numbers), max(numbers)
        filled = len(set(numbers))
        if last - first < MOST_BINS and 2 * filled >= last - first + 1 and total >= 3 * filled:
            return [name(i) for i in range(first, last + 1)], [i - first for i in numbers]
    number, name = _UNITS[-1]
    first, last = min(numbers), max(numbers)
    return [name(i) for i in range(first, last + 1)], [i - first for i in numbers]


_UNITS = (
    (lambda d: d.toordinal(), lambda i: date.fromordinal(i).isoformat()),
    (lambda d: (d.toordinal() - 1) // 7, lambda i: date.fromordinal(7 * i + 1).isoformat()),  # from Mondays
    (lambda d: 12 * d.year + d.month - 1, lambda i: f"{i // 12}-{i % 12 + 1:02d}"),
    (lambda d: 4 * d.year + (d.month - 1) // 3, lambda i: f"{i // 4} Q{i % 4 + 1}"),
    (lambda d: d.year, str),
    (lambda d: d.year // 10, lambda i: f"{10 * i}s"),
    (lambda d: d.year // 100, lambda i: f"{100 * i}s"),
)
