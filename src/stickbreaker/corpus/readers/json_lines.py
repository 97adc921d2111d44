"""JSON Lines: one object per line, with a text field, optionally an id, and other fields as metadata."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial

from stickbreaker.core.errors import shown
from stickbreaker.core.json_checks import JsonObject, is_list, is_record
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers.base import Reader, ReadingOptions
from stickbreaker.corpus.readers.field_rules import document_of
from stickbreaker.corpus.readers.problems import Bad, Problems
from stickbreaker.corpus.readers.sources import Source, lines_of


def read(source: Source, options: ReadingOptions, problems: Problems) -> Iterator[Document]:
    """Yield a document for each line, a JSON object; blank lines are skipped, wrong ones go to `problems`."""
    return documents_in(lines_of(source, problems, options.largest_text), source, options, problems)


def documents_in(
    numbered: Iterable[tuple[int, str]], source: Source, options: ReadingOptions, problems: Problems
) -> Iterator[Document]:
    """Yield a document for each line, a JSON object; blank lines are skipped, wrong ones go to `problems`.

    numbered: lines of `source` with their numbers.
    """
    decoder = json.JSONDecoder(
        parse_constant=_refuse_constant, object_pairs_hook=partial(_object, options.notes.repeated)
    )
    for number, line in numbered:
        if not line.strip():
            continue
        try:
            yield document_of(
                _record(line, decoder), options, f"{source.label}:{number}", source.name, number
            )
        except Bad as bad:
            problems.tell(bad, source.name, number)


def _object(repeated: dict[str, int], pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object with these fields, of equal ones the last; these are counted in `repeated`."""
    found = dict(pairs)
    if len(found) < len(pairs):
        for name, number in Counter(name for name, _ in pairs).items():
            if number > 1:
                repeated[name] = repeated.get(name, 0) + 1
    return found


def _record(line: str, decoder: json.JSONDecoder) -> JsonObject:
    remedy = 'each line is one JSON object, as {"text": "..."}'
    try:
        record = decoder.decode(line)
    except json.JSONDecodeError as error:
        problem = f"malformed JSON ({error.msg} at column {error.colno})"
        if line.strip() in _OPENINGS:
            problem = f"malformed JSON (the line is only {shown(line.strip())})"
            remedy = _OPENINGS[line.strip()]
        raise Bad("malformed JSON", problem, remedy) from None
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error).partition(";")[0]
        raise Bad("malformed JSON", f"malformed JSON ({reason})", remedy) from None
    if not is_record(record):
        found = {list: "an array", str: "a string", bool: "true or false", type(None): "null"}
        problem = f"the line is {found.get(record.__class__, 'a number')}, not a JSON object"
        if is_list(record) and record and is_record(record[0]):
            remedy = _OPENINGS["["]
        raise Bad("not an object", problem, remedy)
    return record


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


# what a line is if JSON is not in lines, and the remedy
_OPENINGS = {
    "[": "a JSON array becomes a line for each object by: jq -c '.[]' FILE > NEW.jsonl",
    "{": "indented JSON becomes a line for each object by: jq -c . FILE > NEW.jsonl",
}
READER = Reader("jsonl", "JSON Lines, one object a line", (".jsonl", ".ndjson", ".json"), "text", read)
