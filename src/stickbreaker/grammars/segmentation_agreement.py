"""Agreement of a segmentation with a gold standard: precision, recall, F1."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stickbreaker.core.json_checks import is_amount, is_count, record_with
from stickbreaker.learning.run import ScoreNames
from stickbreaker.learning.trace import TraceRecord

SEGMENTATION = "segmentation"  # in a grammar's trace: agreement of its segmentation with known words
TRACE_FIELDS = {
    SEGMENTATION: record_with({"documents": is_count, "token_f1": is_amount, "boundary_f1": is_amount})
}


class Agreement(NamedTuple):
    """Precision, recall and F1 of a set of items against a gold standard, from 0 to 1."""

    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, right: int, found: int, gold: int) -> "Agreement":
        """The agreement, from the numbers of correct items, of items found and of items in the gold standard.

        Precision is 1 if no items were found, recall is 1 if the gold standard has none, F1 is 1 if both.
        """
        precision, recall = (right / n if n else 1.0 for n in (found, gold))
        f1 = 2.0 * right / (found + gold) if found + gold else 1.0
        return cls(precision, recall, f1)


class GrammarScores(ScoreNames):
    """The names of a grammar's scores in progress lines, which also show the F1 of words."""

    __slots__ = ()

    def figures(self, record: TraceRecord) -> str:
        return f", F1 {record[SEGMENTATION]['token_f1']:.3f}" if SEGMENTATION in record else ""


class Segmentation(NamedTuple):
    """How a segmentation agrees with the reference: precision, recall and F1 of three kinds of items.

    token: words in their places (both ends right); boundary: boundaries within sentences; type: the words of
    the lexicon, each counted once.
    """

    token: Agreement
    boundary: Agreement
    type: Agreement


def segmentation_of(found: Sequence[Sequence[str]], gold: Sequence[Sequence[str]]) -> Segmentation:
    """Compare segmented sentences (lists of words) with a gold standard of the same sentences.

    Ends of sentences do not count as boundaries; spaces within words are ignored (Goldwater, Griffiths &
    Johnson 2009, section 5.2). Raises ValueError if the symbols differ.

    >>> segmentation_of([["a", "bc"]], [["a", "b", "c"]]).token.precision
    0.5
    """
    words, cuts = [0, 0, 0], [0, 0, 0]
    for one, other in zip(found, gold, strict=True):
        text = _letters(one)
        if text != _letters(other):
            raise ValueError("the sentences have different symbols")
        own, right = set(_spans(one)), set(_spans(other))
        ends, right_ends = ({end for _, end in spans if end < len(text)} for spans in (own, right))
        for sums, mine, theirs in ((words, own, right), (cuts, ends, right_ends)):
            sums[0] += len(mine & theirs)
            sums[1] += len(mine)
            sums[2] += len(theirs)
    types, gold_types = ({word for line in lines for word in line} for lines in (found, gold))
    return Segmentation(
        Agreement.of(*words),
        Agreement.of(*cuts),
        Agreement.of(len(types & gold_types), len(types), len(gold_types)),
    )


def _letters(words: Sequence[str]) -> str:
    """The letters of words, concatenated, without spaces."""
    return "".join("".join(words).split())


def _spans(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The start and end of each word, counted in letters from the sentence's beginning."""
    at = 0
    for word in words:
        end = at + len(_letters([word]))
        yield at, end
        at = end
