"""Blocks: groups of consecutive documents that are read, decoded and held in memory together."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import Classes
from stickbreaker.corpus.arrow_arrays import (
    ArrowArray,
    ArrowNested,
    arrow_lists,
    arrow_numbers,
    arrow_strings,
    arrow_words,
    field_of,
    numbers_in,
    one_chunk,
    strings_in,
)
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.metadata import characters_of, metadata_from, metadata_text
from stickbreaker.corpus.text.numbered_words import FirstNumbers, NumberedWords, numbered_anew

BLOCK_DOCUMENTS = 1_024
BLOCK_TOKENS = 200_000
BLOCK_CHARACTERS = 16_000_000

_LISTED: Classes = (Sequence,)
_DICTIONARY = pa.dictionary(pa.int32(), pa.string())
_Columns = list[tuple[str, pa.DataType]]
_COMMON: _Columns = [("id", pa.string()), ("language", pa.string()), ("metadata", pa.string())]
TEXT_SCHEMA = pa.schema(
    [
        *_COMMON,
        ("text", pa.string()),
        ("tokens", pa.list_(_DICTIONARY)),
        ("starts", pa.list_(pa.int32())),
        ("sentences", pa.list_(pa.int32())),
    ]
)
_TREES: _Columns = [("heads", pa.list_(pa.int32())), ("tags", pa.list_(_DICTIONARY))]
TREE_SCHEMA = pa.schema([*zip(TEXT_SCHEMA.names, TEXT_SCHEMA.types, strict=True), *_TREES])
BAG_SCHEMA = pa.schema([*_COMMON, ("words", pa.list_(_DICTIONARY)), ("weights", pa.list_(pa.float64()))])
SCHEMAS = {"text": TEXT_SCHEMA, "bag": BAG_SCHEMA}


def schema_of(kind: str, trees: bool) -> pa.Schema:
    """The Arrow schema of blocks: of texts (with or without `trees`) or of bags. kind: "text" or "bag"."""
    return TREE_SCHEMA if trees else SCHEMAS[kind]


class Entries(NamedTuple):
    """The tokens (in order) of a block's texts, or the words of its bags.

    Document d has `codes[offsets[d]:offsets[d + 1]]` (int32). A code is the index of a word in `spelled`, the
    block's distinct words (an Arrow array or a sequence of strings). `weights` (float64, one per code) are
    those of words in bags; None for texts.
    """

    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    spelled: Any
    weights: NDArray[np.float64] | None

    def words(self) -> list[str]:
        """The distinct words as a list of strings. Making it from an Arrow array is slow."""
        return list(self.spelled) if isinstance(self.spelled, _LISTED) else self.spelled.to_pylist()

    def spellings(self, codes: NDArray[np.integer]) -> list[str]:
        """The words that these codes stand for, as strings, in their order."""
        if isinstance(self.spelled, _LISTED):
            return [self.spelled[code] for code in codes.tolist()]
        return self.spelled.take(arrow_numbers(codes)).to_pylist()


class BlockSource(ABC):
    """Where the blocks of a corpus's documents come from: a directory, tables in memory, or a matrix.

    `kind` is "text" or "bag"; `sizes` has the number of documents of each block.
    """

    kind: str
    sizes: tuple[int, ...]

    @abstractmethod
    def read(self, block: int) -> pa.Table:
        """A block as an Arrow table with all columns of its schema (`schema_of`)."""

    @abstractmethod
    def columns(self, block: int, names: list[str]) -> pa.Table:
        """The columns of a block with these names, as an Arrow table."""

    def place(self, block: int) -> Path | None:
        """The file that contains a block, for error messages; None if it is in memory."""
        return None

    @abstractmethod
    def entries(self, block: int) -> Entries:
        """The tokens of a block's texts, or the words and weights of its bags."""

    def tokens(self, block: int) -> tuple[Entries, NDArray[np.int64]]:
        """The tokens of a block of texts, and the index of each sentence's first token: see `tokens_of`."""
        return tokens_of(self.columns(block, ["tokens", "sentences"]))

    @abstractmethod
    def ids(self, block: int) -> list[str]:
        """The ids of a block's documents."""


