"""Web pages, PDF and Word files, one document each: their text, title, author and date.

They are read by the packages that `stickbreaker[documents]` installs; without these, such files are an error.
"""

import importlib
import logging
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.metadata import scalars_of, storable
from stickbreaker.corpus.readers.base import Reader, ReadingOptions
from stickbreaker.corpus.readers.limits import bytes_allowed, too_large
from stickbreaker.corpus.readers.problems import Bad, Problems
from stickbreaker.corpus.readers.sources import Source, seekable

_REMEDY = "save its text as a .txt file, or --on-error skip"
_ZIP = b"PK"
_UNLIKE_TEXT = (".rtf", ".doc", ".odt", ".epub", ".ppt", ".pptx", ".xls", ".xlsx", ".ods")


class Found(NamedTuple):
    """What was found in a file: its text, and in `about` its title, author and date, as far as known."""

    text: str
    about: dict[str, Any]


def _of_page(content: bytes) -> Found:
    """The main text of a web page, without its menus; all of its text if there is no main text."""
    trafilatura = importlib.import_module("trafilatura")
    found = trafilatura.bare_extraction(content, with_metadata=True)
    text = (found.text if found is not None else "") or trafilatura.html2txt(content) or ""
    if found is None:
        return Found(text, {})
    return Found(text, {"title": found.title, "author": found.author, "date": found.date})


def _of_pdf(content: bytes) -> Found:
    """The text of a PDF file's pages, joined by line breaks."""
    reader = importlib.import_module("pypdf").PdfReader(BytesIO(content))
    about, text = reader.metadata, "\n".join(page.extract_text() for page in reader.pages)
    return Found(text, {} if about is None else {"title": about.title, "author": about.author})


def _of_word(content: bytes) -> Found:
    """The text of a Word file's paragraphs and tables, one paragraph per line."""
    held = importlib.import_module("docx").Document(BytesIO(content))
    lines: list[str] = []
    for part in held.iter_inner_content():
        rows = getattr(part, "rows", None)
        lines += [part.text] if rows is None else [cell.text for row in rows for cell in row.cells]
    about = held.core_properties
    date = None if about.created is None else about.created.date()
    return Found("\n".join(lines), {"title": about.title, "author": about.author, "date": date})


_ENDINGS = (".html", ".htm", ".xhtml", ".pdf", ".docx")
_NEEDS = {_of_page: "trafilatura", _of_pdf: "pypdf", _of_word: "docx"}


def is_office_file(name: str) -> bool:
    """Whether a name (in lower case) is that of a web page, PDF or Word file, or of other non-text files.

    The others, such as .rtf and .xlsx, are refused by `read`.
    """
    return name.endswith((*_ENDINGS, *_UNLIKE_TEXT))


def read(source: Source, options: ReadingOptions, problems: Problems) -> Iterator[Document]:
    """Yield the one document of a Word, PDF or HTML file; one that cannot be read goes to `problems`.

    Raises UserError if the package for it is missing.
    """
    try:
        if options.format is None and source.plain_name.endswith(_UNLIKE_TEXT):
            remedy = f"save it as {', '.join(_ENDINGS)} or .txt, or --on-error skip"
            raise Bad("not plain text", "is not plain text", remedy)
        content = _content(source, options.largest_text)
        extract = _of_word if content[:2] == _ZIP else _of_pdf if b"%PDF" in content[:1024] else _of_page
        _refuse_missing(_NEEDS[extract], source)
        found = _extracted(extract, content)
    except Bad as bad:
        problems.tell(bad, source.name)
        return
    about = {name: value for name, value in found.about.items() if value}
    yield Document(source.label, storable(found.text), where=source.name, metadata=scalars_of(about))


def _refuse_missing(package: str, source: Source) -> None:
    """Raise UserError if a package is not installed; if it is, silence the logging of all such packages."""
    try:
        importlib.import_module(package)
    except ModuleNotFoundError:
        problem, remedy = f"needs the package {package}", "pip install 'stickbreaker[documents]'"
        raise UserError(problem, where=source.name, remedy=remedy) from None
    for name in ("trafilatura", "htmldate", "pypdf"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _content(source: Source, largest: int | None) -> bytes:
    """The bytes of a file, uncompressed; a Word file, itself a zip file, is left as it is.

    Raises Bad for more than `largest` bytes, before or after unpacking.
    """
    if source.path is not None and source.path.is_file() and not source.path.name.endswith(".zip"):
        with source.path.open("rb") as file:
            packed = file.read(len(_ZIP)) == _ZIP
        if packed:
            return _packed_content(source.path, largest)
    with seekable(source, largest) as stream:
        content = stream.read(bytes_allowed(largest) + 1)
    if len(content) > bytes_allowed(largest):
        raise too_large("the file", largest)
    return content


def _packed_content(path: Path, largest: int | None) -> bytes:
    """The bytes of a zip file. Raises Bad if it is damaged, or unpacks to more than `largest` bytes."""
    try:
        with zipfile.ZipFile(path) as packed:
            size = sum(one.file_size for one in packed.infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        raise Bad("unreadable document", "is not a Word file, or is damaged", _REMEDY) from None
    if size > bytes_allowed(largest):
        raise too_large("the file", largest)
    return path.read_bytes()


def _extracted(extract: Callable[[bytes], Found], content: bytes) -> Found:
    """What `extract` finds in a file's bytes. Raises Bad if it fails or finds no text."""
    try:
        found = extract(content)
    except (KeyboardInterrupt, MemoryError):
        raise
    except Exception as error:  # whatever packages raise for a damaged file
        problem = f"cannot be read ({type(error).__name__}: {str(error)[:100]})"
        raise Bad("unreadable document", " ".join(problem.split()), _REMEDY) from None
    if not found.text.strip():
        raise Bad("document without text", "has no text (scanned pages are pictures)", _REMEDY)
    return found


READER = Reader("documents", "HTML, PDF and Word files, each one document", _ENDINGS, "text", read)
