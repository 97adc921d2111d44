"""The phrase table: translations of phrases with probabilities in both directions."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.records import AnyArray, Array
from stickbreaker.corpus.shards import entries_between
from stickbreaker.saved.arrays import refuse_other_keys
from stickbreaker.translation.alignment.aligned_words import Links, Sentences
from stickbreaker.translation.kernels.phrase_extraction import MOST
from stickbreaker.translation.phrases.phrase_places import PhraseIndex, number_phrases, phrase_places

MOST_OPTIONS = 20  # most probable translations kept per source phrase


class PhraseCounts(NamedTuple):
    """How often the phrase pair (f, e) of each translation option, and its phrases f and e, were extracted
    from a bitext."""

    counts: NDArray[np.int64]  # (options,) c(f, e)
    source_counts: NDArray[np.int64]  # (options,) c(f), over all translations
    target_counts: NDArray[np.int64]  # (options,) c(e)

    def log_p(self, options: NDArray[np.int64]) -> Array:
        """log p(e | f) and log p(f | e) of these translation options, by relative frequencies, in nats
        (options × 2)."""
        together = np.log(self.counts[options])
        given = self.source_counts[options], self.target_counts[options]
        return np.stack([together - np.log(one) for one in given], axis=1)


class GivenScores(NamedTuple):
    """log p (nats) of phrase pairs as read from a file, each of the target given the source, and the
    reverse."""

    log_phrases: Array  # (options × 2) p(e | f), p(f | e)
    log_lexical: Array  # (options × 2) lexical weights, overall

    def log_p(self, options: NDArray[np.int64]) -> Array:
        """log p(e | f) and log p(f | e) of these translation options, in nats (options × 2)."""
        return self.log_phrases[options]


@dataclass(frozen=True, eq=False)
class PhraseTable:
    """Translations of phrases, grouped by source phrase, most probable first; each translation is an option.

    `starts` (source phrases + 1): where the options of each phrase of `index` begin. An option has target
    words, scores, and links between its words: in a table counted from a bitext, the most frequent links.
    Words have the bitext's numbers; words that the bitext lacks are numbered after these, in the order of
    `more_words` (source, target).
    """

    index: PhraseIndex
    starts: NDArray[np.int64]
    offsets: NDArray[np.int64]  # (options + 1,) into target_words
    target_words: NDArray[np.int32]
    links: NDArray[np.int32]  # (options,) bit 5 s + t: source word s is linked with target word t
    scores: PhraseCounts | GivenScores
    more_words: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    @classmethod
    def of(
        cls,
        sides: tuple[Sentences, Sentences],
        links: Links,
        sizes: tuple[int, int],
        most: int = MOST_OPTIONS,
    ) -> "PhraseTable":
        """Count a phrase table in a word-aligned bitext.

        `sizes`: the numbers of different source and target words; `most`: the most frequent options per
        source phrase that are kept. Phrases with unknown words are left out.
        """
        places = phrase_places(sides, links)
        sources, f = number_phrases(sides[0].words, places.source, places.source_words, sizes[0])
        targets, e = number_phrases(sides[1].words, places.target, places.target_words, sizes[1])
        known, n_targets = np.flatnonzero((f >= 0) & (e >= 0)), int(targets.starts[-1])
        pairs = _counted(f[known].astype(np.int64) * n_targets + e[known], places.links[known])
        f, e = np.divmod(pairs.numbers, max(n_targets, 1))
        totals = np.bincount(f, pairs.counts, minlength=int(sources.starts[-1])).astype(np.int64)
        target_totals = np.bincount(e, pairs.counts, minlength=n_targets).astype(np.int64)
        order = _most_first(f, pairs.counts)
        rank = np.arange(len(f)) - np.repeat(*_runs(f))
        kept = order[rank < most]
        first = known[pairs.first[kept]]
        begins, lengths = places.target[first], places.target_words[first].astype(np.int64)
        offsets, inside = entries_between(begins, begins + lengths)
        return cls(
            sources,
            np.searchsorted(f[kept], np.arange(sources.starts[-1] + 1)),
            offsets,
            sides[1].words[inside],
            pairs.links[kept],
            PhraseCounts(pairs.counts[kept], totals[f[kept]], target_totals[e[kept]]),
        )

    @property
    def n_options(self) -> int:
        return len(self.links)

    @cached_property
    def phrases(self) -> NDArray[np.int64]:
        """The number of the source phrase that each option translates (options,)."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def source_of(self, phrases: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The words (phrases × 5, -1 after the last) and the lengths of the source phrases with these
        numbers."""
        starts, n_words = self.index.starts, self.index.n_words
        lengths = np.searchsorted(starts, phrases, side="right")
        words = np.full((len(phrases), MOST), -1, np.int64)
        number = phrases - starts[lengths - 1]
        for n in range(MOST, 0, -1):
            here = np.flatnonzero(lengths >= n)
            if len(here):
                number[here], words[here, n - 1] = np.divmod(self.index.keys[n - 1][number[here]], n_words)
        return words, lengths

    def to_arrays(self) -> dict[str, NDArray[np.generic]]:
        """The table as arrays by name, to be saved."""
        keys = {f"keys.{n}": keys for n, keys in enumerate(self.index.keys)}
        own = {name: getattr(self, name) for name in _ARRAYS}
        more = {
            name: np.frombuffer(json.dumps(words, ensure_ascii=False).encode(), np.uint8)
            for name, words in zip(_MORE_WORDS, self.more_words, strict=True)
            if words
        }
        return {**keys, **own, **self.scores._asdict(), **more, "n_words": np.array([self.index.n_words])}

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[np.generic]]) -> "PhraseTable":
        """The table from the arrays that `to_arrays` returned.

        Raises ValueError or KeyError for some invalid arrays; `require_table` then finds the others.
        """
        keys = tuple(arrays[f"keys.{n}"] for n in range(sum(name.startswith("keys.") for name in arrays)))
        index = PhraseIndex(keys, int(arrays["n_words"][0]))  # type: ignore[arg-type]
        kind = PhraseCounts if "counts" in arrays else GivenScores
        scores = kind(*(arrays[name] for name in kind._fields))  # type: ignore[arg-type]
        more = [json.loads(bytes(arrays[name].tolist())) if name in arrays else [] for name in _MORE_WORDS]
        for words in more:
            refuse_other_keys(words)
        own: dict[str, AnyArray] = {name: arrays[name] for name in _ARRAYS}
        return cls(index, **own, scores=scores, more_words=(tuple(more[0]), tuple(more[1])))


_ARRAYS = ("starts", "offsets", "target_words", "links")
_MORE_WORDS = ("more_words.source", "more_words.target")
_LINK_BITS = MOST * MOST


class _Pairs(NamedTuple):
    """The distinct pairs of phrases that were extracted, sorted by the number of the pair, with counts and
    links."""

    numbers: NDArray[np.int64]
    first: NDArray[np.int64]  # one occurrence of each
    counts: NDArray[np.int64]  # how often each occurs
    links: NDArray[np.int32]  # its most frequent links; ties by smallest number


def _counted(pairs: NDArray[np.int64], links: NDArray[np.int32]) -> _Pairs:
    """Count equal pairs of phrases, and find the most frequent links of each.

    pairs: a number for each occurrence, equal for equal pairs; links: of each occurrence, as bits.
    """
    order = np.argsort(pairs)
    pairs, links = pairs[order], links[order]
    first, counts = _runs(pairs)
    row = np.repeat(np.arange(len(first)), counts)
    both = np.sort((row << _LINK_BITS) + links)
    begins, times = _runs(both)
    row, links = np.divmod(both[begins], 1 << _LINK_BITS)
    best = _most_first(row, times)[_runs(row)[0]]
    return _Pairs(pairs[first], order[first], counts, links[best].astype(np.int32))


def _runs(values: AnyArray) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The start and the length of each run of equal values."""
    begins = np.flatnonzero(np.append(True, values[1:] != values[:-1])[: len(values)])
    return begins, np.diff(begins, append=len(values))


def _most_first(groups: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Indices that sort the items of each group by descending count; groups stay in place, and ties keep
    their order.

    groups (items, ascending): the group of each item; counts (items).
    """
    most = int(counts.max(initial=0))
    return np.argsort(groups * (most + 1) + most - counts, kind="stable")
