"""The slots of a text's words when context lengths are sampled: where they start, and checks."""

import numpy as np

from stickbreaker.ngrams.kernels.topic_sweeps import Words
from stickbreaker.ngrams.kernels.topic_tables import Rooms
from stickbreaker.ngrams.model.chain import START
from stickbreaker.ngrams.model.contexts import Integers


def first_slots(rooms: Rooms, deepest: Integers) -> Integers:
    """The slot (a word in a context) in which each word is first seated when context lengths are sampled:
    that of its context of `START` words, or of its longest context if that is shorter.

    deepest (words): the slot of each word in its longest context.
    """
    slots = deepest.copy()
    for _ in range(int(rooms.depths.max()) - START):
        deep = rooms.depths[rooms.restaurants[slots]] > START
        slots = np.where(deep, rooms.parents[slots], slots)
    return slots


def refuse_words(rooms: Rooms, words: Words, *, unbounded: bool) -> None:
    """Raise ValueError if words have topics that do not exist, or sit in slots that are not of their own
    contexts."""
    if (words.topics < 0).any() or (words.topics >= rooms.n_topics).any():
        raise ValueError("a topic does not exist")
    at = words.deepest
    if not unbounded:
        if (words.slots != at).any():
            raise ValueError("words belong to other contexts")
        return
    if (words.slots < 0).any() or (words.slots >= len(rooms.parents)).any():
        raise ValueError("words belong to other contexts")
    found = at == words.slots
    for _ in range(int(rooms.depths.max())):
        at = np.where(at >= 0, rooms.parents[at], -1)
        found |= at == words.slots
    if not found.all():
        raise ValueError("words belong to other contexts")
