"""LDA-C: one line `M term:count term:count …` per document; terms are numbered from 0 in a file of words."""

import re
from collections.abc import Iterator, Sequence

from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers.bags import Bag, checked_weight
from stickbreaker.corpus.readers.base import Reader, ReadingOptions
from stickbreaker.corpus.readers.problems import Bad, Problems
from stickbreaker.corpus.readers.sources import Source, lines_of

_KIND = "bad LDA-C line"
_NUMBER = re.compile(r"[0-9]{1,15}")
_PAIR = re.compile(r"([0-9]{1,15}):([0-9]{1,15})(?:\.0*)?")
_SHAPE = "a line is: number of distinct words, then word:count, as in 2 0:1 7:3"


def read(source: Source, options: ReadingOptions, problems: Problems) -> Iterator[Document]:
    """Yield a bag of words for each line, `M term:count …`; wrong and blank lines go to `problems`.

    M is the number of distinct words, a term the number of a word in `options.words`, from 0.
    """
    for number, line in lines_of(source, problems, options.largest_text):
        try:
            bag = _bag(line.split(), options.words)
        except Bad as bad:
            problems.tell(bad, source.name, number)
            continue
        yield bag.document(f"{source.label}:{number}", source.name, number)


def _bag(parts: list[str], words: Sequence[str]) -> Bag:
    if not parts:
        raise Bad(_KIND, "the line is blank", "write an empty document as 0")
    if not _NUMBER.fullmatch(parts[0]):
        raise Bad(_KIND, f"{parts[0][:30]!r} is not a number of words", _SHAPE)
    if int(parts[0]) != len(parts) - 1:
        raise Bad(_KIND, f"the line says {int(parts[0])} words and has {len(parts) - 1}", _SHAPE)
    bag = Bag(words, 0, _KIND)
    for part in parts[1:]:
        pair = _PAIR.fullmatch(part)
        if pair is None:
            raise Bad(_KIND, _what_is_wrong(part), "counts are whole numbers above zero")
        word, count = int(pair[1]), int(pair[2])
        if count == 0:
            raise Bad(_KIND, f"the count of word {word} is zero", "leave out words that do not occur")
        bag.add(word, checked_weight(float(count), pair[2].encode(), _KIND))
    return bag


def _what_is_wrong(part: str) -> str:
    word, colon, count = part[:40].partition(":")
    if colon and _NUMBER.fullmatch(word) and re.fullmatch(r"-[0-9]+", count):
        return f"the count of word {int(word)} is negative ({count})"
    if colon and _NUMBER.fullmatch(word):
        return f"the count of word {int(word)} is not a whole number ({count!r})"
    return f"{part[:40]!r} is not word:count"


READER = Reader("lda-c", "LDA-C counts; needs --vocab", (".ldac", ".lda-c"), "bag", read)
