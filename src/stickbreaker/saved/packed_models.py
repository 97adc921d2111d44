"""Packs a model's directory, or that of something that uses models, into a zip file, and unpacks it."""

import atexit
import errno
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import IO

from stickbreaker.core.errors import UserError, shown
from stickbreaker.core.file_errors import named_as
from stickbreaker.core.files import atomic_file
from stickbreaker.core.option_names import command_line
from stickbreaker.core.untrusted import MEGABYTE
from stickbreaker.saved.directory import ModelDirectory
from stickbreaker.saved.manifest import MANIFEST, TRACE, read_manifest

NAMES = "names.json"  # the names of topics
REMEDY = "pack it again, by: stickbreaker export MODEL --format zip"
_MAGIC = b"PK\x03\x04"
_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest date that the format has: equal models give equal bytes
_AT_ONCE = 1 << 20
_MOST_PACKED = 100  # largest compression ratio; a file that would compress better is stored uncompressed
_ENTRY = 100  # bytes of a zip file with one entry, besides its content
_DEEPEST = 4  # parts of the name of a file in a directory that is not a model
_SLACK = 64 * MEGABYTE  # bytes allowed besides, for small files
_LARGEST_MANIFEST = 64 * MEGABYTE
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGES = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError)
_UNPACKED: dict[tuple[Path, int, int], Path] = {}  # folders of this process, by file, time and size


def pack(model: Path, out: Path, *, overwrite: bool = False) -> int:
    """Write a finished model as one zip file; returns its size in bytes. Equal models give equal bytes.

    Raises UserError for a run that has not finished, and for a damaged model.
    """
    directory = ModelDirectory(model)
    manifest = directory.read().manifest
    if manifest["status"] != "done":
        problem = "is still learning, and a packed model cannot change"
        raise UserError(problem, where=model, remedy=f"finish it: {command_line('resume', model)}")
    return _write(model, [MANIFEST, TRACE, *sorted(manifest["files"]), NAMES], out, overwrite=overwrite)


def pack_folder(folder: Path, marker: str, out: Path, *, overwrite: bool = False) -> int:
    """Write a directory that is not itself a model as one zip file; returns its size in bytes.

    Hidden files and locks are left out. marker: the name of the file by which such directories are
    recognised; it comes first.
    """
    found = [file.relative_to(folder) for file in folder.rglob("*") if file.is_file()]
    held = [file for file in found if file.name != "lock" and not any(p.startswith(".") for p in file.parts)]
    names = sorted(file.as_posix() for file in held if file.as_posix() != marker)
    return _write(folder, [marker, *names], out, overwrite=overwrite)


def _write(model: Path, names: Sequence[str], out: Path, *, overwrite: bool) -> int:
    """Write the files of these names, if they exist, as one zip file; returns its size in bytes."""
    with atomic_file(out, overwrite=overwrite) as partial:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as packed:
            for name in names:
                if (model / name).is_file():
                    _add(packed, name, model / name)
        return partial.stat().st_size


def _add(packed: zipfile.ZipFile, name: str, file: Path) -> None:
    """Add a file: compressed, unless it would shrink so much that `unpack` could take it for a zip bomb."""
    size, entry = file.stat().st_size, zipfile.ZipInfo(name, _DATE)
    entry.compress_type = zipfile.ZIP_STORED if _is_dense(file, size) else zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    entry.create_system = 3  # Unix, on any system
    with file.open("rb") as source, packed.open(entry, "w", force_zip64=size >= 1 << 31) as target:
        shutil.copyfileobj(source, target, _AT_ONCE)


def _is_dense(file: Path, size: int) -> bool:
    """Whether compression makes a file smaller than a fiftieth of its size; then it is stored uncompressed.

    Reading stops as soon as the answer is known.
    """
    least, packed, deflate = 2 * size / _MOST_PACKED - _ENTRY, 0, zlib.compressobj(wbits=-zlib.MAX_WBITS)
    with file.open("rb") as source:
        while packed < least and (piece := source.read(_AT_ONCE)):
            packed += len(deflate.compress(piece))
    return packed + len(deflate.flush()) < least


