"""Data drawn from the HDP itself: does the number of topics come out, from below and from above?"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
from reproduce.hdp_data import draw, hdp, in_use
from reproduce.hdp_runs import LARGE, MEMOISED, Curve, follow, told
from reproduce.hdp_scoring import Scorer
from reproduce.pages import Section, Table

from stickbreaker import Corpus

ALPHA, ETA, LENGTH = 2.0, 0.05, 150
NEAR = 0.1  # share of the true number by which the found one may differ


class Size(NamedTuple):
    """gamma of each world, seeds, documents to learn from and to score, words, and passes."""

    gammas: tuple[float, ...]
    seeds: tuple[int, ...]
    documents: int
    test: int
    words: int
    passes: int


SHORT = Size((1.0, 3.0, 8.0), (0, 1), 1_000, 200, 1_000, 40)
FULL = Size((1.0, 3.0, 8.0, 20.0), (0, 1, 2, 3, 4), 5_000, 500, 2_000, 60)


def measure(full: bool, size: Size | None = None) -> dict[str, Any]:
    """Every world from every start; runs are printed as they end."""
    size = size or (FULL if full else SHORT)
    worlds = [measure_one(size, gamma, seed) for gamma in size.gammas for seed in size.seeds]
    return {"size": size._asdict(), "worlds": worlds}


def measure_one(size: Size, gamma: float, seed: int) -> dict[str, Any]:
    """One world: its topics in use, and what is found from two, as many and thrice as many."""
    world = hdp(gamma, ALPHA, ETA, size.words, LENGTH, seed)
    batch = draw(world, size.documents, "train")
    train = Corpus.from_matrix(batch.counts)
    scorer = Scorer(Corpus.from_matrix(draw(world, size.test, "test").counts), ALPHA)
    true = in_use(batch.topic_tokens)
    truth = scorer.score(world.topics[true])
    runs = []
    for start in dict.fromkeys((2, len(true), 3 * len(true))):
        curve = Curve(f"HDP, gamma {gamma:g}", MEMOISED, start, seed)
        runs.append(follow(curve, train, scorer, batch=size.documents, passes=size.passes))
        print(f"{told(curve)}; true {len(true)}, {truth:.4f}", flush=True)
    return {
        "gamma": gamma,
        "seed": seed,
        "true": len(true),
        "large": len(in_use(batch.topic_tokens, LARGE)),
        "truth": truth,
        "runs": [asdict(run) for run in runs],
    }


def section(data: dict[str, Any]) -> Section:
    """The worlds with what was found in them."""
    size = Size(**data["size"])
    rows = [_row(world, Curve(**run)) for world in data["worlds"] for run in world["runs"]]
    return Section(
        "Data drawn from the HDP",
        [
            f"{size.documents:,} documents of {LENGTH} words drawn from the prior, {size.words:,} words, "
            f"α = {ALPHA:g}, η = {ETA:g}; {size.test} more to score. {MEMOISED} with {size.passes} passes, "
            "from two topics, from as many as are in use in the data, and from thrice as many. In use: a "
            "token and a ten-thousandth of all, of the drawn data as of what is found. The smallest of "
            "those have fewer tokens than a topic can be known by; so those above 1 % are counted too.",
            Table(
                (
                    "γ", "seed", "start", "true in use", "found", "true above 1 %", "found above 1 %",
                    "held-out", "below the true topics", "in use within a tenth", "above 1 % within a tenth",
                ),
                rows,
            ),
            _summary(rows),
        ],
    )  # fmt: skip


def _row(world: dict[str, Any], curve: Curve) -> list[Any]:
    used, large = curve.used[-1], curve.large[-1]
    return [
        f"{world['gamma']:g}", world["seed"], curve.start, world["true"], used, world["large"], large,
        f"{curve.held_out[-1]:.4f}", f"{world['truth'] - curve.held_out[-1]:+.4f}",
        near(used, world["true"]), near(large, world["large"]),
    ]  # fmt: skip


def near(found: int, true: int) -> bool:
    """Whether the numbers differ by a tenth of the true one at most, or by one.

    >>> near(11, 10), near(12, 10), near(3, 2)
    (True, False, True)
    """
    return abs(found - true) <= max(1.0, NEAR * true)


def _summary(rows: Sequence[Sequence[Any]]) -> str:
    used, large = (np.array([row[place] for row in rows]) for place in (-2, -1))
    return (
        f"Within a tenth (or one) of the true number: topics in use in {used.sum()} of {len(rows)} runs, "
        f"topics above 1 % in {large.sum()} of {len(rows)}."
    )
