"""Dates as people write them, and time bins for charts.

All code that reads dates calls `date_of`: either the whole value is a date, or nothing is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cache

from stickbreaker.core.errors import UserError, shown
from stickbreaker.corpus.document import Scalar

MOST_BINS = 48
ISO_DATE = re.compile(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2}([T ][0-9:.,Z+-]*)?)?)?")  # or a prefix of one
FORMS = {"epoch": 1, "epoch-ms": 1000}  # ticks per second since 1970
TWITTER = "%a %b %d %H:%M:%S %z %Y"
DATE_NAMES = (
    *(
        "date",
        "datetime",
        "timestamp",
        "time",
        "year",
        "quarter",
        "month",
        "week",
        "day",
        "published",
        "pubdate",
    ),
    *("created", "posted", "sent", "issued", "updated", "modified"),
)  # the likeliest first
_LAST_WORDS = frozenset({"date", "datetime", "timestamp", "year"})  # release_date, publication_year
_OTHER_WORDS = frozenset({*DATE_NAMES[9:], "date", "time", "at", "on", "utc"})  # created_at, date_published
_NAME_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^A-Za-z_.\s-]+")
_LONGEST = 80  # characters of a date
_LEAST_TICKS = 10_000  # smaller numbers are years
_NUMBER = re.compile(r"[+-]?[0-9]{1,20}(?:\.[0-9]*)?")

_MONTH = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAY = r"(?:(?:mon|tue(?:s)?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?"
_ZONE = r"(?:\s*(?:[A-Z]{2,5}|Z|(?:UTC|GMT)?[+-]\d{2}(?::?\d{2})?))?(?:\s*\([^()]{1,40}\))?"
_CLOCK = r"(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-6]\d(?:[.,]\d+)?)?(?:\s*[ap]\.?m\.?)?"
_TIME = rf"(?:(?:T|,?\s+(?:at\s+)?){_CLOCK}{_ZONE})?"
_WRITTEN = tuple(
    re.compile(pattern, re.IGNORECASE | re.ASCII)
    for pattern in (
        rf"(?P<y>\d{{4}})(?:(?P<s>[-/])(?P<m>\d{{1,2}})(?:(?P=s)(?P<d>\d{{1,2}}){_TIME})?)?",
        r"(?P<y>\d{4})[-\s/]?Q(?P<q>[1-4])",
        r"Q(?P<q>[1-4])[-\s/]?(?P<y>\d{4})",
        r"(?P<y>\d{4})(?P<s>-?)W(?P<w>\d{2})(?:(?P=s)(?P<wd>[1-7]))?",
        r"(?P<y>\d{4})-(?P<yd>\d{3})",
        rf"(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.\s?(?P<y>\d{{4}}){_TIME}",
        rf"{_WEEKDAY}(?P<d>\d{{1,2}})(?:st|nd|rd|th)?[\s,.-]+(?P<m>{_MONTH})[\s,.-]+(?P<y>\d{{4}}){_TIME}",
        rf"{_WEEKDAY}(?P<m>{_MONTH})\.?,?\s+(?:(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+)?(?P<y>\d{{4}}){_TIME}",
    )
)


def date_of(value: Scalar) -> date | None:
    """The date that a metadata value states; None if the whole value is not a date.

    Accepted forms: a year (also as a number), ISO 8601 (days, months, weeks, days of the year; with a time),
    a quarter, 27 May 2004, May 27, 2004 and 27.5.2004. A missing month or day is the first; a week is its
    Monday. 5/6/2004 is ambiguous, so it is not a date; nor are years before 1000 or after 2199.

    >>> date_of("1988-02-12T10:00:00Z"), date_of("27,May,2004"), date_of(1988), date_of("5/6/2004")
    (datetime.date(1988, 2, 12), datetime.date(2004, 5, 27), datetime.date(1988, 1, 1), None)
    >>> date_of("2015Q3"), date_of("1100 Main Street")
    (datetime.date(2015, 7, 1), None)
    """
    if isinstance(value, bool | list) or value is None:
        return None
    if isinstance(value, float) and not value.is_integer():
        return None
    text = str(int(value)) if isinstance(value, int | float) else value.strip()
    if len(text) > _LONGEST:
        return None
    for pattern in _WRITTEN:
        found = pattern.fullmatch(text)
        if found:
            return _made(found.groupdict())
    return None


def _made(parts: dict[str, str | None]) -> date | None:
    """The date with these parts; None if there is no such date. A missing month or day is the first.

    parts: the groups that a pattern in `_WRITTEN` matched, by name (y: year, m: month, …).
    """
    year = int(parts["y"] or 0)
    if not 1000 <= year < 2200:
        return None
    month, day = parts.get("m") or "1", int(parts.get("d") or 1)
    quarter, week, day_of_year = (int(parts.get(name) or 0) for name in ("q", "w", "yd"))
    try:
        if parts.get("w"):
            return date.fromisocalendar(year, week, int(parts.get("wd") or 1))
        if parts.get("yd"):
            found = date(year, 1, 1) + timedelta(day_of_year - 1)
            return found if found.year == year else None
        if quarter:
            return date(year, 3 * quarter - 2, 1)
        return date(year, int(month) if month.isdecimal() else _MONTHS.index(month[:3].lower()) + 1, day)
    except ValueError:
        return None


def iso_date(value: Scalar) -> str | None:
    """A date in ISO 8601, or None if the value is not a date.

    A value that has this form is returned as it is, even if it is incomplete ("1993-04"); any other becomes a
    day.

    >>> iso_date("1993-04"), iso_date(1993), iso_date("5 April 1993"), iso_date("last week")
    ('1993-04', '1993', '1993-04-05', None)
    """
    day = date_of(value)
    if day is None:
        return None
    text = value.strip() if isinstance(value, str) else str(day.year)
    return text if ISO_DATE.fullmatch(text) else day.isoformat()


@cache
def date_reader(form: str) -> Callable[[Scalar], date | None]:
    """A function that reads dates of one form, and returns None for other values.

    Forms: "epoch" or "epoch-ms", seconds or milliseconds since 1970 (numbers of fewer than five digits are
    not taken, since they are years); "twitter", Wed Oct 10 20:19:24 +0000 2018; or a format of
    `datetime.strptime`, such as "%d/%m/%Y". Raises UserError for an unknown form, or one without the year.

    >>> date_reader("epoch")(1539202764), date_reader("%d/%m/%Y")("5/6/2004")
    (datetime.date(2018, 10, 10), datetime.date(2004, 6, 5))
    """
    if form in FORMS:
        return lambda value: _since_1970(value, FORMS[form])
    written = TWITTER if form == "twitter" else form
    try:
        probe = datetime(2011, 12, 23, 14, 45, 56).astimezone().strftime(written)
        right = datetime.strptime(probe, written).year == 2011
    except ValueError:
        right = False
    if not right:
        remedy = "take epoch, epoch-ms, twitter or a form of strptime with the year, as %d/%m/%Y"
        raise UserError(f"unknown date format {shown(form)}", remedy=remedy)
    return lambda value: _by_form(value, written)


def _by_form(value: Scalar, form: str) -> date | None:
    if isinstance(value, bool | list) or value is None:
        return None
    try:
        found = datetime.strptime(str(value).strip(), form).date()
    except ValueError:
        return None
    return found if 1000 <= found.year < 2200 else None


def _since_1970(value: Scalar, ticks: int) -> date | None:
    if isinstance(value, bool | list) or value is None:
        return None
    text = str(value).strip()
    if not isinstance(value, int | float) and not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    try:
        found = (datetime(1970, 1, 1) + timedelta(seconds=number / ticks)).date()
    except (OverflowError, ValueError):
        return None
    return found if abs(number) >= _LEAST_TICKS and 1000 <= found.year < 2200 else None


def is_date_name(name: str) -> bool:
    """Whether a field's name is that of a date, such as created_at, datePublished or release_date.

    That is one of `DATE_NAMES`, perhaps with words like "at", or a name that ends in date, datetime,
    timestamp or year.

    >>> [is_date_name(name) for name in ("createdAt", "date", "pub_year", "price", "time_on_page", "update")]
    [True, True, True, False, False, False]
    """
    words = [word.lower() for word in _NAME_WORD.findall(name)]
    if not words:
        return False
    return words[-1] in _LAST_WORDS or (words[0] in DATE_NAMES and _OTHER_WORDS.issuperset(words[1:]))


def span_of(dates: Sequence[date], counts: Sequence[int] | None = None) -> tuple[date, date]:
    """The first and the last date to draw in a chart, without outliers if these would double the span.

    At most one date in a hundred is left out at each end. dates: at least one, in any order; counts: how
    often each occurs (None: once).

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
    """The date at which the running count first exceeds `aside`; the last date if it never does.

    pairs: (date, count), in the order in which they are counted.
    """
    for day, count in pairs:
        aside -= count
        if aside < 0:
            return day
    return pairs[-1][0]


