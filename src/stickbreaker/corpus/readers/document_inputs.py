"""Recognises what documents passed from Python are: texts, tokens, records, a table or a matrix."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from numbers import Number
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import Classes, is_list, is_mapping
from stickbreaker.core.option_names import OR_FROM_TEXTS
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.text.languages import language_code

FORMS = ("texts", "tokens", "table", "matrix")
_LIST = "give a list of texts or of token lists, a table, a Corpus or a matrix"
# of type(value): after `type(value) is list` it would be a list of unknown items to a type checker
_STRINGS, _LISTS = {str}, {list}
_PATHS: Classes = (str, PathLike)
_ITERATORS: Classes = (Iterator,)
_FLOATS: Classes = (float, np.floating)
_ARRAYS: Classes = (np.ndarray,)
_PAIRS: Classes = (list, tuple, np.ndarray)
_AS_GIVEN: Classes = (str, bytes, Mapping, list, tuple, Set, PathLike)
_TO_LIST = ("to_pylist", "to_list", "tolist")  # methods of Arrow, of polars and pandas, of NumPy


class DocumentInput(NamedTuple):
    """Documents passed from Python, and their form, one of `FORMS`.

    "texts": a list of strings, or of dicts of texts by language; "tokens": a list of lists of strings;
    "table": a table with the column "text", or a list of records; "matrix": anything else.
    """

    form: str
    values: Any


def document_input(given: Any, *, empty_lists: bool = False) -> DocumentInput:
    """Recognise the form of documents passed from Python; iterators are read into a list.

    `empty_lists`: a list of only empty lists counts as tokens, not as a matrix. Raises UserError, with the
    remedy, if there are none, one is missing or they cannot be documents.

    >>> document_input(word.split() for word in ["a cat", "a dog"])
    DocumentInput(form='tokens', values=[['a', 'cat'], ['a', 'dog']])
    """
    if type(given) in _LISTS and given:
        return _of_list(given, given, empty_lists=empty_lists)
    _refuse_single(given)
    if is_table(given):
        table = _whole(given)
        if np.asarray(table[:1]).dtype.kind in "biuf":  # the columns hold numbers
            return DocumentInput("matrix", table)
        _refuse_other_columns(table)
        return DocumentInput("table", table)
    if getattr(given, "ndim", 1) != 1 and not _holds_strings(given):
        return DocumentInput("matrix", given)
    if not isinstance(given, Iterable):
        if not (hasattr(given, "shape") or hasattr(given, "__array__")):
            kind = type(given).__name__
            raise UserError(f"an object of the class {kind} was given instead of documents", remedy=_LIST)
        return DocumentInput("matrix", given)
    values = as_list(given)
    if not values:
        raise UserError("there is no document", remedy=_LIST)
    return _of_list(values, given, empty_lists=empty_lists)


def _of_list(values: list[Any], given: Any, *, empty_lists: bool) -> DocumentInput:
    """Recognise the form of a list of documents, by its first value that is not an empty list.

    given: what the user passed; empty_lists: whether lists that are all empty count as tokens. Raises
    UserError for missing values and for values that are not documents.
    """
    values = [_with_tokens_listed(value) for value in values]
    first = next((value for value in values if not (is_missing(value) or _is_empty(value))), None)
    if isinstance(first, Number):
        return DocumentInput("matrix", values)
    wrong = next((number for number, value in enumerate(values) if is_missing(value)), None)
    if wrong is not None:
        raise wrong_document(values[wrong], wrong)
    if is_list(first):
        return _of_lists(values, given)
    if first is None:
        return DocumentInput("tokens" if empty_lists else "matrix", values)
    if is_mapping(first):
        if is_record(first) and "text" not in first:
            problem = f"a record has no field 'text' (fields: {', '.join(map(str, list(first)[:20]))})"
            raise UserError(problem, remedy='give Corpus.from_frame(records, "body") with its name')
        return DocumentInput("table" if is_record(first) else "texts", values)
    if isinstance(first, str):
        return DocumentInput("texts", values)
    number = next(number for number, value in enumerate(values) if value is first)
    raise wrong_document(first, number)


def _of_lists(values: list[Any], given: Any) -> DocumentInput:
    """Recognise the form of a list of lists: tokens, or the rows of a matrix.

    given: what the user passed, which is returned as the matrix if it is a sequence. Raises UserError for
    gensim's bags, and for rows of numbers that differ in length.
    """
    for number, value in enumerate(values):
        if is_list(value) and value:
            if isinstance(value[0], str):
                return DocumentInput("tokens", values)
            if _is_bag(value) or not isinstance(value[0], Number):
                raise wrong_document(value, number)
            break
    sizes = [len(value) if is_list(value) else -1 for value in values]
    other = next((number for number, size in enumerate(sizes) if size != sizes[0]), None)
    if other is not None:
        problem = f"document 0 has {sizes[0]} numbers, document {other} has {max(sizes[other], 0)}"
        raise UserError(problem, remedy="give tokens as strings, or rows of counts of one length")
    return DocumentInput("matrix", given if isinstance(given, Sequence) else values)


def once_read(given: Any) -> Any:
    """The same documents, readable repeatedly: an iterator becomes a list, a lazy table is computed.

    >>> once_read(iter(["a cat"]))
    ['a cat']
    """
    if is_table(given):
        return _whole(given)
    return list(given) if isinstance(given, _ITERATORS) else given


def is_table(given: object) -> bool:
    """Whether an object is a table: of pandas, polars, Arrow or another with Arrow's protocol."""
    package, name = type(given).__module__.partition(".")[0], type(given).__name__
    if package == "polars":
        return name in ("DataFrame", "LazyFrame")
    columns = getattr(given, "columns", None) is not None or getattr(given, "schema", None) is not None
    arrow = package in ("pandas", "pyarrow") or callable(getattr(given, "__arrow_c_stream__", None))
    return columns and arrow and getattr(given, "ndim", 2) == 2


