"""Reading texts and corpora as sentences of a grammar's terminals."""

import itertools
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
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
    """The analysis that reads a line as a sentence of symbols: "characters" except spaces, or "spaced" (text
    between spaces). Symbols are not normalised, apostrophes included.

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
    """A function that finds the tokens of a text like `analysis`; several times faster for symbols.

    >>> symbol_finder(analysis_of_symbols("spaced"))("ih z  th")
    ['ih', 'z', 'th']
    """
    plain = replace(analysis, text_field="text", tags=None).resolved()
    for symbols, pattern in PATTERNS.items():
        if plain == analysis_of_symbols(symbols).resolved():
            return pattern.findall
    return lambda text: analysis.analyse(text).words


class TextLines(NamedTuple):
    """Texts as symbols, and as numbers of symbols."""

    tokens: list[list[str]]  # the symbols of each text
    content: Sequences  # rows of the vocabulary, -1: not in it

    @classmethod
    def of(cls, texts: Iterable[str], analysis: AnyAnalysis, vocabulary: Vocabulary) -> "TextLines":
        """Analyse texts, each of which is one sentence. Raises UserError for one that is not a string."""
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
    """The terminal number of each vocabulary row, followed by the one for words outside the vocabulary
    (`UNKNOWN`).

    With `boundaries`, punctuation marks get the number `BOUNDARY`.
    """
    numbers = {terminal: number for number, terminal in enumerate(terminals)}
    found = [
        BOUNDARY if boundaries and is_punctuation(word) else numbers.get(word, UNKNOWN)
        for word in vocabulary.words
    ]
    return np.array([*found, UNKNOWN], np.int64)


def is_punctuation(symbol: str) -> bool:
    """Whether a symbol is a mark of punctuation."""
    return _PUNCTUATION.match(symbol) is not None


def word_reader(words: Iterable[str], terminals: tuple[str, ...], n_documents: int | None) -> WordReader:
    """The reader of the grammar "topic", for words by number; n_documents: the number of documents with
    marks, or None."""
    numbers = {terminal: number for number, terminal in enumerate(terminals)}
    spelled = [[numbers.get(one, UNKNOWN) for one in characters_of(word)] for word in words]
    starts = np.cumsum([0, *map(len, spelled)], dtype=np.int64)
    letters = np.array([one for word in spelled for one in word], np.int32)
    if n_documents is None:
        return WordReader(letters, starts)
    marks = [numbers.get(mark_of(number), UNKNOWN) for number in range(n_documents)]
    return WordReader(letters, starts, np.array(marks, np.int32))


def characters_of(text: str) -> list[str]:
    """The characters of a text with their diacritics, without spaces."""
    return analysis_of_symbols("characters").analyse(text).words


def whole(corpus: Corpus) -> Sequences:
    """All documents of a corpus, in order."""
    return Sequences.join([corpus.sequences(block) for block in range(len(corpus.block_sizes))])
