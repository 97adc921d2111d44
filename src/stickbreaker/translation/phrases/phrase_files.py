"""Phrase tables in Moses's text format: reading; writing with lexical weights, overall or of a document."""

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError, shown
from stickbreaker.core.records import Array
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.readers.sources import lines_of, one_source
from stickbreaker.corpus.shards import entries_between
from stickbreaker.corpus.text.numbered_words import FirstNumbers
from stickbreaker.translation.kernels.phrase_extraction import MOST
from stickbreaker.translation.phrases.phrase_model import PhraseModel
from stickbreaker.translation.phrases.phrase_places import number_phrases
from stickbreaker.translation.phrases.phrase_table import MOST_OPTIONS, GivenScores, PhraseCounts, PhraseTable
from stickbreaker.translation.sentence_tokens import escaped, unescaped

AT_ONCE = 1 << 15  # source phrases at a time
SEPARATOR = "|||"
BETWEEN = f" {SEPARATOR} "
LEAST = -100.0  # log of a score in nats, as in Moses
PENALTY = 2.718  # the constant fifth score of old tables
FORMAT = "write lines like: source ||| target ||| p(f|e) lex(f|e) p(e|f) lex(e|f) ||| links, such as 0-0 1-1"
_LINK = re.compile(r"([0-9]{1,9})-([0-9]{1,9})", re.ASCII)


class _Line(NamedTuple):
    """One translation of a source phrase, as a line of a Moses phrase table."""

    target: str
    scores: list[float]  # p(f | e), its lexical weight, p(e | f), its lexical weight
    links: int  # as bits
    counts: list[int]  # c(e), c(f), c(f, e); empty for a table read from a file


def phrase_table_lines(model: PhraseModel, shares: Array | None, min_p: float = 0.0) -> Iterator[str]:
    """The lines of a Moses phrase table: "source ||| target ||| scores ||| links ||| counts" for each
    translation with p(e | f) >= `min_p`, in byte order.

    The scores are p(f | e), the lexical weight of f given e, p(e | f) and the lexical weight of e given f.
    With topic `shares` (topics,), lexical weights are those in a document with these shares. Counts are c(e),
    c(f), c(f, e), absent for a table read from a file. Tokens are escaped as by Moses's
    escape-special-chars.perl.
    """
    model, table = replace(model, adapts=shares is not None), model.table
    source, target = (
        [escaped(word) for word in (*words, *more)]
        for words, more in zip(model.lexicon.bitext.words, table.more_words, strict=True)
    )
    used = np.flatnonzero(np.diff(table.starts) > 0)
    words, lengths = table.source_of(used)
    spelled = [
        " ".join(source[word] for word in row[:n])
        for row, n in zip(words.tolist(), lengths.tolist(), strict=True)
    ]
    order = sorted(range(len(used)), key=lambda row: (spelled[row] + BETWEEN).encode())
    for start in range(0, len(order), AT_ONCE):
        rows = order[start : start + AT_ONCE]
        for row, found in zip(rows, _translations(model, used[rows], target, shares, min_p), strict=True):
            for one in found:
                scores = " ".join(f"{p:.6g}" for p in one.scores)
                columns = [spelled[row], one.target, scores, _links(one.links)]
                yield BETWEEN.join([*columns, " ".join(map(str, one.counts))] if one.counts else columns)


