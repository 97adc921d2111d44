"""Documents as kernels read them: the words of each, and each word's weight in each column of a table."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Words(NamedTuple):
    """The words of a shard's documents, and their weights in each topic, as the local step's kernels read
    them.

    An entry is a distinct word of a document, as in `Shard`: those of document d are offsets[d]:offsets[d +
    1].
    """

    offsets: NDArray[np.int64]  # documents + 1
    codes: NDArray[np.int32]  # entries: number of a word in the shard
    counts: NDArray[np.float32]  # entries
    positions: NDArray[np.int64]  # shard's words: row of `weights`
    weights: NDArray[np.float32]  # rows × topics: exp E[log beta], largest of a row is 1
    log_scale: NDArray[np.float64]  # rows