def bins_of(dates: Sequence[date], counts: Sequence[int] | None = None) -> tuple[list[str], list[int]]:
    """Divide time into equal bins for a chart; returns their names, in order, and the bin of each date.

    dates: at least one; counts: how often each occurs (None: once). Bins are days, weeks, months, quarters,
    years, decades or centuries: the shortest of which at most `MOST_BINS` cover the dates, at least half have
    dates, and these have three or more each on average; else centuries. Empty bins in between stay.

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


_UNITS: tuple[tuple[Callable[[date], int], Callable[[int], str]], ...] = (
    (lambda d: d.toordinal(), lambda i: date.fromordinal(i).isoformat()),
    (
        lambda d: (d.toordinal() - 1) // 7,
        lambda i: date.fromordinal(7 * i + 1).isoformat(),
    ),  # starting on Mondays
    (lambda d: 12 * d.year + d.month - 1, lambda i: f"{i // 12}-{i % 12 + 1:02d}"),
    (lambda d: 4 * d.year + (d.month - 1) // 3, lambda i: f"{i // 4} Q{i % 4 + 1}"),
    (lambda d: d.year, str),
    (lambda d: d.year // 10, lambda i: f"{10 * i}s"),
    (lambda d: d.year // 100, lambda i: f"{100 * i}s"),
)
_PERIOD_NAMES: tuple[str, ...] = ("day", "week", "month", "quarter", "year", "decade", "century")
PERIODS: Mapping[str, tuple[Callable[[date], int], Callable[[int], str]]] = dict(
    zip(_PERIOD_NAMES, _UNITS, strict=True)
)  # how a date becomes the number of a period, and a number its name


def periods_of(dates: Sequence[date], unit: str) -> tuple[list[str], list[int]]:
    """The periods of a unit of time (of `PERIODS`) from the first date to the last: their names, in order,
    and the number of the period of each date. Weeks are named by their Monday.

    >>> periods_of([date(1990, 1, 5), date(1990, 3, 7)], "month")
    (['1990-01', '1990-02', '1990-03'], [0, 2])
    """
    number, name = PERIODS[unit]
    numbers = [number(day) for day in dates]
    first = min(numbers)
    return [name(i) for i in range(first, max(numbers) + 1)], [i - first for i in numbers]
