"""Plain text with one document per line; blank lines are empty documents."""

from collections.abc import Iterable, Iterator

from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers.base import Reader, ReadingOptions
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.readers.sources import Source, lines_of


def read(source: Source, options: ReadingOptions, problems: Problems) -> Iterator[Document]:
    """Yield a document for each line; a blank line is an empty document."""
    return documents_in(lines_of(source, problems, options.largest_text), source)


def documents_in(numbered: Iterable[tuple[int, str]], source: Source) -> Iterator[Document]:
    """Yield a document for each line, also for blank ones. numbered: lines of `source` with their numbers."""
    for number, text in numbered:
        yield Document(f"{source.label}:{number}", text, where=source.name, line=number)


READER = Reader("lines", "one document a line", (".txt",), "text", read)
