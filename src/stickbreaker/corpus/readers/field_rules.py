"""Makes a document from a record: a JSON object, or a row of a table."""

import functools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from stickbreaker.core.errors import LONGEST_SHOWN, UserError, shortened, shown
from stickbreaker.corpus.document import Document, Scalar
from stickbreaker.corpus.metadata import is_strings, scalars_of, storable
from stickbreaker.corpus.readers.base import ReadingOptions, date_format_of, parts_of, text_fields
from stickbreaker.corpus.readers.problems import Bad
from stickbreaker.corpus.text.dates import is_date_name
from stickbreaker.corpus.text.languages import language_code

BETWEEN_PARTS = "\n\n"  # so that each part of a joined text ends its sentence
_NAME_TEXT = "name the field by --text-field"


def document_of(
    record: Mapping[str, object],
    options: ReadingOptions,
    default_id: str,
    where: str,
    line: int | None = None,
) -> Document:
    """Make a document of a record: its text or tokens, id and language; other values become metadata.

    Metadata are scalars and lists of strings. `default_id` is used if the record has no id. Raises Bad for a
    field that is missing or of another type.

    >>> document_of({"text": "a cat", "year": 1988}, ReadingOptions(), "a:1", "a").metadata
    {'year': 1988}
    """
    fields = text_fields(options.text_field)
    if "+" in options.text_field:
        record = _with_joined_text(record, fields.values() if isinstance(fields, dict) else [fields], options)
    text, tokens, texts = None, None, None
    if isinstance(fields, dict):
        texts = _sides(record, fields)
    else:
        text, tokens = _text_or_tokens(record, fields)
    identity, language = _identity(record, options), _language(record, options)
    used = {options.id_column, options.language_field}
    for field in fields.values() if isinstance(fields, dict) else (fields,):
        used.update((field, parts_of(field)[-1]))  # a title before the text may name the document
    return Document(
        default_id if identity is None else identity,
        text,
        tokens,
        texts=texts,
        language=language,
        metadata=_metadata({name: value for name, value in record.items() if name not in used}, options),
        where=where,
        line=line,
    )


def _metadata(record: Mapping[str, object], options: ReadingOptions) -> dict[str, Scalar]:
    """The metadata of a record, without those of `options.without`, with dates in the options' format as ISO
    8601.

    Adds the names of fields with such a date to `options.dated`, and of fields that are left out to
    `options.met` or, if they cannot be metadata, to `options.notes`.
    """
    if options.without:
        options.met.update(name for name in options.without if name in record)
        record = {name: value for name, value in record.items() if name not in options.without}
    metadata = scalars_of(record, options.notes.left_out)
    if options.date_format is None:
        return metadata
    wanted, read_date = date_format_of(options.date_format)
    for name, value in metadata.items():
        if name == wanted or (wanted is None and is_date_name(name)):
            day = read_date(value)
            if day is not None:
                metadata[name] = day.isoformat()
                options.dated.add(name)
    return metadata


def _with_joined_text(
    record: Mapping[str, object], fields: Iterable[str], options: ReadingOptions
) -> dict[str, Any]:
    """A copy of the record with a field for each name such as "title+text": the texts of both, joined.

    Missing, null and blank texts are left out. If the record has none of the fields, or has a field of the
    whole name, nothing is added. The fields found are added to `options.met`. Raises Bad for a value that is
    neither a string nor null.
    """
    joined = dict(record)
    for field in fields:
        parts = parts_of(field)
        there = [part for part in parts if part in record]
        if len(parts) == 1 or field in record or not there:
            continue
        options.met.update(there)
        values = [record[part] for part in there if record[part] is not None]
        strange = next((part for part in there if not isinstance(record[part], str | None)), None)
        if strange is not None:
            problem = f"the field {strange!r} is not a string"
            raise Bad("text is not a string", problem, "name fields of text by --text-field")
        joined[field] = BETWEEN_PARTS.join(text for text in map(str, values) if text.strip())
    return joined


