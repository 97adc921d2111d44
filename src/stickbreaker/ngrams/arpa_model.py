"""A language model read from an ARPA file, which scores documents like a saved model."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.records import Array
from stickbreaker.corpus import Analysis, Corpus, Vocabulary
from stickbreaker.corpus.readers.packing import BOM
from stickbreaker.corpus.readers.problems import Bad
from stickbreaker.corpus.readers.sources import Source, opened
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.text.analysis import SPACED
from stickbreaker.ngrams.backoff_model import BackoffModel
from stickbreaker.ngrams.model.contexts import Integers
from stickbreaker.ngrams.sentence_scores import Scores, empty_sentence_scores, scores_by
from stickbreaker.ngrams.word_numbers import Base, WordNumbers

_LOOKED_AT = 1 << 16  # bytes at the beginning of a file


def is_arpa(path: Path) -> bool:
    """Whether a file, perhaps packed, has the header `\\data\\` of the ARPA format near its beginning."""
    try:
        with opened(Source(str(path), path.name, path)) as file:
            lines = file.read(_LOOKED_AT).removeprefix(BOM).splitlines()
    except Bad:
        return False
    return any(line.strip() == b"\\data\\" for line in lines)


@dataclass(frozen=True, eq=False, repr=False)
class ArpaModel:
    """A language model read from an ARPA file, as a scorer of documents.

    Texts are read as KenLM and SRILM read them: one sentence per line, words between spaces; in lower case if
    no word of the file has a capital letter.

    >>> ArpaModel.read(Path("no-such"))
    Traceback (most recent call last):
    stickbreaker.core.errors.UserError: no-such: cannot be read: No such file or directory; check the path
    """

    backoff: BackoffModel
    analysis: Analysis  # how texts are read
    vocabulary: Vocabulary  # the words of the file
    base: Base  # the words' numbers; G0 is not used

    def __repr__(self) -> str:
        return f"ArpaModel({counted(len(self.vocabulary), 'word')}, order {self.backoff.order})"

    @classmethod
    def read(cls, path: Path) -> "ArpaModel":
        """Read a file. Raises UserError, with the line, if it is not in the format, or has no words."""
        model = BackoffModel.read(path)
        if not model.words:
            raise UserError("the model has no words", where=path, remedy="learn one from a text")
        analysis = Analysis(
            language=None,
            normalization=None,
            lowercase=all(word == word.lower() for word in model.words if not word.startswith("<")),
            stop_words="none",
            token_pattern=SPACED,
            min_length=1,
            sentences="line",
            sentence_marks="dropped",
            possessives="apart",
            letters="plain",
        )
        numbers = WordNumbers(np.arange(len(model.words)), model.words, spelled=False)
        return cls(model, analysis, Vocabulary.of(model.words), Base.even(numbers))

    @property
    def has_topics(self) -> bool:
        return False

    def scores(self, corpus: Corpus) -> Iterator[Scores]:
        """log p of every word and every end of a sentence of a corpus, block by block."""
        return scores_by(self._log_words, corpus, self.base)

    def scores_of_sentences(self, corpus: Corpus, seen: Corpus | None = None) -> Iterator[Scores]:
        """The same as `scores`: a sentence's score depends neither on other sentences nor on the documents
        `seen`."""
        return self.scores(corpus)

    def empty_sentence_scores(self) -> Scores:
        """log p of the end of a sentence without words."""
        return empty_sentence_scores(self._log_words, self.base)

    def _log_words(self, words: Integers, content: Sequences, log_base: Array) -> Array:
        starts = np.asarray(content.starts, np.int64)
        return self.backoff.log_probabilities_of_sentences(np.asarray(words, np.int64), starts)
