"""Texts or lists of tokens as numbers of a vocabulary's words, faster than by building a corpus."""

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.corpus.metadata import storable, storable_all
from stickbreaker.corpus.readers.document_inputs import DocumentInput
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.text.analysis import Analysis
from stickbreaker.corpus.text.polylingual import PolylingualAnalysis
from stickbreaker.corpus.vocabulary import Vocabulary

_STRINGS = {str}


class TokenSequences(NamedTuple):
    """Documents as `Sequences`, as a corpus would read them, and the spelling of each token."""

    content: Sequences
    spelled: Sequence[str]  # (tokens,)


def token_sequences(
    given: DocumentInput, vocabulary: Vocabulary, analysis: Analysis | PolylingualAnalysis | None
) -> TokenSequences | None:
    """Texts or lists of tokens as sequences, equal to those of `Corpus.from_texts` and `from_tokens`.

    Returns None for what only a corpus can read or refuse: other input, wrong values, and vocabularies that
    are hashed or of several languages.

    >>> given = DocumentInput("texts", ["One cat. Two!"])
    >>> token_sequences(given, Vocabulary.of(["two"]), Analysis()).content.words.tolist()
    [-1, -1, 0]
    """
    if vocabulary.languages or vocabulary.hashed:
        return None
    if given.form == "tokens":
        return _of_tokens(given.values, vocabulary, analysis)
    if given.form == "texts" and isinstance(analysis, Analysis):
        return _of_texts(given.values, vocabulary, analysis.resolved())
    return None


def _of_tokens(
    values: list[Any], vocabulary: Vocabulary, analysis: Analysis | PolylingualAnalysis | None
) -> TokenSequences | None:
    """Lists of tokens as sequences of one sentence each.

    Returns None for other values, and if the analysis joins phrases.
    """
    if analysis is not None and analysis.phrases:
        return None
    flat = list(chain.from_iterable(values))
    if set(map(type, values)) - {list, tuple} or set(map(type, flat)) - _STRINGS:
        return None
    offsets = np.zeros(len(values) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, values), np.int64, len(values)), out=offsets[1:])
    starts = offsets[:-1][offsets[:-1] < offsets[1:]]
    return _numbered(storable_all(flat), offsets, starts, vocabulary)


def _of_texts(values: list[Any], vocabulary: Vocabulary, analysis: Analysis) -> TokenSequences | None:
    """Texts as sequences. Returns None for values that are not strings, and for texts with sentence marks.

    Such marks require a warning, which is issued when a corpus is built from the texts.
    """
    if set(map(type, values)) != _STRINGS or any(map(analysis.marks_in, values)):
        return None
    words: list[str] = []
    ends, starts = [0], list[int]()
    for text in map(storable, values):
        sentences = analysis.spaced_sentences(text)
        if sentences is None:
            found = analysis.analyse(text)
            starts += (found.sentences + len(words)).tolist()
            words += found.words
        else:
            for sentence in sentences:
                starts.append(len(words))
                words += sentence
        ends.append(len(words))
    return _numbered(words, np.array(ends), np.array(starts, np.int64), vocabulary)


def _numbered(
    tokens: list[str], offsets: NDArray[np.int64], starts: NDArray[np.int64], vocabulary: Vocabulary
) -> TokenSequences:
    return TokenSequences(Sequences(offsets, vocabulary.lookup(tokens), starts), tokens)