def checked_columns(names: Sequence[str], options: ReadingOptions, *, is_text_table: bool = False) -> None:
    """Raise Bad if a table lacks a column that `options` name, or has two of one name.

    is_text_table: whether the names come from the first row of a table of text, which may be a document.
    If there is a text column for each language, one of them is enough.
    """
    fields = text_fields(options.text_field)
    texts = list(fields.values()) if isinstance(fields, dict) else [fields]
    texts = [part for one in texts for part in ([one] if one in names else parts_of(one))]
    wanted = {
        "--id-field": None if options.numbers_ids else options.id_field,
        "--language-field": options.language_field,
    }
    wanted["--text-field"] = None if set(texts) & set(names) else ", ".join(texts)
    if not isinstance(fields, dict):  # if there is a field for each language, some may be missing
        missing = [name for name in texts if name not in names]
        wanted["--text-field"] = missing[0] if missing else None
    for option, name in wanted.items():
        if name is not None and name not in names:
            problem = f"no column {name!r} (columns: {_first_of(names)})"
            remedy = f"name the column by {option}"
            if is_text_table and options.header == "first":
                remedy += ", or give --header none if the first row is a document: columns are 1, 2, …"
            raise Bad("wrong columns", problem, _other_separator(names) or remedy)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise Bad("wrong columns", f"two columns are named {shown(twice[0])}", "give each a name of its own")


def _other_separator(names: Sequence[str]) -> str | None:
    """The remedy if a table seems to have another separator: its only column's name has semicolons or tabs.

    Otherwise None.
    """
    if len(names) == 1 and ";" in names[0]:
        return "give --separator ';', since cells seem to be separated by semicolons"
    tabs = len(names) == 1 and "\t" in names[0]
    return "give --format tsv, since cells seem to be separated by tabs" if tabs else None


def _text_or_tokens(record: Mapping[str, object], field: str) -> tuple[str | None, list[str] | None]:
    if field not in record:
        raise Bad("no text field", f"no field {field!r} (fields: {_first_of(record)})", _NAME_TEXT)
    value = record[field]
    if isinstance(value, str):
        return storable(value), None
    if is_strings(value):
        return None, [storable(token) for token in value]
    problem = f"the field {field!r} is {'null' if value is None else 'not a string'}"
    raise Bad("text is not a string", problem, "name a field of text by --text-field, or --on-error skip")


def _sides(record: Mapping[str, object], fields: Mapping[str, str]) -> dict[str, str]:
    """A record's texts by language; blank ones are left out. fields: the field of each language.

    Raises Bad if no text is left, or one is not a string.
    """
    sides: dict[str, str] = {}
    for code, field in fields.items():
        value = record.get(field)
        if value is None:
            continue
        if not isinstance(value, str):
            problem = f"the field {field!r} is not a string"
            raise Bad("text is not a string", problem, "name fields of text by --text-field")
        if value.strip():
            sides[code] = storable(value)
    if not sides:
        problem = f"no text in the fields {', '.join(fields.values())} (fields: {_first_of(record)})"
        raise Bad("no text field", problem, _NAME_TEXT + " LANGUAGE=FIELD,…")
    return sides


def _identity(record: Mapping[str, object], options: ReadingOptions) -> str | None:
    field = options.id_field or "id"
    value = None if options.numbers_ids else record.get(field)
    if value is None or value == "":
        if options.id_field is None or options.numbers_ids:
            return None
        raise Bad("no id", f"no id in the field {field!r}", "name another field by --id-field")
    if isinstance(value, bool) or not isinstance(value, str | int):
        problem = f"the id in the field {field!r} is not a string or a whole number"
        raise Bad("bad id", problem, "name another field by --id-field")
    return storable(str(value))


def _language(record: Mapping[str, object], options: ReadingOptions) -> str | None:
    if options.language_field is None:
        return None
    value = record.get(options.language_field)
    if not isinstance(value, str) or not value.strip():
        problem = f"no language in the field {options.language_field!r}"
        raise Bad("no language", problem, "name another field by --language-field")
    return code_of(value)


@functools.lru_cache(256)
def code_of(name: str) -> str:
    """The code of a language given by code or English name. Raises Bad if it is unknown."""
    try:
        return language_code(name)
    except UserError as error:
        raise Bad("unknown language", error.problem, error.remedy) from None


def _first_of(names: Iterable[str]) -> str:
    """The first eight names, shortened and joined by commas for a message; "none" if there are none."""
    return storable(", ".join(shortened(name, LONGEST_SHOWN) for name in islice(names, 8))) or "none"
