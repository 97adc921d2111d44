"""Hostile tables and lists: vocabularies, words, traces, documents, snapshots of topics, corpora."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from audit.foreign_json import MISSING, VALUES, add_deep, deep, put
from audit.sealing import change_table, seal

TABLES = ("vocabulary.parquet", "documents.parquet", "evolution.parquet", "documents-00000.parquet")
NAMES = {"starts", "lengths", "word_topics"}


def wrong_types(column: Any) -> list[Any]:
    """Columns of other types, as long as the one that was there."""
    n = len(column)
    return [
        pa.array([None] * n, pa.string()),
        pa.array([None] * n, pa.int64()),
        pa.array(["x"] * n),
        pa.array([""] * n),
        pa.array([1.5] * n),
        pa.array([float("nan")] * n),
        pa.array([-1] * n, pa.int64()),
        pa.array([2**62] * n, pa.int64()),
        pa.array([[-1, 2**30]] * n),
        pa.array([["a", None]] * n),
        pa.array([[]] * n, pa.list_(pa.string())),
        pa.array([b"\xff\xfe"] * n),
        pa.array([deep()] + ["{}"] * (n - 1)),
        pa.array(["[]"] * n),
        pa.array(["null"] * n),
        pa.array([True] * n),
        pa.array([{"a": 1}] * n),
    ]


def other_table(table: Any, draw: random.Random) -> tuple[Any, str]:
    """A table of wrong columns or rows."""
    name = draw.choice(table.column_names)
    at = table.column_names.index(name)
    way = draw.choice(
        ("type", "type", "type", "type", "drop", "rename", "twice", "rows", "none", "doubled", "null")
    )
    if way == "type":
        column = draw.choice(wrong_types(table.column(at)))
        shown = str(column[:1].to_pylist())[:40]
        return table.set_column(at, name, column), f"{name} as {column.type}, {shown}"
    if way == "null":
        values = table.column(at).to_pylist()
        values[draw.randrange(len(values))] = None
        return table.set_column(at, name, pa.array(values, table.schema.field(at).type)), f"a null in {name}"
    others = {
        "drop": lambda: table.drop_columns([name]),
        "rename": lambda: table.rename_columns(
            [one if one != name else "other" for one in table.column_names]
        ),
        "twice": lambda: table.append_column(name, table.column(at)),
        "rows": lambda: table.slice(0, max(1, table.num_rows // 2)),
        "none": lambda: table.slice(0, 0),
        "doubled": lambda: pa.concat_tables([table, table]),
    }
    return others[way](), f"{way} {name}"


def change_parquet(place: Path, draw: random.Random) -> tuple[str, bool]:
    """Change a table of a model or corpus and seal it. Returns what was done, and whether it may be legal."""
    folders = [place / name for name in ("model", "corpus", "lexicon")]
    files = sorted(file for folder in folders for name in TABLES for file in folder.rglob(name))
    file = draw.choice(files)
    done: list[str] = []

    def change(table: Any) -> Any:
        metadata = draw.choice((table.schema.metadata, None, {b"stickbreaker": draw.choice(METADATA)}))
        table, told = other_table(table, draw)
        done.append(told)
        return table.replace_schema_metadata(metadata)

    change_table(file, change)
    seal(place)
    rows = done[0].split()[0] in ("rows", "none", "doubled")
    fewer = done[0].split()[0] in ("rows", "none")  # of a vocabulary: it is another one
    legal = (rows and file.name == "documents.parquet") or (
        fewer and file.name in ("vocabulary.parquet", "evolution.parquet")
    )
    return f"{file.name}: {done[0]}", legal or done[0].startswith(LEGAL)


LEGAL = (  # other texts and weights of the right type, which cannot be told apart from those that were there
    "a null in text",
    "a null in language",
    "a null in starts",
    "a null in metadata",
    "text as string",
    "id as string",
    "title as string",
    "tokens as double",
)
METADATA = (
    b"{",
    b"[]",
    b"null",
    b'{"coherence": "x"}',
    b'{"coherence": [null, {}]}',
    deep().encode(),
    b"\xff",
)


def change_words(place: Path, draw: random.Random) -> tuple[str, bool]:
    """Other words of an open vocabulary's rows."""
    file = next((place / "model").glob("keys-*.json"))
    words = json.loads(file.read_bytes())
    ways: dict[str, Any] = {
        "one less": words[:-1],
        "one more": [*words, "more"],
        "repeated": [words[0], *words[:-1]],
        "null": [None, *words[1:]],
        "numbers": list(range(len(words))),
        "an object": {word: word for word in words},
        "a text": "x" * len(words),
        "empty": [],
        "lists": [[word] for word in words],
        "no words": ["", *words[1:]],
        "surrogates": ["\ud800", *words[1:]],
    }
    way = draw.choice([*ways, "deep"])
    file.write_text(deep() if way == "deep" else json.dumps(ways[way]))
    seal(place)
    return f"{file.name}: {way}", False


def change_trace(place: Path, draw: random.Random) -> tuple[str, bool]:
    """A record of the trace without a key, or with a value of another type; or no records."""
    file = place / "model" / "trace.jsonl"
    records = [json.loads(line) for line in file.read_text().splitlines()]
    record = draw.choice(records)
    way = draw.choice(
        ("value", "value", "value", "value", "value", "deep", "list", "number", "binary", "more", "NaN")
    )
    if way == "value":
        key = draw.choice(list(record))
        replacement = draw.choice(VALUES)
        put(record, (key,), replacement)
        way = f"{key} = {'missing' if replacement is MISSING else repr(replacement)[:40]}"
    text = "".join(json.dumps(one) + "\n" for one in records)
    others: dict[str, Callable[[], bytes]] = {
        "deep": lambda: (deep() + "\n" + text).encode(),
        "list": lambda: ("[]\n" * len(records)).encode(),
        "number": lambda: ("1\n" * len(records)).encode(),
        "binary": lambda: b"\xff\x00\xfe\n" * len(records),
        "more": lambda: (text + text).encode(),
        "NaN": lambda: text.replace('"score": -', '"score": NaN, "x": -').encode(),
    }
    file.write_bytes(others[way]() if way in others else text.encode())
    seal(place)
    return f"trace.jsonl: {way}", True  # figures of the run's course, which the report may show as they are


def nest(place: Path, draw: random.Random) -> tuple[str, bool]:
    """A manifest that is deeply nested, is not an object or has duplicate keys."""
    file = next(
        file for name in ("model", "corpus", "lexicon") if (file := place / name / f"{name}.json").exists()
    )
    ways: dict[str, Callable[[], object]] = {
        "nested in a key": lambda: add_deep(file),
        "nested lists": lambda: file.write_text(deep()),
        "nested objects": lambda: file.write_text('{"a":' * 100_000 + "1" + "}" * 100_000),
        "opened and never closed": lambda: file.write_text("[" * 100_000),
        "a number": lambda: file.write_text("1"),
        "null": lambda: file.write_text("null"),
        "a number of 10,000 digits": lambda: file.write_text('{"schema": ' + "9" * 10_000 + "}"),
        "empty": lambda: file.write_text(""),
        "binary": lambda: file.write_bytes(b"\xff\xfe\x00"),
        "a folder": lambda: (file.unlink(), file.mkdir()),
    }
    way = draw.choice(list(ways))
    ways[way]()
    return f"{file.name}: {way}", False
