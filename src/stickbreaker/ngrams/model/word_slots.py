"""The slots that the words of a text sit in: fixed, or as long as each word's context."""

import numpy as np

from stickbreaker.ngrams.kernels.topic_sweeps import Words
from stickbreaker.ngrams.kernels.topic_tables import Rooms
from stickbreaker.ngrams.model.chain import START
from stickbreaker.ngrams.model.contexts import Integers


def first_slots(rooms: Rooms, deepest: Integers) -> Integers:
    """Where words of unbounded contexts sit at first: `START` words deep, or less."""
    slots = deepest.copy()
    for _ in range(int(rooms.depths.max()) - START):
        deep = rooms.depths[rooms.restaurants[slots]] > START
        slots = np.where(deep, rooms.parents[slots], slots)
    return slots


def refuse_words(rooms: Rooms, words: Words, *, unbounded: bool) -> None:
    """Raise ValueError for words of topics that there are not, and for slots of other contexts."""
    if (words.topics < 0).any() or (words.topics >= rooms.n_topics).any():
        raise ValueError("topics that there are not")
    at = words.deepest
    if not unbounded:
        if (words.slots != at).any():
            raise ValueError("words of other contexts")
        return
    if (words.slots < 0).any() or (words.slots >= len(rooms.parents)).any():
        raise ValueError("words of other contexts")
    found = at == words.slots
    for _ in range(int(rooms.depths.max())):
        at = np.where(at >= 0, rooms.parents[at], -1)
        found |= at == words.slots
    if not found.all():
        raise ValueError("words of other contexts")
