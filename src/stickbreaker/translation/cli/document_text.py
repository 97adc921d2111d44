"""A document of the command line, read whole."""

from pathlib import Path

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.readers.sources import one_source, text_of


def text_of_document(path: Path) -> str:
    """The text of the document in a file. Raises UserError unless it is one file with some text."""
    source = one_source(str(path), "give a file with the text of one document")
    text = text_of(source, Problems(skip=False, skippable=False))
    if text is None or not text.strip():
        raise UserError("has no text", where=path, remedy="give a file with the text of one document")
    return text
