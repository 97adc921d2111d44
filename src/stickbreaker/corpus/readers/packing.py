"""Unpacks gzip, zstd, bzip2, xz and zip files, recognised by their first bytes; recodes UTF-16 and UTF-32."""

import bz2
import codecs
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

from stickbreaker.corpus.readers.problems import Bad

PACKINGS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bzip2", ".xz": "xz", ".zip": "zip"}  # by file ending
BOM = b"\xef\xbb\xbf"
_FIRST_BYTES = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ\x00": "xz",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",  # an empty archive
    **{b"BZh%d1AY&SY" % level: "bzip2" for level in range(1, 10)},
}
_ENCODINGS = {  # by byte order mark, longest first
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
BAD_CODE = "\udcfe"  # stands for an invalid code of UTF-16 or UTF-32; UTF-8 cannot hold it
_LARGEST_WINDOW = 1 << 31
_MOST_MEMORY = 1 << 30  # bytes of memory that unpacking xz may use
_PACKED = 1_024  # bytes unpacked at a time: 4 of zstd may become 128 KiB
_BUFFER = 1 << 17
_PEEK = 10


class Damaged(Exception):
    """Raised for a packed file that cannot be unpacked."""


DAMAGE = (
    *(EOFError, Damaged, zlib.error, lzma.LZMAError),
    *(gzip.BadGzipFile, zstandard.ZstdError, zipfile.BadZipFile),
)


def damage(error: BaseException) -> Bad:
    """The `Bad` to report for a file whose unpacking raised `error`, one of the exceptions in `DAMAGE`."""
    problem = f"the compressed file is truncated or damaged ({error})"
    remedy = "copy or compress it again, or --on-error skip to keep what comes before"
    return Bad("damaged compressed file", problem, remedy)


def plain_name(path: Path) -> str:
    """A file's name in lower case without the ending of its compression, to recognise its format.

    For a zip file with one file in it, the name of that file.

    >>> plain_name(Path("Posts.csv.GZ"))
    'posts.csv'
    """
    name = path.name.lower()
    ending = next((ending for ending in PACKINGS if name.endswith(ending)), "")
    name = name.removesuffix(ending)
    if ending != ".zip":
        return name
    try:
        with zipfile.ZipFile(path) as archive:
            members = [Path(member.filename).name.lower() for member in _members(archive)]
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return name
    return members[0] if len(members) == 1 and Path(members[0]).suffix else name


def unpacked(raw: io.BufferedReader, path: Path | None, content: Callable[[BinaryIO], BinaryIO]) -> BinaryIO:
    """The unpacked bytes of an open file; text in UTF-16 or UTF-32 (by its byte order mark) becomes UTF-8.

    content: a function that copies a stream into memory, needed for a zip file in a pipe. Raises Bad, or the
    decompressor's exception (`DAMAGE`); so may reading the result.
    """
    start = raw.peek(_PEEK)
    packing = next((kind for magic, kind in _FIRST_BYTES.items() if start.startswith(magic)), None)
    if packing is None and path is not None and start:
        packing = PACKINGS.get(path.suffix.lower())
    stream = _OPENERS[packing](raw, content) if packing is not None else raw
    start = stream.peek(4)
    for mark, encoding in _ENCODINGS.items():
        if start.startswith(mark):
            return cast(BinaryIO, io.BufferedReader(_Recoded(stream, encoding), _BUFFER))
    return cast(BinaryIO, stream)


class _Unpacked(io.RawIOBase):
    """A stream of a file's content, decompressed; the file may consist of several compressed frames.

    `frame()` makes the decompressor of a frame. Reading raises EOFError if the last frame is cut off.
    """

    def __init__(self, raw: BinaryIO, frame: Callable[[], Any]) -> None:
        self.raw, self.new_frame = raw, frame
        self.frame: Any = None
        self.begun = False  # whether a frame was read
        self.packed = b""
        self.ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self.ready:
            chunk, self.packed = self.packed or self.raw.read(_PACKED), b""
            if self.frame is None and self.begun:
                chunk = chunk.lstrip(b"\0")  # padding after a frame
                if not chunk and cast(io.BufferedReader, self.raw).peek(1):
                    continue
            if not chunk and self.frame is None:
                return 0
            if not chunk:
                raise EOFError("it ends before its end marker")
            frame, self.begun = self.frame or self.new_frame(), True
            try:
                self.ready, self.frame = memoryview(frame.decompress(chunk)), frame
            except OSError as error:  # from bzip2
                raise Damaged(str(error)) from None
            if frame.eof:
                self.packed, self.frame = frame.unused_data, None
        count = min(len(buffer), len(self.ready))
        buffer[:count] = self.ready[:count]
        self.ready = self.ready[count:]
        return count


def _with_mark(error: UnicodeError) -> tuple[str, int]:
    """Read an invalid code as `BAD_CODE`, and continue after it."""
    if isinstance(error, UnicodeDecodeError):
        return BAD_CODE, error.end
    raise error


_HANDLER = "stickbreaker.bad_code"
codecs.register_error(_HANDLER, _with_mark)


class _Recoded(io.RawIOBase):
    """A stream of UTF-8 made from one of UTF-16 or UTF-32; each invalid code becomes `BAD_CODE`."""

    def __init__(self, stream: io.BufferedReader, encoding: str) -> None:
        self.stream = stream
        self.decoder = codecs.getincrementaldecoder(encoding)(_HANDLER)
        self.ready = memoryview(b"")
        self.ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self.ready and not self.ended:
            piece = self.stream.read1(_BUFFER)
            self.ended = not piece
            text = self.decoder.decode(piece, self.ended)
            self.ready = memoryview(text.encode("utf-8", "surrogatepass"))
        count = min(len(buffer), len(self.ready))
        buffer[:count] = self.ready[:count]
        self.ready = self.ready[count:]
        return count


def _frames(new_frame: Callable[[], Any]) -> Callable[[BinaryIO, object], Any]:
    return lambda raw, _content: io.BufferedReader(_Unpacked(raw, new_frame), _BUFFER)


def _zip(raw: BinaryIO, content: Callable[[BinaryIO], BinaryIO]) -> Any:
    """A stream of the only file in a zip file. Raises Bad if there are several, or it cannot be read."""
    archive = zipfile.ZipFile(raw if raw.seekable() else content(raw))
    members = _members(archive)
    if len(members) != 1:
        remedy = "unpack it, and give the directory or the files"
        raise Bad("zip of several files", f"the zip file holds {len(members)} files, not one", remedy)
    try:
        return archive.open(members[0])
    except (RuntimeError, NotImplementedError) as error:  # a password; an unknown compression method
        reason = str(error) if isinstance(error, NotImplementedError) else "it needs a password"
        raise Bad("unreadable zip file", f"the zip file cannot be read ({reason})", "unpack it") from None


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The files in a zip archive, without directories and the files that macOS adds."""
    return [
        one for one in archive.infolist() if not one.is_dir() and not one.filename.startswith("__MACOSX/")
    ]


_OPENERS: dict[str, Callable[[BinaryIO, Callable[[BinaryIO], BinaryIO]], Any]] = {
    "gzip": lambda raw, _content: gzip.GzipFile(fileobj=raw),
    "zstd": _frames(lambda: zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).decompressobj()),
    "bzip2": _frames(bz2.BZ2Decompressor),
    "xz": _frames(lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _MOST_MEMORY)),
    "zip": _zip,
}
