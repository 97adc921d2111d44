"""The documentation of the running Python as a corpus: real text on every machine, with no network.

The recipe, in order of the functions below:
1. every .py file of the standard library is parsed, never imported; tests and bundled packages are left out;
2. a unit is a top-level class, or the rest of its module, or a topic of the language reference;
3. its docstrings and full-line comments, in source order, lose code, doctests, rules, addresses and licences;
4. units are cut into chunks of about 80 words, with the words of the module's name twice in front;
5. CamelCase and snake_case names are split, English and code stop words dropped, plurals folded.
"""

import ast
import os
import re
import sysconfig
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from stop_words import get_stop_words

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.document import Document

SKIPPED = {
    *("test", "tests", "idlelib", "idle_test", "distutils", "encodings", "lib2to3", "turtledemo"),
    *("ensurepip", "lib-dynload", "__pycache__", "site-packages", "dist-packages"),
    *("__hello__", "__phello__", "this", "antigravity"),
}
CHUNK_WORDS = 80
FEWEST_WORDS = 20  # a shorter rest is joined to the chunk before it, a shorter unit to the rest of its module

# Words of the long English stop list that mean something in this corpus.
MEANINGFUL = {
    *("computer", "date", "group", "html", "http", "id", "member", "net", "network", "page", "second"),
    *("seconds", "shell", "site", "tcl", "test", "text", "tk", "web", "width", "year", "years"),
}

LICENCE = re.compile(r"copyright|licen[sc]|permission to use|warrant|rights reserved|redistribut", re.I)
ADDRESS = re.compile(r"\b\w+://\S+|\bwww\.\S+|\S+@\S+\.\w+")
CODE_IN_COMMENT = re.compile(r"[=(){}\[\]<>_;|\\/@#$%^&*+~]|\w\.\w")
CODE_CHARACTER = re.compile(r"[=(){}\[\]<>_;|\\@#$%^&*+~]")
DOCTEST = re.compile(r"^[ \t]*>>>.*(?:\n[ \t]*\S.*)*", re.M)
MARKUP = re.compile(r":[a-z:]+:`[~!.]?|[`*]+|^\s*\.\. .*$|[-=~#_.]{4,}", re.M)
PARAGRAPH_END = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*o]|\d+[.)])\s)")
SENTENCE_END = re.compile(r"(?<=[.!?:])\s+")
# capitals (HTTP before Server, IPv, URLs), or a word with an apostrophe perhaps, or a letter
WORD = re.compile(r"[A-Z]{2,}(?:[a-z](?![a-z])|(?![a-z]))|[A-Z]?[^\W\d_A-Z]+(?:'[a-z]+)?|[A-Z]")
PLURALS = (("y", "ies"), ("", "s"), ("", "es"))  # endings of the singular and of the plural


class Paragraph(NamedTuple):
    """Prose from a file, beginning at line `line`, and its words without markup."""

    line: int
    text: str
    words: list[str]


class Unit(NamedTuple):
    """The documentation of a class, of the rest of a module, or of a topic of the language reference."""

    name: str
    module: str
    paragraphs: list[Paragraph]


def python_documents(root: Path | None = None) -> Iterator[Document]:
    """Yield the chunks of the standard library's documentation, in the order of their names.

    A document has an id such as "asyncio.tasks.Task#2", a readable text, clean tokens (lower case, no stop
    words, ready for a vocabulary) and the metadata "title" and "module". Its tokens differ from those of its
    text: the module's name comes first, and plurals are folded. `root` is the directory of the library's .py
    files, by default that of the running Python. Takes about 4 s and 30 MB. Raises UserError when there are
    no such files (a frozen or zipped Python).

    >>> first = next(python_documents())                                  # doctest: +SKIP
    >>> first.id, first.tokens[:2]                                        # doctest: +SKIP
    ('__future__#1', ['future', 'future'])
    """
    library = Path(sysconfig.get_path("stdlib")) if root is None else root
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # old escapes in other people's source
        units = [unit for path in _sources(library) for unit in _units(path, library)]
    units.sort(key=lambda unit: unit.name)
    chunks = [chunk for unit in units for chunk in _chunks(unit)]
    known = {token for chunk in chunks for token in chunk.tokens or ()}
    singular = {word: single for word in known if (single := _singular(word, known)) is not None}
    if not chunks:
        raise UserError(
            "no documentation: this Python has no .py files of its standard library",
            where=library,
            remedy="run the demo with a Python installed from python.org, a package manager or conda",
        )
    for chunk in chunks:
        yield replace(chunk, tokens=[singular.get(token, token) for token in chunk.tokens or ()])


