"""Temporary files and directories next to a path, each claimed by a lock that ends with its process.

`.NAME.partial-…` is a file or directory that will become NAME; `.NAME.replaced-…` holds what NAME was before.
The next process that writes NAME removes what a killed one left.
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

LOCK = "lock"  # the file in a directory that is locked while a process writes there
LONGEST_WAIT = 60.0  # seconds to wait for a short change by others
_UNNAMED = ".lock-"  # begins that file's name before it is locked
_RANDOM = re.compile(r"[a-z0-9_]{8}")  # the end of temporary names; earlier versions used those of `tempfile`
_NO_LOCKS = (
    errno.ENOSYS,
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.ENOLCK,
)  # errors of file systems without flock
_HELD: set[Path] = set()  # directories that this process claims


@contextmanager
def scratch_beside(path: Path) -> Generator[Path]:
    """A context that yields an empty directory next to `path`, with a hidden name; it is removed at the end.

    If this process is killed, the next one that uses `path` removes it. Missing directories above `path` are
    made; on an error, those of them that are still empty are removed. Raises UserError while another process
    has such a directory for the same `path`.
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
    """Raise UserError if another process claimed a scratch directory for the same path before this one did.

    If this process has several, its oldest claim counts. So exactly one of the competing processes continues.
    """
    found = [other for other in beside(path, "partial") if other.is_dir()]
    own = min(_since(held) or 0 for held in {scratch, *_HELD.intersection(found)})
    for other in found:
        if other in _HELD or not is_claimed(other):
            continue
        since = _since(other)  # read after claiming: before that there is no lock
        if since is not None and since < own:
            remedy = "wait for it, or choose another path"
            raise UserError("another process is writing this", where=path, remedy=remedy)


def _since(directory: Path) -> int | None:
    """When a directory was claimed, in nanoseconds; 0 if its lock has no time, None without a lock."""
    try:
        return int((directory / LOCK).read_bytes()[:30])
    except OSError:
        return None
    except ValueError:
        return 0


