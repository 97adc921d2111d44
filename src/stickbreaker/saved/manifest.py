"""model.json: what a model is, and which files are its own, each with its size and digest."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stickbreaker.core.errors import UserError, is_whole
from stickbreaker.core.files import recover, refuse_links
from stickbreaker.core.json_checks import is_amount

SCHEMA = 1
MANIFEST = "model.json"
VOCABULARY = "vocabulary.parquet"
TRACE = "trace.jsonl"
DOCUMENTS = "documents.parquet"
STATE = re.compile(r"state(-\d+)?\.safetensors")
KEYS = re.compile(r"keys-(\d+|state)\.json")
EVOLUTION = re.compile(r"evolution(-\d+)?\.parquet")
BLOCK = re.compile(r"(rows|records)-\d+-\w+/\d+\.(arrow|safetensors)")  # files of a run on a cluster
VERSION = re.compile(r"(rows|records)-\d+-\w+")  # the directories that they are in
KINDS = (STATE, KEYS, EVOLUTION, BLOCK)
RESTORE = "restore it from a copy or fit again"
SEARCH = (
    "search"  # of a manifest: the runs of a search that are finished, see estimators/search/search_points.py
)
DIGESTS = "trace_digests"  # of a manifest: whether each line of the trace has a digest of itself


def encoded(manifest: Mapping[str, Any]) -> bytes:
    """The bytes of model.json: plain JSON with a digest of itself."""
    whole = {**manifest, "digest": _digest(manifest)}
    return json.dumps(whole, indent=1, sort_keys=True).encode() + b"\n"


def read_manifest(directory: Path) -> dict[str, Any]:
    """What model.json says, without its digest.

    Raises UserError for a directory that is no model or holds links, and for a model.json that was altered,
    is of another version or names files that are none of a model's.
    """
    recover(directory)
    refuse_links(directory)
    file = directory / MANIFEST
    if not file.is_file():
        problem = "is not a saved model" if directory.exists() else "there is no such model"
        raise UserError(problem, where=directory, remedy=f"a model is a directory with {MANIFEST}")
    content = file.read_bytes()
    try:
        manifest = json.loads(content)
        schema, digest = manifest["schema"], manifest.pop("digest", None)
        whole = digest == _digest(manifest) and content == encoded(manifest)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise UserError("is damaged", where=file, remedy=RESTORE) from None
    if schema != SCHEMA:
        problem = f"was written by another version (schema {schema}, this one reads {SCHEMA})"
        raise UserError(problem, where=file, remedy="upgrade stickbreaker")
    if not whole:
        raise UserError("was altered since it was saved", where=file, remedy="restore it or fit again")
    problem = _what_is_wrong(manifest)
    if problem is not None:
        raise UserError(f"is not that of a model ({problem})", where=file, remedy=RESTORE)
    return manifest


def _digest(manifest: Mapping[str, Any]) -> str:
    """The digest of a manifest's content."""
    return hashlib.blake2b(json.dumps(manifest, sort_keys=True).encode(), digest_size=16).hexdigest()


def _what_is_wrong(manifest: Mapping[str, Any]) -> str | None:
    """What keeps a manifest from being read as a model's; None where nothing does."""
    files, run = manifest.get("files"), manifest.get("run")
    if manifest.get("status") not in ("running", "done"):
        return "its status is neither running nor done"
    if not isinstance(manifest.get("estimator"), str):
        return "it does not say of which kind it is"
    if not isinstance(manifest.get("stickbreaker", ""), str):
        return "it does not say by which version it was written"
    if not isinstance(run, dict) or not is_whole(run.get("step"), 0):
        return "it does not say how many steps were done"
    if not isinstance(manifest.get(DIGESTS, False), bool):
        return "it does not say whether the trace has digests"
    if not isinstance(manifest.get(SEARCH, []), list):
        return "the runs of its search are no list"
    if not is_whole(manifest.get("trace_bytes", 0), 0):
        return "it does not say how long the trace is"
    if not (is_amount(manifest.get("held_out", 0.0)) and manifest.get("held_out", 0.0) < 1.0):
        return "it does not say which share was held out"
    if not isinstance(files, dict):
        return "it names no files"
    for name, facts in files.items():
        if name not in (VOCABULARY, DOCUMENTS) and not any(kind.fullmatch(name) for kind in KINDS):
            return f"it names a file {name[:100]!r}"
        if not isinstance(facts, dict) or not is_whole(facts.get("bytes"), 0):
            return f"it does not say how large {name} is"
        if not BLOCK.fullmatch(name) and not isinstance(facts.get("digest"), str):
            return f"it has no digest of {name}"
    if sum(STATE.fullmatch(name) is not None for name in files) != 1:
        return "it names no state, or two"
    return None