class TableSource(BlockSource):
    """Blocks held in memory as Arrow tables."""

    def __init__(self, kind: str, tables: Sequence[pa.Table]) -> None:
        self.kind = kind
        self.tables = tuple(tables)
        self.sizes = tuple(table.num_rows for table in self.tables)

    def read(self, block: int) -> pa.Table:
        return self.tables[block]

    def columns(self, block: int, names: list[str]) -> pa.Table:
        return self.tables[block].select(names)

    def entries(self, block: int) -> Entries:
        return entries_of(self.tables[block], self.kind)

    def ids(self, block: int) -> list[str]:
        return strings_in(self.tables[block].column("id"))


class DocumentSource(BlockSource):
    """Blocks held in memory as lists of documents, such as new documents to which a model is applied once.

    `read` and `columns` make an Arrow table on each call.
    """

    def __init__(self, kind: str, blocks: Sequence[list[Document]]) -> None:
        self.kind = kind
        self.blocks = blocks
        self.sizes = tuple(map(len, blocks))

    def read(self, block: int) -> pa.Table:
        return table_and_words(self.blocks[block], self.kind)[0]

    def columns(self, block: int, names: list[str]) -> pa.Table:
        return self.read(block).select(names)

    def entries(self, block: int) -> Entries:
        documents = self.blocks[block]
        if self.kind == "text":
            return entries_of_lists([document.tokens or [] for document in documents])
        weights = np.array([w for document in documents for w in document.weights or ()], np.float64)
        entries = entries_of_lists([document.words or [] for document in documents])
        return _with_weights(entries, weights)

    def tokens(self, block: int) -> tuple[Entries, NDArray[np.int64]]:
        entries = self.entries(block)
        begun = [() if one.sentences is None else one.sentences for one in self.blocks[block]]
        places = np.concatenate([np.asarray(own, np.int64) for own in begun])
        return entries, sentence_starts(np.array([len(own) for own in begun]), places, entries.offsets)

    def ids(self, block: int) -> list[str]:
        return [document.id or "" for document in self.blocks[block]]


def blocks_of(documents: Iterable[Document], kind: str) -> Iterator[list[Document]]:
    """Cut documents into blocks of at most 1,024 documents, 200,000 tokens and 16 million characters.

    A larger document is a block of its own. kind: "text" for documents with tokens, "bag" for bags of words.
    Raises UserError if some document is of the other kind, or only some have trees.
    """
    waiting: list[Document] = []
    tokens = characters = 0
    trees = False
    for number, document in enumerate(documents):
        held = document.tokens if kind == "text" else document.words
        if held is None:
            remedy = "build one corpus from text and another from bags"
            message = "documents of words and weights cannot be mixed with text"
            raise UserError(message, where=document.where or None, line=document.line, remedy=remedy)
        if (document.heads is not None) != trees:
            if number:
                message = "documents with trees and without cannot be mixed"
                remedy = "give heads and tags of all, or of none"
                raise UserError(message, where=document.where or None, line=document.line, remedy=remedy)
            trees = True
        more = len(held)
        longer = len(document.text or "") + sum(map(characters_of, document.metadata.values()))
        full = tokens + more > BLOCK_TOKENS or characters + longer > BLOCK_CHARACTERS
        if waiting and (full or len(waiting) == BLOCK_DOCUMENTS):
            yield waiting
            waiting, tokens, characters = [], 0, 0
        waiting.append(document)
        tokens, characters = tokens + more, characters + longer
    if waiting:
        yield waiting


