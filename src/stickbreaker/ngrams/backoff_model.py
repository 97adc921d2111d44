"""A backoff language model, read from an ARPA file or made from an n-gram model."""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError, counted, shown
from stickbreaker.core.records import Array
from stickbreaker.corpus.readers.problems import Bad
from stickbreaker.corpus.readers.sources import Source, opened
from stickbreaker.ngrams.arpa import BEGINNING, write_arpa
from stickbreaker.ngrams.kernels.backoff_trigrams import (
    ROOT,
    BackoffArrays,
    fill_slots_of_nodes,
    fill_suffixes,
    score_sentences,
    score_words,
)
from stickbreaker.ngrams.ngram_learned import NgramLearned
from stickbreaker.ngrams.word_numbers import END, UNKNOWN

if TYPE_CHECKING:
    from stickbreaker.ngrams.ngram import NgramModel

HIGHEST_ORDER = 10
LN_10 = 2.302585092994046
LEAST = -99.0  # log10 p of what never occurs
UNKNOWN_FLOOR = -10.0 * LN_10  # log p (nats) of unknown words if the model has no <unk>
_REMEDY = "export the model again, for instance by `stickbreaker export --format arpa`"
_BLANKS = " \t\r\n"  # other kinds of space may be in words
_SPACE = re.compile(r"[ \t]+")
_COUNT = re.compile(r"ngram[ \t]+([0-9]{1,3})[ \t]*=[ \t]*([0-9]{1,15})")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?|-inf(?:inity)?", re.IGNORECASE)
_OF_IRSTLM = re.compile(r"[iq]ARPA(?![^ \t])")


@dataclass(frozen=True, eq=False)
class BackoffModel:
    """A backoff language model: computes p(word | the words before it). Callers number words by their place
    in `words`; any other number, such as -1, is an unknown word."""

    words: tuple[str, ...]  # the list
    order: int  # length of the longest n-grams
    arrays: BackoffArrays  # what kernels read

    @classmethod
    def read(cls, path: Path, words: Sequence[str] | None = None) -> "BackoffModel":
        """Read a file in the ARPA format, perhaps packed, as `stickbreaker export`, KenLM and SRILM write it.

        A backoff weight of an n-gram of the highest order is ignored, as SRILM does.

        words: the words that the caller will ask for, which number them; None: the words of the file, without
        marks. Words that the file lacks get the probability of its `<unk>`, or 10^-10 if it has none. Raises
        UserError, with the line, if the file is not in the format.
        """
        try:
            with opened(Source(str(path), path.name, path)) as content:
                reader = _NgramReader(io.TextIOWrapper(content, "utf-8-sig", newline="\n"), path)
                ngrams = reader.ngrams()
        except Bad as bad:
            raise bad.at(path).replace(remedy=_REMEDY) from None
        if words is None:
            words = [word for word in reader.places if word not in (BEGINNING, END, UNKNOWN)]
        return cls(tuple(words), len(ngrams), _arrays(ngrams, reader.places, words, path))

    @classmethod
    def of(cls, model: "NgramLearned | NgramModel", words: Sequence[str], sample: int = -1) -> "BackoffModel":
        """The backoff model of one sample of a learned n-gram model, counted from 0; -1 is the last.

        words: the words that the caller will ask for, which number them; those that the model lacks are
        unknown. Raises UserError for a model of unbounded order.
        """
        learned: Any = getattr(model, "learned_", model)
        with TemporaryDirectory() as place:
            path = Path(place) / "model.arpa"
            write_arpa(learned.model, learned.base, path, sample)
            return cls.read(path, words)

    def log_probabilities(self, words: NDArray[np.int64]) -> Array:
        """log p in nats of each word of a sentence, given by number, and of its end (words + 1)."""
        log_p = np.empty(len(words) + 1)
        score_words(self.arrays, words, log_p)
        return log_p

    def log_probabilities_of_sentences(self, words: NDArray[np.int64], starts: NDArray[np.int64]) -> Array:
        """log p in nats of the words of sentences, given by number, and of the end after each sentence (words
        + sentences).

        starts (sentences): where each begins in `words`, ascending from 0.
        """
        log_p = np.empty(len(words) + len(starts))
        score_sentences(self.arrays, words, starts, log_p)
        return log_p


class _Ngrams(NamedTuple):
    """The n-grams of one order in a file."""

    words: NDArray[np.int64]  # n-grams × order: positions of the words among the unigrams
    log_p: Array  # nats
    back_off: Array  # log weights (nats)
    lines: NDArray[np.int64]  # line of the file


