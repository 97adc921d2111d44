"""JSON Lines: one object a line, with a text field, perhaps an id, and other fields kept as metadata."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.metadata import scalars_of, storable
from stickbreaker.corpus.readers.base import Reader, ReadingOptions
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.readers.sources import Source, lines_of


def read(source: Source, options: ReadingOptions, problems: Problems) -> Iterator[Document]:
    """Yield a document for each object; blank lines are passed over."""
    return documents_in(lines_of(source, problems), source, options, problems)


def documents_in(
    numbered: Iterable[tuple[int, str]], source: Source, options: ReadingOptions, problems: Problems
) -> Iterator[Document]:
    """Yield the documents of numbered lines."""
    for number, line in numbered:
        if not line.strip():
            continue
        try:
            yield _document(_record(line), source, number, options)
        except _BadRecord as bad:
            problems.report(
                bad.kind, UserError(bad.problem, where=source.name, line=number, remedy=bad.remedy)
            )


class _BadRecord(Exception):
    def __init__(self, kind: str, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.kind, self.problem, self.remedy = kind, problem, remedy


def _record(line: str) -> dict[str, Any]:
    remedy = 'each line is one JSON object, as {"text": "..."}'
    try:
        record = json.loads(line, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        problem = f"malformed JSON ({error.msg} at column {error.colno})"
        raise _BadRecord("malformed JSON", problem, remedy) from None
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error).partition(";")[0]
        raise _BadRecord("malformed JSON", f"malformed JSON ({reason})", remedy) from None
    if not isinstance(record, dict):
        found = {list: "an array", str: "a string", bool: "true or false", type(None): "null"}
        problem = f"the line is {found.get(type(record), 'a number')}, not a JSON object"
        raise _BadRecord("not an object", problem, remedy)
    return record


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _document(record: dict[str, Any], source: Source, number: int, options: ReadingOptions) -> Document:
    field = options.text_field
    if field not in record:
        has = storable(", ".join(list(record)[:8])) or "none"
        raise _BadRecord(
            "no text field", f"no field {field!r} (fields: {has})", "name the field by --text-field"
        )
    text = record[field]
    if not isinstance(text, str):
        problem = f"the field {field!r} is not a string"
        raise _BadRecord("text is not a string", problem, "name a field of text by --text-field")
    id_field = options.id_field or "id"
    identity = record.get(id_field)
    if options.id_field is not None and identity is None:
        raise _BadRecord("no id", f"no id in the field {id_field!r}", "name another field by --id-field")
    if identity is not None and (isinstance(identity, bool) or not isinstance(identity, str | int)):
        problem = f"the id in the field {id_field!r} is not a string or a whole number"
        raise _BadRecord("bad id", problem, "name another field by --id-field")
    others = {name: value for name, value in record.items() if name not in (field, id_field)}
    return Document(
        f"{source.label}:{number}" if identity is None else storable(str(identity)),
        storable(text),
        metadata=scalars_of(others),
        where=source.name,
        line=number,
    )


READER = Reader("jsonl", "JSON Lines, one object a line", (".jsonl", ".ndjson", ".json"), "text", read)
