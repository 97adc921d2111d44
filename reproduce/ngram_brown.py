"""The Brown corpus: trigrams and longer, compared with Kneser-Ney, on several choices of the held-out
documents."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from reproduce import ngram_texts
from reproduce.claims import Claim, claims, span, verdict
from reproduce.ngram_runs import KNESER_NEY, PITMAN_YOR, SWEEPS, UNBOUNDED, Order, Run, Sizes, measure
from reproduce.ngram_tables import below, lengths_table, of, runs_table, sizes_table, trigrams_table
from reproduce.pages import Section

PROTOTYPE = {(PITMAN_YOR, 3): 180.6, (PITMAN_YOR, 4): 179.4, (KNESER_NEY, 3): 186.4, (KNESER_NEY, 4): 187.4}
LEVEL, GAP = 182.0, 0.025  # of the trigrams: at most, and at least so far below Kneser-Ney
TYPES, TRAIN, TEST = 19_759, 1_157_225, 70_795  # the paper's table 1


class Size(NamedTuple):
    """Seeds of the random splits, on how many splits the orders above 3 are learned, and sweeps."""

    seeds: tuple[int, ...]
    longer: int
    sweeps: int


SHORT = Size((0, 1, 2, 3), 1, SWEEPS)
FULL = Size((0, 1, 2, 3, 4, 5), 7, SWEEPS)


def measure_all(full: bool, size: Size | None = None) -> dict[str, Any]:
    """All splits in all readings; runs are printed as they end."""
    size = size or (FULL if full else SHORT)
    sizes: list[Sizes] = []
    runs: list[Run] = []
    for reading in ngram_texts.READINGS:
        for number, split in enumerate(ngram_texts.brown(size.seeds, reading)):
            orders: tuple[Order, ...] = (3, 4, UNBOUNDED) if number < size.longer else (3,)
            measured = measure(split, orders, (3, 4), size.sweeps)
            sizes.append(measured[0])
            runs += measured[1]
    return {"size": size, "sizes": sizes, "runs": runs}


def section(data: dict[str, Any]) -> Section:
    """Perplexities of all splits, the lengths of contexts, what was aimed at."""
    size = Size(*data["size"])
    sizes = [Sizes(*each) for each in data["sizes"]]
    runs = [Run.from_json(each) for each in data["runs"]]
    longer = [run for run in runs if of(runs, PITMAN_YOR, 4, run)]
    return Section(
        "Brown",
        [
            "The 500 documents of the Brown corpus as they are cut into tokens and sentences; 30 held "
            f"out, two of each of the fifteen genres: the last two, and {len(size.seeds)} choices by "
            "seed. Tokens of digits without letters are `#`. The end of a sentence is predicted too, and "
            f"its beginning is part of contexts. HPYLM: {size.sweeps} sweeps, ten samples of the second "
            "half.",
            "Three readings. **paper**: unknown are words that occur fewer than 4 times in all 500 "
            "documents, or in those held out alone; case stays. **prototype**: the same in lower case. "
            "**library**: unknown are words that occur fewer than 4 times in the text learned from, "
            "which is what `min_count` of `NgramModel` does, and what one can know beforehand; case "
            "stays.",
            sizes_table(sizes),
            f"The paper has {TYPES:,} types, {TRAIN:,} words to learn from and {TEST:,} to score: its "
            "text was cut otherwise.",
            "Trigrams on all splits:",
            trigrams_table(runs, "test"),
            "An unknown word is easy to predict, so that all words have lower perplexities than the "
            "known ones.",
            "Longer contexts:",
            runs_table(longer, "test"),
            "The last perplexity is of all words, but the mean of the samples' ten, as the paper took "
            "it; the others are of the mean of the samples' probabilities. `stored`: contexts in use in "
            "any sample.",
            "Shares of the training words by the length of the context that they use, unbounded:",
            lengths_table(runs),
            *claims([*aims(runs), *longer_aims(runs)]),
            "The prototype is an earlier program. Which documents it held out is not on record; its 16.3 "
            "thousand types are those of the reading that has its name. A level is a matter of both: "
            "between the splits of one reading Kneser-Ney differs by more than the two models of one "
            "split do, and between readings by more than that. What can be compared is the distance from "
            "Kneser-Ney on the same split.",
            "In the library's reading that distance is smaller: words that occur one to three times in "
            "the text learned from, on which HPYLM gains most, are known in the other readings alone.",
        ],
    )


def aims(runs: Sequence[Run]) -> list[Claim]:
    """The level and the distance that were aimed at, by reading; all words."""
    rows: list[Claim] = []
    for reading in dict.fromkeys(run.reading for run in runs):
        threes = [run for run in of(runs, PITMAN_YOR, 3) if run.reading == reading]
        levels = [run.scores["test"].all_words for run in threes]
        beside = [of(runs, KNESER_NEY, 3, run)[0].scores["test"].all_words for run in threes]
        gaps = [below(run, runs, "test") or 0.0 for run in threes]
        rows += [
            (
                f"aim, {reading}",
                f"n = 3: {LEVEL:g} at most (prototype {PROTOTYPE[PITMAN_YOR, 3]}, its Kneser-Ney "
                f"{PROTOTYPE[KNESER_NEY, 3]})",
                f"{span(levels)}; Kneser-Ney {span(beside)}",
                verdict([level <= LEVEL for level in levels]),
            ),
            (
                f"aim, {reading}",
                f"n = 3: {100 * GAP:g} % below Kneser-Ney at least (prototype "
                f"{100 * _prototype_gap():.1f} %)",
                f"{span([100 * gap for gap in gaps], '.2f')} %",
                verdict([gap >= GAP for gap in gaps]),
            ),
        ]
    return rows


def longer_aims(runs: Sequence[Run]) -> list[Claim]:
    """n = 4 and unbounded compared with n = 3, in all readings."""
    fours = of(runs, PITMAN_YOR, 4)
    beside = [[of(runs, PITMAN_YOR, n, run)[0] for n in (3, UNBOUNDED)] for run in fours]
    smoothed = [[of(runs, KNESER_NEY, n, run)[0] for n in (3, 4)] for run in fours]
    gained = [-_ratio(four, three) for four, (three, _) in zip(fours, beside, strict=True)]
    lost = [_ratio(four, three) for three, four in smoothed]
    apart = [_ratio(none, four) for four, (_, none) in zip(fours, beside, strict=True)]
    share = [none.contexts / four.contexts for four, (_, none) in zip(fours, beside, strict=True)]
    three, four = PROTOTYPE[PITMAN_YOR, 3], PROTOTYPE[PITMAN_YOR, 4]
    smooth = PROTOTYPE[KNESER_NEY, 4] / PROTOTYPE[KNESER_NEY, 3] - 1.0
    return [
        ("prototype", f"HPYLM: n = 4 is below n = 3 (by {100 * (1 - four / three):.1f} %)",
         f"by {_percents(gained)}", verdict([each > 0.0 for each in gained])),
        ("prototype", f"Kneser-Ney: n = 4 is above n = 3 (by {100 * smooth:.1f} %)",
         f"by {_percents(lost)}", verdict([each > 0.0 for each in lost])),
        ("paper", "unbounded is as good as n = 4 (on NIPS 117.9 and 117.2, 0.6 % above)",
         f"above n = 4 by {_percents(apart)}", verdict([each <= 0.01 for each in apart])),
        ("paper", "and has about half as many contexts (of a model with topics, on BNC)",
         f"{span([100 * each for each in share], '.0f')} %", verdict([each < 0.6 for each in share])),
    ]  # fmt: skip


def _ratio(run: Run, other: Run) -> float:
    return run.scores["test"].all_words / other.scores["test"].all_words - 1.0


def _percents(shares: Sequence[float]) -> str:
    return f"{span([100 * share for share in shares], '.2f')} %"


def _prototype_gap() -> float:
    return 1.0 - PROTOTYPE[PITMAN_YOR, 3] / PROTOTYPE[KNESER_NEY, 3]
