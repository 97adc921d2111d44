"""The lines of a run's trace: one JSON record each, with a digest of itself.

Each line has its own digest, since lines are appended during a run. Records have seconds and memory, which
differ between runs of the same settings.
"""

import hashlib
import json
import re

from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import (
    JsonObject,
    is_amount,
    is_count,
    is_finite,
    is_number,
    is_record,
    is_text,
    list_of,
    mapping_of,
    record_with,
    refuse_other_kinds,
)

TraceRecord = JsonObject
UNTIMED = ("seconds", "memory_mb", "digest")  # fields in which two runs of the same settings may differ

_KINDS = {  # fields of all models' records, if present; others depend on the model
    "pass": is_count,
    "kind": is_text,
    **dict.fromkeys(("score", "pass_score", "held_out", "r_hat"), is_number),
    **dict.fromkeys(("seconds", "memory_mb", "documents", "rate", "perplexity"), is_amount),
    "best_chain": is_count,
    "chains": list_of(is_number),
    "vocabulary": mapping_of(is_count),
    "warnings": list_of(record_with({"about": is_text, "share": is_number})),
    "edits": list_of(is_record),
    **dict.fromkeys(("words", "before"), mapping_of(lambda value: isinstance(value, list))),
}
EXTREME = "give less extreme parameters or weights"
_LINE = re.compile(r'(\{.*), "digest": "([0-9a-f]{16})"\}', re.DOTALL)


def line_of(record: TraceRecord) -> str:
    """A record as a line of the trace file, with its digest. UserError for values invalid or not finite.

    >>> line_of({"step": 1})
    '{"step": 1, "digest": "345e8505b47623e3"}\\n'
    """
    refuse_unreadable(record)
    text = json.dumps(record)
    return f'{text[:-1]}, "digest": "{_digest(text)}"}}\n'


def record_of(line: bytes) -> TraceRecord:
    """The trace record in a line of the trace file, without its digest.

    Raises ValueError if the line was altered, or has values that a trace cannot have.

    >>> record_of(line_of({"step": 1}).encode())
    {'step': 1}
    """
    text = line.decode().removesuffix("\n")
    found = _LINE.fullmatch(text)
    if found is None:
        raise ValueError("the line has no digest")
    text = f"{found[1]}}}"
    if _digest(text) != found[2]:
        raise ValueError("the line was altered")
    record: TraceRecord = json.loads(text)
    _refuse_other_values(record)
    return record


def refuse_unreadable(record: TraceRecord) -> None:
    """Raise UserError for a trace record that could not be read again, as when a number is not finite."""
    try:
        _refuse_other_values(record)
    except ValueError as error:
        raise UserError(f"step {record.get('step')} gave no numbers ({error})", remedy=EXTREME) from None


def _refuse_other_values(record: TraceRecord) -> None:
    """Raise ValueError naming a field of a record that is invalid or not finite, or if "step" is missing."""
    refuse_other_kinds(record, {"step": is_count})
    refuse_other_kinds(record, {**dict.fromkeys(record, is_finite), **_KINDS}, needed=False)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
