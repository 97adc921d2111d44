"""Topic shares over time and by group: which metadata fields divide a collection, and the shares in its
parts.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.topk import descending
from stickbreaker.corpus.text.dates import DATE_NAMES, bins_of, date_of, is_date_name, span_of
from stickbreaker.pages.page import Section
from stickbreaker.pages.text_values import clean, rounded
from stickbreaker.pages.views import Bands, Bars, Column, Each, Item, Mix, NamedLines, Row, Table, Tabs
from stickbreaker.topics.metadata_sums import MetadataSums, Rows
from stickbreaker.topics.report.document_entries import DocumentEntry

if TYPE_CHECKING:
    from stickbreaker.topics.report.topic_page import TopicReport

MOST_GROUPS = 24  # shown of a field; the others count as one
MOST_FIELDS = 4
LAYERS, LINES = 18, 4  # topics as bands, and as lines at first
LEAST_PART = 0.004  # share of a topic that is drawn
SPECIAL, FIGURE_TOPICS = 3, 12  # topics of a part, and of figures
_OTHERS = "all others"
_GROUP_NAMES = ("label", "category", "class", "group", "section", "topic", "genre", "source", "author")
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
_DIGITS = re.compile(r"([0-9]+)")
_TELLING = 0.8  # a field must have a value in this part of the documents


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Topic shares in parts of the collection, divided by the values of one metadata field.

    `field`: its name; `names`: of the parts, in the order shown; `documents`: how many each part has;
    `shares` (parts × K). `left_out`: documents that are in no part. `sampled`: only the documents stored for
    the page were counted, not all.
    """

    field: str
    names: Sequence[str]
    documents: Sequence[int]
    shares: Sequence[Sequence[float]]
    left_out: int = 0
    sampled: bool = False


def sample_note(report: TopicReport, sampled: bool) -> str:
    """A sentence for a section whose numbers are from a sample: how many documents were counted, of how many.
    It is "" if `sampled` is False, or if the report has all documents.
    """
    if not sampled or report.documents_total <= len(report.documents):
        return ""
    return (
        f" Counted are the {len(report.documents):,} documents that the model has for its report, a sample "
        f"of {report.documents_total:,}."
    )


def over_time(report: TopicReport) -> Section | None:
    times = report.times
    if times is None:
        return None
    text = Markup(
        "The thicker a band, the more of the words of that time belong to the topic; time is the field "
        "<bdi>{}</bdi> of the documents. Shown are the topics that change most, and the chosen one; as "
        "lines, those that you add and the chosen one. Below, how many documents each time has: where they "
        "are few, chance moves the bands.{}{}"
    ).format(
        clean(times.field),
        sample_note(report, times.sampled),
        f" Left out: {times.left_out:,} without a date, or far from all others." if times.left_out else "",
    )
    order, changing = _tree_order(report), _changing(times)
    field, shares = clean(times.field), times.shares
    bands = Bands(
        of="topic",
        order=order,
        most=changing[:LAYERS],
        names=times.names,
        shares=shares,
        amounts=times.documents,
        figure="times",
    )
    first = [k for k in order if k in changing[:LINES]]
    lines = NamedLines(names=times.names, of="topic", by=shares, shown=first, figure="time-lines")
    sizes = [f"{n:,} documents" for n in times.documents]
    bars = Bars(times.names, of="topic", by=shares, upright=True, notes=sizes)
    figures = [
        replace(bands, title=f"Topics by {field}"),
        replace(lines, title=f"The topics that change most, by {field}"),
    ]
    return Section(
        "times",
        "Over time",
        text,
        [Tabs([("as bands", replace(bands, figure="")), ("as lines", replace(lines, figure=""))]), bars],
        figures=figures,
    )


def _changing(times: Breakdown) -> list[int]:
    """The topics, those first whose share changes most over time. Times with hardly a document do not count,
    for there a share is chance."""
    least = 0.05 * max(times.documents)
    enough = [own for own, n in zip(times.shares, times.documents, strict=True) if n >= least]
    shares = np.array([[rounded(share, 3) or 0.0 for share in own] for own in enough])
    return descending(np.ptp(shares, axis=0)).tolist()


def groups(report: TopicReport) -> Section | None:
    if not report.groups:
        return None
    text = (
        "How the topics divide over parts of the collection, as the documents’ own fields have them. The "
        "upright line is the topic’s share of the whole "
        f"collection.{sample_note(report, any(one.sampled for one in report.groups))}"
    )
    tabs = [(f"by {clean(part.field)}", _group(report, part)) for part in report.groups]
    figures = [_group_figure(report, part, place) for place, part in enumerate(report.groups, 1)]
    return Section("groups", "By group", text, [Tabs(tabs)], figures=figures)


def _group(report: TopicReport, part: Breakdown) -> Row:
    """The chosen topic's share in each part, and of each part its mix and the topics that set it apart."""
    base = [topic.share for topic in report.topics]
    sizes = [f"{n:,} documents" for n in part.documents]
    bars = Bars(part.names, of="topic", by=part.shares, base=base, notes=sizes)
    order = _tree_order(report)
    columns = [
        Column(part.field),
        Column("documents", "number"),
        Column("mix of topics", wide=34),
        Column("topics that set it apart"),
    ]
    rows = [
        [
            name,
            n,
            Mix("topic", [(k, shares[k]) for k in order if shares[k] >= LEAST_PART]),
            Each([Item("topic", k) for k in _special(shares, base)]),
        ]
        for name, n, shares in zip(part.names, part.documents, part.shares, strict=True)
    ]
    return Row([bars, Table(columns, rows)], widths="24rem minmax(0, 1fr)")


