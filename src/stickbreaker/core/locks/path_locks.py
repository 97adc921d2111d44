"""What is being made lies beside its place, claimed by a lock that ends with its process.

`.NAME.partial-…` is a file or directory that is to become NAME, `.NAME.replaced-…` holds what NAME was until
then. The next process that makes something of that name removes what a killed one left.
"""

import errno
import glob
import os
import re
import secrets
import shutil
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from stickbreaker.core import system_calls
from stickbreaker.core.errors import UserError
from stickbreaker.core.file_errors import named_as, naming_parent
from stickbreaker.core.system_calls import NO_FOLLOW, NO_WAIT

LOCK = "lock"  # the file of a directory that is locked while a process writes there
LONGEST_WAIT = 60.0  # seconds for others to finish a short change
_UNNAMED = ".lock-"  # how that file's name begins before it is locked
_RANDOM = re.compile(r"[a-z0-9_]{8}")  # how their names end; earlier versions took those of `tempfile`
_NO_LOCKS = (errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK)  # of file systems without flock
_HELD: set[Path] = set()  # directories that this process claims


@contextmanager
def scratch_beside(path: Path) -> Generator[Path]:
    """An empty directory on the same disk as `path`, removed at the end; if killed, by the next one there.

    Makes the directories above `path`, and removes them again where nothing came of it. Raises UserError
    while another process has such a directory for the same `path`.
    """
    refuse_other_names(path)
    made = [parent for parent in path.parents if not parent.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        sweep(path)
        with claimed(path, "partial") as scratch:
            try:
                with named_as(path, scratch):
                    _refuse_another(path, scratch)
                    yield scratch
            finally:
                remove_claimed(scratch)
    except BaseException:
        for parent in made:
            with suppress(OSError):
                parent.rmdir()
        raise


def _refuse_another(path: Path, scratch: Path) -> None:
    """Raise UserError where another process has claimed a directory of the same name for longer.

    Each process counts from its oldest claim: of two that claim several after one another, one goes on.
    """
    found = [other for other in beside(path, "partial") if other.is_dir()]
    own = min(_since(held) or 0 for held in {scratch, *_HELD.intersection(found)})
    for other in found:
        if other in _HELD or not is_claimed(other):
            continue
        since = _since(other)  # looked at once it is claimed: before, there is no lock
        if since is not None and since < own:
            remedy = "wait for it, or choose another path"
            raise UserError("another process is writing this", where=path, remedy=remedy)


def _since(directory: Path) -> int | None:
    """When a directory was claimed, in nanoseconds; 0 where the lock does not say, None without a lock."""
    try:
        return int((directory / LOCK).read_bytes()[:30])
    except OSError:
        return None
    except ValueError:
        return 0


def sweep(path: Path) -> None:
    """Remove what killed processes left beside `path`: what was half made, and wrappers of what was
    replaced.

    A wrapper that still holds what was at `path` stays, for `recover`; so does what has no lock or is in use.
    """
    for left in beside(path, "partial"):
        with suppress(OSError):
            if not left.is_dir() or left.is_symlink():
                descriptor = lock_file(left, create=False)
                if descriptor is not None:
                    _remove_locked(left, descriptor)
            else:
                sweep_directory(left)
    for left in beside(path, "replaced"):
        with suppress(OSError):
            sweep_directory(left, needed=path.absolute().name)


def sweep_directory(directory: Path, needed: str = "") -> None:
    """Remove a directory whose process is dead, unless it holds an entry that is `needed`."""
    if directory.is_symlink():
        return
    descriptor = lock_file(directory / LOCK, create=False)
    if descriptor is None:
        _sweep_unlocked(directory)
        return
    try:
        if not needed or needed not in os.listdir(directory):  # looked at under the lock
            remove_claimed(directory)
    finally:
        release(descriptor, directory)


def remove_claimed(directory: Path) -> None:
    """Remove a directory whose lock this process holds; the lock goes last, for `sweep` after a kill."""
    with suppress(OSError):
        for entry in list(directory.iterdir()):
            if entry.name == LOCK:
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink(missing_ok=True)
    shutil.rmtree(directory, ignore_errors=True)


def _sweep_unlocked(directory: Path) -> None:
    """Remove a directory whose process was killed before it was locked; others are left as they are."""
    for file in list(directory.iterdir()):
        if not file.name.startswith(_UNNAMED) or (descriptor := lock_file(file, create=False)) is None:
            return
        _remove_locked(file, descriptor)
    directory.rmdir()


def _remove_locked(file: Path, descriptor: int) -> None:
    """Remove a file and close it: in this order, for nobody else to have it between, if the system can."""
    try:
        if system_calls.OPEN_FILES_MOVE:
            file.unlink()
    finally:
        os.close(descriptor)
    if not system_calls.OPEN_FILES_MOVE:
        file.unlink()


def beside(path: Path, kind: str) -> list[Path]:
    """What was put beside `path` while it was being made; `kind` is "partial" or "replaced".

    Files of a user that are called alike are not among them, unless they end in eight such characters.
    """
    path = path.absolute()
    found = path.parent.glob(f".{glob.escape(path.name)}.{kind}-*")
    return [one for one in found if _RANDOM.fullmatch(one.name.rpartition("-")[2])]


@contextmanager
def claimed(path: Path, kind: str) -> Generator[Path]:
    """A new directory beside `path`, with a lock that this process holds meanwhile."""
    path = path.absolute()
    with naming_parent(path):
        directory, descriptor = _new_claim(path, kind)
    _HELD.add(directory)
    try:
        yield directory
    finally:
        _HELD.discard(directory)
        release(descriptor, directory)


def release(descriptor: int, directory: Path) -> None:
    """Close the lock of a directory, and remove what `remove_claimed` could not while the lock was open."""
    os.close(descriptor)
    if not system_calls.OPEN_FILES_MOVE:
        with suppress(OSError):
            if os.listdir(directory) == [LOCK]:
                shutil.rmtree(directory)


def _new_claim(path: Path, kind: str) -> tuple[Path, int]:
    """A new directory beside `path`, and the descriptor of its lock."""
    while True:
        directory = path.with_name(f".{path.name}.{kind}-{secrets.token_hex(4)}")
        try:
            directory.mkdir()
        except FileExistsError:
            continue
        try:
            return directory, _new_lock(directory)
        except (FileNotFoundError, BlockingIOError):  # another process swept it before it was locked
            shutil.rmtree(directory, ignore_errors=True)
        except BaseException:
            shutil.rmtree(directory, ignore_errors=True)
            raise


def _new_lock(directory: Path) -> int:
    """Lock a new directory, and let the lock tell since when. Returns its descriptor."""
    if system_calls.OPEN_FILES_MOVE:
        descriptor, name = new_file(directory, _UNNAMED)
    else:
        name = directory / LOCK
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        _lock(descriptor)
        os.write(descriptor, str(time.time_ns()).encode())
        if system_calls.OPEN_FILES_MOVE:
            os.rename(name, directory / LOCK)  # locked before anybody sees it
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def new_file(directory: Path, prefix: str) -> tuple[int, Path]:
    """The descriptor and the name of a new file, with the permissions that the umask leaves."""
    while True:
        name = directory / f"{prefix}{secrets.token_hex(4)}"
        with suppress(FileExistsError):
            return os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_FOLLOW, 0o666), name


