"""How large the batches of Arrow's format are once they are decoded, known before they are.

A compressed buffer begins with its length when decoded (Arrow's columnar format, "Compression"). Where the
buffers lie stands in the message's metadata, a flatbuffer: tables of fields that are found by their number.
"""

import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

import pyarrow as pa

HEADER = 2  # fields of tables, by number: of a message,
DATA = 1  # of a dictionary batch,
BUFFERS, COMPRESSION = 2, 3  # and of a record batch
_FILE_MAGIC = b"ARROW1\0\0"  # what follows it in a file is a stream


def decoded_sizes(stream: BinaryIO) -> Iterator[tuple[int, int]]:
    """For each batch and dictionary of a file or stream: its bytes as they lie there, and decoded.

    The stream is read to its end. Raises ValueError for what is damaged.

    >>> import io
    >>> out, batch = io.BytesIO(), pa.record_batch({"text": ["a" * 9_000]})
    >>> with pa.ipc.new_stream(out, batch.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as file:
    ...     file.write_batch(batch)
    >>> [(size < 200, decoded) for size, decoded in decoded_sizes(io.BytesIO(out.getvalue()))]
    [(True, 9008)]
    """
    if stream.read(len(_FILE_MAGIC)) != _FILE_MAGIC:
        stream.seek(0)
    reader = pa.ipc.MessageReader.open_stream(stream)
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
                raise ValueError("a message that makes no sense") from error


def _decoded(metadata: memoryview, body: memoryview, kind: str) -> int:
    """Bytes of a message's buffers once they are decoded."""
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
            total += length - 8 if decoded < 0 else decoded  # -1: it lies there as it is
    return total


def _field(buffer: memoryview, table: int, number: int) -> int:
    """Where a field of a flatbuffer's table lies; 0 where it is left out."""
    fields = table - _read("<i", buffer, table)
    if 4 + 2 * number >= _read("<H", buffer, fields):
        return 0
    offset = _read("<H", buffer, fields + 4 + 2 * number)
    return table + offset if offset else 0


def _reference(buffer: memoryview, at: int) -> int:
    """What the reference at a place points to."""
    return at + _read("<I", buffer, at)


def _read(form: str, buffer: memoryview, at: int) -> Any:
    if at < 0:
        raise IndexError(at)
    return struct.unpack_from(form, buffer, at)[0]
