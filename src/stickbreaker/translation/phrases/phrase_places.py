"""The positions of phrases in a bitext, and an index of distinct phrases."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.translation.alignment.aligned_words import Links, Sentences
from stickbreaker.translation.kernels.phrase_extraction import MOST, PhrasePlaces, extract_phrases

ROOM = 1 << 20  # phrases extracted at a time


def phrase_places(sides: tuple[Sentences, Sentences], links: Links) -> PhrasePlaces:
    """The positions of all phrase pairs in a word-aligned bitext, in the order of its sentence pairs; a
    phrase pair has at most MOST (5) words on each side."""
    source, target = sides
    if not len(links.offsets) - 1:
        return _room(0)
    longest = int(np.diff(target.offsets).max())
    room, parts, pair = _room(max(ROOM, MOST**3 * longest)), list[PhrasePlaces](), 0
    while pair < len(source.offsets) - 1:
        both = (links.source, links.target)
        pair, n = extract_phrases(source.offsets, target.offsets, both, links.offsets, pair, room)
        parts.append(PhrasePlaces(*(column[:n].copy() for column in room)))
    return PhrasePlaces(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _room(n: int) -> PhrasePlaces:
    return PhrasePlaces(
        np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int8), np.empty(n, np.int8),
        np.empty(n, np.int32),
    )  # fmt: skip


class PhraseIndex(NamedTuple):
    """Numbers for the phrases of one language, which are looked up word by word, as in a trie.

    `keys[n]` (ascending) has a key for each phrase of n + 1 words. For single words it is the word; for
    longer phrases, the number of the first n words (counted among phrases of that length) times the number of
    words, plus the last word. Phrases are numbered by length, then in the order of keys.
    """

    keys: tuple[NDArray[np.int64], ...]
    n_words: int

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where the numbers of the phrases of each length begin (lengths + 1): phrases of n words have the
        numbers from starts[n - 1] up to, not including, starts[n]."""
        return np.cumsum([0, *map(len, self.keys)])

    def find(
        self, words: NDArray[np.int32], begin: NDArray[np.int64], lengths: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Look up phrases of a text (`words`), given where they begin and their lengths: returns their
        numbers; -1 if the index lacks one."""
        found = np.full(len(begin), -1, np.int64)
        before, alive = np.zeros(len(begin), np.int64), np.arange(len(begin))
        for n, keys in enumerate(self.keys):
            alive = alive[lengths[alive] > n]
            if not len(alive):
                break
            word = words[begin[alive] + n].astype(np.int64)
            wanted = before[alive] * self.n_words + word
            places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            known = (keys[places] == wanted) & (word >= 0)
            alive, places = alive[known], places[known]
            before[alive] = places
            whole = lengths[alive] == n + 1
            found[alive[whole]] = places[whole] + self.starts[n]
        return found


def number_phrases(
    words: NDArray[np.int32], begin: NDArray[np.int64], lengths: NDArray[np.int8], n_words: int
) -> tuple[PhraseIndex, NDArray[np.int32]]:
    """Index the phrases in a text, from the positions at which they begin and their lengths.

    Returns the index, which also contains all prefixes of the phrases, and each phrase's number, -1 if it has
    an unknown word.

    >>> text = np.array([4, 2, 4], np.int32)
    >>> index, numbers = number_phrases(text, np.array([0, 2]), np.array([2, 1], np.int8), 5)
    >>> [keys.tolist() for keys in index.keys], numbers.tolist()
    ([[4], [2]], [1, 0])
    """
    longest = np.zeros(len(words), np.int8)
    np.maximum.at(longest, begin, lengths)
    numbers = np.full(len(begin), -1, np.int32)
    keys: list[NDArray[np.int64]] = []
    places, start = np.flatnonzero(longest), 0
    before = np.zeros(len(places), np.int64)
    for n in range(int(longest.max(initial=0))):
        alive = (longest[places] > n) & (words[np.minimum(places + n, len(words) - 1)] >= 0)
        places, before = places[alive], before[alive]
        if not len(places):
            break
        found, before = np.unique(before * n_words + words[places + n], return_inverse=True)
        here, at = np.flatnonzero(lengths == n + 1), np.full(len(words), -1, np.int32)
        at[places] = before + start
        numbers[here] = at[begin[here]]
        keys.append(found)
        start += len(found)
    return PhraseIndex(tuple(keys), n_words), numbers
