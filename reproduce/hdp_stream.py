"""Section 4.3 and the third column of Figure 2: a long stream of documents, for the New York Times.

Its articles may not be passed on; the stream is drawn from the HDP itself, as many words in its vocabulary.
"""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
from reproduce.claims import Claim, claims, verdict
from reproduce.hdp_data import World, draw, hdp, in_use
from reproduce.hdp_runs import HALVES, ONLINE, Curve, follow_stream, told
from reproduce.hdp_scoring import Scorer
from reproduce.hdp_tables import best, of, panels, runs_table
from reproduce.pages import Section
from scipy.sparse import csr_matrix

from stickbreaker import Corpus

ALPHA, ETA, LENGTH = 5.0, 0.02, 200


class Size(NamedTuple):
    """Documents, passes over them, documents of a minibatch and of the test; words; gamma of the weights;
    topics that oHDP-SM starts from, and those of the two oHDP."""

    documents: int
    passes: float
    batch: int
    test: int
    words: int
    gamma: float
    start: int
    fixed: tuple[int, int]


# 200, 300 and 500 topics for about 400, and 2.2 passes, as in the paper
SHORT = Size(80_000, 2.2, 2_000, 1_000, 4_000, 17.0, 50, (75, 125))
FULL = Size(300_000, 2.2, 10_000, 5_000, 8_000, 100.0, 200, (300, 500))


def measure(full: bool, size: Size | None = None) -> dict[str, Any]:
    """The three runs; they are printed as they end."""
    size = size or (FULL if full else SHORT)
    world = hdp(size.gamma, ALPHA, ETA, size.words, LENGTH, seed=0)
    tokens = np.zeros(len(world.alpha), np.int64)
    for number in range(_batches(size)):
        tokens += draw(world, size.batch, "stream", number).topic_tokens
    true = in_use(tokens)
    test = Corpus.from_matrix(draw(world, size.test, "test").counts)
    scorer = Scorer(test, ALPHA)
    truth = scorer.score(world.topics[true])
    print(f"stream: {len(true)} true topics in use, which score {truth:.4f}", flush=True)
    runs = []
    plan = [(HALVES, size.start), *((ONLINE, start) for start in size.fixed)]
    for method, start in plan:
        curve = Curve("stream", method, start, 0)
        batches = stream_of(world, size)
        total = _batches(size) * size.batch
        runs.append(follow_stream(curve, batches, scorer, batch=size.batch, total=total))
        print(told(curve), flush=True)
    return {
        "size": size._asdict(),
        "true": len(true),
        "truth": truth,
        "runs": [asdict(run) for run in runs],
    }


def stream_of(world: World, size: Size) -> Iterator[csr_matrix]:
    """The documents, a minibatch at a time and over again for the next pass; nothing is kept."""
    each = _batches(size)
    for number in range(round(size.passes * each)):
        yield draw(world, size.batch, "stream", number % each).counts


def _batches(size: Size) -> int:
    return size.documents // size.batch


def section(data: dict[str, Any]) -> Section:
    """The stream, the panels, the runs and the claims."""
    size, curves = Size(**data["size"]), [Curve(**run) for run in data["runs"]]
    cut = "" if size.documents == FULL.documents else f" FULL=1 has {FULL.documents:,} documents."
    return Section(
        "A stream, for the New York Times (Figure 2 c, f, i)",
        [
            "The New York Times Annotated Corpus may not be passed on. The stream is drawn from the HDP "
            f"itself: γ = {size.gamma:g}, α = {ALPHA:g}, η = {ETA:g}, {size.words:,} words, "
            f"{size.documents:,} documents of {LENGTH} words, {size.test:,} more to score; {data['true']} "
            f"topics are in use in it, which score {data['truth']:.4f}. Steps have {size.batch:,} documents, "
            f"{size.passes:g} passes; one half judges the splits and merges that the other proposes. For the "
            f"paper's K, 200 of oHDP-SM and 300 and 500 of oHDP, here are {size.start}, {size.fixed[0]} and "
            f"{size.fixed[1]}.{cut}",
            *panels("stream", curves, ("true topics", data["truth"])),
            runs_table(curves, data["truth"]),
            *claims(_claims(curves, data["true"])),
        ],
    )


def _claims(curves: list[Curve], true: int) -> list[Claim]:
    (moved,), fixed = of(curves, [HALVES]), of(curves, [ONLINE])
    largest = max(fixed, key=lambda curve: curve.start)
    return [
        (
            "paper",
            f"oHDP uses all of its {largest.start} topics",
            f"{largest.used[-1]} used",
            largest.used[-1] == largest.start,
        ),
        (
            "paper",
            "and overfits: its held-out score falls from its best",
            f"by {_fall(largest):.4f}",
            _fall(largest) > 0.001,
        ),
        (
            "paper",
            "oHDP-SM overfits less",
            f"falls by {_fall(moved):.4f}",
            _fall(moved) < max(map(_fall, fixed)),
        ),
        (
            "paper",
            "oHDP-SM improves over a longer period: documents until within 0.001 of its best",
            "; ".join(f"{c.name} {_until(c):,.0f}" for c in [moved, *fixed]),
            verdict(_until(moved) > _until(curve) for curve in fixed),
        ),
        (
            "paper",
            "and predicts better",
            f"{moved.held_out[-1]:.4f} against {best(fixed):.4f}",
            moved.held_out[-1] > best(fixed),
        ),
        (
            "project",
            f"it finds the {true} topics in use, to a tenth",
            f"{moved.used[-1]} used",
            abs(moved.used[-1] - true) <= true / 10,
        ),
    ]


def _fall(curve: Curve) -> float:
    return max(curve.held_out) - curve.held_out[-1]


def _until(curve: Curve) -> float:
    """Documents seen until the score is nearly its best."""
    near = max(curve.held_out) - 0.001
    return next(seen for seen, score in zip(curve.documents, curve.held_out, strict=True) if score >= near)
