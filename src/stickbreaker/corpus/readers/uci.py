"""UCI bags of words: docword.NAME.txt, whose words are in vocab.NAME.txt, one word per line."""

from collections.abc import Iterator

from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers.bags import BagEntries, BagShape, consecutive, count_of, number_of
from stickbreaker.corpus.readers.base import Reader, ReadingOptions
from stickbreaker.corpus.readers.packing import PACKINGS
from stickbreaker.corpus.readers.problems import Bad, Problems
from stickbreaker.corpus.readers.sources import Source, raw_lines_of

_HEADER = "the file begins with three lines: its documents, words and entries"


def read(source: Source, options: ReadingOptions, problems: Problems) -> Iterator[Document]:
    """Yield a bag of words for each document that the header counts; one without an entry is empty.

    After the header, a line is `document word count`, both numbered from 1. A wrong header or entry is
    reported to `problems`.
    """
    lines = consecutive(raw_lines_of(source, problems, options.largest_text))
    line = 1
    try:
        found: list[int] = []
        for what in ("the number of documents", "the number of words", "the number of entries"):
            line, content = next(lines, (line, b""))
            found.append(number_of(content.strip(), what, _HEADER, "wrong header"))
        if found[1] != len(options.words):
            problem = f"the header says {found[1]} words, and the vocabulary has {len(options.words)}"
            raise Bad("wrong header", problem, "check --vocab")
    except Bad as bad:
        problems.tell(bad, source.name, line)
        return
    yield from BagEntries(source, options, problems, count_of).documents(lines, BagShape(*found))


def vocab_beside(source: Source) -> str | None:
    """The path of vocab.NAME.txt next to docword.NAME.txt (both may be compressed); None if there is none."""
    name = source.path.name if source.path else ""
    if source.path is None or not name.startswith("docword."):
        return None
    packing = next((ending for ending in PACKINGS if name.endswith(ending)), "")
    plain = "vocab." + name.removeprefix("docword.").removesuffix(packing)
    beside = [source.path.with_name(plain + ending) for ending in ("", *PACKINGS)]
    return next((str(path) for path in beside if path.is_file()), None)


READER = Reader("uci", "UCI bags of words", (".txt",), "bag", read, "docword.", vocab_beside)
