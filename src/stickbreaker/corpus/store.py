"""The directory in which a corpus is stored.

`corpus.json` describes the corpus and lists its files with their sizes and digests, and its own digest;
`vocabulary.parquet` has the vocabulary; `documents-00000.parquet`, … have the documents, one row group per
block, at most 32 blocks per file.
"""

import hashlib
import json
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from stickbreaker.core.errors import UserError
from stickbreaker.core.file_errors import naming_file
from stickbreaker.core.files import digest_of, recover, refuse_links
from stickbreaker.core.json_checks import (
    JsonObject,
    Kind,
    is_amount,
    is_count,
    is_record,
    is_text,
    list_of,
    mapping_of,
    optional,
    refuse_other_kinds,
)
from stickbreaker.corpus.arrow_arrays import parquet_file, strings_in
from stickbreaker.corpus.blocks import (
    SCHEMAS,
    BlockSource,
    Entries,
    entries_of,
    refuse_other_table,
    schema_of,
)

FORMAT = "stickbreaker corpus"
SCHEMA_VERSION = 1
FILE_BLOCKS = 32
LARGEST_BLOCK = 1 << 20  # documents: a larger block in a header is not believed
FACTS_FILE = "corpus.json"
DIGEST = "digest"  # the last field of corpus.json
VOCABULARY_FILE = "vocabulary.parquet"
REBUILD = "build the corpus again"


FILE = {"name": is_text, "size": is_count, "digest": is_text, "blocks": list_of(is_count)}
FACTS: dict[str, Kind] = {
    "kind": is_text,
    "analysis": optional(is_record),
    "vocabulary_rule": is_record,
    "n_tokens": is_amount,
    "n_empty": is_count,
    "languages": mapping_of(is_count),
    "metadata_fields": list_of(is_text),
    "skipped": mapping_of(is_count),
    "first_skipped": mapping_of(is_text),
    "content": optional(is_text),
    "fingerprint": is_text,
    "tag_names": optional(list_of(is_text)),
    "dropped": optional(list_of(is_record)),
    "files": lambda value: isinstance(value, list),
}
OPTIONAL = ("tag_names", "dropped")  # left out if None


@dataclass(frozen=True)
class StoredFile:
    """A file of a stored corpus: its name, size in bytes, digest, and the number of documents per block."""

    name: str
    size: int
    digest: str
    blocks: tuple[int, ...] = ()


@dataclass(frozen=True)
class Facts:
    """The content of `corpus.json`; the fields are explained at `building.About`."""

    kind: str
    analysis: JsonObject | None
    vocabulary_rule: JsonObject
    n_tokens: float
    n_empty: int
    languages: dict[str, int]
    metadata_fields: tuple[str, ...]
    skipped: dict[str, int]
    first_skipped: dict[str, str]
    content: str | None
    fingerprint: str
    vocabulary: StoredFile
    files: tuple[StoredFile, ...]
    tag_names: tuple[str, ...] | None = None  # only for a corpus with trees
    dropped: tuple[JsonObject, ...] | None = None  # words by rule; left out if there are none


def described(path: Path, blocks: tuple[int, ...] = ()) -> StoredFile:
    """The entry in corpus.json for a file that was written. blocks: the number of documents in each block."""
    return StoredFile(path.name, path.stat().st_size, digest_of(path), blocks)


class StoreWriter:
    """Writes blocks to numbered Parquet files; `close` returns the files' entries for corpus.json.

    A thread writes each block while the next one is made. `packed`: whether to compress (not needed for files
    that will soon be replaced).
    """

    def __init__(self, directory: Path, kind: str, *, packed: bool = True) -> None:
        self.directory = directory
        self.packed = packed
        self.kind = kind
        self.files: list[StoredFile] = []
        self.blocks: list[int] = []
        self.writer: pq.ParquetWriter | None = None
        self._thread = ThreadPoolExecutor(1)
        self._writing: Future[None] | None = None

    def write(self, table: pa.Table) -> None:
        """Start writing a block in a thread, once the previous one has been written.

        Raises OSError naming the previous block's file if that could not be written.
        """
        self._wait()
        self._writing = self._thread.submit(self._write, table)

    def _wait(self) -> None:
        """Wait for the block that is being written; raises the error of its writing."""
        writing, self._writing = self._writing, None
        if writing is not None:
            writing.result()

    def _write(self, table: pa.Table) -> None:
        with naming_file(self._path()):
            if self.writer is None:
                self.writer = self._new_writer("heads" in table.column_names)
            self.writer.write_table(table, row_group_size=max(table.num_rows, 1))
        self.blocks.append(table.num_rows)
        if len(self.blocks) == FILE_BLOCKS:
            self._close_file()

    def _new_writer(self, trees: bool) -> pq.ParquetWriter:
        columns = ["words"] if self.kind == "bag" else ["tokens", "tags"] if trees else ["tokens"]
        spelled = [f"{column}.list.element" for column in columns]
        return pq.ParquetWriter(
            self._path(),
            schema_of(self.kind, trees),
            compression="zstd" if self.packed else "none",
            use_dictionary=[*spelled, "language"],  # pyright: ignore[reportArgumentType]
            dictionary_pagesize_limit=1 << 26,
            write_statistics=False,
        )

    def close(self) -> tuple[StoredFile, ...]:
        """Finish the last file, and return the entries of all. Raises OSError as `write` does."""
        try:
            self._wait()
        finally:
            self._thread.shutdown()
            self._close_file()
        return tuple(self.files)

    def _close_file(self) -> None:
        if self.writer is not None:
            with naming_file(self._path()):
                self.writer.close()
            self.files.append(described(self._path(), tuple(self.blocks)))
            self.writer, self.blocks = None, []

    def _path(self) -> Path:
        return self.directory / f"documents-{len(self.files):05d}.parquet"


