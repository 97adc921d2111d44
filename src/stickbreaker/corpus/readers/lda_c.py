"""LDA-C: a line `M term:count term:count …` a document, terms numbered from 0 in a file of words."""

import re
from collections.abc import Iterator

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers.base import Reader, ReadingOptions
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.readers.sources import Source, lines_of

_NUMBER = re.compile(r"[0-9]{1,15}")
_PAIR = re.compile(r"([0-9]{1,15}):([0-9]{1,15})")
_SHAPE = "a line is: number of distinct words, then word:count, as in 2 0:1 7:3"


def read(source: Source, options: ReadingOptions, problems: Problems) -> Iterator[Document]:
    """Yield a bag for each line."""
    for number, line in lines_of(source, problems):
        try:
            words, weights = _bag(line.split(), options.words)
        except _BadLine as bad:
            error = UserError(bad.problem, where=source.name, line=number, remedy=bad.remedy)
            problems.report("bad LDA-C line", error)
            continue
        identity = f"{source.label}:{number}"
        yield Document(identity, words=words, weights=weights, where=source.name, line=number)


class _BadLine(Exception):
    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem, self.remedy = problem, remedy


def _bag(parts: list[str], vocabulary: tuple[str, ...]) -> tuple[list[str], list[float]]:
    if not parts:
        raise _BadLine("the line is blank", "an empty document is written 0")
    if not _NUMBER.fullmatch(parts[0]):
        raise _BadLine(f"{parts[0][:30]!r} is not a number of words", _SHAPE)
    if int(parts[0]) != len(parts) - 1:
        raise _BadLine(f"the line says {int(parts[0])} words and has {len(parts) - 1}", _SHAPE)
    counts: dict[int, float] = {}
    for part in parts[1:]:
        pair = _PAIR.fullmatch(part)
        if pair is None:
            raise _BadLine(_what_is_wrong(part), "counts are whole numbers above zero")
        word, count = int(pair[1]), int(pair[2])
        if count == 0:
            raise _BadLine(f"the count of word {word} is zero", "leave out words that do not occur")
        if word >= len(vocabulary):
            problem = f"word {word} is past the vocabulary of {len(vocabulary)} words"
            raise _BadLine(problem, "words are numbered from 0; check --vocab")
        if word in counts:
            raise _BadLine(f"word {word} occurs twice", "add its counts up")
        counts[word] = float(count)
    return [vocabulary[word] for word in counts], list(counts.values())


def _what_is_wrong(part: str) -> str:
    word, colon, count = part[:40].partition(":")
    if colon and _NUMBER.fullmatch(word) and re.fullmatch(r"-[0-9]+", count):
        return f"the count of word {int(word)} is negative ({count})"
    if colon and _NUMBER.fullmatch(word):
        return f"the count of word {int(word)} is not a whole number ({count!r})"
    return f"{part[:40]!r} is not word:count"


READER = Reader("lda-c", "LDA-C counts; needs --vocab", (".ldac", ".lda-c"), "bag", read)
