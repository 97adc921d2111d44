"""Files and standard input as streams of bytes and lines, compressed or not."""

import glob
import io
import re
import sys
import warnings
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, cast

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.json_checks import Classes
from stickbreaker.corpus.metadata import storable
from stickbreaker.corpus.readers.limits import bytes_allowed, too_large
from stickbreaker.corpus.readers.line_ends import byte_lines, without_end
from stickbreaker.corpus.readers.packing import BAD_CODE, BOM, DAMAGE, damage, plain_name, unpacked
from stickbreaker.corpus.readers.position import Position
from stickbreaker.corpus.readers.problems import Bad, Problems, ReadingWarning

_CONVERT = "convert the file to UTF-8, or --on-error skip"
_NO_NUL = "convert the file to UTF-8 and remove its NUL bytes, or --on-error skip"
_BUFFERED: Classes = (io.BufferedReader,)
_LONE_RETURN = re.compile(r"\r(?!\n)")
_ENCODED = re.compile(  # ASCII characters that stand for others, in ISO 2022, HZ and UTF-7
    rb"(?P<ISO_2022>\x1b(?:\$[@AB]|\$[()*+][@-_]|\([IJ]))|(?P<HZ>~\{(?:[!-w][!-~])+~\})"
    rb"|\+(?P<UTF_7>[AB][A-Za-z0-9+/]{5,}|[AB][A-Za-z0-9+/]{2,}(?=-))"
)
ALPHABETS = 0x800  # first code after Latin, Greek, Cyrillic, Armenian, Hebrew and Arabic letters
_PIECE = 1 << 17
_MOST_LINES = 5_000_000  # lines of a list that is read whole; CC-CEDICT has 125,000, WordNet 150,000


@dataclass(frozen=True)
class Source:
    """An input: a file or, without a path, standard input.

    `name` is for messages, `label` for documents' ids. `within`: whether it was found in a directory that the
    user named; `position` records how far it has been read.
    """

    name: str
    label: str
    path: Path | None
    within: bool = False
    position: Position | None = field(default=None, compare=False)

    @property
    def is_stream(self) -> bool:
        """Whether the content can be read only once: standard input, a pipe."""
        return self.path is None or not self.path.is_file()

    @property
    def plain_name(self) -> str:
        """The file's name in lower case without .gz and the like; "" for standard input."""
        return plain_name(self.path) if self.path else ""


def sources_of(given: list[str]) -> list[Source]:
    """The sources that inputs name: files, directories (all their files, sorted), globs, "-" for stdin.

    Hidden files in directories are left out; a label that repeats is replaced by the full name. Raises
    UserError for an input that is missing, an empty directory or a built corpus.
    """
    found = [source for name in given for source in _sources_named(name)]
    if sum(source.path is None for source in found) > 1:
        raise UserError("standard input was given twice", remedy="give - once")
    labels = Counter(source.label for source in found)
    return [replace(one, label=storable(one.name)) if labels[one.label] > 1 else one for one in found]


def one_source(path: str, remedy: str) -> Source:
    """The single file at a path. Raises UserError, with `remedy`, for several files or a directory."""
    found = sources_of([path])
    if len(found) != 1 or found[0].within:
        raise UserError("not one file", where=path, remedy=remedy)
    return found[0]


def _sources_named(name: str) -> list[Source]:
    if name == "-":
        return [Source("standard input", "stdin", None)]
    try:
        matches = [name] if Path(name).exists() else sorted(glob.glob(name, recursive=True))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"cannot be read: {reason}", where=name, remedy="check the path") from None
    if not matches and glob.has_magic(name):
        raise UserError("no file matches", where=name, remedy="check the pattern")
    if not matches:
        raise UserError("no such file or directory", where=name, remedy="check the path")
    return [source for match in matches for source in _sources_at(Path(match))]


def _sources_at(path: Path) -> list[Source]:
    if not path.is_dir():
        return [Source(storable(str(path)), storable(path.name), path)]
    if (path / "corpus.json").is_file():
        raise UserError("is a corpus already", where=path, remedy="give the texts that it was built from")
    below = (one for one in path.rglob("*") if one.is_file())
    kept = [one for one in below if not any(part.startswith(".") for part in one.relative_to(path).parts)]
    if not kept:
        raise UserError("the directory holds no file", where=path, remedy="check the path")
    kept.sort(key=lambda one: one.relative_to(path).as_posix())
    labels = [storable(one.relative_to(path).as_posix()) for one in kept]
    return [Source(storable(str(one)), label, one, True) for one, label in zip(kept, labels, strict=True)]


