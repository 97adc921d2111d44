"""Web pages, PDF and Word files, one document each: their text, title, author and date.

Pages and PDF files are read by the packages that `stickbreaker[documents]` installs; without these, they are
an error.
"""

import importlib
import logging
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.metadata import scalars_of, storable
from stickbreaker.corpus.readers.base import Reader, ReadingOptions
from stickbreaker.corpus.readers.limits import bytes_allowed, too_large
from stickbreaker.corpus.readers.office_text import REMEDY, Extract
from stickbreaker.corpus.readers.pdf_files import extract_pdf
from stickbreaker.corpus.readers.problems import Bad, Problems
from stickbreaker.corpus.readers.sources import Source, seekable
from stickbreaker.corpus.readers.web_pages import extract_page
from stickbreaker.corpus.readers.word_files import extract_word

_ZIP, _OLE = b"PK", b"\xd0\xcf\x11\xe0"
_START = 1024  # bytes that show what a file is
_UNLIKE_TEXT = (".rtf", ".doc", ".odt", ".epub", ".ppt", ".pptx", ".xls", ".xlsx", ".ods")


_WORD = (".docx", ".docm", ".dotx")
_ENDINGS = (".html", ".htm", ".xhtml", ".pdf", *_WORD)
_PDF, _PAGE = ("pypdfium2", extract_pdf), ("trafilatura", extract_page)


def is_office_file(name: str) -> bool:
    """Whether a name (in lower case) is that of a web page, PDF or Word file, or of other non-text files.

    The others, such as .rtf and .xlsx, are refused by `read`.
    """
    return name.endswith((*_ENDINGS, *_UNLIKE_TEXT))


def read(source: Source, options: ReadingOptions, problems: Problems) -> Iterator[Document]:
    """Yield the one document of a Word, PDF or HTML file; one that cannot be read goes to `problems`.

    What was left out or guessed in it is remarked to `options.notes`. Raises UserError if the package for it
    is missing.
    """
    try:
        if options.format is None and source.plain_name.endswith(_UNLIKE_TEXT):
            remedy = f"save it as {', '.join(_ENDINGS)} or .txt, or --on-error skip"
            raise Bad("not plain text", "is not plain text", remedy)
        found = _extracted(source, options.largest_text)
    except Bad as bad:
        problems.tell(bad, source.name)
        return
    for what, number in found.remarks.items():
        options.notes.remark(what, source.name, number)
    about = {name: value for name, value in found.about.items() if value}
    yield Document(source.label, storable(found.text), where=source.name, metadata=scalars_of(about))


def _extracted(source: Source, largest: int | None) -> Extract:
    """What a file says. Raises Bad if it cannot be read or has no text, UserError for a missing package."""
    with _stream_of(source, largest) as stream:
        start = stream.read(_START)
        stream.seek(0)
        try:
            if start.startswith(_ZIP):
                found = extract_word(stream, largest)
            else:
                package, extract = _PDF if b"%PDF" in start else _PAGE
                _refuse_missing(package, source)
                if start.startswith(_OLE) or (source.plain_name.endswith(_WORD) and b"<" not in start):
                    problem = "is not a Word file, but an older or an encrypted one, or damaged"
                    raise Bad("unreadable document", problem, REMEDY)
                found = extract(_content(stream, largest), largest)
        except (KeyboardInterrupt, MemoryError, Bad, UserError):
            raise
        except Exception as error:  # whatever packages raise for a damaged file
            problem = f"cannot be read ({type(error).__name__}: {str(error)[:100]})"
            raise Bad("unreadable document", " ".join(problem.split()), REMEDY) from None
    if not found.text.strip():
        raise Bad("document without text", "has no text", REMEDY)
    return found


def _refuse_missing(package: str, source: Source) -> None:
    """Raise UserError if a package is not installed; if it is, silence the logging of all such packages."""
    try:
        importlib.import_module(package)
    except ModuleNotFoundError:
        problem, remedy = f"needs the package {package}", "pip install 'stickbreaker[documents]'"
        raise UserError(problem, where=source.name, remedy=remedy) from None
    for name in ("trafilatura", "htmldate", "charset_normalizer", "pypdfium2"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


@contextmanager
def _stream_of(source: Source, largest: int | None) -> Generator[BinaryIO]:
    """A context that yields a file's bytes, uncompressed; a Word file, itself a zip file, is left as it is.

    Raises Bad for a packed file that unpacks to more than `largest` bytes.
    """
    path = source.path
    if path is not None and path.is_file() and not path.name.lower().endswith(".zip"):
        with path.open("rb") as file:
            if file.read(len(_ZIP)) == _ZIP:
                file.seek(0)
                yield file
                return
    with seekable(source, largest) as stream:
        yield stream


def _content(stream: BinaryIO, largest: int | None) -> bytes:
    """All bytes of a stream. Raises Bad for more than `largest`."""
    content = stream.read(bytes_allowed(largest) + 1)
    if len(content) > bytes_allowed(largest):
        raise too_large("the file", largest)
    return content


READER = Reader("documents", "HTML, PDF and Word files, each one document", _ENDINGS, "text", read)
