"""Which metadata fields divide a collection by time or into groups, and the topics' shares of the parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.report.dates import bins_of, date_of, span_of
from stickbreaker.report.page_data import Breakdown, DocumentEntry, Scalar

MOST_GROUPS = 24  # shown of a field; the others count as one
MOST_FIELDS = 4
_OTHERS = "all others"
_DATE_NAMES = ("date", "year", "time", "timestamp", "datetime", "published", "created", "day", "month")
_GROUP_NAMES = ("label", "category", "class", "group", "section", "topic", "genre", "source", "author")
_TELLING = 0.8  # a field must have a value in this part of the documents


def times_of(
    documents: Sequence[DocumentEntry], n_topics: int, wanted: str | None = None
) -> Breakdown | None:
    """Topics over the dates in a metadata field: `wanted`, or the one that is found.

    Raises UserError where there is no field `wanted`, or no dates in it.
    """
    names = [wanted] if wanted else _by_name(_fields(documents), _DATE_NAMES)
    for name in names:
        _check(documents, name, wanted)
        dates = [date_of(document.metadata.get(name)) for document in documents]
        known = [day for day in dates if day is not None]
        if len(known) > (0 if wanted else _TELLING * len(documents)) and len(set(known)) > 1:
            first, last = span_of(known)
            labels, places = bins_of([day for day in known if first <= day <= last])
            if len(labels) > 2:
                place = iter(places)
                parts = [[next(place)] if day and first <= day <= last else [] for day in dates]
                return _broken_down(name, labels, parts, documents, n_topics)
    if wanted:
        remedy = "a year, 1990-12-31, 31 December 1990, December 31, 1990 and 31.12.1990 are dates"
        raise UserError(f"the field {wanted!r} has too few dates to draw", remedy=remedy)
    return None


def groups_of(
    documents: Sequence[DocumentEntry], n_topics: int, wanted: str | None = None, dated: str | None = None
) -> list[Breakdown]:
    """Topics by the values of metadata fields: of `wanted`, or of those found that have few values.

    `dated` is the field of dates, which is none of them. Raises UserError where there is no field `wanted`.
    """
    names = [wanted] if wanted else _by_name(_fields(documents), _GROUP_NAMES)
    found: list[Breakdown] = []
    for name in names:
        _check(documents, name, wanted)
        values = [_values_of(document.metadata.get(name)) for document in documents]
        counted = Counter(value for several in values for value in several)
        if (wanted and counted) or (name != dated and _divides(counted, len(documents))):
            found.append(_grouped(name, values, counted, documents, n_topics))
    return found[:MOST_FIELDS]


def _fields(documents: Sequence[DocumentEntry]) -> list[str]:
    return list(dict.fromkeys(name for document in documents for name in document.metadata))


def _by_name(fields: list[str], likely: Sequence[str]) -> list[str]:
    """Fields with a likely name first."""
    place = {name: i for i, name in enumerate(likely)}
    return sorted(fields, key=lambda name: place.get(name.lower(), len(place)))


def _check(documents: Sequence[DocumentEntry], name: str, wanted: str | None) -> None:
    if wanted and not any(name in document.metadata for document in documents):
        fields = ", ".join(_fields(documents)) or "none"
        raise UserError(f"no document has a field {wanted!r}", remedy=f"the model's documents have: {fields}")


def _values_of(value: Scalar) -> list[str]:
    """The values of a document's field: several where it has a list, each once."""
    several = value if isinstance(value, list) else [value]
    return list(dict.fromkeys(str(one) for one in several if one is not None and one != ""))


def _divides(counted: Counter[str], n_documents: int) -> bool:
    """Whether a field's values make groups: few, each of several documents, none of nearly all."""
    total = counted.total()
    return (
        2 <= len(counted) <= 3 * MOST_GROUPS
        and total >= _TELLING * n_documents
        and total >= 5 * len(counted)
        and max(counted.values()) <= 0.98 * total
    )


def _grouped(
    name: str,
    values: list[list[str]],
    counted: Counter[str],
    documents: Sequence[DocumentEntry],
    n_topics: int,
) -> Breakdown:
    most = sorted(counted, key=lambda value: (-counted[value], value))
    labels = most if len(most) <= MOST_GROUPS else [*most[: MOST_GROUPS - 1], _OTHERS]
    place = {value: min(i, len(labels) - 1) for i, value in enumerate(most)}
    parts = [list(dict.fromkeys(place[value] for value in several)) for several in values]
    return _broken_down(name, labels, parts, documents, n_topics)


def _broken_down(
    name: str,
    labels: Sequence[str],
    parts: list[list[int]],
    documents: Sequence[DocumentEntry],
    n_topics: int,
) -> Breakdown:
    """Topic shares of parts, each document weighing as many words as it has, in every part that it is in."""
    sums, tokens = np.zeros((len(labels), n_topics)), np.zeros(len(labels))
    for document, several in zip(documents, parts, strict=True):
        for p in several:
            tokens[p] += document.n_tokens
            for topic, share in document.mix:
                sums[p, topic] += share * document.n_tokens
    shares = sums / np.maximum(tokens, 1e-300)[:, None]
    sizes = np.bincount([p for several in parts for p in several], minlength=len(labels)).tolist()
    return Breakdown(name, list(labels), sizes, shares.tolist(), sum(not several for several in parts))
