"""Limits the threads of numerical libraries, and locks objects that several threads of a user may change."""

import functools
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from threadpoolctl import ThreadpoolController  # pyright: ignore[reportMissingTypeStubs]


@contextmanager
def one_thread() -> Generator[None]:
    """A context in which libraries with threads of their own (BLAS, OpenMP) use one, in the whole process.

    Contexts may be nested or overlap between threads: the last one to end restores the former numbers.
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


class _Library(Protocol):
    """A library with threads of its own, as threadpoolctl finds it."""

    def get_num_threads(self) -> int: ...
    def set_num_threads(self, num_threads: int) -> object: ...


@dataclass(slots=True)
class _Limit:
    """How many callers are inside `one_thread`, and each library's number of threads before the first."""

    lock: Lock = field(default_factory=Lock)
    inside: int = 0
    before: "list[tuple[_Library, int]]" = field(default_factory=list["tuple[_Library, int]"])


_LIMIT = _Limit()


@functools.cache
def _libraries() -> list[_Library]:
    """The loaded libraries that have their own threads; cached, since the search takes milliseconds."""
    return ThreadpoolController().lib_controllers  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


class _Locks:
    """A lock for each object that several threads may change; it is dropped with the object."""

    def __init__(self) -> None:
        self.guard = Lock()
        self.of: WeakKeyDictionary[object, Any] = WeakKeyDictionary()

    def lock_of(self, thing: object) -> Any:
        with self.guard:
            return self.of.setdefault(thing, RLock())


@contextmanager
def alone_with(thing: object) -> Generator[None]:
    """A context that only one thread at a time can enter for an object; contexts of one thread may be nested.

    The object must be hashable and allow weak references. Its lock is stored outside it, so that copies and
    pickles do not carry it.
    """
    with _LOCKS.lock_of(thing):
        yield


_LOCKS = _Locks()
# in a forked child, the threads that held locks do not exist
os.register_at_fork(after_in_child=_LOCKS.__init__)
