"""Documents as kernels read them: the words of each, and each word's weight in each column of a table."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Words(NamedTuple):
    """A shard's words and their weights in each topic: the input of the compiled local step.

    An entry is a distinct word of a document. Document d has entries offsets[d] to offsets[d + 1].
    """

    offsets: NDArray[np.int64]  # documents + 1
    codes: NDArray[np.int32]  # entries: number of a word in the shard
    counts: NDArray[np.float32]  # entries
    positions: NDArray[np.int64]  # shard's words: row of `weights`
    weights: NDArray[np.float32]  # rows × topics: exp E[log beta], largest of a row is 1
    log_scale: NDArray[np.float64]  # rows