def is_claimed(directory: Path) -> bool:
    """Whether a process, this one too, holds the lock of a directory; no where that cannot be known."""
    try:
        descriptor = os.open(directory / LOCK, os.O_RDWR | NO_FOLLOW | NO_WAIT)
    except OSError:
        return False
    try:
        system_calls.lock(descriptor)
        return False
    except OSError as error:
        return isinstance(error, BlockingIOError)
    finally:
        os.close(descriptor)


def lock_file(file: Path, *, create: bool) -> int | None:
    """The descriptor of a file that is locked now; None where another one has it, or there is no such file.

    With `create`, everybody has it on a system without locks.
    Links are not followed, and pipes not waited for: OSError with `create`, else None.
    """
    flags = os.O_RDWR | NO_FOLLOW | NO_WAIT | (os.O_CREAT if create else 0)
    try:
        descriptor = os.open(file, flags, 0o666)
    except OSError:
        if create:
            raise
        return None
    try:
        system_calls.lock(descriptor)
    except OSError as error:
        if create and isinstance(error, system_calls.NoLocksError):
            return descriptor
        os.close(descriptor)
        if create and not isinstance(error, BlockingIOError):
            raise OSError(error.errno, error.strerror, str(file)) from None
        return None
    return descriptor


@contextmanager
def turn_at(file: Path) -> Generator[None]:
    """Hold the lock of `file`, which others wait for; it is there only meanwhile.

    Raises UserError where others have it for longer than LONGEST_WAIT. Where files cannot be locked,
    everybody has it.
    """
    descriptor = _waited_for(file, time.monotonic() + LONGEST_WAIT)
    try:
        yield
    finally:
        if descriptor is not None:
            with suppress(OSError):
                if os.path.samestat(os.lstat(file), os.fstat(descriptor)):
                    file.unlink()  # where open files cannot be removed it stays, for the next one
            os.close(descriptor)


def _waited_for(file: Path, end: float) -> int | None:
    """The descriptor of a file that is locked, and still there, once others let it go; None without locks."""
    while True:
        try:
            descriptor = lock_file(file, create=True)
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return None
            raise
        if descriptor is not None:
            if os.fstat(descriptor).st_nlink:
                return descriptor
            os.close(descriptor)  # who had it before has removed it
        elif time.monotonic() > end:
            problem = f"another process has it for longer than {LONGEST_WAIT:g} s"
            raise UserError(problem, where=file, remedy="end that process, or try again")
        else:
            time.sleep(0.005)


def refuse_other_names(path: Path) -> None:
    """Raise UserError where a path has bytes that are not UTF-8, which writers of Parquet do not take."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        raise UserError("is a name that is not UTF-8", where=path, remedy="choose another path") from None


def claimed_file(path: Path) -> tuple[Path, int]:
    """A new file beside `path`, and its descriptor, which holds a lock."""
    if path.suffix == ".parquet":
        refuse_other_names(path)
    while True:
        with naming_parent(path):
            descriptor, name = new_file(path.parent, f".{path.name}.partial-")
        try:
            _lock(descriptor)
            if os.fstat(descriptor).st_nlink:
                return name, descriptor
        except BlockingIOError:  # `sweep` of another process has it: it goes, make another
            pass
        except BaseException:
            _remove_locked(name, descriptor)
            raise
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Lock a new file; where files cannot be locked it goes without, and is never swept."""
    try:
        system_calls.lock(descriptor)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
