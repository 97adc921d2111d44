"""Texts with counts: a line has a text, a tab and a count, and stands for that many documents."""

import re
from collections.abc import Iterator

from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers.base import Reader, ReadingOptions
from stickbreaker.corpus.readers.problems import Bad, Problems
from stickbreaker.corpus.readers.sources import Source, lines_of

NAME = "counts"
MOST = 1_000_000  # documents of a line
_KIND = "bad count"
_NUMBER = re.compile(r"[0-9]{1,15}")
_SHAPE = "a line is: text, tab, count, as in the<TAB>63"


def read(source: Source, options: ReadingOptions, problems: Problems) -> Iterator[Document]:
    """Yield a document per copy of each line `text TAB count`; copies have the ids `file:line#2`, `#3` …

    Blank lines are skipped, lines without a valid count reported to `problems`.
    """
    for number, line in lines_of(source, problems, options.largest_text):
        if not line.strip():
            continue
        text, _, given = line.rpartition("\t")
        try:
            count = _count(text, given.strip())
        except Bad as bad:
            problems.tell(bad, source.name, number)
            continue
        name = f"{source.label}:{number}"
        for copy in range(1, count + 1):
            own = name if copy == 1 else f"{name}#{copy}"
            yield Document(own, text, where=source.name, line=number, copy=copy)


def _count(text: str, given: str) -> int:
    """Parse a line's count, `given`. Raises Bad if it is not from 1 to 1,000,000, or `text` is empty."""
    if not text:
        raise Bad(_KIND, "the line has no tab before a count", _SHAPE)
    if not _NUMBER.fullmatch(given) or not int(given):
        raise Bad(_KIND, f"the count {given[:30]!r} is not a whole number above zero", _SHAPE)
    if int(given) > MOST:
        problem = f"the count is {int(given):,}, more than {MOST:,}, and each is a document"
        raise Bad(_KIND, problem, "divide all counts by the same number")
    return int(given)


READER = Reader(NAME, "a text, a tab and its count per line", (".counts",), "text", read)
