"""LDA-C: one line `M term:count term:count …` per document; terms are numbered from 0 in a file of words."""

from collections.abc import Iterator, Sequence

from stickbreaker.corpus.document import Document
from stickbreaker.corpus.readers.bags import Bag, count_of, number_of
from stickbreaker.corpus.readers.base import Reader, ReadingOptions
from stickbreaker.corpus.readers.problems import Bad, Problems
from stickbreaker.corpus.readers.sources import Source, lines_of

_KIND = "bad LDA-C line"
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
    n_words = number_of(_bytes(parts[0]), "the number of words", _SHAPE, _KIND)
    if n_words != len(parts) - 1:
        raise Bad(_KIND, f"the line says {n_words} words and has {len(parts) - 1}", _SHAPE)
    bag = Bag(words, 0, _KIND)
    for part in parts[1:]:
        word, colon, count = part.partition(":")
        if not colon:
            raise Bad(_KIND, f"{part[:40]!r} is not word:count", _SHAPE)
        number = number_of(_bytes(word), "the word", "words are numbered from 0", _KIND)
        bag.add(number, count_of(_bytes(count), f"the count of word {number}", _KIND))
    return bag


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


READER = Reader("lda-c", "LDA-C counts; needs --vocab", (".ldac", ".lda-c"), "bag", read)
