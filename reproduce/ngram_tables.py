"""Tables that the parts of the language models' reproduction share."""

from collections.abc import Sequence
from typing import Any

from reproduce.ngram_runs import KNESER_NEY, PITMAN_YOR, UNBOUNDED, Order, Run, Sizes
from reproduce.pages import Table


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
    order if the run is unbounded; None if there is none."""
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
    """HPYLM of n = 3 compared with Kneser-Ney, a line for each text."""
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
    """Shares of the training words by the length of the context that they use."""
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