def sweep(path: Path) -> None:
    """Remove what killed processes left next to `path`: unfinished files, and leftovers of replaced ones.

    What a living process uses stays, and so do directories that still hold the old content of `path`, from
    which `files.recover` restores it. Errors of the system are ignored.
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
    """Remove a temporary directory whose process is dead, unless it contains the entry `needed`."""
    if directory.is_symlink():
        return
    descriptor = lock_file(directory / LOCK, create=False)
    if descriptor is None:
        _sweep_unlocked(directory)
        return
    try:
        if not needed or needed not in os.listdir(directory):  # read while locked
            remove_claimed(directory)
    finally:
        release(descriptor, directory)


def remove_claimed(directory: Path) -> None:
    """Remove a directory whose lock this process holds.

    The lock's file is removed last, so that `sweep` can remove the rest if this process is killed meanwhile.
    """
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
    """Remove a directory left by a process that was killed before it locked its file; leave others alone."""
    for file in list(directory.iterdir()):
        if not file.name.startswith(_UNNAMED) or (descriptor := lock_file(file, create=False)) is None:
            return
        _remove_locked(file, descriptor)
    directory.rmdir()


def _remove_locked(file: Path, descriptor: int) -> None:
    """Remove a file that this process has locked and holds open as `descriptor`, and close it.

    It is removed first, so that no other process can lock it in between. Windows cannot remove open files;
    there it is closed first.
    """
    try:
        if system_calls.OPEN_FILES_MOVE:
            file.unlink()
    finally:
        os.close(descriptor)
    if not system_calls.OPEN_FILES_MOVE:
        file.unlink()


def beside(path: Path, kind: str) -> list[Path]:
    """The temporary paths next to `path`, of kind "partial" or "replaced".

    They are recognised by their names, which end in eight characters of a to z, 0 to 9 and "_": a user's file
    is included only if it is named like that.
    """
    path = path.absolute()
    found = path.parent.glob(f".{glob.escape(path.name)}.{kind}-*")
    return [one for one in found if _RANDOM.fullmatch(one.name.rpartition("-")[2])]


@contextmanager
def claimed(path: Path, kind: str) -> Generator[Path]:
    """A context that yields a new directory next to `path`, locked by this process until the end.

    kind: "partial" or "replaced", for the directory's name. The caller removes the directory
    (`remove_claimed`).
    """
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
    """Close the lock of a directory, and remove what `remove_claimed` could not remove while it was open."""
    os.close(descriptor)
    if not system_calls.OPEN_FILES_MOVE:
        with suppress(OSError):
            if os.listdir(directory) == [LOCK]:
                shutil.rmtree(directory)


def _new_claim(path: Path, kind: str) -> tuple[Path, int]:
    """A new directory next to `path` that this process has locked, and the descriptor of its lock."""
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
    """Lock a new directory, and write the time into the lock. Returns its descriptor."""
    if system_calls.OPEN_FILES_MOVE:
        descriptor, name = new_file(directory, _UNNAMED)
    else:
        name = directory / LOCK
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        _lock(descriptor)
        os.write(descriptor, str(time.time_ns()).encode())
        if system_calls.OPEN_FILES_MOVE:
            os.rename(name, directory / LOCK)  # locked before any other process sees it
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def new_file(directory: Path, prefix: str) -> tuple[int, Path]:
    """Create a file with a random name that begins with `prefix`; returns its open descriptor and its path.

    Its permissions are those that the umask leaves.
    """
    while True:
        name = directory / f"{prefix}{secrets.token_hex(4)}"
        with suppress(FileExistsError):
            return os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_FOLLOW, 0o666), name


def is_claimed(directory: Path) -> bool:
    """Whether any process, including this one, has locked a directory; False if that cannot be found out."""
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
    """Open a file and lock it; returns its descriptor, or None if it is locked already or cannot be locked.

    With `create`, the file is made if needed, and None means only "locked already": other errors are raised
    as OSError, and on a system without locks the descriptor of the unlocked file is returned. Does not follow
    links or wait for pipes.
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
    """A context in which this process holds the lock of `file`, after waiting for others to release it.

    The file is made, and removed at the end. Raises UserError after waiting `LONGEST_WAIT` seconds. If the
    system has no locks, it does not wait.
    """
    descriptor = _waited_for(file, time.monotonic() + LONGEST_WAIT)
    try:
        yield
    finally:
        if descriptor is not None:
            with suppress(OSError):
                if os.path.samestat(os.lstat(file), os.fstat(descriptor)):
                    file.unlink()  # if open files cannot be removed, it stays for the next process
            os.close(descriptor)


def _waited_for(file: Path, end: float) -> int | None:
    """Wait until a file can be locked; returns its descriptor, or None if there are no locks.

    end: the time (`time.monotonic`) at which waiting ends with a UserError.
    """
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
            os.close(descriptor)  # the process that held it has removed it
        elif time.monotonic() > end:
            problem = f"another process has it for longer than {LONGEST_WAIT:g} s"
            raise UserError(problem, where=file, remedy="end that process, or try again")
        else:
            time.sleep(0.005)


def refuse_other_names(path: Path) -> None:
    """Raise UserError if a path has bytes that are not UTF-8, which Parquet writers do not accept."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        raise UserError("is a name that is not UTF-8", where=path, remedy="choose another path") from None


def claimed_file(path: Path) -> tuple[Path, int]:
    """Create a temporary file next to `path`, locked by this process; returns its path and descriptor."""
    if path.suffix == ".parquet":
        refuse_other_names(path)
    while True:
        with naming_parent(path):
            descriptor, name = new_file(path.parent, f".{path.name}.partial-")
        try:
            _lock(descriptor)
            if os.fstat(descriptor).st_nlink:
                return name, descriptor
        except BlockingIOError:  # another process's `sweep` has locked it and removes it: make another
            pass
        except BaseException:
            _remove_locked(name, descriptor)
            raise
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Lock a new file; if files cannot be locked, it stays unlocked and is never swept."""
    try:
        system_calls.lock(descriptor)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
