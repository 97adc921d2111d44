"""A document whose topics words are translated by: its text, or a file that is read whole."""

from pathlib import Path

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.readers.sources import one_source, text_of
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon

REMEDY = "give a file with the text of one document"


def shares_in(lexicon: TopicLexicon, document: object) -> Array | None:
    """The shares of a lexicon's topics in a document (topics,); None without one.

    document: a text, or the `Path` of a file with one. Raises UserError if it has no text.
    """
    if document is None:
        return None
    if isinstance(document, Path):
        document = text_of_document(document)
    if not isinstance(document, str):
        problem = f"an object of the class {type(document).__name__} was given instead of a document"
        raise UserError(problem, remedy="give its text, or the Path of a file")
    return lexicon.shares_of([document])[0]


def text_of_document(path: Path) -> str:
    """The text of the document in a file. Raises UserError unless it is one file with some text."""
    source = one_source(str(path), REMEDY)
    text = text_of(source, Problems(skip=False, skippable=False))
    if text is None or not text.strip():
        raise UserError("has no text", where=path, remedy=REMEDY)
    return text
