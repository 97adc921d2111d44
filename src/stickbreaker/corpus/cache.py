"""Decoded blocks, the last used kept while they are small."""

import threading
from collections import OrderedDict
from collections.abc import Callable

from stickbreaker.corpus.shards import Bags

MOST_ENTRIES = 8_000_000  # about 64 MB


class BagCache:
    """The bags of the blocks used last, at most `MOST_ENTRIES` entries. Safe from several threads."""

    def __init__(self, most_entries: int = MOST_ENTRIES) -> None:
        self.most_entries = most_entries
        self._bags: OrderedDict[int, Bags] = OrderedDict()
        self._entries = 0
        self._lock = threading.Lock()

    def get(self, block: int, make: Callable[[int], Bags]) -> Bags:
        """The bags of a block, made when they are not held."""
        with self._lock:
            if block in self._bags:
                self._bags.move_to_end(block)
                return self._bags[block]
        bags = make(block)
        with self._lock:
            if block not in self._bags:
                self._bags[block] = bags
                self._entries += _size(bags)
            while self._entries > self.most_entries and self._bags:
                _, dropped = self._bags.popitem(last=False)
                self._entries -= _size(dropped)
        return bags


def _size(bags: Bags) -> int:
    return len(bags.words) + 2 * len(bags.unseen)