def table_and_words(documents: list[Document], kind: str) -> tuple[pa.Table, Sequence[str]]:
    """A block of documents as an Arrow table to store, and its distinct words in the order of their codes."""
    columns = _common_columns(documents)
    if kind != "text":
        columns["words"], words = _word_lists([document.words or [] for document in documents])
        columns["weights"] = [document.weights or [] for document in documents]
        return pa.table(columns, schema=BAG_SCHEMA), words
    columns["text"] = arrow_strings([document.text for document in documents])
    columns["tokens"], words = _word_lists([document.tokens or [] for document in documents])
    columns["starts"] = _number_lists([document.starts for document in documents])
    columns["sentences"] = _number_lists([document.sentences for document in documents])
    if documents[0].heads is None:
        return pa.table(columns, schema=TEXT_SCHEMA), words
    columns["heads"] = [document.heads for document in documents]
    columns["tags"] = _word_lists([document.tags or [] for document in documents])[0]
    return pa.table(columns, schema=TREE_SCHEMA), words


def _common_columns(documents: list[Document]) -> dict[str, Any]:
    return {
        "id": arrow_strings([document.id for document in documents]),
        "language": arrow_strings([document.language for document in documents]),
        "metadata": arrow_strings([metadata_text(document.metadata) for document in documents]),
    }


def _word_lists(lists: Sequence[Sequence[str]]) -> tuple[ArrowArray, Sequence[str]]:
    """Lists of words as a dictionary-encoded Arrow array; and the distinct words, in order of occurrence."""
    codes, words = _numbered(lists)
    distinct = words.array() if isinstance(words, NumberedWords) else arrow_strings(words)
    return arrow_lists(_offsets_of(lists), arrow_words(codes, distinct)), words


def _numbered(lists: Sequence[Sequence[str]]) -> tuple[NDArray[np.int32], Sequence[str]]:
    """All words of the lists, in order, as codes; and the distinct words, of which a code is an index.

    Distinct words are in order of first occurrence. Fast if all lists are `NumberedWords` of the same words.
    """
    some = [words for words in lists if len(words)]
    numbered = [words for words in some if isinstance(words, NumberedWords)]
    if numbered and len(numbered) == len(some) and len({id(words.spelled) for words in numbered}) == 1:
        spelled, codes = numbered[0].spelled, np.concatenate([words.codes for words in numbered])
        distinct, codes = numbered_anew(codes, len(spelled))
        return codes, NumberedWords(distinct, spelled)
    numbers = FirstNumbers()
    return numbers.of(list(chain.from_iterable(lists))).astype(np.int32), numbers.words


def _number_lists(lists: Sequence[Any]) -> Any:
    """Lists of numbers as a column that `pa.table` accepts; None in place of a list becomes null.

    Returns an Arrow array, fast, if all are NumPy arrays, else the lists themselves.
    """
    if not all(isinstance(one, np.ndarray) for one in lists):
        return list(lists)
    values = np.concatenate(lists).astype(np.int32)
    return arrow_lists(_offsets_of(lists), arrow_numbers(values))


def _offsets_of(lists: Sequence[Sized]) -> NDArray[np.int64]:
    """Where each list begins in their concatenation, and where the last one ends (lists + 1)."""
    offsets = np.zeros(len(lists) + 1, np.int64)
    offsets[1:] = list(accumulate(map(len, lists)))
    return offsets


def refuse_other_table(table: pa.Table, kind: str) -> None:
    """Raise ValueError if a block's table, read from a file, is not as this module writes it.

    Refused are columns with other names or types, missing ids, tokens, words, weights, heads or tags, and
    positions (`starts`, `sentences`) below zero. The table may have only some of the columns.
    """
    schema = schema_of(kind, kind == "text")
    for name in table.column_names:
        if name not in schema.names or not _alike(
            field_of(table.schema, name).type, field_of(schema, name).type
        ):
            raise ValueError(f"the column {name} is of another type")
    for name in ("id", "tokens", "words", "weights", "heads", "tags"):
        for chunk in _chunks(table, name):
            if chunk.null_count or (name != "id" and chunk.values.null_count):
                raise ValueError(f"the column {name} lacks values")
    for name in ("starts", "sentences"):
        for chunk in _chunks(table, name):
            if chunk.values.null_count or numbers_in(chunk.values).min(initial=0) < 0:
                raise ValueError(f"the column {name} has values that are not positions")


def _chunks(table: pa.Table, name: str) -> Sequence[ArrowNested]:
    """The arrays that a column consists of; none if the table lacks the column."""
    return table.column(name).chunks if name in table.column_names else ()


