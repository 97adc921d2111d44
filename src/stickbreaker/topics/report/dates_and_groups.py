"""The metadata fields that divide a collection by time or into groups, and topics' shares of the parts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.text.dates import DATE_NAMES, bins_of, date_of, is_date_name, span_of
from stickbreaker.pages.text_values import clean, rounded
from stickbreaker.topics.metadata_sums import MetadataSums, Rows
from stickbreaker.topics.report.document_entries import DocumentEntry
from stickbreaker.topics.report.topic_section import TopicSection, sample_note

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport

MOST_GROUPS = 24  # shown of a field; the others count as one
MOST_FIELDS = 4
_OTHERS = "all others"
_GROUP_NAMES = ("label", "category", "class", "group", "section", "topic", "genre", "source", "author")
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
_DIGITS = re.compile(r"([0-9]+)")
_TELLING = 0.8  # a field must have a value in this part of the documents


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Topic shares in parts of the collection: `shares` (parts × K), and the number of documents of each
    part.

    `field` is the metadata field that divides the collection; `names` are those of the parts, by time, size
    or name. `left_out` documents are in no part. `sampled`: only the documents of the page were counted.
    """

    field: str
    names: Sequence[str]
    documents: Sequence[int]
    shares: Sequence[Sequence[float]]
    left_out: int = 0
    sampled: bool = False


class OverTime(TopicSection):
    anchor, heading = "times", "Over time"
    needs = ("times",)
    template = "times.html.j2"

    def values(self, report: TopicReport) -> dict[str, object]:
        times = report.times
        assert times is not None
        left_out = f" Left out: {times.left_out:,} without a date, or far from all others."
        return {
            "times": clean(times.field),
            "times_left_out": left_out if times.left_out else "",
            "times_note": sample_note(report, times.sampled),
        }

    def payload(self, report: TopicReport) -> dict[str, object]:
        return {"times": breakdown_payload(report.times) if report.times else None}


class ByGroup(TopicSection):
    anchor, heading = "groups", "By group"
    needs = ("groups",)
    template = "groups.html.j2"

    def values(self, report: TopicReport) -> dict[str, object]:
        return {"groups_note": sample_note(report, any(group.sampled for group in report.groups))}

    def payload(self, report: TopicReport) -> dict[str, object]:
        return {"groups": [breakdown_payload(group) for group in report.groups]}


def breakdown_payload(part: Breakdown) -> dict[str, object]:
    return {
        "field": clean(part.field),
        "names": [clean(name) for name in part.names],
        "documents": [int(n) for n in part.documents],
        "shares": [[rounded(share, 3) or 0 for share in shares] for shares in part.shares],
        "leftOut": int(part.left_out),
    }


def sums_of(documents: Sequence[DocumentEntry], n_topics: int) -> MetadataSums:
    """The sums of tokens by topic over some documents, by all values of their metadata fields."""
    sums = MetadataSums(n_topics, most_cells=None)
    shares = np.zeros((len(documents), n_topics))
    for row, document in zip(shares, documents, strict=True):
        for topic, share in document.mix:
            row[topic] = share
    tokens = np.array([document.n_tokens for document in documents], np.float64)
    sums.add([document.metadata for document in documents], tokens, shares)
    return sums


def times_of(sums: MetadataSums, wanted: str | None = None) -> Breakdown | None:
    """Topic shares over the dates in a metadata field: in `wanted`, or in the first field named like a date
    that has dates in most documents. None if there is no such field.

    Raises UserError if there is no field `wanted`, or too few dates in it.
    """
    for name in [wanted] if wanted else filter(is_date_name, _by_name(list(sums.fields), DATE_NAMES)):
        _check(sums, name, wanted)
        rows = sums.fields[name].dates
        dates = {_first_day(text): row for text, row in rows.items()}
        counts = [int(row[0]) for row in dates.values()]
        if len(dates) > 1 and sum(counts) > (0 if wanted else _TELLING * sums.documents):
            first, last = span_of(list(dates), counts)
            inside = {day: row for day, row in dates.items() if first <= day <= last}
            labels, places = bins_of(list(inside), [int(row[0]) for row in inside.values()])
            if len(labels) > 2:
                left_out = sums.documents - sum(int(row[0]) for row in inside.values())
                return _broken_down(name, labels, places, list(inside.values()), left_out)
    if wanted:
        remedy = (
            "a year, 1990-12-31, 1990-Q4, 1990-W52, 31 December 1990, December 31, 1990 and 31.12.1990 are "
            "dates; others are read where the corpus is built with --date-format"
        )
        raise UserError(f"the field {wanted!r} has too few dates to draw", remedy=remedy)
    return None


