"""Alters what is saved and works its sums out again, as somebody who means harm would."""

import hashlib
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from stickbreaker.core.files import digest_of

Json = dict[str, Any]


def seal_model(model: Path, change: Callable[[Json], None] = lambda manifest: None) -> None:
    """Change a model's manifest; then the sizes and digests of its files, and its own, are made right."""
    file = model / "model.json"
    manifest = json.loads(file.read_bytes())
    manifest.pop("digest", None)
    trace = model / "trace.jsonl"
    if trace.is_file():
        trace.write_bytes(b"".join(map(_sealed_line, trace.read_bytes().splitlines())))
    if isinstance(manifest.get("trace_bytes"), int) and trace.is_file():
        manifest["trace_bytes"] = trace.stat().st_size
    for name, entry in _entries(manifest):
        if (model / name).is_file():
            entry["bytes"] = (model / name).stat().st_size
            if "digest" in entry:
                entry["digest"] = digest_of(model / name)
    change(manifest)
    manifest["digest"] = digest(json.dumps(manifest, sort_keys=True))
    file.write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n")


def digest(text: str, size: int = 16) -> str:
    """The digest that models and corpora have of their texts."""
    return hashlib.blake2b(text.encode(), digest_size=size).hexdigest()


def _sealed_line(line: bytes) -> bytes:
    """A line of a trace with the digest that its content has."""
    try:
        record = json.loads(line)
        record.pop("digest", None)
    except (ValueError, AttributeError, TypeError, RecursionError):
        return line + b"\n"
    text = json.dumps(record)
    comma = ", " if record else ""
    return f'{text[:-1]}{comma}"digest": "{digest(text, 8)}"}}\n'.encode()


def _entries(manifest: Json) -> list[tuple[str, Json]]:
    """Every record of a file in a manifest, with its name."""
    return [(name, entry) for name, entry in manifest["files"].items() if isinstance(entry, dict)]


def seal_corpus(corpus: Path, change: Callable[[Json], None] = lambda facts: None) -> None:
    """Change corpus.json; then the sizes and digests of its files are made right."""
    file = corpus / "corpus.json"
    facts = json.loads(file.read_bytes())
    facts.pop("digest", None)
    for entry in (facts["vocabulary"], *facts["files"]):
        path = corpus / entry["name"]
        if path.is_file():
            entry["size"], entry["digest"] = path.stat().st_size, digest_of(path)
    change(facts)
    facts["digest"] = digest(json.dumps(facts, indent=1) + "\n")
    file.write_text(json.dumps(facts, indent=1) + "\n")


def seal_lexicon(lexicon: Path, change: Callable[[Json], None] = lambda manifest: None) -> None:
    """Change lexicon.json; then what it says of the other files, and its own digest, are made right."""
    file = lexicon / "lexicon.json"
    manifest = json.loads(file.read_bytes())
    manifest.pop("digest", None)
    if (lexicon / "bitext" / "corpus.json").is_file():
        seal_corpus(lexicon / "bitext")
    for name, array in (("arrays", "lexicon.safetensors"), ("phrases", "phrases.safetensors")):
        if name in manifest and (lexicon / array).is_file():
            manifest[name] = digest_of(lexicon / array)
    change(manifest)
    manifest["digest"] = digest(json.dumps(manifest, sort_keys=True))
    file.write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n")


def seal(place: Path, change: Callable[[Json], None] = lambda facts: None) -> None:
    """Seal the model, the lexicon or the corpus of a try's folder."""
    if (place / "model").exists():
        seal_model(place / "model", change)
    elif (place / "lexicon").exists():
        seal_lexicon(place / "lexicon", change)
    else:
        seal_corpus(place / "corpus", change)


def state_files(place: Path) -> list[Path]:
    """The files of tensors of a try's model or lexicon."""
    return sorted(file for name in ("model", "lexicon") for file in (place / name).glob("*.safetensors"))


def read_header(file: Path) -> tuple[Json, bytes]:
    """The header of a safetensors file, and its data."""
    content = file.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def write_header(file: Path, header: bytes, data: bytes, length: int | None = None) -> None:
    """A safetensors file with any header, and any length of it."""
    file.write_bytes(struct.pack("<Q", len(header) if length is None else length) + header + data)


def change_array(file: Path, name: str, change: Callable[[np.ndarray], np.ndarray]) -> None:
    """Put another array in place of one in a safetensors file."""
    from safetensors.numpy import load_file, save_file

    arrays = load_file(file)
    arrays[name] = np.array(change(arrays[name]), order="C")
    save_file(arrays, file)


def change_table(file: Path, change: Callable[[Any], Any]) -> None:
    """Put another Parquet table in place of one."""
    import pyarrow.parquet as pq

    pq.write_table(change(pq.read_table(file)), file)