def _translations(
    model: PhraseModel, phrases: NDArray[np.int64], words: list[str], shares: Array | None, min_p: float
) -> Iterator[list[_Line]]:
    """For each source phrase, its translations as lines to be written, in byte order.

    phrases: the numbers of the source phrases; words: the target words, escaped, by number; shares: topic
    shares of a document, or None; min_p: translations with a lower p(e | f) are left out.
    """
    table = model.table
    after, options = entries_between(table.starts[phrases], table.starts[phrases + 1])
    features = model.features_of(options, shares)
    lexical = features[:, 2:4] + features[:, 5:7] if model.adapts else features[:, 2:4]
    scores = np.exp(np.column_stack([features[:, 1], lexical[:, 1], features[:, 0], lexical[:, 0]]))
    counts = _counts(table.scores, options)
    ends, places = entries_between(table.offsets[options], table.offsets[options + 1])
    numbers = table.target_words[places].tolist()
    lines = [
        _Line(" ".join(words[number] for number in numbers[first:last]), own, links, together)
        for first, last, own, links, together in zip(
            ends[:-1].tolist(),
            ends[1:].tolist(),
            scores.tolist(),
            table.links[options].tolist(),
            counts,
            strict=True,
        )
    ]
    for first, last in zip(after[:-1].tolist(), after[1:].tolist(), strict=True):
        likely = (one for one in lines[first:last] if one.scores[2] >= min_p)
        yield sorted(likely, key=lambda one: (one.target + BETWEEN).encode())


def _links(mask: int) -> str:
    """The word links of a phrase pair, from a bit mask, as Moses writes them: "source-target" positions.

    >>> _links(0b1000001)
    '0-0 1-1'
    """
    pairs = (divmod(bit, MOST) for bit in range(MOST * MOST) if mask >> bit & 1)
    return " ".join(f"{source}-{target}" for source, target in pairs)


def _counts(scores: PhraseCounts | GivenScores, options: NDArray[np.int64]) -> list[list[int]]:
    """The counts [c(e), c(f), c(f, e)] of each translation; empty lists for a table read from a file."""
    if isinstance(scores, GivenScores):
        return [[]] * len(options)
    counts = scores.target_counts, scores.source_counts, scores.counts
    return np.stack([one[options] for one in counts], axis=1).tolist()


class GivenTable(NamedTuple):
    """A phrase table that was read from a file, and how many of the file's translations were left out."""

    table: PhraseTable
    too_long: int  # translations with more than 5 words on a side
    too_many: int  # translations of a source phrase beyond its 20 most probable


class PhrasePair(NamedTuple):
    """A line of a phrase table as it is read: a source phrase, its translation, scores and word links."""

    source: list[str]  # tokens as written
    target: list[str]
    scores: tuple[float, float, float, float]  # p(f | e), lex(f | e), p(e | f), lex(e | f)
    links: int  # as bits


def phrase_pair_of(line: str) -> PhrasePair | None:
    """Read a line of a phrase table; None if a phrase has more than MOST (5) words.

    Raises ValueError for an invalid line, which one without word links is too.

    >>> phrase_pair_of("das haus ||| the house ||| 0.5 0.4 1 0.6 ||| 0-0 1-1 ||| 2 1 1").links == 0b1000001
    True
    """
    columns = line.split(SEPARATOR)
    if len(columns) < 3:
        raise ValueError("fewer than three columns")
    source, target = (column.split() for column in columns[:2])
    if not (source and target):
        raise ValueError("a phrase without a word")
    if max(len(source), len(target)) > MOST:
        return None
    scores = [float(text) for text in columns[2].split()]
    if not (len(scores) == 4 or (len(scores) == 5 and abs(scores[4] - PENALTY) < 0.01)):
        raise ValueError(f"{len(scores)} scores, but there should be four")
    if not all(0.0 <= score <= 1.000001 for score in scores[:4]):
        raise ValueError("a score that is not a probability")
    links = 0
    for text in columns[3].split() if len(columns) > 3 else ():
        found = _LINK.fullmatch(text)
        if found is None:
            raise ValueError(f"{shown(text)} is not a link")
        s, t = int(found[1]), int(found[2])
        if s >= len(source) or t >= len(target):
            raise ValueError(f"the link {text} is beyond the phrase")
        links |= 1 << MOST * s + t
    if not links:
        raise ValueError("no word links, which topics need")
    return PhrasePair(source, target, (scores[0], scores[1], scores[2], scores[3]), links)