def is_packed(path: Path) -> bool:
    """Whether a path is a zip file, according to its first bytes."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def directory_of(path: Path, markers: Collection[str] = ()) -> Path:
    """The directory of the model at a path: the path itself, or the folder into which a zip file is unpacked.

    A path that is not a zip file is returned unchecked. A file is unpacked once per process, and the folder
    is removed when the process ends. markers: names of files by which directories that are not models are
    recognised. Raises UserError for a zip file that is damaged or of something else.
    """
    if not is_packed(path):
        return path
    state = path.stat()
    key = (path.resolve(), state.st_mtime_ns, state.st_size)
    if key not in _UNPACKED:
        outside = tempfile.mkdtemp(prefix="stickbreaker-")
        atexit.register(shutil.rmtree, outside, ignore_errors=True)
        folder = Path(outside, path.name)
        folder.mkdir()
        unpack(path, folder, markers)
        _UNPACKED[key] = folder
    return _UNPACKED[key]


def unpack(path: Path, folder: Path, markers: Collection[str] = ()) -> None:
    """Unpack a packed model, or a packed directory that has one of `markers`, into an empty folder.

    Raises UserError for a zip file that is damaged, or would become more than 100 times as large; for a model
    with files that its manifest does not name; for another directory with names that could lie outside the
    folder. The content of the files is checked later, when they are loaded.
    """
    try:
        with zipfile.ZipFile(path) as packed, named_as(path, folder):
            _unpack(packed, path, folder, markers)
    except UserError:
        raise
    except (*_DAMAGES, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise  # an error of the disk
        problem = f"is damaged, or not a file that export wrote ({str(error)[:100]})"
        raise UserError(problem, where=path, remedy=REMEDY) from None


def _unpack(packed: zipfile.ZipFile, path: Path, folder: Path, markers: Collection[str]) -> None:
    entries = {entry.filename: entry for entry in packed.infolist()}
    if any(entry.compress_type not in _METHODS for entry in packed.infolist()):
        raise UserError("is packed in another way than models are", where=path, remedy=REMEDY)
    if len(entries) != len(packed.infolist()):
        raise UserError("has two files of one name", where=path, remedy=REMEDY)
    first = next((name for name in (MANIFEST, *markers) if name in entries), None)
    if first is None:
        raise UserError(f"is not a packed model: it has no {MANIFEST}", where=path, remedy=REMEDY)
    size = sum(entry.file_size for entry in entries.values())
    if size > _SLACK + _MOST_PACKED * path.stat().st_size or entries[first].file_size > _LARGEST_MANIFEST:
        problem = f"would become {size // MEGABYTE:,} MB large, which is too much for a packed model"
        raise UserError(problem, where=path, remedy=REMEDY)
    _extract(packed, entries.pop(first), folder / first)
    known = None  # names of a model's files, in its folder
    if first == MANIFEST:
        known = {TRACE, NAMES, *read_manifest(folder)["files"]}
    for name, entry in entries.items():
        if not (_is_inside(name) if known is None else name in known):
            problem = f"has a file that is not its model's, {shown(name)}"
            raise UserError(problem, where=path, remedy=REMEDY)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        _extract(packed, entry, folder / name)


def _is_inside(name: str) -> bool:
    """Whether a name is safe for a file inside a folder, on every system: at most four parts, none hidden.

    >>> [_is_inside(name) for name in ("bitext/a.parquet", "../a", "/a", "c:a", "a//b", "x/")]
    [True, False, False, False, False, False]
    """
    parts = name.split("/")
    fine = all(part and not part.startswith(".") and part.isprintable() for part in parts)
    return fine and len(parts) <= _DEEPEST and not set(name) & set('\\:*?"<>|')


def _extract(packed: zipfile.ZipFile, entry: zipfile.ZipInfo, file: Path) -> None:
    """Write one entry of a zip file to `file`. Raises ValueError if its size is not the one stated."""
    with packed.open(entry) as source, file.open("xb") as target:
        if _copy(source, target, entry.file_size) != entry.file_size:
            raise ValueError("a file whose size is wrong")


def _copy(source: IO[bytes], target: IO[bytes], most: int) -> int:
    """Copy a stream, but stop at `most` + 1 bytes; returns the number of bytes copied.

    A result above `most` shows that the stream is longer.
    """
    copied = 0
    while copied <= most and (content := source.read(min(_AT_ONCE, most + 1 - copied))):
        target.write(content)
        copied += len(content)
    return copied
