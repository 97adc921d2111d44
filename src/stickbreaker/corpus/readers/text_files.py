"""Text files, one document each; its id is the path within the directory that was given."""

from collections.abc import Iterator

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers.base import Reader, ReadingOptions
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.readers.sources import Source, text_of

_OF_MANY = (
    ".jsonl", ".ndjson", ".json", ".csv",
    ".tsv", ".parquet", ".arrow", ".feather", ".conllu", ".ldac", ".mm", ".mtx"
)  # fmt: skip
_MARKED_UP = {  # files whose text stands among mark-up, by ending
    **dict.fromkeys((".xml", ".tei", ".nxml", ".svg", ".rdf", ".xliff", ".xlf", ".tmx", ".opml"), "XML"),
    **dict.fromkeys((".sgm", ".sgml"), "SGML"),
    **dict.fromkeys((".mbox", ".eml", ".mht", ".mhtml"), "mail"),
    **dict.fromkeys((".ris", ".bib", ".nbib", ".enw"), "a list of references"),
    **dict.fromkeys((".srt", ".vtt"), "subtitles"),
    **dict.fromkeys((".geojson", ".jsonld"), "JSON"),
    ".ipynb": "a notebook",
    ".cha": "a transcript with codes",
}


def is_marked_up(name: str) -> bool:
    """Whether a name (in lower case) is that of a file such as .xml and .eml, which `read` refuses.

    >>> is_marked_up("news.xml"), is_marked_up("news.txt")
    (True, False)
    """
    return name.endswith(tuple(_MARKED_UP))


def read(source: Source, options: ReadingOptions, problems: Problems) -> Iterator[Document]:
    """Yield one document, the file's text, with its path as id; nothing if it is reported to `problems`.

    Reported are unreadable files and, unless `options.format` is set, files such as .csv, of many documents,
    and such as .xml, of text with mark-up.
    """
    if options.format is None and is_marked_up(source.plain_name):
        kind = next(kind for ending, kind in _MARKED_UP.items() if source.plain_name.endswith(ending))
        remedy = "save its text as .txt or .jsonl, or --format files to read the mark-up too"
        problem = f"is {kind}, not plain text"
        error = UserError(problem, where=source.name, remedy=f"{remedy}, or --on-error skip")
        problems.report("file with mark-up", error)
        return
    if options.format is None and source.plain_name.endswith(_OF_MANY):
        remedy = "give the files themselves, or --format files where each is one document"
        error = UserError("holds many documents, in a directory of texts", where=source.name, remedy=remedy)
        problems.report("file of many documents", error)
        return
    text = text_of(source, problems, options.largest_text)
    if text is not None:
        yield Document(source.label, text, where=source.name)


READER = Reader("files", "each file is one document; the way directories are read", (), "text", read)