def _arrays(ngrams: list[_Ngrams], places: dict[str, int], words: Sequence[str], path: Path) -> BackoffArrays:
    """The arrays for kernels of a model that was read from a file; `ngrams` has an entry per order.

    A node is an n-gram or the context of one. Nodes are sorted by order, then by the node of the context,
    then by the last word. A context that is not an n-gram of the model itself (in a pruned model) becomes a
    node with the log p NaN. places: each word's position among the unigrams; words: those that the caller
    will ask for. Raises UserError if an n-gram occurs twice.
    """
    keys, nodes = nodes_of([one.words for one in ngrams], len(places))
    log_p, back_off = np.full(1 + len(places) + len(keys), np.nan), np.zeros(1 + len(places) + len(keys))
    log_p[ROOT] = 0.0
    for at, own in zip(nodes, ngrams, strict=True):
        _refuse_doubles(at, own.lines, path)
        log_p[at], back_off[at] = own.log_p, own.back_off
    marks = Marks(places[UNKNOWN], places[END], places[BEGINNING])
    numbers = np.array([places.get(word, marks.unknown) for word in words], np.int64)
    return linked(keys, log_p, back_off, numbers, len(places), marks)


def nodes_of(
    ngrams: Sequence[NDArray[np.int64]], n_words: int
) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """Number all n-grams and their contexts as nodes: returns the keys of nodes of two or more words, and for
    each order the node of each n-gram.

    `ngrams`: for each order, word numbers (n-grams × order). A key is context · n_words + word, where the
    context is a node; single words are the nodes 1 to n_words, and keys[0] belongs to the node n_words + 1.
    """
    nodes = [words[:, 0] + 1 for words in ngrams]  # of the first words of each n-gram
    keys: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    first = n_words + 1
    for level in range(1, len(ngrams)):
        wanted = [nodes[n] * n_words + ngrams[n][:, level] for n in range(level, len(ngrams))]
        found = np.unique(np.concatenate(wanted))
        for n, each in enumerate(wanted, level):
            nodes[n] = first + np.searchsorted(found, each)
        keys.append(found)
        first += len(found)
    return np.concatenate(keys), nodes


class Marks(NamedTuple):
    """The numbers of the special words in a backoff model."""

    unknown: int
    end: int  # the end of a sentence
    beginning: int


def linked(
    keys: NDArray[np.int64],
    log_p: Array,
    back_off: Array,
    numbers: NDArray[np.int64],
    n_words: int,
    marks: Marks,
) -> BackoffArrays:
    """Complete the arrays of a model whose nodes have the keys from `nodes_of`: add the hash table, suffixes
    and states.

    log_p (nodes, nats): NaN if a node is only a context; back_off (nodes): log weights (nats); numbers: for
    each word that the caller will ask for, its number in the model; n_words: words of the model.
    """
    first = n_words + 1
    slots = np.full((1 << (2 * len(keys) + 1).bit_length(), 2), -1, np.int64)
    fill_slots_of_nodes(keys, first, slots)
    shorter, states = np.empty(len(log_p), np.int64), np.empty(len(log_p), np.int64)
    fill_suffixes(keys, first, n_words, slots, back_off, shorter, states)
    beginning = int(states[marks.beginning + 1])
    return BackoffArrays(
        numbers, marks.unknown, marks.end, n_words, beginning, slots, log_p, back_off, shorter, states
    )


def _refuse_doubles(nodes: NDArray[np.int64], lines: NDArray[np.int64], path: Path) -> None:
    """Raise UserError if an n-gram occurs twice, with the line of the second.

    nodes, lines (n-grams of one order): the node and the line in the file of each.
    """
    if len(np.unique(nodes)) == len(nodes):
        return
    order = np.argsort(nodes, kind="stable")
    twice = order[1:][nodes[order[1:]] == nodes[order[:-1]]]
    line = int(lines[twice].min())
    raise UserError("the n-gram occurs twice", where=path, line=line, remedy=_REMEDY)


