"""The sizes of Arrow batches after decompression, found without decompressing them.

A compressed buffer begins with its decoded length (Arrow's columnar format, "Compression"). The buffers'
positions are in the message's metadata, a flatbuffer: tables whose fields are found by number.
"""

import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

import pyarrow as pa

HEADER = 2  # fields of tables, by number: of a message,
DATA = 1  # of a dictionary batch,
BUFFERS, COMPRESSION = 2, 3  # of a record batch,
DICTIONARIES, BATCHES = 2, 3  # and of the footer of a file
_open_messages: Any = pa.ipc.MessageReader.open_stream
_FILE_MAGIC = b"ARROW1\0\0"  # followed by a stream in a file
_END = b"\xff\xff\xff\xff\0\0\0\0"  # of a stream; a writer may leave it out


def decoded_sizes(stream: BinaryIO) -> Iterator[tuple[int, int]]:
    """For each batch and dictionary of an Arrow file or stream: its size in bytes, as stored and as decoded.

    Nothing is decoded, so that files which would fill the memory can be refused. Reads the stream to its end.
    Raises ValueError if it is damaged.

    >>> import io
    >>> out, batch = io.BytesIO(), pa.record_batch({"text": ["a" * 9_000]})
    >>> with pa.ipc.new_stream(out, batch.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as file:
    ...     file.write_batch(batch)
    >>> [(size < 200, decoded) for size, decoded in decoded_sizes(io.BytesIO(out.getvalue()))]
    [(True, 9008)]
    """
    if stream.read(len(_FILE_MAGIC)) == _FILE_MAGIC:
        yield from _sizes_by_footer(stream)
        return
    stream.seek(0)
    reader = _open_messages(stream)
    while True:
        try:
            message = reader.read_next_message()
        except StopIteration:
            return
        if message.type in ("record batch", "dictionary"):
            body = memoryview(message.body) if message.body is not None else memoryview(b"")
            try:
                yield len(body), _decoded(memoryview(message.metadata), body, message.type)
            except (struct.error, IndexError) as error:
                raise ValueError("an invalid message") from error


def wrong_end(stream: BinaryIO) -> str | None:
    """What is wrong at the end of an Arrow stream, whose messages have just been read; None: nothing.

    A stream that was cut between two batches has no mark of its end, and one that was appended to another has
    batches after that mark, which nobody reads. Streams of Arrow before 0.15 had other marks.

    >>> import io
    >>> out, batch = io.BytesIO(), pa.record_batch({"text": ["a"]})
    >>> with pa.ipc.new_stream(out, batch.schema) as file:
    ...     file.write_batch(batch)
    >>> cut = io.BytesIO(out.getvalue()[:-8])
    >>> sizes = list(decoded_sizes(cut))
    >>> wrong_end(cut)
    'Arrow streams without a mark at their end, so that rows may be missing'
    """
    end = stream.tell()
    size = stream.seek(0, 2)
    stream.seek(0)
    if stream.read(len(_FILE_MAGIC))[:4] != _END[:4]:
        return None
    stream.seek(max(0, end - len(_END)))
    if stream.read(len(_END)) != _END:
        return "Arrow streams without a mark at their end, so that rows may be missing"
    return "Arrow streams with bytes after their end, which are not read" if size > end else None


def _sizes_by_footer(stream: BinaryIO) -> Iterator[tuple[int, int]]:
    """What `decoded_sizes` yields for an Arrow file, whose footer lists the places of its messages.

    Between these there may be other bytes, as polars writes them.
    """
    end = stream.seek(-10, 2)
    try:
        size = _read("<i", memoryview(stream.read(4)), 0)
        stream.seek(end - size)
        footer = memoryview(stream.read(size))
        table = _reference(footer, 0)
        for number, kind in ((DICTIONARIES, "dictionary"), (BATCHES, "record batch")):
            at = _field(footer, table, number)
            at = _reference(footer, at) if at else 0
            for place in range(_read("<I", footer, at) if at else 0):
                offset, prefixed, body_size = struct.unpack_from("<qi4xq", footer, at + 4 + 24 * place)
                stream.seek(offset)
                metadata = memoryview(stream.read(prefixed))
                metadata = metadata[8 if bytes(metadata[:4]) == b"\xff\xff\xff\xff" else 4 :]
                body = memoryview(stream.read(body_size))
                yield len(body), _decoded(metadata, body, kind)
    except (struct.error, IndexError, OSError, OverflowError) as error:
        raise ValueError("an invalid footer") from error


def _decoded(metadata: memoryview, body: memoryview, kind: str) -> int:
    """The size in bytes of a message's buffers after decompression. kind: "record batch" or "dictionary"."""
    table = _reference(metadata, _field(metadata, _reference(metadata, 0), HEADER))
    if kind == "dictionary":
        table = _reference(metadata, _field(metadata, table, DATA))
    if not _field(metadata, table, COMPRESSION):
        return len(body)
    at = _reference(metadata, _field(metadata, table, BUFFERS))
    total = 0
    for place in range(_read("<I", metadata, at)):
        offset, length = struct.unpack_from("<qq", metadata, at + 4 + 16 * place)
        if length >= 8:
            decoded = _read("<q", body, offset)
            total += length - 8 if decoded < 0 else decoded  # -1: it is not compressed
    return total


def _field(buffer: memoryview, table: int, number: int) -> int:
    """The position in the buffer of field `number` of a flatbuffer table; 0 if the table omits the field."""
    fields = table - _read("<i", buffer, table)
    if 4 + 2 * number >= _read("<H", buffer, fields):
        return 0
    offset = _read("<H", buffer, fields + 4 + 2 * number)
    return table + offset if offset else 0


def _reference(buffer: memoryview, at: int) -> int:
    """The position that the flatbuffer offset stored at position `at` points to."""
    return at + _read("<I", buffer, at)


def _read(form: str, buffer: memoryview, at: int) -> int:
    if at < 0:
        raise IndexError(at)
    return struct.unpack_from(form, buffer, at)[0]
