"""What a line is, for all that reads text: it ends at LF, CR LF or CR, and nowhere else.

`str.splitlines` also cuts at U+2028, form feeds and others, `readline` does not cut at a CR alone.
"""

import re
from collections.abc import Iterator
from functools import partial
from io import BufferedIOBase

_END = re.compile(r"\r\n|[\r\n]")
_PIECE = 1 << 17  # bytes read at a time


def split_lines(text: str) -> list[str]:
    """The lines of a text without their ends; what follows the last end is a line, unless it is empty.

    >>> split_lines("a\\rb\\r\\n\\nc\\u2028d"), split_lines("a\\n")
    (['a', 'b', '', 'c\\u2028d'], ['a'])
    """
    lines = _END.split(text)
    return lines if lines[-1] else lines[:-1]


def without_end(line: str) -> str:
    """A line without its end.

    >>> without_end("a\\r\\n"), without_end("a\\r"), without_end("a\\n\\r")
    ('a', 'a', 'a\\n')
    """
    return line[:-2] if line.endswith("\r\n") else line.removesuffix("\n").removesuffix("\r")


def byte_lines(stream: BufferedIOBase, most: int) -> Iterator[bytes | None]:
    """The lines of a stream with their ends; None in place of each of more than `most` bytes.

    No more than a line is held, and each is given as soon as it is there: of one that ends with CR, as soon
    as the byte after it is.
    """
    begun = _BegunLine(most)
    for piece in iter(partial(stream.read1, _PIECE), b""):
        if begun.ends_with_cr:
            if piece.startswith(b"\n"):
                begun.add(b"\n")
                piece = piece[1:]
            yield begun.taken()
        lines = piece.splitlines(True)  # of bytes: at LF, CR LF and CR alone
        rest = lines.pop() if lines and not lines[-1].endswith(b"\n") else b""
        for line in lines:
            if begun.size:
                begun.add(line)
                yield begun.taken()
            else:
                yield line if len(line) <= most else None
        begun.add(rest)
    if begun.size:
        yield begun.taken()


class _BegunLine:
    """The beginning of a line, in pieces; of one that is larger than `most` bytes only the size is held."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._clear()

    def _clear(self) -> None:
        self.size, self.pieces, self.ends_with_cr = 0, list[bytes](), False

    def add(self, piece: bytes) -> None:
        if piece:
            self.size += len(piece)
            self.ends_with_cr = piece.endswith(b"\r")
            self.pieces.append(piece)
            if self.size > self.most:
                self.pieces = []

    def taken(self) -> bytes | None:
        line = b"".join(self.pieces) if self.size <= self.most else None
        self._clear()
        return line
