"""Topic shares of periods of time, as numbers: how large they are, and how sure that is."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError, shown
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.shards import tokens_by_document
from stickbreaker.corpus.text.dates import DATE_NAMES, PERIODS, date_of, is_date_name, periods_of
from stickbreaker.topics.evaluation.walks import walk_through
from stickbreaker.topics.formula_coding import metadata_of
from stickbreaker.topics.learned import TopicsLearned
from stickbreaker.topics.metadata_sums import labels_of

MOST_PERIODS, MOST_GROUPS = 5_000, 12
NORMAL = 1.959964  # of the central 95 %


class OverTime(NamedTuple):
    """Topic shares by period, for one group of documents or all.

    `group`: its value, None for all; `documents` (periods): how many; `means` (periods × topics): of their
    shares, NaN in a period without documents; `shares`, `low`, `high` (the same): the share that changes from
    period to period by a random walk, and the bounds of 95 %.
    """

    group: str | None
    documents: NDArray[np.int64]
    means: Array
    shares: Array
    low: Array
    high: Array


class TopicsByPeriod(NamedTuple):
    """Topic shares over time: `periods` in order, by name; `groups`, each with its shares in all periods;
    `date_field`, `group_field`: where dates and groups come from; `documents`: how many were used, and
    `left_out`: how many have no date, or no known word; `words`: as of `MetadataEffects`.
    """

    periods: Sequence[str]
    groups: Sequence[OverTime]
    date_field: str
    group_field: str | None
    documents: int
    left_out: int
    words: float | None

    def table(self, names: Sequence[str | None]) -> pa.Table:
        """A row for each group, topic and period. Columns: topic (its number), name, period, group (if there
        are groups), documents, mean, share, low and high. names: the name of each topic, or None.
        """
        n_topics, n, grouped = self.groups[0].shares.shape[1], len(self.periods), self.group_field is not None
        cells = [(one, k) for one in self.groups for k in range(n_topics)]
        columns: JsonObject = {
            "topic": pa.array(np.repeat(np.array([k for _, k in cells], np.int32), n)),
            "name": pa.array([names[k] for _, k in cells for _ in range(n)], pa.string()),
            "period": pa.array(list(self.periods) * len(cells), pa.string()),
            "group": pa.array([one.group for one, _ in cells for _ in range(n)], pa.string()),
            "documents": pa.array(np.concatenate([one.documents for one, _ in cells])),
            "mean": pa.array(np.concatenate([one.means[:, k] for one, k in cells]), from_pandas=True),
            "share": pa.array(np.concatenate([one.shares[:, k] for one, k in cells])),
            "low": pa.array(np.concatenate([one.low[:, k] for one, k in cells])),
            "high": pa.array(np.concatenate([one.high[:, k] for one, k in cells])),
        }
        return pa.table({name: values for name, values in columns.items() if grouped or name != "group"})


def topics_by_period(
    learned: TopicsLearned, corpus: Corpus, by: str, date_field: str | None, group_field: str | None
) -> TopicsByPeriod:
    """Topic shares of a corpus's documents by period, in which each document counts once.

    by: the unit, of `PERIODS`; date_field: None takes the first field named like a date that has dates in
    most documents; group_field: a field whose values divide the documents; only the most frequent 12 are
    shown. Raises UserError if there are no dates.

    Documents differ, and their shares are uncertain; both are in the bounds. A period of few documents is
    near its neighbours, unless its documents say otherwise, and its bounds are wide (`walk_through`).
    """
    metadata = [row for block in range(len(corpus.block_sizes)) for row in metadata_of(corpus, block)]
    field = date_field or _date_field(metadata)
    dates = [date_of(row.get(field)) for row in metadata]
    bags = [corpus.bags(block) for block in range(len(corpus.block_sizes))]
    counts = np.concatenate([tokens_by_document(one.offsets, one.counts) for one in bags])
    known = counts > 0.0
    chosen = np.flatnonzero(known & np.array([day is not None for day in dates], np.bool_))
    if not len(chosen):
        raise UserError(
            f"no document with a known word has a date in {shown(field)}", remedy=_fields(metadata)
        )
    days = [day for i in chosen.tolist() if (day := dates[i]) is not None]
    number = PERIODS[by][0]
    if number(max(days)) - number(min(days)) >= MOST_PERIODS:
        raise UserError(f"more than {MOST_PERIODS:,} periods", remedy="choose a longer one, such as by year")
    periods, places = periods_of(days, by)
    gammas = [
        local["gamma"].values
        for block in range(len(corpus.block_sizes))
        for local in learned.infer_documents(corpus.bags(block), learned.covariates(corpus, block))
    ]
    gamma = np.concatenate(gammas)[chosen][:, learned.columns]
    totals = gamma.sum(axis=1, keepdims=True)
    shares = gamma / totals
    spreads = shares * (1.0 - shares) / (totals + 1.0)
    members = _members([metadata[i] for i in chosen.tolist()], group_field)
    numbers = np.array(places, np.int64)
    groups = [
        _over_time(group, rows, numbers, len(periods), shares, spreads) for group, rows in members.items()
    ]
    words = None if learned.model.documents.by_document else float(np.median(counts[chosen]))
    left_out = corpus.n_documents - len(chosen)
    return TopicsByPeriod(periods, groups, field, group_field, len(chosen), left_out, words)


def _over_time(
    group: str | None,
    rows: NDArray[np.int64],
    places: NDArray[np.int64],
    n_periods: int,
    shares: Array,
    spreads: Array,
) -> OverTime:
    """The shares of one group by period. rows: its documents; places (documents): the period of each; shares,
    spreads (documents × topics): mean and variance of each document's shares.
    """
    own, here = shares[rows], places[rows]
    documents = np.bincount(here, minlength=n_periods)
    sums = np.zeros((n_periods, own.shape[1]))
    np.add.at(sums, here, own)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / documents[:, None]
    within = ((own - means[here]) ** 2).sum(axis=0) / max(1, len(rows) - np.count_nonzero(documents))
    variances = within + spreads[rows].mean(axis=0)
    levels = walk_through(np.nan_to_num(means), documents, variances)
    low = np.clip(levels.values - NORMAL * levels.errors, 0.0, 1.0)
    high = np.clip(levels.values + NORMAL * levels.errors, 0.0, 1.0)
    return OverTime(group, documents, means, np.clip(levels.values, 0.0, 1.0), low, high)


def _members(metadata: Sequence[JsonObject], field: str | None) -> dict[str | None, NDArray[np.int64]]:
    """The documents of each group, most frequent first; all under None if there is no field.

    Raises UserError if no document has the field.
    """
    if field is None:
        return {None: np.arange(len(metadata))}
    labels = [labels_of(row.get(field)) for row in metadata]
    counts = Counter(label for own in labels for label in own)
    if not counts:
        raise UserError(f"no document has the field {shown(field)}", remedy=_fields(metadata))
    return {
        label: np.array([i for i, own in enumerate(labels) if label in own], np.int64)
        for label, _ in counts.most_common(MOST_GROUPS)
    }


def _date_field(metadata: Sequence[JsonObject]) -> str:
    """The first field named like a date that has dates in most documents, the likeliest names first."""
    names = [name for name in dict.fromkeys(key for row in metadata for key in row) if is_date_name(name)]
    ranks = {name: place for place, name in enumerate(DATE_NAMES)}
    for name in sorted(names, key=lambda name: ranks.get(name.lower(), len(ranks))):
        if 2 * sum(date_of(row.get(name)) is not None for row in metadata) > len(metadata):
            return name
    raise UserError("no field of the documents is a date", remedy=f"name one; {_fields(metadata)}")


def _fields(metadata: Sequence[JsonObject]) -> str:
    known = ", ".join(sorted({key for row in metadata for key in row})[:20]) or "none"
    return f"there are: {known}"
