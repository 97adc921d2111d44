"""Documents of a stream that are kept: those that wait until there are enough to decide on a model's topics,
and a sample by which topics' words are ranked.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stickbreaker.core.records import AnyArray
from stickbreaker.core.serialize import WORDS, Arrays, flat_words, words_from
from stickbreaker.core.untrusted import refuse_negative
from stickbreaker.corpus.shards import Bags

WAITING, SAMPLE = "waiting/", "sample/"  # begin the names of arrays in a saved model


class StreamDocuments(NamedTuple):
    """Some documents of a stream as bags of words, in order of arrival.

    Their words are row numbers of the table or, if its rows come and go, indices into `spelled`.

    >>> one = Bags(np.array([0, 1]), np.array([7], np.int32), np.ones(1, np.float32), np.zeros(1, np.float32))
    >>> len(StreamDocuments(one).plus(StreamDocuments(one)))
    2
    """

    bags: Bags
    spelled: tuple[str, ...] | None = None

    @classmethod
    def of(cls, bags: Bags, spelled: Sequence[str] | None) -> "StreamDocuments":
        """Documents to keep, from bags whose words are indices into `spelled`.

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

    def plus(self, more: "StreamDocuments") -> "StreamDocuments":
        """These documents followed by `more`, as a new object; the words of both must be of the same form."""
        if self.spelled is None or more.spelled is None:
            return StreamDocuments(Bags.join([self.bags, more.bags]))
        rows = {word: row for row, word in enumerate(self.spelled)}
        places = np.array([rows.setdefault(word, len(rows)) for word in more.spelled], np.int32)
        bags = Bags.join([self.bags, more.bags.with_words(places[more.bags.words])])
        return StreamDocuments(bags, tuple(rows))

    def sampled(self, documents: int, entries: int, generator: np.random.Generator) -> "StreamDocuments":
        """At most this many of the documents, drawn at random, with at most this many entries (distinct words
        of a document) in all; the order stays.
        """
        lengths = np.diff(self.bags.offsets)
        if len(self) <= documents and int(lengths.sum()) <= entries:
            return self
        order = generator.permutation(len(self))
        fitting = int(np.searchsorted(np.cumsum(lengths[order]), entries, side="right"))
        return self.of(self.bags.take(np.sort(order[: min(documents, fitting)])), self.spelled)

    def to_arrays(self, prefix: str) -> dict[str, AnyArray]:
        """These documents as named arrays, for a saved model; prefix: begins their names."""
        arrays = {f"{prefix}{name}": values for name, values in self.bags._asdict().items()}
        return arrays if self.spelled is None else {**arrays, **flat_words(prefix, self.spelled)}

    @classmethod
    def from_arrays(cls, prefix: str, arrays: Arrays) -> "StreamDocuments | None":
        """The documents from a saved model's arrays; None if it has none. Raises ValueError if invalid."""
        if not any(name.startswith(prefix) for name in arrays):
            return None
        offsets, words, counts, unseen = (arrays[f"{prefix}{name}"] for name in Bags._fields)
        if any(values.ndim != 1 for values in (offsets, words, counts, unseen)) or len(counts) != len(words):
            raise ValueError("documents of a stream whose sizes do not match")
        if offsets.dtype.kind != "i" or words.dtype.kind != "i" or len(offsets) != len(unseen) + 1:
            raise ValueError("documents of a stream without their words")
        if offsets[0] != 0 or offsets[-1] != len(words) or (np.diff(offsets) < 0).any():
            raise ValueError("documents of a stream with wrong offsets")
        refuse_negative(words, "rows of a stream's documents")
        refuse_negative(counts, "counts of a stream's documents")
        held = Bags(
            offsets.astype(np.int64),
            words.astype(np.int32),
            counts.astype(np.float32),
            unseen.astype(np.float32),
        )
        has_words = any(f"{prefix}{name}" in arrays for name in WORDS)
        spelled = tuple(words_from(prefix, arrays)) if has_words else None
        return cls(held, spelled)

    def refuse_others(self, n_rows: int, *, keyed: bool) -> None:
        """Raise ValueError if the documents do not fit a table of `n_rows` rows.

        They must have words by spelling if it is `keyed`, otherwise by row numbers below `n_rows`.
        """
        if keyed != (self.spelled is not None):
            raise ValueError("documents of a stream with another kind of words")
        n_words = n_rows if self.spelled is None else len(self.spelled)
        if len(self.bags.words) and int(self.bags.words.max()) >= n_words:
            raise ValueError("documents of a stream with unknown words")