class StoreSource(BlockSource):
    """Blocks of documents read from the files of a corpus's directory.

    A file's digest is checked when it is first read; if the file is replaced or changed afterwards, reading
    raises UserError. Copies and pickles check the files again.
    """

    def __init__(
        self, directory: Path, kind: str, files: tuple[StoredFile, ...], trees: bool = False
    ) -> None:
        self.directory = directory
        self.kind = kind
        self.files = files
        self.trees = trees
        self.sizes = tuple(size for file in files for size in file.blocks)
        self._places = [(file, group) for file in files for group in range(len(file.blocks))]
        self._checked: dict[str, tuple[int, int, int]] = {}  # file name: its identity when checked
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type["StoreSource"], tuple[object, ...]]:
        """For pickling: a lock and what was checked stay in this process."""
        return StoreSource, (self.directory, self.kind, self.files, self.trees)

    def as_written(self) -> "StoreSource":
        """Skip the check of the files' digests, as this process has just written them; returns the source."""
        self._checked = {file.name: _identity(self.directory / file.name) for file in self.files}
        return self

    def read(self, block: int) -> pa.Table:
        return self._table(block, schema_of(self.kind, self.trees).names)

    def columns(self, block: int, names: list[str]) -> pa.Table:
        return self._table(block, names)

    def place(self, block: int) -> Path:
        return self.directory / self._places[block][0].name

    def entries(self, block: int) -> Entries:
        columns = ["tokens"] if self.kind == "text" else ["words", "weights"]
        table = self._table(block, columns)
        try:
            return entries_of(table, self.kind)
        except (ValueError, TypeError, AttributeError, pa.ArrowException) as error:
            raise self._damaged(self._places[block][0], error) from None

    def ids(self, block: int) -> list[str]:
        return strings_in(self._table(block, ["id"]).column("id"))

    def _table(self, block: int, columns: list[str]) -> pa.Table:
        file, group = self._places[block]
        path = self.directory / file.name
        try:
            self._check(file)
            with parquet_file(path) as opened:
                table: pa.Table = opened.read_row_group(group, columns=columns, use_threads=False)
            refuse_other_table(table, self.kind)
            self._see_unchanged(file)  # after the read, so that what was read was also checked
        except (OSError, ValueError, KeyError, pa.ArrowException) as error:
            if isinstance(error, UserError):
                raise
            self._see_unchanged(file)
            raise self._damaged(file, error) from None
        if table.num_rows != file.blocks[group] or table.column_names != columns:
            raise self._damaged(file, "its blocks are not those of corpus.json")
        return table

    def _check(self, file: StoredFile) -> None:
        with self._lock:
            if file.name not in self._checked:
                path = self.directory / file.name
                identity = _identity(path)
                if digest_of(path) != file.digest:
                    raise self._damaged(file, "its content was altered")
                self._checked[file.name] = identity

    def _see_unchanged(self, file: StoredFile) -> None:
        """Raise UserError if a file was replaced or changed since it was checked."""
        path, checked = self.directory / file.name, self._checked.get(file.name)
        try:
            same = checked is None or _identity(path) == checked
        except OSError:
            same = False
        if not same:
            problem = "the file was replaced or changed while it was being read"
            raise UserError(problem, where=path, remedy="open the corpus again, and start again")

    def _damaged(self, file: StoredFile, reason: object) -> UserError:
        problem, where = f"the file is damaged ({reason})", self.directory / file.name
        return UserError(problem, where=where, remedy=REBUILD, in_file=True)


def _identity(path: Path) -> tuple[int, int, int]:
    """A file's inode, time of change and size, which change if it is replaced or written to."""
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_size


def write_facts(directory: Path, facts: Facts) -> None:
    """Write corpus.json, the file of a store that is written last."""
    record = {"format": FORMAT, "schema": SCHEMA_VERSION, "ordered": facts.kind == "text", **asdict(facts)}
    for name in OPTIONAL:
        if record[name] is None:
            del record[name]
    with naming_file(directory / FACTS_FILE):
        (directory / FACTS_FILE).write_bytes(encoded_facts(record))


