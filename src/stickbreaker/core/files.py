"""Writing files and directories so that nobody sees a half-written one and no other data is lost."""

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TextIO

from stickbreaker.core import system_calls
from stickbreaker.core.errors import UserError
from stickbreaker.core.file_errors import named_as
from stickbreaker.core.locks.directory_claims import refuse_exchanged
from stickbreaker.core.locks.path_locks import (
    beside,
    claimed,
    claimed_file,
    is_claimed,
    remove_claimed,
    scratch_beside,
    sweep,
    sweep_directory,
)
from stickbreaker.core.system_calls import NO_FOLLOW, NO_WAIT

_OWN_FILES = "put the file itself in its place"
_Identity = tuple[int, int, int]


@contextmanager
def atomic_directory(
    path: Path, *, overwrite: bool = False, check: Callable[[], None] | None = None
) -> Generator[Path]:
    """A context that yields an empty directory next to `path`, which is renamed to `path` on success.

    On failure it is removed. First repairs what killed processes left at `path` (`put_right`). With
    `overwrite`, only what is at `path` at the beginning is replaced; if it is changed or something new
    appears there meanwhile, that stays. `check` is called before anything is written, and raises an error if
    what is there must not be replaced.

    Raises FileExistsError if `path` exists and `overwrite` is false; UserError if another process is making
    the same directory, or something appeared or changed at `path` meanwhile.
    """
    put_right(path)
    before = _identity(path)
    if check is not None:
        check()
    if before is not None and not overwrite:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    with scratch_beside(path) as scratch:
        partial = scratch / "new"
        partial.mkdir()
        with named_as(path, partial):
            _set_mode(partial, _mode_after(partial, path) | 0o700)
            yield partial
            for new in partial.rglob("*") if before else ():
                _set_mode(new, _mode_after(new, path / new.relative_to(partial)))
            refuse_exchanged(path)
            _put(partial, path, before)
        sync_directory(path.parent)


def _put(partial: Path, path: Path, before: _Identity | None) -> None:
    """Rename `partial` to `path`, replacing what is there, at the end of `atomic_directory`.

    `before` identifies what was at `path` at the beginning (None: nothing). Raises UserError if that has
    changed.
    """
    if before is None:
        _rename_to_nothing(partial, path)
        return
    with claimed(path, "replaced") as wrapper:
        aside, replaced = wrapper / path.absolute().name, False
        try:
            if _identity(path) == before:
                with suppress(FileNotFoundError):  # gone meanwhile: there is nothing to replace
                    path.rename(aside)
            moved = _identity(aside)
            if moved is not None and moved[:2] != before[:2]:  # another one was put there a moment ago
                raise _came_meanwhile(path)
            _rename_to_nothing(partial, path)
            replaced = True
        finally:
            with suppress(OSError):  # renamed first, so that a half-removed one is never recovered
                aside.rename(wrapper / "removed" if replaced else path)
            if os.path.lexists(aside):  # the path is taken again: neither is lost
                aside.rename(wrapper.with_name(f"{aside.name}.before{wrapper.suffix}"))
            remove_claimed(wrapper)
    for left in beside(path, "replaced"):
        with suppress(OSError):
            sweep_directory(left)


def _rename_to_nothing(partial: Path, path: Path) -> None:
    """Rename a directory to a path that does not exist. Raises UserError if it exists."""
    if os.path.lexists(path):
        raise _came_meanwhile(path)
    try:
        partial.rename(path)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise _came_meanwhile(path) from None
        raise


def _name_nothing(partial: Path, path: Path) -> None:
    """Give a temporary file its final name `path`. Raises UserError if something already has that name."""
    try:
        os.link(partial, path)
    except FileExistsError:
        raise _came_meanwhile(path) from None
    except OSError:  # a file system without links
        if os.path.lexists(path):
            raise _came_meanwhile(path) from None
        partial.replace(path)
        return
    partial.unlink()


def _came_meanwhile(path: Path) -> UserError:
    remedy = "it was left as it is; choose another path"
    return UserError("something came there meanwhile, or was changed", where=path, remedy=remedy)


