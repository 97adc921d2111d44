"""Documents of a stream that wait until there are enough of them to judge a model's shape by."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.untrusted import refuse_negative
from stickbreaker.corpus.shards import Bags

PREFIX = "waiting/"  # of arrays in a checkpoint


class WaitingDocuments(NamedTuple):
    """Bags of the last documents, in the order in which they came; `words` are rows of the table.

    >>> one = Bags(np.array([0, 1]), np.array([7], np.int32), np.ones(1, np.float32), np.zeros(1, np.float32))
    >>> len(WaitingDocuments(one).plus(one))
    2
    """

    bags: Bags

    def __len__(self) -> int:
        return len(self.bags.unseen)

    def plus(self, bags: Bags) -> "WaitingDocuments":
        """These and some more."""
        return WaitingDocuments(Bags.join([self.bags, bags]))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """As arrays of a checkpoint."""
        return {f"{PREFIX}{name}": values for name, values in self.bags._asdict().items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> "WaitingDocuments | None":
        """Those of a checkpoint; None if it has none. Raises ValueError where they make no sense."""
        if f"{PREFIX}offsets" not in arrays:
            return None
        offsets, words, counts, unseen = (arrays[f"{PREFIX}{name}"] for name in Bags._fields)
        if any(values.ndim != 1 for values in (offsets, words, counts, unseen)) or len(counts) != len(words):
            raise ValueError("waiting documents of other sizes")
        if offsets.dtype.kind != "i" or words.dtype.kind != "i" or len(offsets) != len(unseen) + 1:
            raise ValueError("waiting documents without their words")
        if offsets[0] != 0 or offsets[-1] != len(words) or (np.diff(offsets) < 0).any():
            raise ValueError("waiting documents that are cut in another way")
        refuse_negative(words, "rows of waiting documents")
        refuse_negative(counts, "counts of waiting documents")
        held = Bags(
            offsets.astype(np.int64),
            words.astype(np.int32),
            counts.astype(np.float32),
            unseen.astype(np.float32),
        )
        return cls(held)

    def refuse_others(self, n_rows: int) -> None:
        """Raise ValueError where the documents have words that a table of so many rows lacks."""
        if len(self.bags.words) and int(self.bags.words.max()) >= n_rows:
            raise ValueError("waiting documents of other words")
