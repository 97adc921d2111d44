"""One thread at a time changes or saves an estimator: others that want to, wait."""

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from stickbreaker.estimators.estimator import Estimator

_GUARD = threading.Lock()
_LOCKS: WeakKeyDictionary[Estimator, threading.RLock] = WeakKeyDictionary()


@contextmanager
def alone_with(estimator: Estimator) -> Generator[None]:
    """Let no other thread learn with an estimator, or save it, meanwhile.

    Locks lie beside estimators, not in them: copies, clones and pickles have none of another one's.
    """
    with _GUARD:
        lock = _LOCKS.setdefault(estimator, threading.RLock())
    with lock:
        yield


def _forget() -> None:
    """In a child that was forked, where threads that had locks are not there any more."""
    global _GUARD
    _GUARD = threading.Lock()
    _LOCKS.clear()


os.register_at_fork(after_in_child=_forget)
