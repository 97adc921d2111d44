"""What a line is."""

import io
import re

from hypothesis import given
from hypothesis import strategies as st

from stickbreaker.core.lines import byte_lines, split_lines, without_end

STRANGE = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"  # where str.splitlines cuts, too
TEXTS = st.text(st.sampled_from("ab\r\n" + STRANGE), max_size=40)


class Pieces(io.BytesIO):
    """A stream that comes in pieces of some sizes, as a pipe does."""

    def __init__(self, content: bytes, sizes: list[int]) -> None:
        super().__init__(content)
        self.sizes = sizes

    def read1(self, size: int | None = -1) -> bytes:
        return self.read(self.sizes.pop() if self.sizes else 3)


def lines_by_definition(content: bytes) -> list[bytes]:
    return [line for line in re.findall(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z", content) if line]


@given(TEXTS, st.lists(st.integers(1, 5), max_size=40))
def test_lines_of_a_stream_do_not_depend_on_its_pieces(text, sizes):
    content = text.encode()
    assert list(byte_lines(Pieces(content, sizes), 1_000)) == lines_by_definition(content)


@given(TEXTS, st.lists(st.integers(1, 5), max_size=40), st.integers(0, 6))
def test_a_line_that_is_too_large_is_passed_over(text, sizes, most):
    expected = [line if len(line) <= most else None for line in lines_by_definition(text.encode())]
    assert list(byte_lines(Pieces(text.encode(), sizes), most)) == expected


@given(TEXTS)
def test_texts_and_bytes_have_the_same_lines(text):
    lines = [without_end(line.decode()) for line in lines_by_definition(text.encode())]
    assert split_lines(text) == lines
    assert split_lines(text.replace("\r\n", "\n").replace("\r", "\n")) == lines


def test_a_line_is_given_as_soon_as_it_is_there():
    class Waiting(io.RawIOBase):
        def __init__(self) -> None:
            super().__init__()
            self.left = [b"one\n", b"two\r", b"\nthree"]

        def readable(self) -> bool:
            return True

        def readinto(self, buffer) -> int:
            piece = self.left.pop(0)  # IndexError where more is asked for than was written
            buffer[: len(piece)] = piece
            return len(piece)

    waiting = Waiting()
    lines = byte_lines(io.BufferedReader(waiting), 100)
    assert next(lines) == b"one\n"
    assert waiting.left == [b"two\r", b"\nthree"]
    assert next(lines) == b"two\r\n"
