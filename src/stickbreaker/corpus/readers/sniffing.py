"""Standard input and pipes: JSON Lines if the first line that is not blank begins with "{"."""

from collections.abc import Iterator
from itertools import chain

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers import json_lines, lines
from stickbreaker.corpus.readers.base import Reader, ReadingOptions, refuse_plain_text
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.readers.sources import Source, lines_of

_MOST_BLANK = 10_000  # lines held until the first that is not blank


def read(source: Source, options: ReadingOptions, problems: Problems) -> Iterator[Document]:
    """Yield the documents of JSON Lines if the first nonblank line begins with "{", else one per line.

    Raises UserError if the first 10,000 lines, or `options.largest_text` characters, are blank.
    """
    numbered = lines_of(source, problems, options.largest_text)
    first: list[tuple[int, str]] = []
    size = 0
    for number, line in numbered:
        first.append((number, line))
        size += len(line)
        if line.strip():
            break
        if number >= _MOST_BLANK or size > options.largest_text:
            problem = f"the first {number} lines are blank, so they do not show the format"
            raise UserError(
                problem, where=source.name, remedy="name it by --format, for example jsonl or lines"
            )
    whole = chain(first, numbered)
    if first and first[-1][1].lstrip().startswith("{"):
        return json_lines.documents_in(whole, source, options, problems)
    if options.of_model:
        refuse_plain_text(source.name, options)
    return lines.documents_in(whole, source)


READER = Reader("sniffing", "JSON Lines or one document a line", (), "text", read)
