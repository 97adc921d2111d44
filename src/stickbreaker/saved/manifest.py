"""model.json: what a model is, and which files are its own, each with its size and digest."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import recover, refuse_links
from stickbreaker.saved.manifest_fields import SCHEMA, refuse_other_fields

MANIFEST = "model.json"
TRACE = "trace.jsonl"
VERSION = re.compile(r"(rows|records)-\d+-\w+")  # the directories that files of a run on a cluster are in
RESTORE = "restore it from a copy or fit again"


def encoded(manifest: Mapping[str, Any]) -> bytes:
    """The bytes of model.json, or of a manifest of another sort: plain JSON with a digest of itself."""
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
    if schema != SCHEMA or isinstance(schema, bool):
        problem = f"was written by another version (schema {schema}, this one reads {SCHEMA})"
        raise UserError(problem, where=file, remedy="upgrade stickbreaker")
    if not whole:
        raise UserError("was altered since it was saved", where=file, remedy="restore it or fit again")
    try:
        refuse_other_fields(manifest)
    except ValueError as error:
        problem = f"is not that of a model ({error})"
        raise UserError(problem, where=file, remedy=RESTORE, in_file=True) from None
    return manifest


def _digest(manifest: Mapping[str, Any]) -> str:
    """The digest of a manifest's content."""
    return hashlib.blake2b(json.dumps(manifest, sort_keys=True).encode(), digest_size=16).hexdigest()