def _group_figure(report: TopicReport, part: Breakdown, place: int) -> Bars:
    """The largest topics in each part, as a file."""
    largest = sorted(range(len(report.topics)), key=lambda k: -report.topics[k].share)[:FIGURE_TOPICS]
    mixes = [[(k, shares[k]) for k in sorted(largest)] for shares in part.shares]
    title = f"The largest topics by {clean(part.field)}"
    return Bars(part.names, parts=mixes, of="topic", title=title, figure=f"groups-{place}")


def _tree_order(report: TopicReport) -> list[int]:
    """All topics in the order of the tree, others after them."""
    order = list(report.relations.order) if report.relations else []
    return [*order, *(k for k in range(len(report.topics)) if k not in set(order))]


def _special(shares: Sequence[float], base: Sequence[float]) -> list[int]:
    """The topics that set a part apart: a large share, and larger than in the collection."""
    known = range(min(len(shares), len(base)))
    weights = [shares[k] * math.log(max(shares[k], 1e-12) / max(base[k], 1e-12)) for k in known]
    return [k for k in descending(np.array(weights)).tolist()[:SPECIAL] if weights[k] > 0.0]


def sums_of(documents: Sequence[DocumentEntry], n_topics: int) -> MetadataSums:
    """Sums of topics' tokens by metadata field over the documents stored for the page. They stand in for the
    sums over all documents if the model has none.
    """
    sums = MetadataSums(n_topics, most_cells=None)
    shares = np.zeros((len(documents), n_topics))
    for row, document in zip(shares, documents, strict=True):
        for topic, share in document.mix:
            row[topic] = share
    tokens = np.array([document.n_tokens for document in documents], np.float64)
    sums.add([document.metadata for document in documents], tokens, shares)
    return sums


def times_of(sums: MetadataSums, wanted: str | None = None) -> Breakdown | None:
    """Topic shares over time, from the dates in a metadata field: in `wanted`, or else in the first field
    named like a date that has dates in over 80 % of documents. None if there is no such field.

    Dates far from all others are left out; the rest must make three periods or more. Raises UserError if
    there is no field `wanted`, or too few dates in it.
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
    """The first day of a day, month or year that is given as text in ISO 8601.

    >>> _first_day("1990-05")
    datetime.date(1990, 5, 1)
    """
    return date.fromisoformat((text + "-01-01")[:10])


def breakdowns_of(sums: MetadataSums, wanted: str | None = None, dated: str | None = None) -> list[Breakdown]:
    """Topic shares by the values of metadata fields: by the field `wanted`, or else by those fields whose
    values make groups (few values, each in several documents), four fields at most.

    `dated`: the field with the dates, which is not used unless wanted. The list is empty if no field has
    groups, or `wanted` has no values. Raises UserError if there is no field `wanted`.
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
    """Sort the names of fields: likely names first, in the order of `likely`, then all others as they
    were.
    """
    place = {name: i for i, name in enumerate(likely)}
    return sorted(fields, key=lambda name: place.get(name.lower(), len(place)))


def _check(sums: MetadataSums, name: str, wanted: str | None) -> None:
    if wanted and name not in sums.fields:
        fields = ", ".join(sums.fields) or "none"
        raise UserError(f"no document has a field {wanted!r}", remedy=f"the model's documents have: {fields}")


def _divides(counted: Counter[str], n_documents: int) -> bool:
    """Whether a field's values are useful as groups: there are 2 to 72 of them, with five documents each on
    average, most documents have one, and no value has nearly all documents.

    counted: the number of documents with each value.
    """
    total = counted.total()
    return (
        2 <= len(counted) <= 3 * MOST_GROUPS
        and total >= _TELLING * n_documents
        and total >= 5 * len(counted)
        and max(counted.values()) <= 0.98 * total
    )


def _grouped(name: str, values: Rows, counted: Counter[str], left_out: int) -> Breakdown:
    """Topic shares by the values of a field: its most frequent ones, and one part for all others if there are
    more than 24. A document with several values counts in each.

    values: the sums of each value (documents, words, words of each topic); counted: the number of documents
    with each value; left_out: the number of documents without a value.
    """
    most = sorted(counted, key=lambda value: (-counted[value], value))
    shown = in_order(most if len(most) <= MOST_GROUPS else most[: MOST_GROUPS - 1])
    place = {value: i for i, value in enumerate(shown)}
    labels = shown if len(shown) == len(most) else [*shown, _OTHERS]
    places = [place.get(value, len(shown)) for value in most]
    return _broken_down(name, labels, places, [values[value] for value in most], left_out)


def in_order(values: Sequence[str]) -> list[str]:
    """Sort the values of a field for a reader: by size if all are numbers, by time if all are dates,
    otherwise by name, with numbers within names by size.

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
    """Topic shares of parts of a collection, from sums that are first added up by part. They are shares of
    the words, so that long documents weigh more.

    labels: the names of the parts; rows: sums (documents, words, words of each topic); places: for each row,
    the index of its part.
    """
    joined = np.zeros((len(labels), len(rows[0])), np.int64)
    for place, row in zip(places, rows, strict=True):
        joined[place] += row
    shares = joined[:, 2:] / np.maximum(joined[:, 1], 1)[:, None]
    sizes: list[int] = joined[:, 0].tolist()
    return Breakdown(name, list(labels), sizes, shares.tolist(), left_out)