class _Numbers(dict[str, int]):
    """A dict from tokens, as escaped in a phrase table, to word numbers; a new word gets the next number when
    it is looked up.

    words: those with the numbers from 0; `new` has the words that were added.
    """

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__()
        self.known, self.words = len(words), FirstNumbers()
        self.words.of(words)

    def __missing__(self, token: str) -> int:
        self[token] = number = self.words[unescaped(token)]
        return number

    @property
    def new(self) -> tuple[str, ...]:
        return tuple(self.words.words[self.known :])


def read_phrase_table(path: Path, words: tuple[Sequence[str], Sequence[str]]) -> GivenTable:
    """Read a phrase table in the format of Moses and `phrase_table_lines`, compressed or not.

    `words`: the words of the bitext's source and target; others become the table's `more_words`. For each
    source phrase, the 20 translations with the highest p(e | f) are used, ties in order of lines. A score of
    0 becomes e^-100, as in Moses. Raises UserError, naming the line, for an invalid line and for a pair that
    occurs twice.
    """
    numbers = _Numbers(words[0]), _Numbers(words[1])
    sides, ends = (array("i"), array("i")), (array("q", [0]), array("q", [0]))
    scores, links, lines, too_long = array("d"), array("i"), array("q"), 0
    source = one_source(str(path), "give one file of phrases")
    for line, text in lines_of(source, Problems(skip=False, skippable=False)):
        try:
            pair = phrase_pair_of(text)
        except ValueError as error:
            raise UserError(f"not a phrase pair: {error}", where=path, line=line, remedy=FORMAT) from None
        if pair is None:
            too_long += 1
            continue
        for own, end, known, tokens in zip(sides, ends, numbers, pair[:2], strict=True):
            own.extend([known[token] for token in tokens])
            end.append(len(own))
        scores.extend(pair.scores)
        links.append(pair.links)
        lines.append(line)
    if not lines:
        problem = f"holds no phrase of at most {MOST} words"
        raise UserError(problem, where=path, remedy=FORMAT)
    f, e = (
        number_phrases(np.array(own, np.int32), end[:-1], np.diff(end).astype(np.int8), len(known.words))
        for own, end, known in zip(sides, map(np.array, ends), numbers, strict=True)
    )
    pairs = f[1].astype(np.int64) * int(e[0].starts[-1]) + e[1]
    _refuse_twice(pairs, np.array(lines), path)
    p = np.array(scores).reshape(-1, 4)
    order = np.lexsort((-p[:, 2], f[1]))
    of_phrase = f[1][order]
    kept = order[np.arange(len(order)) - np.searchsorted(of_phrase, of_phrase) < MOST_OPTIONS]
    with np.errstate(divide="ignore"):
        nats = np.clip(np.log(p[kept]), LEAST, 0.0)
    target_ends = np.array(ends[1])
    offsets, places = entries_between(target_ends[kept], target_ends[kept + 1])
    table = PhraseTable(
        f[0],
        np.searchsorted(f[1][kept], np.arange(f[0].starts[-1] + 1)),
        offsets,
        np.array(sides[1], np.int32)[places],
        np.array(links, np.int32)[kept],
        GivenScores(nats[:, [2, 0]], nats[:, [3, 1]]),
        (numbers[0].new, numbers[1].new),
    )
    return GivenTable(table, too_long, len(order) - len(kept))


def _refuse_twice(pairs: NDArray[np.int64], lines: NDArray[np.int64], path: Path) -> None:
    """Raise UserError, with the line, if a pair of phrases occurs twice. pairs: a number for each line's
    pair."""
    order = np.argsort(pairs, kind="stable")
    twice = order[1:][pairs[order[1:]] == pairs[order[:-1]]]
    if len(twice):
        line = int(lines[twice.min()])
        raise UserError("the pair of phrases occurs twice", where=path, line=line, remedy="give it once")