def is_record(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping is a record of fields, and not a document's texts by language.

    A mapping with the key "text" is a record, and so is one without a key that is a language.

    >>> is_record({"text": "a cat", "year": 1988}), is_record({"en": "a cat", "de": "eine Katze"})
    (True, False)
    """
    return "text" in value or (len(value) > 0 and not any(map(_is_language, value)))


def _is_language(name: object) -> bool:
    try:
        return isinstance(name, str) and bool(language_code(name))
    except UserError:
        return False


def as_list(values: Any) -> list[Any]:
    """The elements of an array, a column or any other iterable."""
    for name in _TO_LIST:
        convert: Callable[[], list[Any]] | None = getattr(values, name, None)
        if callable(convert):
            return convert()
    return list(values)


def is_missing(value: Any) -> bool:
    """Whether a value is missing: None, NaN, or the pandas equivalents.

    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, _FLOATS) and bool(np.isnan(value))


def wrong_document(value: object, number: int, wanted: str = "a string or a list of strings") -> UserError:
    """The error, with its remedy, for document number `number`, which is not what was `wanted`.

    >>> print(wrong_document(None, 3))
    document 3 is missing (None); leave it out, or give an empty text
    """
    remedy = f"give {wanted} for each document"
    if is_missing(value):
        return UserError(
            f"document {number} is missing ({value})", remedy="leave it out, or give an empty text"
        )
    if isinstance(value, bytes | bytearray):
        return UserError(f"document {number} is bytes", remedy='decode it: value.decode("utf-8")')
    if isinstance(value, PathLike):
        return UserError(f"document {number} is a path", remedy="give Corpus.build(paths)")
    if isinstance(value, Document):
        remedy = "give Corpus.from_documents(documents)"
        return UserError(f"document {number} is a Document", remedy=remedy)
    if is_mapping(value) and is_record(value):
        return UserError(f"document {number} is a record", remedy="give Corpus.from_frame(records)")
    if _is_bag(value):
        problem = f"document {number} is a bag of (number, count), as gensim has them"
        return UserError(problem, remedy="give Corpus.from_gensim(bags, dictionary)")
    return UserError(f"document {number} is not {wanted}", remedy=remedy)


def refuse_documents(inputs: object) -> None:
    """Raise UserError if documents were passed in place of paths; it names the method that takes them."""
    if isinstance(inputs, str | PathLike):
        return
    if is_table(inputs):
        raise UserError("a table was given instead of paths of files", remedy="give it to Corpus.from_frame")
    if getattr(inputs, "ndim", 1) != 1:
        raise UserError(
            "a matrix was given instead of paths of files", remedy="give it to Corpus.from_matrix"
        )
    if not isinstance(inputs, Sequence) and getattr(inputs, "ndim", None) != 1:
        problem = f"{type(inputs).__name__} was given instead of paths of files"
        raise UserError(problem, remedy="give a path or a list of paths; texts go to Corpus.from_texts")
    for value in as_list(inputs):
        if isinstance(value, str | PathLike):
            continue
        if is_mapping(value):
            way = "from_frame" if is_record(value) else "from_texts"
        else:
            way = "from_gensim" if _is_bag(value) else "from_tokens"
        raise UserError(
            f"{type(value).__name__} was given instead of a path", remedy=f"give Corpus.{way}(documents)"
        )