class _NgramReader:
    """Reads the n-grams of an ARPA file, order by order."""

    def __init__(self, file: TextIO, path: Path) -> None:
        self.file, self.path, self.number = file, path, 0
        self.places: dict[str, int] = {}  # word → its position among the unigrams

    def ngrams(self) -> list[_Ngrams]:
        """Read the n-grams of all orders, and number the words in `places`.

        The unigrams get an `<unk>` if the file has none. Raises UserError, with the line, if the file is not
        in the format.
        """
        counts = self._counts()
        found = [self._section(order, count) for order, count in enumerate(counts, 1)]
        found[-1] = found[-1]._replace(back_off=np.zeros_like(found[-1].back_off))
        if self._line() != "\\end\\":
            raise self._error(f"expected \\end\\ after {counted(counts[-1], 'n-gram')}")
        for mark in (BEGINNING, END):
            if mark not in self.places:
                raise self._error(f"the model has no word {mark}")
        if UNKNOWN not in self.places:
            self.places[UNKNOWN] = len(self.places)
            first, one = found[0], np.array([[self.places[UNKNOWN]]])
            log_p, back_off = np.append(first.log_p, UNKNOWN_FLOOR), np.append(first.back_off, 0.0)
            found[0] = _Ngrams(np.concatenate([first.words, one]), log_p, back_off, np.append(first.lines, 0))
        return found

    def _counts(self) -> list[int]:
        """Skip to the header and read it: the number of n-grams of each order. Also reads the heading of the
        unigrams."""
        line = self._line()
        while line != "\\data\\":
            if _OF_IRSTLM.match(line):
                problem = "the file is of a form of IRSTLM whose numbers are not probabilities"
                remedy = "convert it to ARPA by IRSTLM's compile-lm"
                raise UserError(problem, where=self.path, line=self.number, remedy=remedy)
            line = self._line()
        counts: list[int] = []
        line = self._line()
        while found := _COUNT.fullmatch(line):
            if int(found[1]) != len(counts) + 1:
                raise self._error(f"expected the number of n-grams of order {len(counts) + 1}")
            counts.append(int(found[2]))
            line = self._line()
        if line.startswith("ngram"):
            raise self._error("expected a number of n-grams of at most 15 digits, as in ngram 1=200")
        if not 1 <= len(counts) <= HIGHEST_ORDER:
            raise self._error(f"the highest order must be from 1 to {HIGHEST_ORDER}, not {len(counts)}")
        self._expect(line, 1)
        return counts

    def _section(self, order: int, count: int) -> _Ngrams:
        """Read the `count` lines of n-grams of an order; for orders above 1, the section's heading before
        them too."""
        if order > 1:
            self._expect(self._line(), order)
        words: list[list[int]] = []
        weights: list[tuple[float, float]] = []
        lines: list[int] = []
        for _ in range(count):
            values = _SPACE.split(self._line())
            if len(values) - order not in (1, 2):
                raise self._error(f"expected an n-gram of order {order} with its probability")
            weights.append(self._weights(values, order))
            words.append(self._words(values[1 : order + 1]))
            lines.append(self.number)
        log_p, back_off = np.array(weights, np.float64).reshape(-1, 2).T * LN_10
        if (log_p > 0.0).any():
            at = lines[int(log_p.argmax())]
            raise UserError("a probability is above 1", where=self.path, line=at, remedy=_REMEDY)
        return _Ngrams(np.array(words, np.int64).reshape(-1, order), log_p, back_off, np.array(lines))

    def _words(self, words: list[str]) -> list[int]:
        """The positions of an n-gram's words among the unigrams; a unigram itself gets the next position.

        `<UNK>` is read as `<unk>`, as in KenLM. Raises UserError for a repeated unigram, and for words that
        are not unigrams.
        """
        words = [UNKNOWN if word == "<UNK>" else word for word in words]
        if len(words) == 1:
            if words[0] in self.places:
                raise self._error(f"the word {shown(words[0])} occurs twice")
            self.places[words[0]] = len(self.places)
        try:
            return [self.places[word] for word in words]
        except KeyError as error:
            raise self._error(f"the word {shown(error.args[0])} is not a unigram of the file") from None

    def _weights(self, values: list[str], order: int) -> tuple[float, float]:
        """log10 of the probability and of the backoff weight (0 if there is none), from the columns of a
        line.

        Values below -99 become -99. Raises UserError if they are not numbers.
        """
        numbers = [values[0], *values[order + 1 :]]
        if not all(map(_NUMBER.fullmatch, numbers)):
            raise self._error("expected numbers before and after the words")
        log_p, back_off = float(numbers[0]), float(numbers[-1]) if len(numbers) > 1 else 0.0
        if not (log_p < np.inf and back_off < np.inf):
            raise self._error("expected numbers before and after the words")
        return max(log_p, LEAST), max(back_off, LEAST)

    def _expect(self, line: str, order: int) -> None:
        if line != f"\\{order}-grams:":
            raise self._error(f"expected \\{order}-grams:")

    def _line(self) -> str:
        """The next line that is not empty, without spaces at its ends. Raises UserError at the end of the
        file."""
        try:
            for line in self.file:
                self.number += 1
                if text := line.strip(_BLANKS):
                    return text
        except UnicodeDecodeError:
            self.number += 1
            raise self._error("is not UTF-8") from None
        raise self._error("the file ends too soon")

    def _error(self, problem: str) -> UserError:
        return UserError(problem, where=self.path, line=self.number, remedy=_REMEDY)
