"""The sentences of a corpus as a grammar reads them: terminals by number."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Analysis, Corpus, Vocabulary
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.models.grammars.compiled import Integers
from stickbreaker.models.grammars.named import mark_of

CHARACTERS = r"[^\s\p{M}]\p{M}*+|\p{M}++"  # a character with its marks
SPACED = r"\S++"
UNKNOWN, BOUNDARY = -1, -2  # in place of a terminal: the grammar has none; a sentence ends there
_PUNCTUATION = regex.compile(r"\p{P}")


def analysis_of_symbols(symbols: str) -> Analysis:
    """The analysis by which a line is a sentence of symbols: "characters" but for blanks, or "spaced", what
    stands between blanks. Symbols stay as they are written, apostrophes too.

    >>> analysis_of_symbols("characters").analyse("yu want").words
    ['y', 'u', 'w', 'a', 'n', 't']
    """
    pattern = CHARACTERS if symbols == "characters" else SPACED
    return Analysis(
        language=None,
        normalization=None,
        lowercase=False,
        stop_words="none",
        token_pattern=pattern,
        min_length=1,
        segmentation="pattern",
        sentences="document",
    )


class Lines(NamedTuple):
    """Texts as their symbols, and these by number."""

    tokens: list[list[str]]  # of each text, as they stand there
    content: Sequences  # rows of the vocabulary, -1: not in it

    @classmethod
    def of(cls, texts: Iterable[str], analysis: AnyAnalysis, vocabulary: Vocabulary) -> "Lines":
        """Texts, each of them a sentence. Raises UserError for what is no text."""
        assert isinstance(analysis, Analysis)
        tokens: list[list[str]] = []
        for text in texts:
            if not isinstance(text, str):
                raise UserError(f"a sentence of the type {type(text).__name__}", remedy="give a list of str")
            tokens.append(analysis.analyse(text).words)
        sizes = np.array([len(line) for line in tokens], np.int64)
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        rows = vocabulary.lookup([one for line in tokens for one in line])
        content = Sequences(offsets, np.asarray(rows, np.int32), offsets[:-1][sizes > 0])
        return cls(tokens, content)


class Sentences(NamedTuple):
    """Sentences of terminals, one after the other."""

    letters: Integers  # terminals; UNKNOWN where the grammar has none
    starts: NDArray[np.int64]  # sentences + 1
    documents: NDArray[np.int64]  # sentences: the place of each one's document

    def take(self, kept: NDArray[np.bool_]) -> "Sentences":
        """Some of them."""
        sizes = np.diff(self.starts)
        return Sentences(
            self.letters[np.repeat(kept, sizes)],
            np.concatenate([[0], np.cumsum(sizes[kept])]),
            self.documents[kept],
        )

    def __getitem__(self, number: int) -> Integers:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.letters[self.starts[number] : self.starts[number + 1]]


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


def sentences_of(content: Sequences, numbers: NDArray[np.int64], documents: NDArray[np.int64]) -> Sentences:
    """The sentences of documents, parted where a boundary is; documents: their places in the corpus."""
    letters = numbers[content.words]
    begins = np.zeros(len(letters) + 1, np.bool_)
    begins[content.starts] = True
    boundary = letters == BOUNDARY
    begins[1:] |= boundary
    kept = ~boundary
    sentence = np.cumsum(begins[:-1])[kept]
    owners = np.repeat(np.arange(len(content.offsets) - 1), np.diff(content.offsets))[kept]
    new = np.flatnonzero(np.diff(sentence, prepend=-1))
    return Sentences(
        letters[kept].astype(np.int32), np.append(new, len(sentence)).astype(np.int64), documents[owners[new]]
    )


def words_as_sentences(
    content: Sequences,
    vocabulary: Vocabulary,
    terminals: tuple[str, ...],
    documents: NDArray[np.int64],
) -> Sentences:
    """Each word of documents as a sentence: its document's mark, then its characters.

    documents: their places in the corpus, by which marks are numbered.
    """
    numbers = {terminal: number for number, terminal in enumerate(terminals)}
    spelled = [[numbers.get(one, UNKNOWN) for one in characters_of(word)] for word in vocabulary.words]
    owners = np.repeat(np.arange(len(content.offsets) - 1), np.diff(content.offsets))
    owners = documents[owners]
    known = content.words >= 0
    letters: list[int] = []
    starts = [0]
    for word, owner in zip(content.words[known].tolist(), owners[known].tolist(), strict=True):
        letters.append(numbers.get(mark_of(owner), UNKNOWN))
        letters += spelled[word]
        starts.append(len(letters))
    return Sentences(np.array(letters, np.int32), np.array(starts, np.int64), owners[known])


def characters_of(text: str) -> list[str]:
    """The characters of a text with their marks, blanks left out."""
    return analysis_of_symbols("characters").analyse(text).words


def whole(corpus: Corpus) -> Sequences:
    """All documents of a corpus, in order."""
    return Sequences.join([corpus.sequences(block) for block in range(len(corpus.block_sizes))])
