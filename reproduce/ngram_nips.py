"""The papers of NIPS, which the paper's table 2 has: orders and ratios, since its text is not to be had."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from reproduce import ngram_texts
from reproduce.claims import Claim, claims, verdict
from reproduce.ngram_runs import KNESER_NEY, PITMAN_YOR, SWEEPS, UNBOUNDED, Perplexity, Run, Sizes, measure
from reproduce.ngram_tables import below, lengths_table, of, runs_table, sizes_table
from reproduce.pages import Section

TYPES, TRAIN, TEST = 22_705, 5_088_786, 167_730  # the paper's table 1
BROWN_TYPES = 19_759
LEVELS = {4: 117.2, UNBOUNDED: 117.9}  # its table 2
SECONDS = {4: 59, UNBOUNDED: 61}
SAMPLES_MEAN = Perplexity._fields.index("samples")
NEAR = 0.02  # what is as good, at most so far above


class Size(NamedTuple):
    """Papers to learn from and to score, and sweeps."""

    train: int = 1_500
    test: int = 50
    sweeps: int = SWEEPS


def measure_all(full: bool, size: Size | None = None) -> dict[str, Any]:
    """All models; runs are printed as they end."""
    size = size or Size()
    sizes, runs = measure(ngram_texts.nips(size.train, size.test), (3, 4, UNBOUNDED), (3, 4), size.sweeps)
    return {"sizes": sizes, "runs": runs}


def section(data: dict[str, Any]) -> Section:
    """Perplexities next to the paper's, and the differences of the two settings."""
    sizes = Sizes(*data["sizes"])
    runs = [Run.from_json(each) for each in data["runs"]]
    return Section(
        "NIPS",
        [
            "Papers of NIPS, volumes 0 to 12, as an optical reader wrote them down. Words, numbers and "
            "marks are tokens, case stays, a full stop, question or exclamation mark ends a sentence, "
            "numbers are `#`.",
            sizes_table([sizes]),
            f"The paper has {TYPES:,} types in NIPS (and {BROWN_TYPES:,} in Brown), {TRAIN:,} words to "
            f"learn from and {TEST:,} to score. Ours has {sizes.types:,}: what the optical reader made of "
            "formulas and tables, and where sentences end, is not what the paper's authors had, who do "
            "not say how they cut the text. So its level cannot be had from this text, whatever the "
            "model; the order of the models and their ratios can.",
            runs_table(runs, "test"),
            lengths_table(runs),
            *claims(aims(runs)),
        ],
    )


def aims(runs: Sequence[Run]) -> list[Claim]:
    """The paper's table 2 next to our results."""
    four, none = (of(runs, PITMAN_YOR, order)[0] for order in (4, UNBOUNDED))
    here, as_paper = (
        none.scores["test"][place] / four.scores["test"][place] - 1.0 for place in (0, SAMPLES_MEAN)
    )
    gaps = [
        below(run, runs, "test") or 0.0 for run in runs if run.method == PITMAN_YOR and run.order != UNBOUNDED
    ]
    return [
        ("paper", f"n = 4: {LEVELS[4]}; unbounded: {LEVELS[UNBOUNDED]}",
         f"{four.scores['test'].all_words:.1f}; {none.scores['test'].all_words:.1f} (another text)", "–"),
        ("paper", f"unbounded is as good as n = 4 ({100 * (LEVELS[UNBOUNDED] / LEVELS[4] - 1):.1f} % above)",
         f"{100 * as_paper:.2f} % above by the mean of the samples' perplexities, the paper's measure; "
         f"{100 * here:.2f} % by the mean of their probabilities", max(here, as_paper) <= NEAR),
        ("paper", f"prediction takes {SECONDS[4]} s (n = 4) and {SECONDS[UNBOUNDED]} s (unbounded), in 2012",
         f"{four.predicting:.1f} s and {none.predicting:.1f} s",
         four.predicting < SECONDS[4] and none.predicting < SECONDS[UNBOUNDED]),
        ("aim", f"below {KNESER_NEY} of the same order",
         ", ".join(f"{100 * gap:.2f} %" for gap in gaps), verdict([gap > 0.0 for gap in gaps])),
    ]  # fmt: skip
