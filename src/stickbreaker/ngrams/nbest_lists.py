"""N-best lists of translations or transcriptions, in Moses' format or plain: read, changed, written."""

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from stickbreaker.core.errors import UserError, shown
from stickbreaker.core.records import Array
from stickbreaker.corpus.readers.problems import ReadingWarning
from stickbreaker.corpus.readers.sources import listed_lines

SEPARATOR = "|||"
MOST_LEFT_OUT = 10_000  # sentences without a candidate
MORE_LEFT_OUT = 100  # per candidate
REMEDY = "give lines of number ||| text ||| score, or like Moses: number ||| text ||| NAME= values ||| score"


class Candidate(NamedTuple):
    """A translation or transcription of a sentence, with the features of the system that made it."""

    sentence: int  # its number in the list
    text: str
    features: Mapping[str, tuple[float, ...]]  # by name, in the order of the file
    score: float
    rest: tuple[str, ...]  # further columns, such as alignments

    @property
    def values(self) -> tuple[float, ...]:
        """The values of all features of the candidate, concatenated."""
        return tuple(value for values in self.features.values() for value in values)

    def line(self) -> str:
        """The candidate as a line of an n-best list in Moses' format, without a line end.

        >>> candidate_of("0 ||| a house ||| LM= -1.5 TM= -2 -3 ||| -4").line()
        '0 ||| a house ||| LM= -1.5 TM= -2 -3 ||| -4'
        """
        features = " ".join(
            f"{name}= {' '.join(f'{value:.9g}' for value in values)}"
            for name, values in self.features.items()
        )
        columns = (str(self.sentence), self.text, features, f"{self.score:.9g}", *self.rest)
        return f" {SEPARATOR} ".join(columns)


def candidate_of(line: str) -> Candidate:
    """Read a line of an n-best list. Raises ValueError if it is not a candidate.

    The columns are number, text, features and score, as Moses writes them; or number, text and score; or
    number and text alone, with the score 0.

    >>> candidate_of("0 ||| a house ||| -4").line()
    '0 ||| a house |||  ||| -4'
    """
    columns = [column.strip() for column in line.split(SEPARATOR)]
    if len(columns) < 2:
        raise ValueError("one column, but a candidate has two to four")
    if len(columns) < 4:
        columns = [*columns[:2], "", columns[2] if len(columns) == 3 else "0"]
    features: dict[str, list[float]] = {}
    name = ""
    for piece in columns[2].split():
        if piece.endswith("="):
            name = piece[:-1]
            if name in features:
                raise ValueError(f"the feature {shown(name)} occurs twice")
            features[name] = []
        elif not name:
            raise ValueError(f"expected the name of a feature, not {shown(piece)}")
        else:
            features[name].append(_number(piece))
    number = int(columns[0])
    if number < 0:
        raise ValueError(f"the sentence {number}")
    held = {one: tuple(values) for one, values in features.items()}
    return Candidate(number, columns[1], held, _number(columns[3]), tuple(columns[4:]))


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{shown(text)} is not finite")
    return value


def read_candidates(path: Path, n_sentences: int | None = None) -> list[list[Candidate]]:
    """The candidates of each sentence in an n-best list, in the order of the file; a sentence may have none.

    n_sentences: how many sentences there are, if that is known. Sentences are numbered from 0; from 1 if the
    first number is 1 and the last one is `n_sentences`. A ReadingWarning is issued if the first number is 1
    and it cannot be known what that means. Raises UserError, naming the line, if a line is not a candidate,
    if sentences are not numbered in order, or if the features are not the same in all lines; and if there is
    no candidate.
    """
    lists: list[list[Candidate]] = []
    n_read = 0
    names: list[tuple[str, int]] | None = None
    for line, text in listed_lines(str(path), REMEDY, skippable=False):
        if not text.strip():
            continue
        try:
            one = candidate_of(text)
        except ValueError as error:
            problem = f"not a candidate ({str(error)[:200]})"
            raise UserError(problem, where=path, line=line, remedy=REMEDY) from None
        own = [(name, len(values)) for name, values in one.features.items()]
        names = own if names is None else names
        if own != names:
            remedy = "give every candidate the same features in the same order"
            raise UserError(
                "the features differ from the first candidate's", where=path, line=line, remedy=remedy
            )
        last, n_read = len(lists) - 1, n_read + 1
        if not last <= one.sentence <= MOST_LEFT_OUT + MORE_LEFT_OUT * n_read:
            problem = f"the sentence {str(one.sentence)[:30]} {f'after {last}' if lists else 'first'}"
            raise UserError(problem, where=path, line=line, remedy="number the sentences in order, from 0")
        lists.extend([] for _ in range(one.sentence - last))
        lists[-1].append(one)
    if not lists:
        raise UserError("holds no candidate", where=path, remedy=REMEDY)
    if len(lists) > 1 and lists[1] and not lists[0]:
        if len(lists) - 1 == n_sentences:
            return lists[1:]
        remark = f"{path} has no candidate of sentence 0: if it is numbered from 1, number it from 0"
        warnings.warn(ReadingWarning(remark), stacklevel=2)
    return lists


def with_feature(
    lists: Sequence[Sequence[Candidate]], name: str, values: Sequence[Array]
) -> list[list[Candidate]]:
    """The candidates of each sentence with an additional feature; values: for each sentence, one value per
    candidate."""
    return [
        [
            one._replace(features={**one.features, name: (value,)})
            for one, value in zip(candidates, own.tolist(), strict=True)
        ]
        for candidates, own in zip(lists, values, strict=True)
    ]


def best_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Candidates by descending score; ties keep their order."""
    return sorted(candidates, key=lambda one: -one.score)


def lines_of(lists: Iterable[Sequence[Candidate]]) -> Iterator[str]:
    """The lines of an n-best list with these candidates, in the order given, each with its line end.

    The number at the beginning of a line is the candidate's `sentence`, wherever its list is in `lists`.
    """
    for candidates in lists:
        for one in candidates:
            yield one.line() + "\n"
