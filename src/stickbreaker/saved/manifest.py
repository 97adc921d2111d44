"""model.json, the manifest of a model: its kind and settings, and its files with their sizes and digests."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

from stickbreaker.core.errors import UserError
from stickbreaker.core.files import recover, refuse_links
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.saved.manifest_fields import SCHEMA, refuse_other_fields

MANIFEST = "model.json"
TRACE = "trace.jsonl"
VERSION = re.compile(r"(rows|records)-\d+-\w+")  # directories for files of a run on a cluster
RESTORE = "restore it from a copy or fit again"


def encoded(manifest: Mapping[str, object]) -> bytes:
    """The bytes of model.json, or of a similar manifest: JSON with a digest of the rest."""
    whole = {**manifest, "digest": _digest(manifest)}
    return json.dumps(whole, indent=1, sort_keys=True).encode() + b"\n"


def read_manifest(directory: Path) -> JsonObject:
    """The content of model.json, without its digest.

    Raises UserError for a directory that is not a model or contains links, and for a model.json that was
    altered, has another version, or has invalid fields or files.
    """
    remedy = f"a model is a directory with {MANIFEST}"
    manifest = read_own_manifest(directory, MANIFEST, SCHEMA, "model", remedy, RESTORE)
    try:
        refuse_other_fields(manifest)
    except ValueError as error:
        problem = f"is not a model's ({error})"
        raise UserError(problem, where=directory / MANIFEST, remedy=RESTORE, in_file=True) from None
    return manifest


def read_own_manifest(
    directory: Path, name: str, own_schema: int, noun: str, remedy: str, restore: str
) -> JsonObject:
    """Read a directory's manifest (file `name`), without its digest; its fields are not checked.

    own_schema: the version that it must have; noun: what the directory should be ("model"); remedy: what to
    do if it is not; restore: what to do if the manifest is damaged. Raises UserError for a directory without
    this manifest or with links, and for a manifest that was altered or has another version. A directory whose
    replacement was cut off by a kill is restored first (`files.recover`).
    """
    recover(directory)
    refuse_links(directory)
    file = directory / name
    if not file.is_file():
        problem = f"is not a saved {noun}" if directory.exists() else f"there is no such {noun}"
        raise UserError(problem, where=directory, remedy=remedy)
    content = file.read_bytes()
    try:
        manifest = json.loads(content)
        schema, digest = manifest["schema"], manifest.pop("digest", None)
        whole = digest == _digest(manifest) and content == encoded(manifest)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise UserError("is damaged", where=file, remedy=restore) from None
    if schema != own_schema or isinstance(schema, bool):
        problem = f"was written by another version (schema {schema}, this one reads {own_schema})"
        raise UserError(problem, where=file, remedy="upgrade stickbreaker")
    if not whole:
        raise UserError("was altered since it was saved", where=file, remedy=restore)
    return manifest


def _digest(manifest: Mapping[str, object]) -> str:
    """The BLAKE2b digest of a manifest's content, in hexadecimal."""
    return hashlib.blake2b(json.dumps(manifest, sort_keys=True).encode(), digest_size=16).hexdigest()
