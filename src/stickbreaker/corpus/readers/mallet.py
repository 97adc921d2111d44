"""MALLET's text files for import-file: one line `name label text` per document."""

import re
from collections.abc import Iterator

from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers.base import Reader, ReadingOptions
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.readers.sources import Source, lines_of

# the --line-regex that import-file takes by default
_LINE = re.compile(r"(\S*)[\s,]*(\S*)[\s,]*(.*)", re.ASCII | re.DOTALL)


def read(source: Source, options: ReadingOptions, problems: Problems) -> Iterator[Document]:
    """Yield a document for each line `name label text`; blank lines are skipped.

    The name is the document's id, the label its metadata "label". A part that the line lacks is empty.
    """
    for number, line in lines_of(source, problems, options.largest_text):
        found = _LINE.fullmatch(line)
        if not line.strip() or found is None:
            continue
        name, label, text = found.groups()
        metadata = {"label": label} if label else {}
        identity = f"{source.label}:{number}"
        if options.numbers_ids:
            metadata |= {"name": name} if name else {}
        else:
            identity = name or identity
        yield Document(identity, text, metadata=metadata, where=source.name, line=number)


READER = Reader("mallet", "MALLET's lines of name, label and text", (), "text", read)
