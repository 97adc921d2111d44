"""A shard's counts of words that the table has, and of those that it does not have yet."""

import numpy as np

from stickbreaker.core.records import Array, Rows, SparseCounts
from stickbreaker.corpus.shards import Bags, Shard


def known_and_new(
    shard: Shard[Bags], counts: Rows | SparseCounts
) -> tuple[Rows | SparseCounts, dict[str, Array]]:
    """Counts by the shard's own numbers of its words, in two parts: by rows of the table, and by spelling.

    A new word's array has its counts by column and, last, the shard's documents that it is in.
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