def _sources(library: Path) -> list[Path]:
    """The .py files to read, without tests, bundled packages and generated tables."""
    found: list[Path] = []
    for directory, below, names in os.walk(library):
        below[:] = [name for name in below if name not in SKIPPED and not name.startswith("config-")]
        sources = [name for name in names if name.endswith(".py") and name[:-3] not in SKIPPED]
        found += [Path(directory, name) for name in sources if not name.startswith("_sysconfigdata")]
    return sorted(found)


def _units(path: Path, library: Path) -> list[Unit]:
    """The documentation units of one Python file; an empty list if it cannot be read or parsed."""
    try:
        source = path.read_bytes()
        tree = ast.parse(source)
    except (OSError, SyntaxError, ValueError):
        return []
    parts = path.relative_to(library).with_suffix("").parts
    module = ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
    if module == "pydoc_data.topics":
        return _language_units(tree)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    owner = {line: node.name for node in classes for line in range(node.lineno, (node.end_lineno or 0) + 1)}
    found: dict[str, list[Paragraph]] = defaultdict(list)
    for paragraph in _paragraphs(tree, source.decode("utf-8", "replace")):
        found[owner.get(paragraph.line, "")].append(paragraph)
    for name in [name for name in found if name and _count(found[name]) < FEWEST_WORDS]:
        found[""] += found.pop(name)
    found[""].sort(key=lambda paragraph: paragraph.line)
    return [
        Unit(f"{module}.{name}" if name else module, module, paragraphs)
        for name, paragraphs in found.items()
        if _count(paragraphs) >= FEWEST_WORDS
    ]


def _count(paragraphs: list[Paragraph]) -> int:
    return sum(len(paragraph.words) for paragraph in paragraphs)