def _identity(path: Path) -> _Identity | None:
    """A value that changes if the path is replaced or a directory's entries change; None if missing."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns


def put_right(path: Path) -> None:
    """Repair what killed processes left at and next to `path`: restore old content, remove the rest.

    Called before `path` is written.
    """
    recover(path)
    sweep(path)


def recover(path: Path) -> None:
    """Restore the old content of `path` if a process was killed while it replaced it (`atomic_directory`).

    Does nothing if `path` exists, nothing is left to restore, or the parent directory cannot be written.
    """
    if os.path.lexists(path):
        return
    name = path.absolute().name
    with suppress(OSError):
        left = [one for one in beside(path, "replaced") if _holds(one, name) and not is_claimed(one)]
        if left:
            newest = max(left, key=lambda one: one.stat().st_mtime_ns)
            (newest / name).rename(path)
            sweep_directory(newest)
            sync_directory(path.parent)


def _holds(directory: Path, name: str) -> bool:
    """Whether a directory has an entry of this name; False if the directory cannot be read."""
    with suppress(OSError):
        return name in os.listdir(directory)
    return False


@contextmanager
def atomic_file(path: Path, *, overwrite: bool = True) -> Generator[Path]:
    """A context that yields a temporary path next to `path`; on success, it is renamed to `path` at once.

    The new content is synced to disk first. A file that is replaced keeps its permissions; a new one has
    those that the umask leaves. Without `overwrite` nothing is replaced: UserError if something exists at
    `path` at the end. Raises FileExistsError if `path` exists and is not a regular file (a device, for
    example); OSError naming `path` if the disk is full; UserError if `path` lies in a directory that this
    process has claimed and that was moved or replaced.
    """
    refuse_exchanged(path)
    if path.exists() and not path.is_file():
        raise FileExistsError(errno.EEXIST, "is there and is not a plain file", str(path))
    sweep(path)
    partial, descriptor = claimed_file(path)
    held = ExitStack()
    held.callback(os.close, descriptor)
    try:
        with named_as(path, partial):
            mode = _mode_after(partial, path)
            _set_mode(partial, mode | 0o600)
            yield partial
            with partial.open("r+b") as file:  # Windows syncs only files that are open for writing
                os.fsync(file.fileno())
            _set_mode(partial, mode)  # some writers put a file of their own in its place
            refuse_exchanged(path)
            if not system_calls.OPEN_FILES_MOVE:
                held.close()
            if overwrite:
                partial.replace(path)
            else:
                _name_nothing(partial, path)
        sync_directory(path.parent)
    except BaseException:
        if not system_calls.OPEN_FILES_MOVE:
            held.close()
        partial.unlink(missing_ok=True)
        raise
    finally:
        held.close()


def _mode_after(new: Path, old: Path) -> int:
    """The permissions for `new` when it replaces `old`: those of `old` if it exists and has the same type."""
    mode = new.stat().st_mode
    with suppress(OSError):
        before = old.stat().st_mode
        mode = before if stat.S_IFMT(before) == stat.S_IFMT(mode) else mode
    return mode & 0o777


def _set_mode(path: Path, mode: int) -> None:
    """Give a file or directory permissions, unless it has them."""
    if stat.S_IMODE(path.stat().st_mode) != mode:
        path.chmod(mode)


def write_atomic(path: Path, content: bytes, *, overwrite: bool = True) -> None:
    """Write bytes to the file `path` in one rename. Without `overwrite`, UserError if it exists."""
    with atomic_file(path, overwrite=overwrite) as partial:
        partial.write_bytes(content)


def refuse_file(out: Path, overwrite: bool) -> None:
    """Raise UserError if the file `out` may not be written.

    That is if its directory does not exist, if it is a directory, or if it exists and `overwrite` is false.
    """
    if not out.parent.is_dir():
        raise UserError("there is no such directory", where=out.parent, remedy="make it first")
    if out.is_dir() or (out.exists() and not overwrite):
        remedy = "choose another path" + ("" if out.is_dir() else " or give --overwrite")
        raise UserError("already exists", where=out, remedy=remedy)


def open_to_append(path: Path) -> TextIO:
    """Open a text file for appending, and create it if needed; OSError if it is a link."""
    refuse_exchanged(path)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | NO_FOLLOW | NO_WAIT
    return open(os.open(path, flags, 0o666), "w", encoding="utf-8", newline="\n")


def truncate(path: Path, size: int) -> None:
    """Cut a file to its first `size` bytes; OSError if it is a link."""
    refuse_exchanged(path)
    descriptor = os.open(path, os.O_WRONLY | NO_FOLLOW | NO_WAIT)
    try:
        os.ftruncate(descriptor, size)
    finally:
        os.close(descriptor)


def refuse_links(directory: Path) -> None:
    """Raise UserError naming a link, a pipe or a device that is in a directory, at any depth.

    `directory` itself may be a link, or missing. Code that reads or writes a directory which others may have
    made calls this first, so that nothing in it leads elsewhere.
    """
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                refuse_links(Path(entry.path))
            elif not entry.is_file(follow_symlinks=False) and os.path.lexists(entry.path):
                what = "a link" if entry.is_symlink() else "not a plain file"
                raise UserError(f"is {what}, and is not followed", where=entry.path, remedy=_OWN_FILES)


def sync_directory(path: Path) -> None:
    """Make renames within a directory durable; does nothing if the system cannot."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def digest_of(path: Path) -> str:
    """The hexadecimal BLAKE2b digest of a file's bytes.

    >>> len(digest_of(Path(__file__)))
    32
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
