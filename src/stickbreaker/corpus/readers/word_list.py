"""Files of words, one a line: vocabularies and stop words."""

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.readers.sources import lines_of, sources_of


def read_words(path: str, *, distinct: bool = True) -> tuple[str, ...]:
    """The words of a file, in order. Raises UserError naming a line that is blank or (`distinct`) repeats."""
    given = sources_of([path])
    if len(given) != 1 or given[0].within:
        raise UserError("not one file of words", where=path, remedy="give one file, a word a line")
    words: dict[str, int] = {}
    blank = 0
    for number, line in lines_of(given[0], Problems(skip=False)):
        word = line.strip()
        if not word:
            blank = blank or number
            continue
        if blank and distinct:
            raise UserError(
                "a blank line among the words", where=path, line=blank, remedy="give one word a line"
            )
        if word in words and distinct:
            problem = f"the word {word!r} was listed before, in line {words[word]}"
            raise UserError(problem, where=path, line=number, remedy="list every word once")
        words[word] = number
    if not words and distinct:
        raise UserError("the file lists no word", where=path, remedy="give one word a line")
    return tuple(words)
