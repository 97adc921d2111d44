"""Joins phrases: words that often stand together, read as one word, such as "new_york".

Phrases are found in rounds (`phrase_search.py`). A round is a set of word pairs. Wherever such a pair stands
in a text, from left to right, it becomes one word, which the next round may join with a third.
"""

import functools
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import regex
from numpy.typing import NDArray

from stickbreaker.corpus.text.letters import LETTER_RULES, MIDDLE_DOT

JOINER = "_"
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


def breaks_in(text: str, starts: NDArray[np.integer], letters: str) -> NDArray[np.integer]:
    """The positions of the tokens that cannot continue a phrase: a comma or the like stands before them.

    Spaces, hyphens, quotes and & do not end a phrase, nor does what belongs to words; any other sign does.
    starts: the character of the text at which each token begins; letters: as in `Analysis`.

    >>> breaks_in("cold-war news, cs.edu", np.array([0, 5, 9, 15, 18]), "unicode").tolist()
    [3, 4]
    """
    breaks = _break_pattern(letters).finditer(text)
    places = np.unique(np.searchsorted(starts, [match.start() for match in breaks]))
    return places[places < len(starts)]


def break_classes(letters: str) -> tuple[tuple[str, int], ...]:
    """The characters that end a phrase as classes, each a pattern and its number, for `mark_breaks`.

    1: they do; 2: they do, but for one between l and l. letters: as in `Analysis`.
    """
    rule = LETTER_RULES[letters]
    if not rule.by_annex:
        return ((f"[^{rule.undividing}]", 1),)
    return (f"[^{rule.undividing}{MIDDLE_DOT}]", 1), (MIDDLE_DOT, 2)


@functools.cache
def _break_pattern(letters: str) -> regex.Pattern[str]:
    """A pattern for a character that ends a phrase."""
    (sign, _), *dots = break_classes(letters)
    between = [f"(?<![lL]){dot}|{dot}(?![lL])" for dot, _ in dots]
    return regex.compile("|".join([sign, *between]), regex.V1)


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
