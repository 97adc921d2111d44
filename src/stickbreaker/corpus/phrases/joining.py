"""Joins phrases: words that often stand together, read as one word, such as "new_york".

Phrases are found in rounds (`phrase_search.py`). A round is a set of word pairs. Wherever such a pair stands
in a text, from left to right, it becomes one word, which the next round may join with a third.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import regex
from numpy.typing import NDArray

JOINER = "_"
BREAK = r"[^\p{L}\p{M}\p{N}\s\p{Pd}'’\"“”‘„«»&]"  # a character that ends a phrase
_BREAK = regex.compile(BREAK)
Round = Mapping[tuple[str, str], str]  # pair of words: the word that it becomes


def joined_word(first: str, second: str) -> str:
    """The word that a phrase of two words becomes.

    >>> joined_word("new", "york")
    'new_york'
    """
    return f"{first}{JOINER}{second}"


def rounds_of(pairs: Sequence[Sequence[str]]) -> tuple[Round, ...]:
    """Parse rounds of word pairs from lists of strings "first second", as an analysis stores them.

    >>> rounds_of([["new york"], ["new_york city"]])[1]
    {('new_york', 'city'): 'new_york_city'}
    """
    split = [[tuple(pair.split(" ")) for pair in one] for one in pairs]
    return tuple({(first, second): joined_word(first, second) for first, second in one} for one in split)


def breaks_in(text: str, starts: NDArray[np.integer]) -> NDArray[np.integer]:
    """The positions of the tokens that cannot continue a phrase: a comma or the like stands before them.

    Spaces, hyphens, quotes and & do not end a phrase; any other sign does. starts: the character of the text
    at which each token begins.

    >>> breaks_in("cold-war news, cs.edu", np.array([0, 5, 9, 15, 18])).tolist()
    [3, 4]
    """
    places = np.unique(np.searchsorted(starts, [match.start() for match in _BREAK.finditer(text)]))
    return places[places < len(starts)]


def join_words(
    words: Sequence[str], breaks: NDArray[np.integer], rounds: Sequence[Round]
) -> tuple[list[str], NDArray[np.int32]]:
    """Join the phrases in a list of words; returns the new words, and the old position of each.

    breaks: old positions of words that cannot continue a phrase, such as the first word of a sentence or
    after a comma; rounds: word pairs to join (`rounds_of`). A joined word has its first word's position.

    >>> rounds = rounds_of([["new york", "york city"], ["new_york city"]])
    >>> joined, places = join_words("a new york city york city".split(), np.array([0]), rounds)
    >>> joined, places.tolist()
    (['a', 'new_york_city', 'york_city'], [0, 1, 4])
    """
    joined, places = list(words), np.arange(len(words), dtype=np.int32)
    begins = set(breaks.tolist())
    for pairs in rounds:
        found = [at for at, pair in enumerate(pairwise(joined)) if pair in pairs]
        gone: list[int] = []
        for at in found:
            if (gone and gone[-1] == at) or int(places[at + 1]) in begins:
                continue
            joined[at] = pairs[joined[at], joined[at + 1]]
            gone.append(at + 1)
        if gone:
            places = np.delete(places, gone)
            left = set(gone)
            joined = [word for at, word in enumerate(joined) if at not in left]
    return joined, places