@contextmanager
def naming_from_texts(inputs: object) -> Generator[None]:
    """A context in which a missing path that looks like a text is reported with a hint to `from_texts`.

    Users of `Corpus.build` sometimes pass a text instead of a path.
    """
    try:
        yield
    except UserError as error:
        given = [inputs] if isinstance(inputs, _PATHS) else as_list(inputs)
        may_be_text = any(str(error.where) == one and len(one.split()) > 1 for one in map(str, given))
        if not (may_be_text and error.remedy in ("check the path", "check the pattern")):
            raise
        raise error.replace(remedy=error.remedy + OR_FROM_TEXTS) from None


def _refuse_single(given: Any) -> None:
    """Raise UserError if one document was passed instead of several, or a set, which has no order."""
    if isinstance(given, PathLike):
        raise UserError("a path was given instead of documents", remedy="give Corpus.build(path)")
    if isinstance(given, _ARRAYS) and given.ndim == 0:
        given = given.item()
    problem = None
    if isinstance(given, str):
        problem = "one string was given instead of a list of texts" if given else "there is no document"
    elif isinstance(given, bytes | bytearray):
        remedy = 'decode them, value.decode("utf-8"), and give a list of texts'
        raise UserError("bytes were given instead of a list of texts", remedy=remedy)
    elif given is None:
        problem = "there is no document"
    elif is_mapping(given) and getattr(given, "ndim", 0) != 2:  # a sparse matrix may be a dict
        problem = "one dict was given instead of a list of documents"
    elif isinstance(given, Set):
        problem = "a set of documents, which has no order"
    if problem is not None:
        raise UserError(problem, remedy=_LIST)


def _refuse_other_columns(table: Any) -> None:
    """Raise UserError for a table that has texts but no column named "text"."""
    names = column_names(table)
    if "text" not in names:
        problem = f"a table with texts has no column 'text' (columns: {', '.join(names[:20])})"
        remedy = 'give the column alone, as table["body"], or Corpus.from_frame(table, "body")'
        raise UserError(problem, remedy=remedy)


def column_names(table: Any) -> list[str]:
    """The names of a table's columns."""
    names = getattr(table, "column_names", None)
    return [str(name) for name in (table.columns if names is None else names)]


def _whole(table: Any) -> Any:
    """A table that can be read repeatedly; a lazy polars table is computed."""
    if type(table).__name__ == "LazyFrame":
        table = table.collect()
    package = type(table).__module__.partition(".")[0]
    if package in ("pandas", "polars") or callable(getattr(table, "to_pylist", None)):
        return table
    return pa.table(table)


def _holds_strings(array: Any) -> bool:
    """Whether an array is two-dimensional and has strings; each row is then one document's tokens."""
    if getattr(array, "ndim", 0) != 2 or getattr(getattr(array, "dtype", None), "kind", "") not in "OUT":
        return False
    return array.size > 0 and isinstance(array[0, 0], str)


def _with_tokens_listed(value: Any) -> Any:
    """A document's tokens as a list if they are an array, column or iterator; any other value unchanged."""
    if isinstance(value, _AS_GIVEN) or is_missing(value):
        return value
    column = getattr(value, "ndim", None) == 1 or callable(getattr(value, "to_list", None))
    return as_list(value) if column or isinstance(value, Iterator) else value


def tokens_of(value: Any) -> list[str] | None:
    """A document's tokens as a list, from a list, array, column or iterator of strings; else None.

    >>> tokens_of(("a", "cat")), tokens_of("a cat"), tokens_of([("cat", 1)])
    (['a', 'cat'], None, None)
    """
    value = value if is_list(value) else _with_tokens_listed(value)
    if not is_list(value):
        return None
    others = set(map(type, value)) - _STRINGS
    return list(value) if all(issubclass(kind, str) for kind in others) else None


def _is_empty(value: object) -> bool:
    return is_list(value) and not value


def _is_bag(value: object) -> bool:
    """Whether a document is a bag in gensim's form, a list of pairs (number, count)."""
    if not is_list(value) or not value:
        return False
    pair = value[0]
    sized = isinstance(pair, _PAIRS) and len(pair) == 2
    return sized and all(isinstance(part, Number) for part in pair)