def _first_day(text: str) -> date:
    """The first day of a day, a month or a year in ISO 8601.

    >>> _first_day("1990-05")
    datetime.date(1990, 5, 1)
    """
    return date.fromisoformat((text + "-01-01")[:10])


def breakdowns_of(sums: MetadataSums, wanted: str | None = None, dated: str | None = None) -> list[Breakdown]:
    """Topic shares by the values of metadata fields: of `wanted`, or of those with few values, four at most.

    `dated` is the field of dates, which is left out. Raises UserError if there is no field `wanted`.
    """
    found: list[Breakdown] = []
    for name in [wanted] if wanted else _by_name(list(sums.fields), _GROUP_NAMES):
        _check(sums, name, wanted)
        values = sums.fields[name].values or {}
        counted = Counter({value: int(row[0]) for value, row in values.items()})
        if (wanted and counted) or (name != dated and _divides(counted, sums.documents)):
            found.append(_grouped(name, values, counted, sums.documents - sums.fields[name].known))
    return found[:MOST_FIELDS]


def _by_name(fields: list[str], likely: Sequence[str]) -> list[str]:
    """The fields in order, but those with a likely name first."""
    place = {name: i for i, name in enumerate(likely)}
    return sorted(fields, key=lambda name: place.get(name.lower(), len(place)))


def _check(sums: MetadataSums, name: str, wanted: str | None) -> None:
    if wanted and name not in sums.fields:
        fields = ", ".join(sums.fields) or "none"
        raise UserError(f"no document has a field {wanted!r}", remedy=f"the model's documents have: {fields}")


def _divides(counted: Counter[str], n_documents: int) -> bool:
    """Whether a field's values make groups: few, each of several documents, none of nearly all."""
    total = counted.total()
    return (
        2 <= len(counted) <= 3 * MOST_GROUPS
        and total >= _TELLING * n_documents
        and total >= 5 * len(counted)
        and max(counted.values()) <= 0.98 * total
    )


def _grouped(name: str, values: Rows, counted: Counter[str], left_out: int) -> Breakdown:
    """Topic shares by the most frequent values of a field; the other values together are one more part. A
    document with several values counts in each.
    """
    most = sorted(counted, key=lambda value: (-counted[value], value))
    shown = in_order(most if len(most) <= MOST_GROUPS else most[: MOST_GROUPS - 1])
    place = {value: i for i, value in enumerate(shown)}
    labels = shown if len(shown) == len(most) else [*shown, _OTHERS]
    places = [place.get(value, len(shown)) for value in most]
    return _broken_down(name, labels, places, [values[value] for value in most], left_out)


def in_order(values: Sequence[str]) -> list[str]:
    """Values of a field as a reader looks for them: by size if all are numbers, by time if all are dates,
    else by name; numbers within names by their size.

    >>> in_order(["10", "9.5", "-1"]), in_order(["1990-05", "1989"]), in_order(["b", "Ward 10", "ward 9"])
    (['-1', '9.5', '10'], ['1989', '1990-05'], ['b', 'ward 9', 'Ward 10'])
    """
    if all(map(_NUMBER.fullmatch, values)):
        return sorted(values, key=lambda value: (float(value), value))
    days = {value: date_of(value) for value in values}
    if all(day is not None for day in days.values()):
        return sorted(values, key=lambda value: (days[value], value))

    def by_name(value: str) -> tuple[list[str], str]:
        parts = _DIGITS.split(value.casefold())
        return [part.zfill(20) if part.isdigit() else part for part in parts], value

    return sorted(values, key=by_name)


def _broken_down(
    name: str, labels: Sequence[str], places: Sequence[int], rows: Sequence[NDArray[np.int64]], left_out: int
) -> Breakdown:
    """Topic shares of parts of a collection, over words, so that long documents weigh more.

    labels: of the parts; rows: documents, words and words by topic; places: the part of each row.
    """
    joined = np.zeros((len(labels), len(rows[0])), np.int64)
    for place, row in zip(places, rows, strict=True):
        joined[place] += row
    shares = joined[:, 2:] / np.maximum(joined[:, 1], 1)[:, None]
    sizes: list[int] = joined[:, 0].tolist()
    return Breakdown(name, list(labels), sizes, shares.tolist(), left_out)
