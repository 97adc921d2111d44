"""Threads: those that other libraries have of their own, and those of users, that change one thing."""

import functools
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Any
from weakref import WeakKeyDictionary

from threadpoolctl import ThreadpoolController  # pyright: ignore[reportMissingTypeStubs]


@contextmanager
def one_thread() -> Generator[None]:
    """Where the libraries with threads of their own use one each, until the last that is inside leaves.

    One inside another costs nothing: to set their numbers wakes their threads, which spin for a while.
    """
    with _LIMIT.lock:
        if not _LIMIT.inside:
            _LIMIT.before = [(library, library.get_num_threads()) for library in _libraries()]
            for library, number in _LIMIT.before:
                if number != 1:
                    library.set_num_threads(1)
        _LIMIT.inside += 1
    try:
        yield
    finally:
        with _LIMIT.lock:
            _LIMIT.inside -= 1
            if not _LIMIT.inside:
                for library, number in _LIMIT.before:
                    if number != 1:
                        library.set_num_threads(number)


@dataclass(slots=True)
class _Limit:
    """How many are inside of `one_thread`, in this process, and the threads of libraries before the first."""

    lock: Lock = field(default_factory=Lock)
    inside: int = 0
    before: list[tuple[Any, int]] = field(default_factory=list[tuple[Any, int]])


_LIMIT = _Limit()


@functools.cache
def _libraries() -> list[Any]:
    """The libraries with threads of their own, looked for once: it takes milliseconds."""
    return ThreadpoolController().lib_controllers  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


class _Locks:
    """The locks of things that several threads change, each as long as its thing."""

    def __init__(self) -> None:
        self.guard = Lock()
        self.of: WeakKeyDictionary[object, Any] = WeakKeyDictionary()

    def lock_of(self, thing: object) -> Any:
        with self.guard:
            return self.of.setdefault(thing, RLock())


@contextmanager
def alone_with(thing: object) -> Generator[None]:
    """Let no other thread that asks for the same be inside meanwhile; a thread may be inside several times.

    The lock lies beside the thing, not in it: copies and pickles have none of another one's.
    """
    with _LOCKS.lock_of(thing):
        yield


_LOCKS = _Locks()
# in a child that was forked, the threads that had locks are not there
os.register_at_fork(after_in_child=_LOCKS.__init__)
