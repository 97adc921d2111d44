"""The phrase table: how phrases are translated, and how probable each translation is in both directions."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import Array
from stickbreaker.translation.alignment.aligned_words import Links, Sentences
from stickbreaker.translation.kernels.phrase_extraction import MOST, PhrasePlaces
from stickbreaker.translation.phrases.phrase_places import PhraseIndex, longest_at, phrase_places

MOST_OPTIONS = 20  # translations of a source phrase that are kept, the most frequent


@dataclass(frozen=True, eq=False)
class PhraseTable:
    """Translations of phrases, those of a source phrase one after another, the most frequent first.

    `starts` (source phrases + 1): the translations of each phrase of `index`, by number. Of each translation
    (options): its target words, how often the two phrases were extracted together, how often each of them at
    all, and the links of their words as they were most often.
    """

    index: PhraseIndex
    starts: NDArray[np.int64]
    offsets: NDArray[np.int64]  # (options + 1,) into target_words
    target_words: NDArray[np.int32]
    counts: NDArray[np.int64]  # (options,) c(f, e)
    source_counts: NDArray[np.int64]  # (options,) c(f), over all translations, kept or not
    target_counts: NDArray[np.int64]  # (options,) c(e)
    links: NDArray[np.int32]  # (options,) bit 5 s + t: source word s is linked with target word t

    @classmethod
    def of(
        cls,
        sides: tuple[Sentences, Sentences],
        links: Links,
        sizes: tuple[int, int],
        most: int = MOST_OPTIONS,
    ) -> "PhraseTable":
        """The table of a bitext; `sizes` are the numbers of words of both languages. Phrases with unknown
        words are left out."""
        places = phrase_places(sides, links)
        sources, targets = (
            PhraseIndex.of(side.words, longest_at(begin, lengths, len(side.words)), size)
            for side, begin, lengths, size in (
                (sides[0], places.source, places.source_words, sizes[0]),
                (sides[1], places.target, places.target_words, sizes[1]),
            )
        )
        f = sources.find(sides[0].words, places.source, places.source_words)
        e = targets.find(sides[1].words, places.target, places.target_words)
        n_targets = int(targets.starts[-1])
        pairs, first, counts, masks = _counted(f * n_targets + e, places)
        f, e = np.divmod(pairs, n_targets)
        totals = np.bincount(f, counts, minlength=int(sources.starts[-1])).astype(np.int64)
        target_totals = np.bincount(e, counts, minlength=n_targets).astype(np.int64)
        order = np.lexsort((e, -counts, f))
        rank = np.arange(len(order)) - np.searchsorted(f[order], f[order])
        kept = order[rank < most]
        lengths = places.target_words[first[kept]].astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        begins = places.target[first[kept]]
        inner = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
        return cls(
            sources,
            np.searchsorted(f[kept], np.arange(sources.starts[-1] + 1)),
            offsets,
            sides[1].words[np.repeat(begins, lengths) + inner],
            counts[kept],
            totals[f[kept]],
            target_totals[e[kept]],
            masks[kept],
        )

    @property
    def n_options(self) -> int:
        return len(self.counts)

    @cached_property
    def phrases(self) -> NDArray[np.int64]:
        """(options,) the number of the source phrase of each translation."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def source_of(self, phrases: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Words (phrases × 5, from the left, -1 after the last) and lengths of source phrases by number."""
        starts, n_words = self.index.starts, self.index.n_words
        lengths = np.searchsorted(starts, phrases, side="right")
        words = np.full((len(phrases), MOST), -1, np.int64)
        number = phrases - starts[lengths - 1]
        for n in range(MOST, 0, -1):
            here = np.flatnonzero(lengths >= n)
            if len(here):
                number[here], words[here, n - 1] = np.divmod(self.index.keys[n - 1][number[here]], n_words)
        return words, lengths

    def log_p(self, options: NDArray[np.int64]) -> Array:
        """(options × 2) log p(e | f) and log p(f | e) of phrases, in nats: relative frequencies."""
        together = np.log(self.counts[options])
        given = self.source_counts[options], self.target_counts[options]
        return np.stack([together - np.log(one) for one in given], axis=1)

    def to_arrays(self) -> dict[str, NDArray[np.generic]]:
        """The table as arrays by name."""
        keys = {f"keys.{n}": keys for n, keys in enumerate(self.index.keys)}
        own = {name: getattr(self, name) for name in _ARRAYS}
        return {**keys, **own, "n_words": np.array([self.index.n_words])}

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[np.generic]]) -> "PhraseTable":
        """The table whose `to_arrays` these are."""
        keys = tuple(arrays[f"keys.{n}"] for n in range(sum(name.startswith("keys.") for name in arrays)))
        index = PhraseIndex(keys, int(arrays["n_words"][0]))  # type: ignore[arg-type]
        return cls(index, **{name: arrays[name] for name in _ARRAYS})  # type: ignore[arg-type]


_ARRAYS = (*("starts", "offsets", "target_words", "counts", "source_counts", "target_counts", "links"),)


def _counted(
    pairs: NDArray[np.int64], places: PhrasePlaces
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """Distinct pairs of phrases, a place of each, how often they come, and their most frequent links (of
    equals the smallest number)."""
    order = np.lexsort((places.links, pairs))
    pairs, masks = pairs[order], places.links[order]
    begins = np.flatnonzero(np.concatenate([[True], (pairs[1:] != pairs[:-1]) | (masks[1:] != masks[:-1])]))
    times = np.diff(np.append(begins, len(pairs)))
    best = begins[np.lexsort((masks[begins], -times, pairs[begins]))]  # of each pair its most frequent first
    distinct, first = np.unique(pairs[best], return_index=True)
    counts = np.bincount(np.searchsorted(distinct, pairs[begins]), times, minlength=len(distinct))
    return distinct, order[best[first]], counts.astype(np.int64), masks[best[first]]
