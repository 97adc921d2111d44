"""Splits bytes into lines in the same way for all readers: at LF and CR LF or, without any LF, at CR.

The line ends of a file are of one kind: if lines end with LF, a CR alone is inside a line.
`str.splitlines` also splits at U+2028, form feeds and others, and `readline` does not split at a CR alone.
"""

from collections.abc import Iterator
from functools import partial
from io import BufferedIOBase, BytesIO

_PIECE = 1 << 14  # bytes read at a time
_LOOKED_AT = 1 << 20  # bytes in which an LF is looked for


def without_end(line: str) -> str:
    """A line without its line break (one at most).

    >>> without_end("a\\r\\n"), without_end("a\\r"), without_end("a\\n\\r")
    ('a', 'a', 'a\\n')
    """
    return line[:-2] if line.endswith("\r\n") else line.removesuffix("\n").removesuffix("\r")


def byte_lines(stream: BufferedIOBase, most: int) -> Iterator[bytes | None]:
    """The lines of a stream with their line breaks; None in place of each line of more than `most` bytes.

    If the first megabyte has an LF, lines end at LF alone; else also at CR. At most one line, or that
    megabyte, is held in memory. A line is yielded as early as possible (None as soon as it is too long), but
    one that ends with CR only after the next byte was read, which may be LF.
    """
    line_so_far = _OpenLine(most)
    for piece, at_lf in _pieces(stream):
        if line_so_far.ends_with_cr and not at_lf:
            if piece.startswith(b"\n"):
                line_so_far.add(b"\n")
                piece = piece[1:]
            yield from line_so_far.ended()
        # splitlines: for bytes, at LF, CR LF and CR only
        lines = BytesIO(piece).readlines() if at_lf else piece.splitlines(True)
        rest = lines.pop() if lines and not lines[-1].endswith(b"\n") else b""
        for line in lines:
            if line_so_far.size:
                line_so_far.add(line)
                yield from line_so_far.ended()
            else:
                yield line if len(line) <= most else None
        line_so_far.add(rest)
        yield from line_so_far.refused()
    if line_so_far.size:
        yield from line_so_far.ended()


def _pieces(stream: BufferedIOBase) -> Iterator[tuple[bytes, bool]]:
    """The content of a stream in pieces, each with whether lines end at LF alone.

    After the first CR, pieces are held back until an LF shows this, or there is none within `_LOOKED_AT`
    bytes.
    """
    held, at_lf = b"", None
    for piece in iter(partial(stream.read1, _PIECE), b""):
        if at_lf is None:
            piece = held + piece
            if b"\n" in piece:
                at_lf = True
            elif b"\r" in piece:
                held = piece
                if len(held) < _LOOKED_AT:
                    continue
                at_lf = False
        yield piece, at_lf is not False
    if at_lf is None and held:
        yield held, False


class _OpenLine:
    """The line that is being read, in pieces; if it is larger than `most` bytes, only its size is kept."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._clear()

    def _clear(self) -> None:
        self.size, self.pieces, self.ends_with_cr = 0, list[bytes](), False
        self.is_refused = False

    def add(self, piece: bytes) -> None:
        """Append the next piece of the line; if it is too long, only its size is kept."""
        if piece:
            self.size += len(piece)
            self.ends_with_cr = piece.endswith(b"\r")
            self.pieces.append(piece)
            if self.size > self.most:
                self.pieces.clear()

    def refused(self) -> Iterator[None]:
        """Yield None, once, if the line is too large; otherwise nothing."""
        if self.size > self.most and not self.is_refused:
            self.is_refused = True
            yield None

    def ended(self) -> Iterator[bytes | None]:
        """Yield the line, which ends here (nothing if it was reported as too large), and start the next."""
        if not self.is_refused:
            yield b"".join(self.pieces) if self.size <= self.most else None
        self._clear()
