"""What Unix and Windows do differently: file locks, appending, memory. One function each.

Nothing else in the package imports a module that only one of the two has.
"""

import errno
import importlib
import os
import sys
from typing import IO

OPEN_FILES_MOVE = os.name != "nt"  # whether a file can be renamed or removed while it is open
NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)  # flags of `os.open` that Windows does not have
NO_WAIT: int = getattr(os, "O_NONBLOCK", 0)
_LOCKED_BYTE = 1 << 30  # Windows keeps others from reading locked bytes: lock one that no file has


class NoLocksError(OSError):
    """Raised by `lock` on a system that cannot lock files at all."""


def lock(descriptor: int) -> None:
    """Lock an open file for this process alone, without waiting; the lock ends when the file is closed.

    Raises BlockingIOError if another process has the lock, NoLocksError if the system has no locks, OSError
    if the file system has none.
    """
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:
        _lock_on_windows(descriptor)
        return
    flock(descriptor, LOCK_EX | LOCK_NB)


def _lock_on_windows(descriptor: int) -> None:
    try:
        windows = importlib.import_module("msvcrt")
    except ImportError:
        raise NoLocksError(errno.ENOSYS, "this system has no file locks") from None
    place = os.lseek(descriptor, 0, os.SEEK_CUR)
    os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
    try:
        windows.locking(descriptor, windows.LK_NBLCK, 1)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EDEADLK):
            raise BlockingIOError(errno.EAGAIN, "another process has the lock") from None
        raise
    finally:
        os.lseek(descriptor, place, os.SEEK_SET)


def append_only(file: IO[bytes]) -> None:
    """Make all writes to an open file, also of processes that share it, go to its end (not on Windows)."""
    try:
        from fcntl import F_SETFL, fcntl
    except ImportError:
        return
    fcntl(file, F_SETFL, os.O_APPEND)


def peak_memory() -> float | None:
    """The most resident memory that this process has had, in MiB; None if the system does not report it."""
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:
        return None
    peak = getrusage(RUSAGE_SELF).ru_maxrss
    return peak / (1024.0 if sys.platform != "darwin" else 1024.0**2)


def memory_of_machine() -> int | None:
    """The memory of this machine in bytes; None if the system does not report it."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return None