def _alike(one: pa.DataType, other: pa.DataType) -> bool:
    """Whether a stored column's type (`one`) fits the expected type (`other`).

    A column of plain strings also fits if a dictionary-encoded one is expected.
    """
    if pa.types.is_list(one) and pa.types.is_list(other):
        return _alike(one.value_type, other.value_type)
    if pa.types.is_dictionary(other):
        return one in (other, pa.string())
    return one == other


def entries_of(table: pa.Table, kind: str) -> Entries:
    """The tokens of a block's table (kind "text"), or the words of its bags, with weights ("bag").

    Raises ValueError if the table is inconsistent.
    """
    table = table.unify_dictionaries().combine_chunks()
    lists = one_chunk(table.column("tokens" if kind == "text" else "words"))
    values = lists.flatten()
    offsets = np.zeros(len(lists) + 1, np.int64)
    np.cumsum(numbers_in(lists.value_lengths()), out=offsets[1:])
    codes = numbers_in(values.indices).astype(np.int32, copy=False)
    if kind == "text":
        return Entries(offsets, codes, values.dictionary, None)
    weights = numbers_in(one_chunk(table.column("weights")).flatten())
    return _with_weights(Entries(offsets, codes, values.dictionary, None), weights)


def _with_weights(entries: Entries, weights: NDArray[np.float64]) -> Entries:
    if len(weights) != len(entries.codes):
        raise ValueError("words and weights differ in number")
    return entries._replace(weights=weights)


def entries_of_lists(lists: Sequence[Sequence[str]]) -> Entries:
    """The entries of a block whose documents have these tokens or words.

    >>> entries = entries_of_lists([["a", "cat"], [], ["cat"]])
    >>> entries.offsets.tolist(), entries.codes.tolist(), entries.spelled
    ([0, 2, 2, 3], [0, 1, 1], ['a', 'cat'])
    """
    return Entries(_offsets_of(lists), *_numbered(lists), None)


def tokens_of(table: pa.Table) -> tuple[Entries, NDArray[np.int64]]:
    """The tokens of a block's table, and the index in the block of each sentence's first token.

    Raises ValueError if the table is inconsistent.
    """
    entries, sentences = entries_of(table, "text"), one_chunk(table.column("sentences"))
    lengths, places = sentences.value_lengths(), numbers_in(sentences.flatten()).astype(np.int64)
    lengths = numbers_in(lengths.fill_null(0) if lengths.null_count else lengths).astype(np.int64)
    return entries, sentence_starts(lengths, places, entries.offsets)


def sentence_starts(
    lengths: NDArray[np.int64], places: NDArray[np.int64], offsets: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The first token of each sentence of a block, as an index among all tokens of the block.

    `offsets` (documents + 1): document d has the tokens offsets[d] to offsets[d + 1]; `lengths`: its number
    of sentences (0: all its tokens are one sentence); `places`: for each sentence, its first token, counted
    within its document. Raises ValueError if a place is outside its document, places are not ascending, or a
    document's first sentence does not begin at its first token.

    >>> sentence_starts(np.array([2, 0, 0]), np.array([0, 2]), np.array([0, 3, 4, 4])).tolist()
    [0, 2, 3]
    """
    first, sizes = offsets[:-1], offsets[1:] - offsets[:-1]
    right = (places >= 0).all() and (places < sizes.repeat(lengths)).all()
    begun, alone = first[sizes > 0], first[(sizes > 0) & (lengths == 0)]
    starts = first.repeat(lengths) + places
    starts = np.sort(np.concatenate([starts, alone]) if len(alone) else starts)
    if not right or (starts[1:] <= starts[:-1]).any() or (starts[starts.searchsorted(begun)] != begun).any():
        raise ValueError("sentences that begin outside their document")
    return starts


def documents_of(table: pa.Table) -> list[Document]:
    """The documents of a block, from its table with all columns."""
    rows = table.to_pylist()  # columns are named as the fields of documents
    for row in rows:
        row["metadata"] = metadata_from(row["metadata"])
    return [Document(**row) for row in rows]
