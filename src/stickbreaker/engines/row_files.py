"""Rows of tables in files: each file is written once, in one rename, and read by any number of processes.

A file holds a block, which is several consecutive chunks of rows, as an Arrow file with a record batch for
each chunk and table: the numbers of its rows (ascending), their values row by row, and checksums. Rows that
are left out are zero. A step's statistics and its trials are several tables in one file.
"""

import mmap
import os
import threading
import uuid
import zlib
from collections import OrderedDict
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import AnyArray, Array, Rows
from stickbreaker.corpus.arrow_arrays import arrow_numbers

SCHEMA = pa.schema(
    [
        ("table", pa.string()),
        ("chunk", pa.int32()),
        ("columns", pa.int32()),
        ("positions", pa.list_(pa.int64())),
        ("values", pa.list_(pa.float64())),
        ("key", pa.uint32()),  # checksum of the columns before it
        ("checksum", pa.uint32()),  # checksum of positions and values
    ]
)
END = ""  # the name of a last table, which records the number of batches before it
COUNTS = "counts"  # the name of a model's own table
SWEEP = 64  # files are read before the readers of deleted ones are closed
REMEDY = "restore it from a copy, or continue from an older checkpoint"


@dataclass(frozen=True, slots=True)
class Layout:
    """How a table's rows are divided: into chunks of `chunk` rows, and the chunks into `blocks` files.

    >>> Layout(10, 2, 3).bounds(1), Layout(10, 2, 3).block_of(4)
    ((2, 4), 2)
    """

    n_rows: int
    chunk: int
    blocks: int

    @property
    def n_chunks(self) -> int:
        return -(-self.n_rows // self.chunk)

    def block_of(self, chunk: int) -> int:
        """The number of the file that contains a chunk."""
        return chunk * self.blocks // max(1, self.n_chunks)

    def chunks_of(self, block: int) -> range:
        """The numbers of the chunks in the file of a block."""
        ends = [-(-each * self.n_chunks // self.blocks) for each in (block, block + 1)]
        return range(*ends)

    def bounds(self, chunk: int) -> tuple[int, int]:
        """The numbers of a chunk's first row, and of the one after its last."""
        return chunk * self.chunk, min((chunk + 1) * self.chunk, self.n_rows)

    def cut(self, rows: NDArray[np.int64]) -> Iterator[tuple[int, slice]]:
        """Split ascending row numbers by chunk; yields each chunk with the slice of `rows` that is in it.

        >>> list(Layout(10, 2, 3).cut(np.array([1, 4, 4, 5])))
        [(0, slice(0, 1, None)), (2, slice(1, 4, None))]
        """
        chunks, starts = np.unique(rows // self.chunk, return_index=True)
        ends = pairwise([*starts.tolist(), len(rows)])
        for chunk, (start, stop) in zip(chunks.tolist(), ends, strict=True):
            yield chunk, slice(start, stop)


def block_path(folder: Path, version: str, block: int) -> Path:
    """The path of a block's file. version: the subfolder of files that were written together."""
    return folder / version / f"{block:05d}.arrow"


@contextmanager
def replacing(path: Path) -> Generator[Path]:
    """A context that yields a temporary path next to `path`; what is written there replaces `path` at once.

    Raises UserError if it cannot be written, as on a full disk.
    """
    partial = path.with_name(f".{path.name}.partial-{uuid.uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield partial
        partial.replace(path)
    except (OSError, pa.ArrowException) as error:
        raise UserError(
            f"cannot be written ({error})", where=path, remedy="free some space, then resume"
        ) from None
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


class RowWriter:
    """Writes the file of a block of rows, chunk by chunk (a chunk: a fixed number of consecutive rows)."""

    def __init__(self, path: Path) -> None:
        self._sink = pa.OSFile(str(path), "wb")
        self._writer = pa.ipc.new_file(self._sink, SCHEMA)
        self._batches = 0

    def add(self, table: str, chunk: int, positions: NDArray[np.int64], values: Array) -> None:
        """Write rows of one chunk of a table: their ascending numbers, and values (rows × columns)."""
        flat = np.ascontiguousarray(values, np.float64).ravel()
        columns = [
            pa.array([table]),
            pa.array([chunk], pa.int32()),
            pa.array([values.shape[1]], pa.int32()),
            _one_list(positions.astype(np.int64, copy=False)),
            _one_list(flat),
            pa.array([_checksum_of_key(table, chunk, values.shape[1])], pa.uint32()),
            pa.array([_checksum(positions, flat)], pa.uint32()),
        ]
        batch = pa.record_batch(columns, schema=SCHEMA)
        self._writer.write_batch(batch)  # pyright: ignore[reportUnknownMemberType]
        self._batches += 1

    def end(self) -> None:
        """Write a last record, with the number of those before it, so that a truncated file is noticed."""
        self.add(END, self._batches, np.empty(0, np.int64), np.empty((0, 0)))

    def close(self) -> None:
        self._writer.close()
        self._sink.close()


def _one_list(values: AnyArray) -> "pa.Array[pa.Scalar[pa.DataType]]":
    offsets, kind = np.array([0, len(values)], np.int32), pa.list_(pa.from_numpy_dtype(values.dtype))
    return pa.Array.from_buffers(
        kind, 1, [None, pa.py_buffer(offsets.tobytes())], children=[arrow_numbers(values)]
    )


def _one_array(batch: pa.RecordBatch, column: str) -> AnyArray:
    """The numbers in a column whose only cell is a list, as an array over the file's memory (no copy)."""
    lists = cast("pa.ListArray[pa.Scalar[pa.DataType]]", batch.column(column))
    return cast("pa.Array[pa.Scalar[pa.DataType]]", lists.values).to_numpy(zero_copy_only=True)


def _checksum(positions: NDArray[np.int64], values: Array) -> int:
    return zlib.crc32(values.data, zlib.crc32(np.ascontiguousarray(positions).data))


def _checksum_of_key(table: str, chunk: int, columns: int) -> int:
    return zlib.crc32(f"{table}|{chunk}|{columns}".encode())


@contextmanager
def row_writer(path: Path) -> Generator[RowWriter]:
    """A context that yields a writer for a block's file, which appears, complete, when the context ends."""
    with replacing(path) as partial:
        writer = RowWriter(partial)
        try:
            yield writer
            writer.end()
        finally:
            writer.close()


class RowFile:
    """Reads the file of a block of rows; each chunk's checksum is verified when it is first read.

    Raises UserError for a file that is missing, cut off or altered.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self._reader = pa.ipc.open_file(pa.BufferReader(pa.py_buffer(held)))
            if self._reader.schema != SCHEMA:
                raise ValueError("other columns")
            keys = [self._key(number) for number in range(self._reader.num_record_batches)]
            if not keys or keys.pop() != (END, len(keys)):
                raise ValueError("cut off")
        except FileNotFoundError:
            raise UserError("a block of the table is missing", where=path, remedy=REMEDY) from None
        except (OSError, ValueError, TypeError, MemoryError, pa.ArrowException) as error:
            raise UserError(f"a block of the table is damaged ({error})", where=path, remedy=REMEDY) from None
        self._places = {key: number for number, key in enumerate(keys)}
        self._seen: set[int] = set()

    def _key(self, number: int) -> tuple[str, int]:
        batch = self._reader.get_batch(number)
        batch.validate(full=True)  # reading an invalid batch may crash the process
        table, chunk, columns, key = (
            batch.select(["table", "chunk", "columns", "key"]).to_pylist()[0].values()
        )
        if key != _checksum_of_key(table, chunk, columns):
            raise ValueError("altered since it was written")
        return table, chunk

    def read(self, table: str, chunk: int) -> Rows | None:
        """The rows that the file has of a table and chunk, read-only; None if it has nothing of these."""
        number = self._places.get((table, chunk))
        if number is None:
            return None
        batch = self._reader.get_batch(number)
        positions, flat = _one_array(batch, "positions"), _one_array(batch, "values")
        n_columns, checksum = batch.select(["columns", "checksum"]).to_pylist()[0].values()
        if number not in self._seen:
            if _checksum(positions, flat) != checksum:
                READERS.forget()
                problem = "a block of the table was altered since it was written"
                raise UserError(problem, where=self.path, remedy=REMEDY)
            if table == COUNTS and not np.isfinite(flat).all():
                problem = "a block of the table has counts that are not finite"
                raise UserError(problem, where=self.path, remedy=REMEDY)
            self._seen.add(number)
        return Rows(positions, flat.reshape(len(positions), n_columns))


class Readers:
    """A cache of the row files that this process has open: the `most` that were used last.

    Deleted files are closed from time to time, which frees their space on disk.
    """

    def __init__(self, most: int = 512) -> None:
        self.most = most
        self.held: OrderedDict[Path, RowFile] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, path: Path) -> RowFile:
        """The reader of a file, opened if needed."""
        with self._lock:
            if path in self.held:
                self.held.move_to_end(path)
                return self.held[path]
        reader = RowFile(path)
        with self._lock:
            if len(self.held) % SWEEP == 0:
                for other in [each for each in self.held if not each.exists()]:
                    del self.held[other]
            self.held[path] = reader
            while len(self.held) > self.most:
                self.held.popitem(last=False)
        return reader

    def forget(self) -> None:
        """Close all readers, so that files which replaced others under the same path are read again."""
        with self._lock:
            self.held.clear()


READERS = Readers()


def sync(paths: Sequence[Path]) -> None:
    """Force files to disk, before a checkpoint refers to them. Raises UserError if one cannot be opened."""
    for path in paths:
        try:
            with path.open("rb") as file:
                os.fsync(file.fileno())
        except OSError as error:
            problem = f"cannot be saved ({error.strerror or error})"
            raise UserError(problem, where=path, remedy=REMEDY) from None
