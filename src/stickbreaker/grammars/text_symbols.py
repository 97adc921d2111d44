"""Reading texts and corpora as sentences of a grammar's terminals."""

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from numbers import Real
from typing import NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError, shown
from stickbreaker.corpus import Analysis, Corpus, Vocabulary
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.text.letters import MARKS
from stickbreaker.grammars.model.grammar_sentences import BOUNDARY, UNKNOWN, WordReader
from stickbreaker.grammars.model.named import mark_of

CHARACTERS = rf"[^\s\p{{M}}{MARKS}][\p{{M}}{MARKS}]*+|[\p{{M}}{MARKS}]++"  # a character with its marks
SPACED = r"\S++"
PATTERNS = {"characters": regex.compile(CHARACTERS), "spaced": regex.compile(SPACED)}
_PUNCTUATION = regex.compile(r"\p{P}")


def analysis_of_symbols(symbols: str) -> Analysis:
    """The analysis that splits a line, as one sentence, into symbols for a grammar.

    symbols: "characters" (spaces are left out), or "spaced": the words between spaces. Symbols are not
    normalised, apostrophes included.

    >>> analysis_of_symbols("characters").analyse("yu want").words
    ['y', 'u', 'w', 'a', 'n', 't']
    """
    return Analysis(
        language=None,
        normalization=None,
        lowercase=False,
        stop_words="none",
        token_pattern=PATTERNS[symbols].pattern,
        min_length=1,
        segmentation="pattern",
        sentences="document",
        letters="plain",
    )


def symbol_finder(analysis: Analysis) -> Callable[[str], list[str]]:
    """A function that splits a text into tokens as an analysis does, but much faster for symbols.

    It is faster if the analysis is one of `analysis_of_symbols`; else it calls the analysis.

    >>> symbol_finder(analysis_of_symbols("spaced"))("ih z  th")
    ['ih', 'z', 'th']
    """
    plain = replace(analysis, text_field="text", tags=None).resolved()
    for symbols, pattern in PATTERNS.items():
        if plain == analysis_of_symbols(symbols).resolved():
            return pattern.findall
    return lambda text: analysis.analyse(text).words


def known_words(given: object, symbols: str) -> dict[tuple[str, ...], float]:
    """Check the words that a user knows in advance: {tuple of symbols: count}, sorted.

    given: {word: count}, or a list of words, of which each occurrence counts once. `symbols`: what a word is
    made of, "characters" or "spaced". Raises UserError for anything else, a word without symbols, and a count
    that is not above 0.

    >>> known_words({"the": 3, "a": 1.5}, "characters")
    {('a',): 1.5, ('t', 'h', 'e'): 3.0}
    """
    if given is None:
        return {}
    remedy = 'known is {"word": count}, or a list of words'
    if isinstance(given, str) or not isinstance(given, Mapping | Iterable):
        raise UserError(f"known={shown(str(given))}", remedy=remedy)
    counts = given.items() if isinstance(given, Mapping) else ((word, 1.0) for word in given)
    found: dict[tuple[str, ...], float] = {}
    for word, count in counts:
        if not isinstance(word, str) or isinstance(count, bool) or not isinstance(count, Real):
            raise UserError(f"known has {shown(repr((word, count)))}", remedy=remedy)
        own = tuple(PATTERNS[symbols].findall(word))
        if not own:
            raise UserError(f"the known word {shown(word)} has no symbol", remedy="leave it out")
        number = float(count)
        if not 0.0 < number < float("inf"):
            raise UserError(f"the known word {shown(word)} counts {count}", remedy="give a number above 0")
        found[own] = found.get(own, 0.0) + number
    return dict(sorted(found.items()))  # in an order that does not depend on that of a file


class TextLines(NamedTuple):
    """Texts split into symbols: the symbols themselves, and their numbers in a vocabulary."""

    tokens: list[list[str]]  # the symbols of each text
    content: Sequences  # rows of the vocabulary, -1: not in it

    @classmethod
    def of(cls, texts: Iterable[str], analysis: AnyAnalysis, vocabulary: Vocabulary) -> "TextLines":
        """Split texts, each of which is one sentence, into symbols. Raises UserError for other types."""
        assert isinstance(analysis, Analysis)
        symbols_of = symbol_finder(analysis)
        tokens: list[list[str]] = []
        for text in texts:
            if not isinstance(text, str):
                raise UserError(f"a sentence has the type {type(text).__name__}", remedy="give a list of str")
            tokens.append(symbols_of(text))
        sizes = np.array([len(line) for line in tokens], np.int64)
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        rows = vocabulary.lookup(list(itertools.chain.from_iterable(tokens)))
        content = Sequences(offsets, np.asarray(rows, np.int32), offsets[:-1][sizes > 0])
        return cls(tokens, content)


def terminals_of(
    vocabulary: Vocabulary, terminals: tuple[str, ...], *, boundaries: bool
) -> NDArray[np.int64]:
    """(words + 1) For each word of a vocabulary, its number among the grammar's terminals.

    It is `UNKNOWN` for words that are not terminals and, with `boundaries`, `BOUNDARY` for punctuation marks.
    The last element, `UNKNOWN`, is for words outside the vocabulary (number -1).
    """
    numbers = {terminal: number for number, terminal in enumerate(terminals)}
    found = [
        BOUNDARY if boundaries and is_punctuation(word) else numbers.get(word, UNKNOWN)
        for word in vocabulary.words
    ]
    return np.array([*found, UNKNOWN], np.int64)


def is_punctuation(symbol: str) -> bool:
    """Whether a symbol begins with a punctuation mark."""
    return _PUNCTUATION.match(symbol) is not None


def word_reader(words: Iterable[str], terminals: tuple[str, ...], n_documents: int | None) -> WordReader:
    """The reader for the grammar "topic", in which each word is a sentence of its characters.

    words: the vocabulary; n_documents: how many documents have a symbol that marks them, with which their
    words begin; None: words have no marks.
    """
    numbers = {terminal: number for number, terminal in enumerate(terminals)}
    spelled = [[numbers.get(one, UNKNOWN) for one in characters_of(word)] for word in words]
    starts = np.cumsum([0, *map(len, spelled)], dtype=np.int64)
    letters = np.array([one for word in spelled for one in word], np.int32)
    if n_documents is None:
        return WordReader(letters, starts)
    marks = [numbers.get(mark_of(number), UNKNOWN) for number in range(n_documents)]
    return WordReader(letters, starts, np.array(marks, np.int32))


def characters_of(text: str) -> list[str]:
    """The characters of a text, each with its diacritics, without spaces."""
    return analysis_of_symbols("characters").analyse(text).words


def whole(corpus: Corpus) -> Sequences:
    """All documents of a corpus, in order, as one record of their word numbers."""
    return Sequences.join([corpus.sequences(block) for block in range(len(corpus.block_sizes))])