@contextmanager
def opened(source: Source) -> Generator[BinaryIO]:
    """A context that yields a source as a stream of bytes, unpacked if it is compressed.

    Raises UserError if it cannot be opened or read; Bad if its compression is damaged, also during the
    context.
    """
    try:
        with _opened_raw(source) as raw:
            yield unpacked(raw, source.path, _content)
    except DAMAGE as error:
        raise damage(error) from None


def refuse_several_files(source: Source) -> None:
    """Raise UserError for a zip file of several files, whose names do not show its format."""
    if source.path is not None and source.path.suffix.lower() == ".zip":
        try:
            with opened(source):
                pass
        except Bad as bad:
            raise bad.at(source.name) from None


@contextmanager
def _opened_raw(source: Source) -> Generator[io.BufferedReader]:
    try:
        if source.path is None:
            raw: io.BufferedReader = io.BufferedReader(_StandardInput())
        else:
            raw = source.path.open("rb")
            if source.position is not None:
                source.position.reads(source.path, raw)
    except OSError as error:
        raise UserError(
            f"cannot be read: {error.strerror}", where=source.name, remedy="check the path"
        ) from None
    try:
        yield raw
    except DAMAGE:
        raise
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror or error}", where=source.name) from None
    finally:
        if source.path is None:
            raw.detach()
        else:
            raw.close()


