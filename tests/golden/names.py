"""Names in files: of files, arrays, axes, columns, of keys of JSON, and words with a meaning, such as "done".

A reader, of this version or a later one, looks for them: a renaming of code must not touch them. `names.json`
lists those that are known: tests call `check`. STICKBREAKER_NAMES=record lets them add new ones, in one
process.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

RECORD = Path(__file__).parent / "names.json"
VARYING = re.compile(r"\b[0-9a-f]{8,}\b|\d+")  # in names: numbers, and names of a run's own
OPAQUE = (
    "digest",
    "directory",
    "fingerprint",
    "corpus_path",
    "query",
    "stickbreaker",
    "stop_words",
    "guide",
    "version",
)
OF_TEXTS = ("/corpus/tags",)  # what has texts' own names
WORDS = ("keys-#.json", "keys-state.json")  # of documents


def check(folder: Path) -> None:
    """Fail where files in a directory have names that are not known; or record those."""
    known = set(json.loads(RECORD.read_text("utf-8")))
    unknown = names_in(folder) - known
    if unknown and os.environ.get("STICKBREAKER_NAMES") == "record":
        RECORD.write_text(json.dumps(sorted(known | unknown), indent=0, ensure_ascii=False) + "\n", "utf-8")
        return
    assert not unknown, "names in files are data: keep the old ones, or see tests/golden/names.py"


def names_in(folder: Path) -> set[str]:
    """The names in a directory's files; `#` stands for what differs between runs."""
    names: set[str] = set()
    for file in folder.rglob("*"):
        if file.is_file():
            name = _varying(str(file.relative_to(folder)))
            names |= {name, *(f"{name}: {_varying(found)}" for found in _names_of(file, name))}
    return names


def _names_of(file: Path, name: str) -> Iterator[str]:
    if file.suffix == ".safetensors":
        content = file.read_bytes()  # the header's length, the header; a checksum of ours may come last
        yield from json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    elif file.suffix == ".json" and name not in WORDS:
        yield from _of_json(json.loads(file.read_text("utf-8")))
    elif file.suffix == ".jsonl":
        for line in file.read_text("utf-8").splitlines():
            yield from _of_json(json.loads(line))
    elif file.suffix == ".parquet":
        yield from _of_schema(pq.read_schema(file))
    elif file.suffix == ".arrow":
        yield from _of_schema(pa.ipc.open_file(file).schema)


def _of_json(value: Any, path: str = "") -> Iterator[str]:
    """The keys of nested JSON as paths, and texts that are values."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield f"{path}/{key}"
            if key not in OPAQUE and f"{path}/{key}" not in OF_TEXTS:
                yield from _of_json(below, f"{path}/{key}")
    elif isinstance(value, list):
        for below in value:
            yield from _of_json(below, f"{path}/[]")
    elif isinstance(value, str):
        yield f"{path} = {value}"


def _of_schema(schema: pa.Schema) -> Iterator[str]:
    yield from schema.names
    yield from (f"metadata {key.decode()}" for key in schema.metadata or {} if key != b"ARROW:schema")


def _varying(name: str) -> str:
    return VARYING.sub("#", name)
