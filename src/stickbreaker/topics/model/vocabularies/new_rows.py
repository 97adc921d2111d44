"""A shard's counts, split into words in the table and new words."""

import numpy as np

from stickbreaker.core.records import Array, Rows, SparseCounts
from stickbreaker.corpus.shards import Bags, Shard
from stickbreaker.topics.model.slots import Paths, TopicView


def report_rows(
    view: TopicView, shard: Shard[Bags], counts: Rows | SparseCounts
) -> tuple[Rows | SparseCounts, dict[str, Array]]:
    """A shard's counts as the local step reports them: by row of the table, and for new words by spelling.

    `counts` are by the shard's word numbers. If rows are paths to words in a tree of concepts, each word's
    counts are divided among its paths by their probability; then there are no new words.
    """
    if view.paths is None:
        return known_and_new(shard, counts)
    return _by_path(view, view.paths, shard, counts.rows()), {}


def known_and_new(
    shard: Shard[Bags], counts: Rows | SparseCounts
) -> tuple[Rows | SparseCounts, dict[str, Array]]:
    """Split a shard's counts, given by its word numbers, into those of words in the table, by row, and those
    of new words, by spelling.

    A new word's array has its counts by column and, last, its number of documents in the shard.
    """
    if shard.keys is None:
        return counts._replace(positions=shard.rows[counts.positions]), {}
    of = shard.rows[counts.positions]
    known, new = np.flatnonzero(of >= 0), np.flatnonzero(of < 0)
    documents = np.bincount(shard.content.words, minlength=len(shard.rows))
    if isinstance(counts, SparseCounts):
        rows: Rows | SparseCounts = counts.at(known)._replace(positions=of[known])
        fresh = counts.at(new).rows()
    else:
        known = known[np.argsort(of[known])]
        rows = Rows(of[known], counts.values[known])
        fresh = Rows(counts.positions[new], counts.values[new])
    new_rows = np.concatenate([fresh.values, documents[fresh.positions, None]], axis=1)
    words = [str(shard.keys[code]) for code in fresh.positions.tolist()]
    return rows, dict(zip(words, new_rows, strict=True))


def _by_path(view: TopicView, paths: Paths, shard: Shard[Bags], counts: Rows) -> Rows:
    """Divide the counts of words among their paths in a tree of concepts, by probability; returns counts by
    row of the table.
    """
    from stickbreaker.topics.kernels.concept_paths import spread_counts

    places = view.places(shard.rows)
    codes = np.cumsum(paths.firsts(places)) - 1  # the shard's word of each path
    values = counts.values
    if not len(codes):
        return Rows(shard.rows, np.empty((0, counts.n_columns)))
    if len(counts.positions) <= codes[-1]:  # some words were never drawn
        values = np.zeros((codes[-1] + 1, counts.n_columns))
        values[counts.positions] = counts.values
    if len(codes) == codes[-1] + 1:  # one path per word
        return Rows(shard.rows, values)
    out = np.empty((len(codes), counts.n_columns))
    spread_counts(values, codes, places, paths.shares, out)
    return Rows(shard.rows, out)
