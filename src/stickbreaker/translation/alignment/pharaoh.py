"""Links in Pharaoh's format, used by Moses, fast_align, eflomal and others: one line like `0-0 1-2` per
pair."""

import gzip
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError, counted, shown
from stickbreaker.core.files import refuse_file, write_atomic
from stickbreaker.corpus.readers.sources import listed_lines
from stickbreaker.translation.alignment.aligned_words import Links, as_lists, links_of

_LINK = re.compile(r"([0-9]{1,9})-([0-9]{1,9})", re.ASCII)
_FORMAT = "write the links of a sentence pair on a line, source-target, positions from 0, such as 0-0 1-2"
_SAME_TEXT = "give the file that was aligned from the same sentence pairs, split into words the same way"


def read_pharaoh(path: str, source: NDArray[np.int64], target: NDArray[np.int64]) -> Links:
    """Read links from a file with one line per sentence pair, compressed or not.

    source, target (pairs): number of words of each sentence. An empty line is a pair without links; repeated
    links count once. Raises UserError, naming the line, for an invalid link or a position beyond its
    sentence, and if lines and pairs differ in number.
    """
    pairs: list[list[tuple[int, int]]] = []
    for number, line in listed_lines(path, "give one file of links", skippable=False):
        if number > len(source):
            problem = f"has more lines than there are sentence pairs ({len(source):,})"
            raise UserError(problem, where=path, line=number, remedy=_SAME_TEXT)
        pairs.append(_links(line, path, number, int(source[number - 1]), int(target[number - 1])))
    if len(pairs) < len(source):
        problem = f"has {counted(len(pairs), 'line')} for {counted(len(source), 'sentence pair')}"
        raise UserError(problem, where=path, remedy=_SAME_TEXT)
    return links_of(pairs)


def write_pharaoh(links: Links, out: Path, *, overwrite: bool = False) -> None:
    """Write links to a file in Pharaoh's format, one line per sentence pair; compressed if the name ends with
    .gz.

    Raises UserError if the file exists, unless `overwrite`.
    """
    refuse_file(out, overwrite)
    lines = (" ".join(f"{source}-{target}" for source, target in pair) + "\n" for pair in as_lists(links))
    content = "".join(lines).encode()
    if out.suffix.lower() == ".gz":
        content = gzip.compress(content, mtime=0)
    write_atomic(out, content, overwrite=overwrite)


def _links(line: str, path: str, number: int, source: int, target: int) -> list[tuple[int, int]]:
    """The links in a line, as (source position, target position). Raises UserError if one is invalid.

    source, target: numbers of words of the two sentences; number: of the line.
    """
    links: list[tuple[int, int]] = []
    for text in line.split():
        link = _LINK.fullmatch(text)
        if link is None:
            raise UserError(f"{shown(text)} is not a link", where=path, line=number, remedy=_FORMAT)
        positions = int(link[1]), int(link[2])
        for side, position, size in zip(("source", "target"), positions, (source, target), strict=True):
            if position >= size:
                problem = f"the link {text} is beyond the {side} sentence, which has {counted(size, 'word')}"
                raise UserError(problem, where=path, line=number, remedy=_SAME_TEXT)
        links.append(positions)
    return links
