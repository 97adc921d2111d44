"""Tables of lexicons by topic, and what the thesis claims of the models, with how sure the order is."""

from collections.abc import Iterable, Sequence
from statistics import mean
from typing import NamedTuple

import numpy as np
from reproduce.pages import Table
from reproduce.translation_bitexts import TARGET
from reproduce.translation_runs import GOLD, Run
from reproduce.translation_topics import LDA_OF_SOURCE, ONE_TO_ONE, PLDA, TLDA, TREES

from stickbreaker.core.random_streams import stream

RESAMPLED = 10_000
THOUSAND = 1000.0  # thousandths of a nat
Key = tuple[int, str, float, str]  # topics, inference, eta, model
CLAIMS = (  # of the thesis, by BLEU: the second is better
    (LDA_OF_SOURCE, PLDA),
    (LDA_OF_SOURCE, TLDA),
    (TLDA, ONE_TO_ONE),
    (PLDA, ONE_TO_ONE),
    *((tree, ONE_TO_ONE) for tree in TREES if tree != ONE_TO_ONE),
)


class Difference(NamedTuple):
    """By how much the gain of one model is above another's, over all words, in nats per word; `low` and
    `high` have 95 % of what samples of the documents with replacement give."""

    gain: float
    low: float
    high: float

    @property
    def is_sure(self) -> bool:
        return self.low > 0.0 or self.high < 0.0


def grouped(runs: Iterable[Run]) -> dict[Key, list[Run]]:
    """The runs that differ in their seeds alone."""
    groups: dict[Key, list[Run]] = {}
    for run in runs:
        groups.setdefault((run.topics, run.inference, run.eta, run.model), []).append(run)
    return groups


def gains(runs: Sequence[Run]) -> Table:
    """Means over seeds for each number of topics, inference and model, in thousandths of a nat."""
    source, sets = runs[0].source, list(runs[0].ways[0].by_set)
    ways = f"{source}-{TARGET}", f"{TARGET}-{source}"
    columns = ("K", "inference", "eta", "model", ways[0], "by seed", *sets, ways[1], "strengths", "seconds")
    rows = []
    for (topics, inference, eta, model), own in grouped(runs).items():
        there, back = ([run.ways[way] for run in own] for way in (0, 1))
        rows.append(
            [
                topics or None,
                inference or None,
                f"{eta:g}" if topics else None,
                model,
                _thousandths(mean(way.gain for way in there)),
                " ".join(_thousandths(way.gain) for way in there),
                *(_thousandths(mean(way.by_set[name] for way in there)) for name in sets),
                _thousandths(mean(way.gain for way in back)),
                " ".join(dict.fromkeys(f"{way.strengths[1]:g}" for way in there)),
                None if model == GOLD else f"{mean(run.seconds for run in own):.0f}",
            ]
        )
    return Table(columns, rows)


def outside_gains(runs: Sequence[Run]) -> Table:
    """The gain by domain of the outside set, means over seeds, in thousandths of a nat."""
    domains = list(runs[0].ways[0].outside)
    rows = [
        [
            topics or None,
            inference or None,
            f"{eta:g}" if topics else None,
            model,
            *(_thousandths(mean(run.ways[0].outside[name] for run in own)) for name in domains),
        ]
        for (topics, inference, eta, model), own in grouped(runs).items()
    ]
    return Table(("K", "inference", "eta", "model", *domains), rows)


def _thousandths(nats: float) -> str:
    return f"{THOUSAND * nats:.1f}"


def levels(runs: Sequence[Run]) -> str:
    """log p without topics, the same in all runs."""
    there, back = runs[0].ways
    return (
        f"Without topics a linked word has {there.plain:.3f} nats ({there.words:,} words of {TARGET}, "
        f"strength {there.strengths[0]:g}), the other way {back.plain:.3f} ({back.words:,}, "
        f"{back.strengths[0]:g}). The table has what topics add to that, in thousandths of a nat per word; "
        f"by set from {runs[0].source} to {TARGET}."
    )


def difference(one: Sequence[Run], other: Sequence[Run]) -> Difference:
    """By how much `other` is above `one`, seeds averaged, from the source to the target."""
    apart = np.mean([run.ways[0].documents for run in other], axis=0) - np.mean(
        [run.ways[0].documents for run in one], axis=0
    )
    lengths = np.array(one[0].ways[0].lengths, np.float64)
    n = len(lengths)
    drawn = stream(0, "resampled documents").multinomial(n, np.full(n, 1.0 / n), RESAMPLED)
    resampled = (drawn @ apart) / np.maximum(drawn @ lengths, 1.0)
    low, high = np.quantile(resampled, (0.025, 0.975)).tolist()
    return Difference(float(apart.sum() / lengths.sum()), low, high)


def orders(runs: Sequence[Run]) -> Table:
    """The claims of the thesis by BLEU, with what comes out by the gain."""
    groups, rows = grouped(runs), []
    for topics, inference, eta in dict.fromkeys(key[:3] for key in groups if key[0]):
        for low, high in CLAIMS:
            one, other = (groups.get((topics, inference, eta, model)) for model in (low, high))
            if one and other:
                found = difference(one, other)
                holds = "yes" if found.gain > 0.0 else "no"
                rows.append(
                    [
                        topics,
                        inference,
                        f"{eta:g}",
                        f"{low} < {high}",
                        f"{THOUSAND * found.gain:+.1f}",
                        f"{THOUSAND * found.low:+.1f} to {THOUSAND * found.high:+.1f}",
                        holds if found.is_sure else f"{holds}, within chance",
                    ]
                )
    return Table(
        ("K", "inference", "eta", "claim", "difference", "95 % of resampled documents", "holds"), rows
    )


def above_zero(runs: Sequence[Run]) -> list[str]:
    """In how many sets topics help, for each model at each number of topics."""
    lines = []
    for (topics, inference, eta, model), own in grouped(runs).items():
        by_set = {name: mean(run.ways[0].by_set[name] for run in own) for name in own[0].ways[0].by_set}
        helped = [name for name, gain in by_set.items() if gain > 0.0]
        if topics and len(helped) < len(by_set):
            rest = ", ".join(name for name in by_set if name not in helped)
            lines.append(f"{model}, {inference}, K = {topics}, eta {eta:g}: no gain on {rest}.")
    return lines or ["Every model has a gain on every set."]


def seconds(runs: Sequence[Run]) -> Table:
    """Seconds to learn topics, by model and inference, one thread and two runs side by side."""
    groups: dict[tuple[int, str, str], list[Run]] = {}
    for run in runs:
        if run.topics:
            groups.setdefault((run.topics, run.model, run.inference), []).append(run)
    ways = list(dict.fromkeys(inference for _, _, inference in groups))
    rows = [
        [topics, model, *(_seconds(groups.get((topics, model, inference))) for inference in ways)]
        for topics, model in dict.fromkeys((topics, model) for topics, model, _ in groups)
    ]
    return Table(("K", "model", *ways), rows)


def _seconds(runs: Sequence[Run] | None) -> str | None:
    return f"{mean(run.seconds for run in runs):.0f}" if runs else None
