"""Standard input and pipes, whose format no name tells: JSON Lines if the first text is a brace."""

from collections.abc import Iterator
from itertools import chain

from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers import json_lines, lines
from stickbreaker.corpus.readers.base import Reader, ReadingOptions
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.readers.sources import Source, lines_of


def read(source: Source, options: ReadingOptions, problems: Problems) -> Iterator[Document]:
    """Yield the documents of JSON Lines, or else one a line."""
    numbered = lines_of(source, problems)
    first: list[tuple[int, str]] = []
    for number, line in numbered:
        first.append((number, line))
        if line.strip():
            break
    whole = chain(first, numbered)
    if first and first[-1][1].lstrip().startswith("{"):
        return json_lines.documents_in(whole, source, options, problems)
    return lines.documents_in(whole, source)


READER = Reader("sniffing", "JSON Lines or one document a line", (), "text", read)
