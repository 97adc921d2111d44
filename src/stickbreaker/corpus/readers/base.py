"""The options of reading, and what a reader of a format is."""

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

from stickbreaker.core.errors import UserError, is_whole, shown
from stickbreaker.corpus.document import Document, Scalar
from stickbreaker.corpus.readers.limits import LARGEST_TEXT, LONGEST_GAP
from stickbreaker.corpus.readers.position import Position
from stickbreaker.corpus.readers.problems import Problems, ReadingNotes
from stickbreaker.corpus.readers.sources import Source
from stickbreaker.corpus.text.analysis import TAG_COLUMNS
from stickbreaker.corpus.text.dates import date_reader
from stickbreaker.corpus.text.languages import language_code

NO_ID = "none"  # the value of `id_field` by which documents are numbered
PARTS_OF_SPEECH = (  # of Universal Dependencies
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT",
    "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip


@dataclass(frozen=True)
class ReadingOptions:
    """How inputs are read.

    `format` is the name of a reader, or None to go by file names. `text_field`, `id_field` and
    `language_field` name fields of JSON Lines and columns of tables; without an `id_field` the field "id" is
    used where it is present; with "none", documents of all formats are named by their place in the input.
    `text_field` may name several fields, whose texts are concatenated, "title+text", or a field for each
    language, "en=text_en,de=text_de"; for CoNLL-U it is form or lemma. `separator` separates the cells of CSV
    and TSV; None leaves that to the format. With `quotes` "double", their cells may stand in double quotes;
    with "none", quotes are characters like others, and a row is a line. `header` is "first" if the first row
    of CSV and TSV names the columns, "none" if it is a document: the columns are then named by their numbers,
    "1", "2" and so on. `vocab` is the file of words that belongs to bags of numbered words. `on_error` is
    "fail" or "skip". With `trees`, CoNLL-U gives its trees too: heads and tags of the words, into which a
    multiword token is split. `tags` is the column of those tags, "upos" or "xpos"; None takes UPOS, and XPOS
    for words whose UPOS is "_". `upos` are the parts of speech whose words are read from CoNLL-U, ("NOUN",
    "PROPN"); () are all, None the model's.

    `date_format` is how dates are written: "epoch", "epoch-ms", "twitter" or a form of strptime, in all
    fields with names of dates; with "created=epoch", in one field. Dates are stored as ISO 8601, other values
    unchanged.

    `largest_text` bounds in bytes what is held in memory at once: a line, a row of CSV, a document of
    CoNLL-U, a file that is one document, a packed table, a list of words. `longest_gap` is the largest number
    of consecutive documents without an entry in UCI and Matrix Market files, whose header has the number of
    documents.

    `without` names fields that are not read as metadata.

    `split` makes documents from parts of texts, "paragraphs", "sentences:20" or "words:300": each has the
    metadata of the whole, and in "part_of" its id. `drop_repeats` leaves out documents with the same text as
    an earlier one, "exact", or about the same, "near" (80 % of their runs of three words in common) or
    "near:0.9"; those of less than 100 characters stay. `repeats_to` is a file to write, with the id of every
    repeated document and of the one that it repeats.
    """

    format: str | None = None
    text_field: str = "text"
    id_field: str | None = None
    vocab: str | None = None
    on_error: str = "fail"
    words: tuple[str, ...] = ()  # the words of `vocab`, filled in when reading starts
    language_field: str | None = None
    largest_text: int = LARGEST_TEXT
    longest_gap: int = LONGEST_GAP
    trees: bool = False
    tags: str | None = None
    upos: tuple[str, ...] | None = None
    date_format: str | None = None
    separator: str | None = None
    quotes: str = "double"
    header: str = "first"
    without: tuple[str, ...] = ()
    split: str | None = None
    drop_repeats: str | None = None
    repeats_to: str | None = None
    of_model: bool = False  # whether `text_field` comes from a model and was not named here
    met: set[str] = field(default_factory=set, compare=False)  # joined text fields met so far
    dated: set[str] = field(default_factory=set, compare=False)  # fields met with a date of `date_format`
    notes: ReadingNotes = field(default_factory=ReadingNotes, compare=False)  # what was left out so far
    position: Position | None = field(default=None, compare=False)  # tracks how far inputs have been read

    @property
    def numbers_ids(self) -> bool:
        """Whether documents get ids by their place in the input, whatever ids they have."""
        return self.id_field == NO_ID

    @property
    def id_column(self) -> str | None:
        """The field or column with the ids; None if documents are numbered (`numbers_ids`)."""
        return None if self.numbers_ids else self.id_field or "id"

    @property
    def text_columns(self) -> set[str]:
        """The names of all fields or columns of text, those that "+" joins among them."""
        fields = text_fields(self.text_field)
        named = fields.values() if isinstance(fields, dict) else (fields,)
        return {name for field in named for name in (field, *parts_of(field))}

    def __post_init__(self) -> None:
        for name, value, least in (
            ("largest_text", self.largest_text, 1),
            ("longest_gap", self.longest_gap, 0),
        ):
            if not is_whole(value, least) or value >= sys.maxsize:
                raise UserError(f"{name}={value!r}", remedy=f"{name} is a whole number of at least {least}")
        if self.on_error not in ("fail", "skip"):
            raise UserError(f"unknown on_error {self.on_error!r}", remedy="take fail or skip")
        if self.separator is not None and (len(self.separator) != 1 or self.separator in '"\r\n'):
            remedy = "give one character, such as ; (of TSV, the format tsv has the tab)"
            raise UserError(f"the separator is {self.separator!r}", remedy=remedy)
        if self.quotes not in ("double", "none"):
            raise UserError(f"unknown quotes {self.quotes!r}", remedy="take double or none")
        if self.header not in ("first", "none"):
            raise UserError(f"unknown header {self.header!r}", remedy="take first or none")
        if self.tags not in TAG_COLUMNS:
            raise UserError(f"unknown tags {self.tags!r}", remedy="take upos or xpos, or leave them out")
        if self.tags is not None and not self.trees:
            problem = f'tags="{self.tags}" has no effect without trees=True'
            raise UserError(problem, remedy="give both, or leave it out")
        if isinstance(self.without, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UserError(f"without={self.without!r}", remedy="give a tuple of names of fields")
        object.__setattr__(self, "without", tuple(self.without))
        if self.upos is not None:
            object.__setattr__(self, "upos", parts_of_speech(self.upos))
        if self.upos and self.trees:
            remedy = "leave out one of upos and trees"
            raise UserError("trees are of all words, not of some parts of speech", remedy=remedy)
        if self.date_format is not None:
            date_format_of(self.date_format)
        if not isinstance(self.text_field, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            problem = f"the text field is {self.text_field!r}, not a name"
            raise UserError(problem, remedy="name a field or column of text")
        if isinstance(text_fields(self.text_field), dict) and self.language_field is not None:
            remedy = "leave out one of --text-field and --language-field"
            raise UserError("a language field cannot go with a text field for each language", remedy=remedy)


def parts_of_speech(names: Sequence[str]) -> tuple[str, ...]:
    """Parts of speech in capital letters, sorted. Raises UserError if one is not in PARTS_OF_SPEECH.

    >>> parts_of_speech(["verb", "NOUN"])
    ('NOUN', 'VERB')
    """
    found = {name.strip().upper() for name in names}
    unknown = sorted(found - set(PARTS_OF_SPEECH))
    if unknown:
        remedy = f"known: {', '.join(PARTS_OF_SPEECH)}"
        raise UserError(f"unknown part of speech {shown(unknown[0])}", remedy=remedy)
    return tuple(sorted(found))


def refuse_plain_text(where: str, options: ReadingOptions) -> None:
    """Raise UserError: a plain text has no fields, but the options name a text field (not checked here).

    where: the input, for the message.
    """
    problem = f"a plain text has no field {shown(options.text_field)}"
    if options.of_model:
        remedy = 'give such a field, or text_field="text" to read the words as they stand'
        raise UserError(f"{problem}, which the model learned from", where=where, remedy=remedy)
    raise UserError(problem, where=where, remedy="leave out --text-field")


@functools.cache
def text_fields(option: str) -> dict[str, str] | str:
    """Parse the option `text_field`: one field's name, or fields by language code. UserError if malformed.

    >>> text_fields("body"), text_fields("en=text_en,de=text_de")
    ('body', {'en': 'text_en', 'de': 'text_de'})
    """
    if "=" not in option:
        return option
    remedy = "write it as en=FIELD,de=FIELD"
    fields: dict[str, str] = {}
    for part in option.split(","):
        name, equals, named = (piece.strip() for piece in part.partition("="))
        if not (name and equals and named):
            raise UserError(f"the text field {part!r} is not LANGUAGE=FIELD", remedy=remedy)
        code = language_code(name)
        if code in fields or named in fields.values():
            raise UserError(f"the text fields {option!r} name {part!r} twice", remedy=remedy)
        fields[code] = named
    return fields


@functools.cache
def date_format_of(option: str) -> tuple[str | None, Callable[[Scalar], date | None]]:
    """Parse the option `date_format`: the field that it is for, and a function that reads such a date.

    The field is None if it is for all fields with names of dates. The function returns None for a value that
    is not a date. Raises UserError for an unknown format.

    >>> date_format_of("created=epoch")[0], date_format_of("%d/%m/%Y")[0]
    ('created', None)
    """
    name, equals, form = option.partition("=")
    if not equals or "%" in name or not name.strip():
        return None, date_reader(option)
    return name.strip(), date_reader(form)


def parts_of(option: str) -> tuple[str, ...]:
    """The names of the fields that an option joins with "+". Raises UserError if one of several is empty.

    >>> parts_of("title+text")
    ('title', 'text')
    """
    parts = tuple(part.strip() for part in option.split("+"))
    if len(parts) > 1 and not all(parts):
        raise UserError(f"the text field {option!r} lacks a name", remedy="write it as title+text")
    return parts


def refuse_unmet_parts(options: ReadingOptions) -> None:
    """Raise UserError, once all is read, if the options name something that no document had.

    That is one of several text fields to join ("title+text"), a field that is to be left out, or a date in
    the given format. Readers note what they found in `options.met` and `options.dated`. Then warn of what was
    left out (`options.notes`).
    """
    unmet = next((name for name in options.without if name not in options.met), None)
    if unmet is not None:
        raise UserError(f"no document has the field {shown(unmet)}", remedy="check --without")
    if options.date_format is not None and not options.dated:
        name = date_format_of(options.date_format)[0]
        place = "a field with the name of a date" if name is None else f"the field {shown(name)}"
        remedy = "check --date-format; for one field, write it as FIELD=FORMAT"
        raise UserError(
            f"no document has a date of the format {options.date_format!r} in {place}", remedy=remedy
        )
    fields = text_fields(options.text_field)
    for option in fields.values() if isinstance(fields, dict) else [fields]:
        parts = parts_of(option)
        missing = [part for part in parts if part not in options.met]
        if 0 < len(missing) < len(parts):
            raise UserError(f"no document has the field {missing[0]!r}", remedy="check --text-field")
    options.notes.warn()


@dataclass(frozen=True)
class Reader:
    """A file format: its name, a short description, and the endings of its files (without .gz and the like).

    `kind`: "text" or "bag"; `read` yields the documents of a source in order; `beginning`: how names of its
    files begin; `vocab_beside` returns the path of the word list that belongs to a source of bags, if the
    format defines it.
    """

    name: str
    about: str
    endings: tuple[str, ...]
    kind: str
    read: Callable[[Source, ReadingOptions, Problems], Iterator[Document]]
    beginning: str = ""
    vocab_beside: Callable[[Source], str | None] | None = None

    def fits(self, name: str) -> bool:
        """Whether a file of this name (in lower case) has this format."""
        return name.endswith(self.endings) and name.startswith(self.beginning)