def _language_units(tree: ast.Module) -> list[Unit]:
    """The topics of the language reference, from the parsed module `pydoc_data.topics`.

    The module has them as a dictionary of long strings, which `help()` shows.
    """
    tables = [node.value for node in tree.body if isinstance(node, ast.Assign)]
    return [
        Unit(f"language.{key.value}", "language", list(_prose(0, value.value)))
        for table in tables
        if isinstance(table, ast.Dict)
        for key, value in zip(table.keys, table.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(value, ast.Constant) and isinstance(value.value, str)
    ]


def _paragraphs(tree: ast.Module, text: str) -> list[Paragraph]:
    """All docstrings and comments of a file, in source order."""
    found: list[Paragraph] = []
    inside: set[int] = set()
    for node in _definitions(tree):
        first = node.body[0] if node.body else None
        docstring = ast.get_docstring(node)
        if first is not None and docstring is not None:
            inside.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
            found += _prose(first.lineno, docstring)
    found += [comment for comment in _comments(text) if comment.line not in inside]
    return sorted(found, key=lambda paragraph: paragraph.line)


def _definitions(
    node: ast.AST,
) -> Iterator[ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield all nodes of a syntax tree that may have a docstring; expressions are not searched."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _definitions(child)


def _prose(line: int, docstring: str) -> Iterator[Paragraph]:
    """The paragraphs of prose in a docstring, without doctests, markup, addresses, licences and code.

    line: the docstring's first line in its file.
    """
    for block in PARAGRAPH_END.split(MARKUP.sub("", DOCTEST.sub("\n", docstring))):
        lines = [part for part in ADDRESS.sub("", block).split("\n") if _is_prose(part)]
        text = " ".join(" ".join(lines).split())
        if text and not LICENCE.search(text):
            yield Paragraph(line, text, words_of(text))


def _is_prose(line: str) -> bool:
    letters = sum(map(str.isalpha, line))
    return letters >= 2 and len(CODE_CHARACTER.findall(line)) * 12 <= letters


def _comments(text: str) -> Iterator[Paragraph]:
    """Each block of full-line comments that reads as prose, without sentences that contain code."""
    block: list[str] = []
    for number, line in enumerate(chain(text.split("\n"), [""]), 1):
        stripped = line.lstrip()
        content = stripped.lstrip("#!: ").rstrip() if stripped.startswith("#") else ""
        if content:
            block.append(content)
            continue
        if block and not LICENCE.search(" ".join(block)):
            sentences = SENTENCE_END.split(MARKUP.sub("", ADDRESS.sub("", " ".join(block))))
            prose = " ".join(s for s in sentences if not CODE_IN_COMMENT.search(s.strip("().")))
            if len(prose.split()) >= 4:
                yield Paragraph(number - len(block), prose, words_of(prose))
        block = []


def _chunks(unit: Unit) -> Iterator[Document]:
    """Cut a unit between sentences into chunks of about CHUNK_WORDS clean words."""
    topic = words_of(unit.name.partition(".")[2]) if unit.module == "language" else []
    prefix = (name_words(unit.module) + topic) * 2
    chunks: list[tuple[list[str], list[str]]] = []
    distinct = {paragraph.text: paragraph for paragraph in unit.paragraphs}  # methods often share a docstring
    for piece in chain.from_iterable(map(_pieces, distinct.values())):
        if not chunks or len(chunks[-1][1]) >= CHUNK_WORDS:
            chunks.append(([], []))
        chunks[-1][0].append(piece.text)
        chunks[-1][1].extend(piece.words)
    if len(chunks) > 1 and len(chunks[-1][1]) < FEWEST_WORDS:
        texts, words = chunks.pop()
        chunks[-1][0].extend(texts)
        chunks[-1][1].extend(words)
    for number, (texts, words) in enumerate(chunks, 1):
        if len(words) >= FEWEST_WORDS:
            title = unit.name if len(chunks) == 1 else f"{unit.name}, part {number} of {len(chunks)}"
            text, tokens = "\n".join(texts), prefix + words
            metadata = {"title": title, "module": unit.module}
            yield Document(f"{unit.name}#{number}", text, tokens, metadata=metadata)


def _pieces(paragraph: Paragraph) -> Iterator[Paragraph]:
    """A paragraph as it is or, if it is longer than half a chunk, its sentences."""
    if len(paragraph.words) <= CHUNK_WORDS // 2:
        yield paragraph
    else:
        for sentence in SENTENCE_END.split(paragraph.text):
            yield Paragraph(paragraph.line, sentence, words_of(sentence))


def words_of(text: str) -> list[str]:
    """The meaningful words of a text, lower-cased, names split at humps and underscores.

    >>> words_of("The StreamReader's read_until() can't decode 3 bytes.")
    ['stream', 'reader', 'read', 'decode']
    """
    stop = stop_words()
    words = (word.removesuffix("'s") for word in _split(text.replace("’", "'")))
    return [word for word in words if len(word) > 1 and word not in stop]


def name_words(name: str) -> list[str]:
    """The words of a module's dotted name: "asyncio.base_events" gives asyncio, base, events."""
    return [word for part in name.split(".") for word in _split(part.removeprefix("_py")) if word]


def _split(text: str) -> list[str]:
    return [word.lower() for word in WORD.findall(text)]


@cache
def stop_words() -> frozenset[str]:
    """English stop words, and those of code documentation (code_stop_words.txt) with their plurals."""
    listed = files("stickbreaker.corpus.readers").joinpath("code_stop_words.txt").read_text("utf-8")
    code = {word for line in listed.split("\n") if not line.startswith("#") for word in line.split()}
    plurals = {f"{word.removesuffix(end)}{plural}" for word in code for end, plural in PLURALS}
    return (frozenset(get_stop_words("english")) - MEANINGFUL) | code | plurals


def _singular(word: str, known: set[str]) -> str | None:
    """The singular of a plural, if that is one of the `known` words; otherwise None."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return None
    for ending, plural in PLURALS:
        candidate = word.removesuffix(plural) + ending
        if word.endswith(plural) and candidate in known:
            return candidate
    return None
