"""names.json: the names of a model's topics, in the model's directory.

It is written whenever a topic is named, even while a run writes to the directory, so model.json does not list
it and it has a digest of its own. Concurrent writers take turns. A model without it has no named topics.
"""

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from stickbreaker.core.errors import UserError, shown
from stickbreaker.core.files import refuse_links, write_atomic
from stickbreaker.core.json_checks import is_count, is_text, list_of, record_with, refuse_other_kinds
from stickbreaker.core.locks.directory_claims import refuse_exchanged
from stickbreaker.core.locks.path_locks import turn_at
from stickbreaker.core.untrusted import making_sense_of
from stickbreaker.corpus.text.letters import JOINERS

NAMES = "names.json"
LOCK = "names.lock"  # exists while names are changed
VERSION = 1
LONGEST_NAME = 100  # characters
_MOST_BYTES = 1 << 24
_ATTEMPTS = 5
_REMEDY = "restore it, or delete it and name the topics again"
_UNPRINTABLE = ("Cc", "Cf", "Cs", "Zl", "Zp")
_FIELDS = {"version": is_count, "names": list_of(record_with({"id": is_count, "name": is_text}))}


def checked_name(name: object) -> str:
    """A topic's name in the form in which it is stored: stripped, with single spaces, in Unicode's NFC.

    Raises UserError if it is not a text, has more than 100 characters, or characters that cannot be printed.

    >>> checked_name("  wind   and rain ")
    'wind and rain'
    """
    if not isinstance(name, str):
        raise UserError(f"a topic's name must be a text, not {shown(str(name))}")
    composed = unicodedata.normalize("NFC", name)
    if any(unicodedata.category(c) in _UNPRINTABLE and c not in JOINERS for c in composed):
        raise UserError(f"the name {shown(name)} has characters that cannot be printed")
    plain = " ".join(composed.split())
    if len(plain) > LONGEST_NAME:
        problem = f"the name {shown(plain, 30)} has {len(plain)} characters"
        raise UserError(problem, remedy=f"use at most {LONGEST_NAME}")
    return plain


def write_names(directory: Path, names: Mapping[int, str]) -> None:
    """Write the names of a model's topics, by topic id, to names.json in its directory; if there are no
    names, remove the file. The file is replaced as a whole, so that readers never see a part.

    A run can write checkpoints to the directory at the same time.
    """
    refuse_links(directory)
    if not names:
        refuse_exchanged(directory)
        (directory / NAMES).unlink(missing_ok=True)
        return
    content = _encoded({"version": VERSION, "names": [{"id": i, "name": names[i]} for i in sorted(names)]})
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            write_atomic(directory / NAMES, content)
            return
        except FileNotFoundError:  # a checkpoint has removed the unfinished file
            if attempt == _ATTEMPTS:
                raise


def change_names(
    directory: Path, changes: Mapping[int, str | None], *, afresh: bool = False
) -> dict[int, str]:
    """Change names in a model's directory, by topic id (None or "" removes a name). Returns all names.

    The file is locked meanwhile, so that changes by several programs are all kept. Names not in `changes`
    stay, unless `afresh`, which removes them.
    """
    refuse_exchanged(directory)
    refuse_links(directory)
    with turn_at(directory / LOCK):
        names: dict[int, str | None] = {**({} if afresh else read_names(directory)), **changes}
        given = {number: name for number, name in names.items() if name}
        write_names(directory, given)
    return given


def changed_names(before: Mapping[int, str], after: Mapping[int, str]) -> dict[int, str | None]:
    """The changes that turn the names `before` into `after`, both by topic id: new names, and None for
    removed ones.

    >>> changed_names({1: "sea", 2: "land"}, {1: "sea", 3: "air"})
    {2: None, 3: 'air'}
    """
    return {i: after.get(i) for i in {**before, **after} if after.get(i) != before.get(i)}


def read_names(directory: Path) -> dict[int, str]:
    """Read the names of a model's topics, by topic id; empty if there are none.

    Raises UserError naming the file if it was not written by `write_names`, or was altered.
    """
    file = directory / NAMES
    if not file.exists():
        return {}
    if not file.is_file() or file.stat().st_size > _MOST_BYTES:
        raise UserError("is not a file of topics' names, or is too large", where=file, remedy=_REMEDY)
    content = file.read_bytes()
    with making_sense_of(file, _REMEDY):
        record = json.loads(content)
        refuse_other_kinds(record, _FIELDS)
        if record["version"] != VERSION:
            problem = f"was written by another version ({record['version']}, this one reads {VERSION})"
            raise UserError(problem, where=file, remedy="upgrade stickbreaker")
        record.pop("digest", None)
        if content != _encoded(record):
            remedy = f"{_REMEDY}; for a file of names from a report, use: stickbreaker name"
            raise UserError("was altered since it was written", where=file, remedy=remedy)
        names = {entry["id"]: entry["name"] for entry in record["names"]}
        if len(names) < len(record["names"]) or any(checked_name(n) != n or not n for n in names.values()):
            raise ValueError("names are invalid")
        return names


def _encoded(record: Mapping[str, object]) -> bytes:
    """The content of names.json: the record as JSON, with an added digest of the record, by which
    `read_names` notices changes by hand.
    """
    plain = json.dumps(record, sort_keys=True).encode()
    digest = hashlib.blake2b(plain, digest_size=16).hexdigest()
    return json.dumps({**record, "digest": digest}, indent=1, sort_keys=True).encode() + b"\n"
