"""Writing files and directories so that nothing half-written is ever seen."""

import errno
import glob
import hashlib
import os
import shutil
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def atomic_directory(path: Path, *, overwrite: bool = False) -> Generator[Path]:
    """Yield an empty directory beside `path`; on success it takes the name `path`, on failure it vanishes.

    What a killed replacement left at `path` is put right first, see `recover`. Raises FileExistsError when
    `path` exists and `overwrite` is false.
    """
    recover(path)
    if path.exists() and not overwrite:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    made = [parent for parent in path.parents if not parent.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    with _told_of(path.parent):
        partial = Path(tempfile.mkdtemp(prefix=f".{path.name}.partial-", dir=path.parent))
    replaced: Path | None = None
    try:
        yield partial
        partial.chmod(0o755)
        if path.exists():
            replaced = Path(tempfile.mkdtemp(prefix=f".{path.name}.replaced-", dir=path.parent))
            path.rename(replaced / path.name)
        partial.rename(path)
        sync_directory(path.parent)
        _discard_replaced(path)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        recover(path)
        if replaced is not None:
            with suppress(OSError):
                replaced.rmdir()
        for parent in made:
            with suppress(OSError):
                parent.rmdir()
        raise


@contextmanager
def _told_of(directory: Path) -> Generator[None]:
    """Let an OSError name the directory, and not the partial file that could not be made in it."""
    try:
        yield
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(directory)) from None


def recover(path: Path) -> None:
    """Give `path` its old content back if `atomic_directory` was killed while it replaced it.

    Does nothing where `path` exists, nothing was left beside it, or its directory cannot be written.
    """
    if os.path.lexists(path):
        return
    with suppress(OSError):
        left = [wrapper for wrapper in _replaced_beside(path) if (wrapper / path.name).is_dir()]
        if left:
            newest = max(left, key=lambda wrapper: wrapper.stat().st_mtime_ns)
            (newest / path.name).rename(path)
            newest.rmdir()
            sync_directory(path.parent)


def _replaced_beside(path: Path) -> Iterator[Path]:
    """The directories into which `atomic_directory` moved what it replaced at `path`."""
    return path.parent.glob(f".{glob.escape(path.name)}.replaced-*")


def _discard_replaced(path: Path) -> None:
    """Remove what was replaced at `path`; renamed first, so that a half-removed one is never recovered."""
    for wrapper in list(_replaced_beside(path)):
        with suppress(OSError):
            (wrapper / path.name).rename(wrapper / "removed")
        shutil.rmtree(wrapper, ignore_errors=True)


@contextmanager
def atomic_file(path: Path) -> Generator[Path]:
    """Yield a temporary path beside `path`; on success it replaces `path` in one rename, durably.

    Raises FileExistsError where `path` is there and is no plain file, a device say.
    """
    if path.exists() and not path.is_file():
        raise FileExistsError(errno.EEXIST, "is there and is not a plain file", str(path))
    with _told_of(path.parent):
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.partial-", dir=path.parent)
    os.close(descriptor)
    partial = Path(name)
    try:
        yield partial
        partial.chmod(0o644)
        with partial.open("rb") as file:
            os.fsync(file.fileno())
        partial.replace(path)
        sync_directory(path.parent)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def write_atomic(path: Path, content: bytes) -> None:
    """Replace the file `path` by `content` in one rename."""
    with atomic_file(path) as partial:
        partial.write_bytes(content)


def sync_directory(path: Path) -> None:
    """Make renames within a directory durable where the system allows it."""
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
