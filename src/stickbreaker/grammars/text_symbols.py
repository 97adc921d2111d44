"""The sentences of a corpus as a grammar reads them: terminals by number."""

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
    """The analysis by which a line is a sentence of symbols: "characters" but for spaces, or "spaced", what
    stands between spaces. Symbols stay as they are written, apostrophes too.

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
    """What finds the tokens of a text, as `analysis` does; several times faster for one of symbols.

    >>> symbol_finder(analysis_of_symbols("spaced"))("ih z  th")
    ['ih', 'z', 'th']
    """
    plain = replace(analysis, text_field="text", tags=None).resolved()
    for symbols, pattern in PATTERNS.items():
        if plain == analysis_of_symbols(symbols).resolved():
            return pattern.findall
    return lambda text: analysis.analyse(text).words


class TextLines(NamedTuple):
    """Texts as their symbols, and these by number."""

    tokens: list[list[str]]  # of each text, as they stand there
    content: Sequences  # rows of the vocabulary, -1: not in it

    @classmethod
    def of(cls, texts: Iterable[str], analysis: AnyAnalysis, vocabulary: Vocabulary) -> "TextLines":
        """Texts, each of them a sentence. Raises UserError for what is no text."""
        assert isinstance(analysis, Analysis)
        symbols_of = symbol_finder(analysis)
        tokens: list[list[str]] = []
        for text in texts:
            if not isinstance(text, str):
                raise UserError(f"a sentence of the type {type(text).__name__}", remedy="give a list of str")
            tokens.append(symbols_of(text))
        sizes = np.array([len(line) for line in tokens], np.int64)
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        rows = vocabulary.lookup(list(itertools.chain.from_iterable(tokens)))
        content = Sequences(offsets, np.asarray(rows, np.int32), offsets[:-1][sizes > 0])
        return cls(tokens, content)


def terminals_of(
    vocabulary: Vocabulary, terminals: tuple[str, ...], *, boundaries: bool
) -> NDArray[np.int64]:
    """The terminal of each row of a vocabulary, and of what is not in it (the last)."""
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
    """How a grammar of topics reads the words of documents, by number; n_documents: how many have marks, None
    if none has."""
    numbers = {terminal: number for number, terminal in enumerate(terminals)}
    spelled = [[numbers.get(one, UNKNOWN) for one in characters_of(word)] for word in words]
    starts = np.cumsum([0, *map(len, spelled)], dtype=np.int64)
    letters = np.array([one for word in spelled for one in word], np.int32)
    if n_documents is None:
        return WordReader(letters, starts)
    marks = [numbers.get(mark_of(number), UNKNOWN) for number in range(n_documents)]
    return WordReader(letters, starts, np.array(marks, np.int32))


def characters_of(text: str) -> list[str]:
    """The characters of a text with their marks, spaces left out."""
    return analysis_of_symbols("characters").analyse(text).words


def whole(corpus: Corpus) -> Sequences:
    """All documents of a corpus, in order."""
    return Sequences.join([corpus.sequences(block) for block in range(len(corpus.block_sizes))])
