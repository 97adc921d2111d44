"""Documents of a stream that are collected until there are enough to judge a model's shape."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.untrusted import refuse_negative
from stickbreaker.corpus.shards import Bags

PREFIX = "waiting/"  # begins the names of arrays in a checkpoint


class WaitingDocuments(NamedTuple):
    """Bags of the latest documents, in order of arrival; `words` are rows of the table.

    >>> one = Bags(np.array([0, 1]), np.array([7], np.int32), np.ones(1, np.float32), np.zeros(1, np.float32))
    >>> len(WaitingDocuments(one).plus(one))
    2
    """

    bags: Bags

    def __len__(self) -> int:
        return len(self.bags.unseen)

    def plus(self, bags: Bags) -> "WaitingDocuments":
        """These documents and more."""
        return WaitingDocuments(Bags.join([self.bags, bags]))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of a checkpoint."""
        return {f"{PREFIX}{name}": values for name, values in self.bags._asdict().items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> "WaitingDocuments | None":
        """The documents from a checkpoint; None if it has none. Raises ValueError if they are invalid."""
        if f"{PREFIX}offsets" not in arrays:
            return None
        offsets, words, counts, unseen = (arrays[f"{PREFIX}{name}"] for name in Bags._fields)
        if any(values.ndim != 1 for values in (offsets, words, counts, unseen)) or len(counts) != len(words):
            raise ValueError("waiting documents whose sizes do not match")
        if offsets.dtype.kind != "i" or words.dtype.kind != "i" or len(offsets) != len(unseen) + 1:
            raise ValueError("waiting documents without their words")
        if offsets[0] != 0 or offsets[-1] != len(words) or (np.diff(offsets) < 0).any():
            raise ValueError("waiting documents with wrong offsets")
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
        """Raise ValueError if the documents have words that are not in a table of this many rows."""
        if len(self.bags.words) and int(self.bags.words.max()) >= n_rows:
            raise ValueError("waiting documents with unknown words")
