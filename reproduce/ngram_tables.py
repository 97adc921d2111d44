"""Tables that the parts of the language models' reproduction share."""

from collections.abc import Sequence
from typing import Any

from ngram_runs import KNESER_NEY, PITMAN_YOR, UNBOUNDED, Order, Run, Sizes

from pages import Table

Claim = tuple[str, str, str, bool | str]  # whose, what, what is found here, whether it holds


def sizes_table(sizes: Sequence[Sizes]) -> Table:
    """What is learned from and scored."""
    return Table(
        ("reading", "split", "types", "documents", "words and ends", "to score", "of these unknown"),
        [
            [each.reading, each.split, each.types, each.documents, each.train,
             ", ".join(f"{name} {n:,}" for name, n in each.parts.items()),
             ", ".join(f"{100 * share:.1f} %" for share in each.unknown.values())]
            for each in sizes
        ],
    )  # fmt: skip


def runs_table(runs: Sequence[Run], part: str) -> Table:
    """Perplexities of a part, how far below Kneser-Ney they are, seconds and contexts."""
    return Table(
        (
            "reading", "split", "model", "all words", "below Kneser-Ney", "known words", "below Kneser-Ney",
            "mean of the samples'", "s to learn", "s to predict", "contexts", "stored",
        ),
        [
            [run.reading, run.split, run.name,
             f"{run.scores[part].all_words:.1f}", _percent(below(run, runs, part)),
             f"{run.scores[part].known_words:.1f}", _percent(below(run, runs, part, known=True)),
             None if run.scores[part].samples is None else f"{run.scores[part].samples:.1f}",
             round(run.learning), f"{run.predicting:.1f}", run.contexts, run.stored]
            for run in runs
        ],
    )  # fmt: skip


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.2f} %"


def of(runs: Sequence[Run], method: str, order: Order, like: Run | None = None) -> list[Run]:
    """The runs of a method and order, of all texts or of that of another run."""
    return [
        run
        for run in runs
        if (run.method, run.order) == (method, order) and (like is None or _same_text(run, like))
    ]


def _same_text(run: Run, other: Run) -> bool:
    return (run.split, run.reading) == (other.split, other.reading)


def below(run: Run, runs: Sequence[Run], part: str, *, known: bool = False) -> float | None:
    """By which share a perplexity is below that of Kneser-Ney of the same split and order, or of the highest
    order where the run is unbounded; None where there is none."""
    beside = [
        other
        for other in runs
        if run.method == PITMAN_YOR
        and other.method == KNESER_NEY
        and _same_text(other, run)
        and run.order in (UNBOUNDED, other.order)
    ]
    if not beside:
        return None
    place = int(known)
    return 1.0 - run.scores[part][place] / beside[-1].scores[part][place]


def trigrams_table(runs: Sequence[Run], part: str) -> Table:
    """HPYLM of n = 3 beside Kneser-Ney's, a line for each text."""
    rows: list[list[Any]] = []
    for run in of(runs, PITMAN_YOR, 3):
        beside = of(runs, KNESER_NEY, 3, run)[0].scores[part]
        here = run.scores[part]
        rows.append(
            [run.reading, run.split,
             f"{beside.all_words:.1f}", f"{here.all_words:.1f}", _percent(below(run, runs, part)),
             f"{beside.known_words:.1f}", f"{here.known_words:.1f}",
             _percent(below(run, runs, part, known=True))]
        )  # fmt: skip
    names = ("Kneser-Ney", "HPYLM", "below")
    columns = [f"{words} words: {name}" for words in ("all", "known") for name in names]
    return Table(("reading", "split", *columns), rows)


def lengths_table(runs: Sequence[Run]) -> Table:
    """Of the words learned from, the share by the length of the context that they use."""
    unbounded = [run for run in runs if run.lengths]
    longest = max(len(run.lengths) for run in unbounded)
    rows: list[list[Any]] = []
    for run in unbounded:
        total = sum(run.lengths)
        rows.append([run.reading, run.split, *(f"{100 * n / total:.2f} %" for n in run.lengths)])
        rows[-1] += [None] * (longest - len(run.lengths)) + [f"{mean_length(run):.2f}", _longest(run)]
    return Table(("reading", "split", *map(str, range(longest)), "mean", "longest used"), rows)


def mean_length(run: Run) -> float:
    """Mean length of the contexts that the words of the text use."""
    return sum(length * n for length, n in enumerate(run.lengths)) / sum(run.lengths)


def _longest(run: Run) -> int:
    return max(length for length, n in enumerate(run.lengths) if n > 0.0)


def claims(rows: Sequence[Claim]) -> list[str | Table]:
    """What was claimed, beside what came."""
    return ["What was claimed or aimed at, and what came:", Table(("who", "claim", "here", "holds"), rows)]


def verdict(each: Sequence[bool]) -> bool | str:
    """Of several runs: yes, no, or in how many.

    >>> verdict([True, False]), verdict([True])
    ('in 1 of 2', True)
    """
    return each[0] if len(set(each)) == 1 else f"in {sum(each)} of {len(each)}"


def spread(values: Sequence[float], form: str = ".1f") -> str:
    """The least and the largest of some numbers.

    >>> spread([2.0, 1.0]), spread([1.0])
    ('1.0 to 2.0', '1.0')
    """
    least, most = f"{min(values):{form}}", f"{max(values):{form}}"
    return least if least == most else f"{least} to {most}"
