"""Documents of a stream that are collected until there are enough to decide on a model's topics."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stickbreaker.core.records import AnyArray
from stickbreaker.core.serialize import Arrays, flat_words, words_from
from stickbreaker.core.untrusted import refuse_negative
from stickbreaker.corpus.shards import Bags

PREFIX = "waiting/"  # begins the names of arrays in a checkpoint


class WaitingDocuments(NamedTuple):
    """The latest documents of a stream as bags of words, in order of arrival.

    Their words are row numbers of the table or, if its rows come and go, indices into `spelled`.

    >>> one = Bags(np.array([0, 1]), np.array([7], np.int32), np.ones(1, np.float32), np.zeros(1, np.float32))
    >>> len(WaitingDocuments(one).plus(WaitingDocuments(one)))
    2
    """

    bags: Bags
    spelled: tuple[str, ...] | None = None

    @classmethod
    def of(cls, bags: Bags, spelled: Sequence[str] | None) -> "WaitingDocuments":
        """Documents to collect, from bags whose words are indices into `spelled`.

        If `spelled` is None, they are row numbers of the table. Only spellings that occur are stored.
        """
        if spelled is None:
            return cls(bags)
        rows, places = np.unique(bags.words, return_inverse=True)
        return cls(
            bags.with_words(places.astype(np.int32)), tuple(str(spelled[row]) for row in rows.tolist())
        )

    def __len__(self) -> int:
        return len(self.bags.unseen)

    def plus(self, more: "WaitingDocuments") -> "WaitingDocuments":
        """These documents followed by `more`, as a new object; the words of both must be of the same form."""
        if self.spelled is None or more.spelled is None:
            return WaitingDocuments(Bags.join([self.bags, more.bags]))
        rows = {word: row for row, word in enumerate(self.spelled)}
        places = np.array([rows.setdefault(word, len(rows)) for word in more.spelled], np.int32)
        bags = Bags.join([self.bags, more.bags.with_words(places[more.bags.words])])
        return WaitingDocuments(bags, tuple(rows))

    def to_arrays(self) -> dict[str, AnyArray]:
        """These documents as named arrays, for a checkpoint."""
        arrays = {f"{PREFIX}{name}": values for name, values in self.bags._asdict().items()}
        return arrays if self.spelled is None else {**arrays, **flat_words(PREFIX, self.spelled)}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> "WaitingDocuments | None":
        """The documents from a checkpoint's arrays; None if it has none. Raises ValueError if invalid."""
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
        spelled = tuple(words_from(PREFIX, arrays)) if f"{PREFIX}letters" in arrays else None
        return cls(held, spelled)

    def refuse_others(self, n_rows: int, *, keyed: bool) -> None:
        """Raise ValueError if the documents do not fit a table of `n_rows` rows.

        They must have words by spelling if it is `keyed`, otherwise by row numbers below `n_rows`.
        """
        if keyed != (self.spelled is not None):
            raise ValueError("waiting documents of another kind of words")
        n_words = n_rows if self.spelled is None else len(self.spelled)
        if len(self.bags.words) and int(self.bags.words.max()) >= n_words:
            raise ValueError("waiting documents with unknown words")
