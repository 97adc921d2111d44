"""Small valid files of every format, made in code, that the fuzzer changes."""

import io
import json
from collections.abc import Callable

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from tests.running import planted_documents

DOCUMENTS = planted_documents(12)


def json_lines() -> bytes:
    return "".join(json.dumps(document) + "\n" for document in DOCUMENTS).encode()


def table() -> pa.Table:
    return pa.table({key: [document[key] for document in DOCUMENTS] for key in ("id", "text", "label")})


def parquet() -> bytes:
    sink = io.BytesIO()
    pq.write_table(table(), sink)
    return sink.getvalue()


def arrow() -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table().schema) as writer:
        writer.write_table(table())
    return sink.getvalue()


def separated(delimiter: str) -> bytes:
    rows = [["id", "text", "label"], *([one["id"], one["text"], one["label"]] for one in DOCUMENTS)]
    return "".join(delimiter.join(f'"{cell}"' for cell in row) + "\n" for row in rows).encode()


def conllu() -> bytes:
    blocks = []
    for document in DOCUMENTS[:6]:
        lines = [f"# newdoc id = {document['id']}", "# sent_id = 1"]
        for number, word in enumerate(document["text"].split(), start=1):
            lines.append(f"{number}\t{word}\t{word}\tNOUN\t_\t_\t0\troot\t_\t_")
        blocks.append("\n".join(lines))
    return ("\n\n".join(blocks) + "\n\n").encode()


def mallet() -> bytes:
    return "".join(f"{one['id']} {one['label']} {one['text']}\n" for one in DOCUMENTS).encode()


def bags() -> list[list[tuple[int, int]]]:
    return [[(word, 1 + (word + number) % 3) for word in range(number % 5, 10, 3)] for number in range(8)]


def lda_c() -> bytes:
    return "".join(
        " ".join([str(len(bag)), *(f"{word}:{count}" for word, count in bag)]) + "\n" for bag in bags()
    ).encode()


def uci() -> bytes:
    cells = [(d + 1, word + 1, count) for d, bag in enumerate(bags()) for word, count in bag]
    return "\n".join(["8", "10", str(len(cells)), *(" ".join(map(str, cell)) for cell in cells), ""]).encode()


def matrix_market() -> bytes:
    cells = [(d + 1, word + 1, count) for d, bag in enumerate(bags()) for word, count in bag]
    head = ["%%MatrixMarket matrix coordinate integer general", f"8 10 {len(cells)}"]
    return "\n".join([*head, *(" ".join(map(str, cell)) for cell in cells), ""]).encode()


def plain_lines() -> bytes:
    return "".join(one["text"] + "\n" for one in DOCUMENTS).encode()


SEEDS: dict[str, Callable[[], bytes]] = {
    "jsonl": json_lines,
    "csv": lambda: separated(","),
    "tsv": lambda: separated("\t"),
    "parquet": parquet,
    "arrow": arrow,
    "conllu": conllu,
    "mallet": mallet,
    "lda-c": lda_c,
    "uci": uci,
    "mm": matrix_market,
    "lines": plain_lines,
    "files": lambda: DOCUMENTS[0]["text"].encode(),
}
WORDS = "".join(f"word{number}\n" for number in range(10)).encode()
LIWC = b"%\n1\tmoney\n2\tspace\n%\nbank*\t1\nloan\t1\nstar\t2\norbit*\t2\n"
CONCEPTS = b"\n".join(
    json.dumps(row).encode()
    for row in (
        {"concept": "money", "words": ["bank", "loan"]},
        {"concept": "sky", "words": []},
        {"concept": "star", "words": {"": ["star", "orbit"]}, "parent": "sky"},
    )
)
GUIDE = json.dumps({"money": ["bank", "loan"], "space": ["star", "orbit"]}).encode()
