"""A cache of decoded blocks: those used last, up to a limit of memory."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar, cast

from stickbreaker.corpus.shards import Unit

MOST_ENTRIES = 8_000_000  # about 64 MB

U = TypeVar("U", bound=Unit)


class BlockCache:
    """The decoded blocks used last, up to `most_entries` array entries in all. Thread-safe.

    Copies and pickles begin empty.
    """

    def __init__(self, most_entries: int = MOST_ENTRIES) -> None:
        self.most_entries = most_entries
        self._held: OrderedDict[tuple[type[Unit], int], Unit] = OrderedDict()
        self._entries = 0
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type["BlockCache"], tuple[int]]:
        """For pickling: a lock and what can be read again stay in this process."""
        return BlockCache, (self.most_entries,)

    def get(self, unit: type[U], block: int, make: Callable[[int], U]) -> U:
        """A block's content as `unit` (`Bags`, `Sequences`, …), cached or else made by `make(block)`."""
        key = unit, block
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return cast(U, self._held[key])
        content = make(block)
        with self._lock:
            if key not in self._held:
                self._held[key] = content
                self._entries += _size(content)
            while self._entries > self.most_entries and self._held:
                _, dropped = self._held.popitem(last=False)
                self._entries -= _size(dropped)
        return content


def _size(content: Unit) -> int:
    return len(content.words) + 2 * len(content.offsets)
