"""The threads that other libraries have of their own, which stand beside ours."""

import functools
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController  # pyright: ignore[reportMissingTypeStubs]


@contextmanager
def one_thread() -> Generator[None]:
    """Where the libraries with threads of their own use one each, until the last that is inside leaves.

    One inside another costs nothing: to set their numbers wakes their threads, which spin for a while.
    """
    with _LIMIT.lock:
        if not _LIMIT.inside:
            _LIMIT.limiter = _libraries().limit(limits=1)  # pyright: ignore[reportUnknownMemberType]
        _LIMIT.inside += 1
    try:
        yield
    finally:
        with _LIMIT.lock:
            _LIMIT.inside -= 1
            if not _LIMIT.inside:
                _LIMIT.limiter.restore_original_limits()


@dataclass(slots=True)
class _Limit:
    """How many are inside of `one_thread`, in this process, and what the first of them changed."""

    lock: Lock = field(default_factory=Lock)
    inside: int = 0
    limiter: Any = None


_LIMIT = _Limit()


@functools.cache
def _libraries() -> ThreadpoolController:
    """The libraries with threads of their own, looked for once: it takes milliseconds."""
    return ThreadpoolController()
