"""The Penn Treebank in the form that language models are compared on."""

from collections.abc import Sequence
from typing import Any

from reproduce import ngram_texts
from reproduce.claims import Claim, claims, span, verdict
from reproduce.ngram_runs import KNESER_NEY, PITMAN_YOR, SWEEPS, UNBOUNDED, Order, Run, Sizes, measure
from reproduce.ngram_tables import below, lengths_table, of, runs_table, sizes_table
from reproduce.pages import Section

PUBLISHED = {3: 148.3, 5: 141.2}  # Kneser-Ney, test part: Mikolov (2012), table 4.1
NEAR = 0.005  # share by which a published figure may differ
COMPARABLE = 1.0  # per cent above, at most


def measure_all(full: bool, sweeps: int = SWEEPS) -> dict[str, Any]:
    """All models; runs are printed as they end."""
    orders: tuple[Order, ...] = (3, 4, 5, UNBOUNDED) if full else (3, 4, UNBOUNDED)
    sizes, runs = measure(ngram_texts.treebank(), orders, (3, 4, 5), sweeps)
    return {"sizes": sizes, "runs": runs}


def section(data: dict[str, Any]) -> Section:
    """Perplexities of both parts, next to published figures for this text."""
    runs = [Run.from_json(each) for each in data["runs"]]
    return Section(
        "Penn Treebank",
        [
            "Text of the Wall Street Journal in the form of Mikolov: lower case, 10,000 types, no "
            "punctuation, its own three parts. Its `<unk>` is the unknown word here, and every other "
            "word is known.",
            sizes_table([Sizes(*data["sizes"])]),
            "The part `test`:",
            runs_table(runs, "test"),
            "The part `valid`:",
            runs_table(runs, "valid"),
            lengths_table(runs),
            *claims(aims(runs)),
            "Published figures are of T. Mikolov, Statistical language models based on neural networks "
            "(Brno, 2012), table 4.1, all words. That ours are the same says that words, ends of "
            "sentences and discounts are those that others use.",
        ],
    )


def aims(runs: Sequence[Run]) -> list[Claim]:
    """Published figures, and Kneser-Ney of the same order, next to our results."""
    rows: list[Claim] = []
    for order, level in PUBLISHED.items():
        here = of(runs, KNESER_NEY, order)[0].scores["test"].all_words
        near = abs(here / level - 1.0) <= NEAR
        rows.append(("Mikolov", f"Kneser-Ney, n = {order}: {level}", f"{here:.1f}", near))
    gaps = [below(run, runs, part) for run in runs for part in run.scores if run.method == PITMAN_YOR]
    percent = [100 * gap for gap in gaps if gap is not None]
    rows.append(
        (
            "Teh (2006), of another text",
            "HPYLM is comparable to modified Kneser-Ney (unbounded: compared with n = 5)",
            f"below it by {span(percent, '.2f')} %",
            verdict([gap > -COMPARABLE for gap in percent]),
        )
    )
    return rows