class _StandardInput(io.RawIOBase):
    """The bytes of standard input, as they come."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return cast(io.BufferedReader, sys.stdin.buffer).readinto1(buffer)


def lines_of(source: Source, problems: Problems, largest: int | None = None) -> Iterator[tuple[int, str]]:
    """The lines of a source as text, numbered from 1, without their line breaks.

    A CR inside a line becomes a space; a `ReadingWarning` at the end says so. Lines that are not UTF-8, or
    larger than `largest` bytes, are reported to `problems`.
    """
    returns = CarriageReturns(source.name)
    for number, line in raw_lines_of(source, problems, largest):
        try:
            yield number, without_end(returns.replaced(decoded(line), number))
        except Bad as bad:
            problems.tell(bad, source.name, number)
    returns.warn()


def listed_lines(
    path: str, remedy: str, *, skippable: bool = True, largest: int | None = None
) -> Iterator[tuple[int, str]]:
    """The lines, numbered from 1, of a file that is a list, such as stop words or a dictionary.

    remedy: for messages; skippable: whether these mention `--on-error skip`; largest: most bytes in a line
    (None: the default).
    Raises UserError if it is not one file, for a line that is not text, and for more than 5 million lines.
    """
    problems = Problems(skip=False, skippable=skippable)
    for number, content in raw_lines_of(one_source(path, remedy), problems, largest):
        if number > _MOST_LINES:
            raise UserError(f"has more than {_MOST_LINES:,} lines", where=path, remedy=remedy)
        try:
            line = without_end(decoded(content))
        except Bad as bad:
            problems.tell(bad, path, number)
            continue
        if "\r" in line:
            problem = "a carriage return inside a line, where the lines of the file end with LF"
            raise UserError(problem, where=path, line=number, remedy="end all lines in the same way")
        yield number, line


def raw_lines_of(
    source: Source, problems: Problems, largest: int | None = None
) -> Iterator[tuple[int, bytes]]:
    """The lines of a source as bytes, numbered from 1, with line breaks but no byte order mark.

    Damaged compression, and lines of more than `largest` bytes (not held in memory), are reported to
    `problems`.
    """
    number = 0
    try:
        with opened(source) as stream:
            for number, line in enumerate(
                byte_lines(cast(io.BufferedIOBase, stream), bytes_allowed(largest)), 1
            ):
                if line is None:
                    problems.tell(too_large("the line", largest), source.name, number)
                else:
                    yield number, line.removeprefix(BOM) if number == 1 else line
    except Bad as bad:
        problems.tell(bad, source.name, number + 1)


class CarriageReturns:
    """Replaces carriage returns inside the lines of a file by spaces, and warns of them."""

    def __init__(self, name: str) -> None:
        self.name, self.number, self.first = name, 0, 0

    def replaced(self, line: str, number: int, *, quoted: bool = False, inside: bool = False) -> str:
        """The line, with line number `number` and its line break, with a space for each CR inside.

        With `quoted`, those between double quotes are kept; the line begins between quotes if `inside`.
        """
        end = len(line) - len(without_end(line))
        plain = line[: len(line) - end]
        if "\r" not in plain:
            return line
        pieces = plain.split('"') if quoted else [plain]
        own = slice(int(quoted and inside), None, 2)
        self.number += sum(piece.count("\r") for piece in pieces[own])
        self.first = self.first or (number if self.number else 0)
        pieces[own] = [piece.replace("\r", " ") for piece in pieces[own]]
        return '"'.join(pieces) + line[len(plain) :]

    def warn(self) -> None:
        """Warn if a carriage return was replaced."""
        if self.number:
            read = "is read as a space" if self.number == 1 else "are read as spaces"
            place = (
                f", {'in' if self.number == 1 else 'the first in'} line {self.first}," if self.first else ""
            )
            problem = f"{counted(self.number, 'carriage return')} inside lines{place} {read}"
            ends = "lines of the file end with LF"
            warnings.warn(ReadingWarning(f"{self.name}: {problem}, since {ends}"), stacklevel=2)


def text_of(source: Source, problems: Problems, largest: int | None = None) -> str | None:
    """The whole text of a source; None if it was reported to `problems`.

    That happens if it is not UTF-8, its compression is damaged, or it has more than `largest` bytes.
    """
    try:
        with opened(source) as stream:
            text = decoded(_content(stream, largest).getvalue().removeprefix(BOM))
    except Bad as bad:
        problems.tell(bad, source.name)
        return None
    if "\r" not in text or "\n" not in text:
        return text
    plain = _LONE_RETURN.sub(" ", text)
    if plain != text:
        returns = CarriageReturns(source.name)
        returns.number = plain.count(" ") - text.count(" ")
        returns.warn()
    return plain


@contextmanager
def seekable(source: Source, largest: int | None = None) -> Generator[BinaryIO]:
    """A context that yields a source's bytes as a seekable stream, in memory if packed or a pipe.

    Raises Bad if compression is damaged, or for more than `largest` bytes in memory.
    """
    with opened(source) as stream:
        plain = isinstance(stream, _BUFFERED) and stream.seekable()
        yield stream if plain else _content(stream, largest)


def _content(stream: BinaryIO, largest: int | None = None) -> io.BytesIO:
    """All bytes of a stream, as a stream in memory. Raises Bad for more than `largest` bytes."""
    whole = io.BytesIO()
    while piece := stream.read(_PIECE):
        if whole.tell() + len(piece) > bytes_allowed(largest):
            raise too_large("the file", largest)
        whole.write(piece)
    whole.seek(0)
    return whole


def _encoding_in(content: bytes) -> str | None:
    """The encoding, of those that use ASCII characters only, of a text of ASCII characters; None: no other.

    Of UTF-7 are runs between + and -, in which all characters are letters beyond ASCII, and of alphabets, as
    the first one is: "+Alt+Down" would have a letter of an alphabet and two Chinese ones.
    """
    for found in _ENCODED.finditer(content):
        if found["UTF_7"] is None:
            return str(found.lastgroup).replace("_", "-")
        try:
            letters = found[0].decode("utf-7")
        except UnicodeDecodeError:
            continue
        if all(letter.isalpha() and 0x7F < ord(letter) < ALPHABETS for letter in letters):
            return "UTF-7"
    return None


def decoded(content: bytes) -> str:
    """Bytes of UTF-8 as text. Raises Bad if they are not UTF-8, or contain NUL."""
    if b"\0" in content:
        raise Bad("binary bytes", "binary bytes (NUL), not UTF-8 text", _NO_NUL)
    if (b"\x1b" in content or b"~{" in content or b"+" in content) and content.isascii():
        encoding = _encoding_in(content)
        if encoding is not None:
            raise Bad("undecodable bytes", f"the text is in {encoding}, not UTF-8", _CONVERT)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        problem = f"byte 0x{content[error.start]:02x} at position {error.start + 1} is not UTF-8"
        if content.startswith(BAD_CODE.encode("utf-8", "surrogatepass"), error.start):
            place = len(content[: error.start].decode("utf-8")) + 1
            problem = f"character {place} is not UTF-16 or UTF-32, by which the file begins, or is cut off"
        raise Bad("undecodable bytes", problem, _CONVERT) from None
