"""Text files, one document each; its id is the path within the directory that was given."""

from collections.abc import Iterator

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers.base import Reader, ReadingOptions
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.readers.sources import Source, text_of

_OF_MANY = (
    ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".arrow", ".feather", ".conllu", ".ldac", ".mm", ".mtx"
)  # fmt: skip


def read(source: Source, options: ReadingOptions, problems: Problems) -> Iterator[Document]:
    """Yield one document, the file's text, with its path as id; nothing if it is reported to `problems`.

    Reported are unreadable files and, unless `options.format` is set, files such as .csv, of many documents.
    """
    if options.format is None and source.plain_name.endswith(_OF_MANY):
        remedy = "give the files themselves, or --format files where each is one document"
        error = UserError("holds many documents, in a directory of texts", where=source.name, remedy=remedy)
        problems.report("file of many documents", error)
        return
    text = text_of(source, problems, options.largest_text)
    if text is not None:
        yield Document(source.label, text, where=source.name)


READER = Reader("files", "each file is one document; the way directories are read", (), "text", read)