def _encoded(record: JsonObject) -> bytes:
    return json.dumps(record, indent=1, allow_nan=False).encode() + b"\n"


def encoded_facts(record: JsonObject) -> bytes:
    """The bytes of corpus.json: a record of its fields as JSON, and the digest of these."""
    return _encoded({**record, DIGEST: _digest(record)})


def _digest(record: JsonObject) -> str:
    """The digest of the fields of corpus.json, which must not yet include the digest itself."""
    return hashlib.blake2b(_encoded(record), digest_size=16).hexdigest()


def is_store(path: Path) -> bool:
    """Whether a path is the directory of a corpus."""
    return (path / FACTS_FILE).is_file()


def read_facts(directory: Path) -> Facts:
    """Read corpus.json, and check that the files it lists exist with the right sizes.

    Raises UserError naming the file that is wrong. If a build was killed while it replaced the corpus, the
    old corpus is first restored.
    """
    recover(directory)
    refuse_links(directory)
    path = directory / FACTS_FILE
    if not directory.exists():
        raise UserError("no such corpus", where=directory, remedy="make it with: stickbreaker corpus build")
    if not path.is_file():
        raise UserError("not a corpus: it has no corpus.json", where=directory, remedy="give a built corpus")
    content = path.read_bytes()
    try:
        record = json.loads(content.decode("utf-8"))
        if record["format"] != FORMAT:
            raise ValueError("another format")
    except (ValueError, TypeError, KeyError, RecursionError):
        raise UserError(
            "the file is not that of a corpus, or is damaged", where=path, remedy=REBUILD
        ) from None
    if record.get("schema") != SCHEMA_VERSION:
        problem = f"schema {record.get('schema')!r}, this version reads schema {SCHEMA_VERSION}"
        raise UserError(problem, where=path, remedy=REBUILD + " with this version")
    try:
        _refuse_altered(record, content)
        facts = _facts_of(record)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        reason = f"no {error}" if isinstance(error, KeyError) else error
        problem = f"the file is damaged ({reason})"
        raise UserError(problem, where=path, remedy=REBUILD, in_file=True) from None
    for file in (facts.vocabulary, *facts.files):
        _see(directory / file.name, file.size)
    if digest_of(directory / facts.vocabulary.name) != facts.vocabulary.digest:
        where = directory / facts.vocabulary.name
        raise UserError("the file is damaged (its content was altered)", where=where, remedy=REBUILD)
    return facts


def _refuse_altered(record: JsonObject, content: bytes) -> None:
    """Raise ValueError if corpus.json has been changed since it was written.

    record: its fields, from which the digest is taken out; content: its bytes.
    """
    if not set(record) <= {"format", "schema", "ordered", DIGEST, *Facts.__dataclass_fields__}:
        raise ValueError("it has other fields")
    digest = record.pop(DIGEST, None)
    if digest != _digest(record) or content != _encoded({**record, DIGEST: digest}):
        raise ValueError("its content was altered")


def _facts_of(record: JsonObject) -> Facts:
    record = {**dict.fromkeys(OPTIONAL), **record}
    refuse_other_kinds(record, FACTS)
    values = {name: record[name] for name in Facts.__dataclass_fields__}
    values["vocabulary"] = _file_of(record["vocabulary"])
    values["files"] = tuple(_file_of(file) for file in record["files"])
    values["metadata_fields"] = tuple(record["metadata_fields"])
    if values["kind"] not in SCHEMAS or not any(sum(file.blocks) for file in values["files"]):
        raise ValueError("the kind or the files are wrong")
    if values["tag_names"] is not None:
        values["tag_names"] = tuple(values["tag_names"])
        if values["kind"] != "text" or list(values["tag_names"]) != sorted(set(values["tag_names"])):
            raise ValueError("the names of tags are wrong")
    values["dropped"] = None if record["dropped"] is None else tuple(record["dropped"])
    values["n_tokens"] = float(record["n_tokens"])
    return Facts(**values)


def _file_of(record: JsonObject) -> StoredFile:
    refuse_other_kinds(record, FILE)
    name, blocks = record["name"], tuple(record["blocks"])
    if Path(name).name != name or len(name) > 100:
        raise ValueError("a file is in another directory")
    if any(block > LARGEST_BLOCK for block in blocks):
        raise ValueError("blocks that fit no corpus")
    return StoredFile(name, record["size"], record["digest"], blocks)


def _see(path: Path, size: int) -> None:
    if not path.is_file():
        raise UserError("the file is missing", where=path, remedy=REBUILD)
    if path.stat().st_size != size:
        problem = f"the file is damaged: {path.stat().st_size} bytes, should be {size}"
        raise UserError(problem, where=path, remedy=REBUILD)
