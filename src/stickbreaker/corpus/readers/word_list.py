"""Files of words, one per line, such as vocabularies and stop words; and gensim's dictionaries."""

import re
from collections.abc import Iterator
from itertools import chain, islice

from stickbreaker.core.errors import UserError, shown
from stickbreaker.corpus.readers.limits import bytes_allowed, too_large
from stickbreaker.corpus.readers.sources import listed_lines

_ENTRY = re.compile(r"([0-9]{1,15})\t([^\t]+)\t[0-9]{1,15}")


def read_words(path: str, *, distinct: bool = True, largest: int | None = None) -> tuple[str, ...]:
    """The words of a file, one per line, in order; repeated words only once, blank lines skipped.

    With `distinct`, a repeated word, a blank line between words and an empty list raise UserError; a list of
    more than `largest` bytes (None: the default limit) always does.
    """
    return _listed(_lines(path, largest), path, distinct)


def read_numbered_words(path: str, largest: int | None = None) -> tuple[str, ...]:
    """The words of a vocabulary by number: one per line, or a gensim Dictionary saved as text.

    A dictionary has the lines `number TAB word TAB documents`, numbers from 0 without gaps, in any order,
    after a line with its number of documents. Raises UserError, with the line if it is one that is wrong, and
    for a list larger than `largest` bytes.
    """
    lines = _lines(path, largest)
    first = list(islice(lines, 2))
    lines = chain(first, lines)
    if not first or not _ENTRY.fullmatch(first[-1][1]):
        return _listed(lines, path, True)
    words: dict[int, str] = {}
    for number, line in lines:
        entry = _ENTRY.fullmatch(line)
        if entry is None and number > 1:
            remedy = "the lines of a dictionary are number, word and documents, separated by tabs"
            raise UserError("not an entry of a gensim dictionary", where=path, line=number, remedy=remedy)
        if entry is not None and int(entry[1]) in words:
            problem = f"the word number {int(entry[1])} was listed before"
            raise UserError(problem, where=path, line=number, remedy="save the dictionary again")
        if entry is not None:
            words[int(entry[1])] = entry[2]
    missing = next((number for number in range(len(words)) if number not in words), None)
    if missing is not None:
        raise UserError(f"no word has the number {missing}", where=path, remedy="call compactify() and save")
    if len(set(words.values())) < len(words):
        raise UserError("a word is listed twice", where=path, remedy="list every word once")
    return tuple(words[number] for number in range(len(words)))


def _lines(path: str, largest: int | None) -> Iterator[tuple[int, str]]:
    size = 0
    for number, line in listed_lines(path, "give one file, with one word per line", largest=largest):
        size += len(line) + 1
        if size > bytes_allowed(largest):
            raise too_large("the list of words", largest).at(path, number)
        yield number, line


def _listed(lines: Iterator[tuple[int, str]], path: str, distinct: bool) -> tuple[str, ...]:
    words: dict[str, int] = {}
    blank = 0
    for number, line in lines:
        word = line.strip()
        if not word:
            blank = blank or number
            continue
        if blank and distinct:
            raise UserError(
                "a blank line among the words", where=path, line=blank, remedy="give one word per line"
            )
        if word in words and distinct:
            problem = f"the word {shown(word)} was listed before, in line {words[word]}"
            raise UserError(problem, where=path, line=number, remedy="list every word once")
        words[word] = number
    if not words and distinct:
        raise UserError("the file has no words", where=path, remedy="give one word per line")
    return tuple(words)
