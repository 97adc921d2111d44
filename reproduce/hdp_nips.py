"""Section 4.2 and the second column of Figure 2: the papers of NIPS."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from reproduce.claims import Claim, claims
from reproduce.hdp_data import nips
from reproduce.hdp_runs import (
    BATCH,
    FRANCHISE,
    GIBBS,
    HALVES,
    LEARNED,
    MEMOISED,
    ONLINE,
    PAPER,
    SPLIT_MERGE,
    TOLD,
    Curve,
    follow,
    told,
)
from reproduce.hdp_scoring import Scorer
from reproduce.hdp_tables import best, of, panels, runs_table, worst
from reproduce.pages import Section, Table
from reproduce.parts import side_by_side

MINIBATCH = 200
ALPHA = 10.0  # sum of the scorer's prior of shares
CONVENTIONAL = (ONLINE, BATCH, FRANCHISE, GIBBS)
MINE = (*SPLIT_MERGE, ONLINE, BATCH)  # what the paper calls "our methods"


class Size(NamedTuple):
    """Methods with their numbers of topics at the start, passes (sweeps of CGS), and seeds."""

    starts: dict[str, tuple[int, ...]]
    passes: int
    sweeps: int
    seeds: tuple[int, ...]


SHORT = Size(
    {
        PAPER: (100,),
        LEARNED: (100,),
        HALVES: (100,),
        MEMOISED: (100, 300),
        ONLINE: (100, 300),
        BATCH: (300,),
        FRANCHISE: (300,),
        GIBBS: (300,),
    },
    passes=20,
    sweeps=60,
    seeds=(0,),
)
FULL = Size(
    {
        PAPER: (100, 300),
        LEARNED: (100, 300),
        HALVES: (100, 300),
        MEMOISED: (100, 300),
        ONLINE: (100, 300, 1000),
        BATCH: (300, 1000),
        FRANCHISE: (300,),
        GIBBS: (300,),
    },
    passes=1078,  # 1.5 million documents, as in Figure 2
    sweeps=1078,
    seeds=(0, 1),
)


def measure(full: bool, size: Size | None = None, documents: int | None = None) -> dict[str, Any]:
    """All methods; runs are printed as they end."""
    size = size or (FULL if full else SHORT)
    train, test = nips(documents)
    scorer = Scorer(test, ALPHA)
    unigram = scorer.unigram(train)
    print(f"NIPS: {train.n_words:,} words, {train.n_tokens:,.0f} tokens, unigram {unigram:.4f}", flush=True)
    runs = []
    for seed in size.seeds:
        for method, starts in size.starts.items():
            passes = size.sweeps if method == GIBBS else size.passes
            for start in starts:
                curve = Curve("NIPS", method, start, seed)
                runs.append(follow(curve, train, scorer, batch=MINIBATCH, passes=passes))
                print(told(curve), flush=True)
    return {
        "documents": [train.n_documents, test.n_documents],
        "words": train.n_words,
        "tokens": train.n_tokens,
        "unigram": unigram,
        "passes": [size.passes, size.sweeps],
        "runs": [asdict(run) for run in runs],
    }


def section(data: dict[str, Any]) -> Section:
    """The corpus, the panels, the runs and the claims."""
    curves = [Curve(**run) for run in data["runs"]]
    passes, sweeps = data["passes"]
    cut = (
        ""
        if passes >= FULL.passes
        else f" Cut: the paper's runs see 1.5 million documents (1,078 passes, 40 hours), here {passes} "
        f"passes ({sweeps} sweeps of CGS), and it has K = 300 for all of oHDP-SM and 1,000 for oHDP and bHDP "
        "besides; FULL=1 has them."
    )
    return Section(
        "NIPS (Figure 2 b, e, h)",
        [
            f"{data['documents'][0]:,} papers to learn from and {data['documents'][1]:,} to score, volumes 0 "
            f"to 12; {data['words']:,} words, {data['tokens']:,.0f} tokens to learn from. The vocabulary is "
            "the 13,649 most frequent words of three letters or more that are not stop words, as many as the "
            "paper's, which does not state its rule. The unigram model scores "
            f"{data['unigram']:.4f}. Online steps have {MINIBATCH} documents.{cut}",
            Table(
                ("method", "what"), [[name, TOLD[name]] for name in dict.fromkeys(c.method for c in curves)]
            ),
            *panels("NIPS", [curve for curve in curves if curve.seed == 0]),
            runs_table(curves),
            *_split_topics(curves),
            *claims(_claims(curves)),
        ],
    )


def _split_topics(curves: list[Curve]) -> list[str | Table]:
    """Figure 3: the words of topics before they were split, and of both parts at the end of the run."""
    rows = [
        [
            curve.name,
            f"{split['seen']:,.0f}",
            " ".join(split["before"]),
            *(f"{100 * share:.2f} %: {' '.join(words)}"
              for share, words in zip(split["shares"], split["words"], strict=True)),
        ]
        for curve in curves
        if curve.seed == 0
        for split in curve.divided
    ]  # fmt: skip
    if not rows:
        return ["No split is left in use at the end of a run (Figure 3)."]
    columns = ("method", "split after documents", "the topic before", "one part at the end", "the other")
    return [
        "Topics that were split and whose parts are both in use at the end (Figure 3): of each run the three "
        "splits whose smaller part has most tokens, with ten most probable words and the share of tokens.",
        Table(columns, rows),
    ]


def measure_long(full: bool, passes: int = FULL.passes) -> dict[str, Any]:
    """The paper's method from 100 topics for as long as in the paper, eta fixed and learned, side by side."""
    train, test = nips(None)
    unigram = Scorer(test, ALPHA).unigram(train)
    plans = [(method, passes) for method in (PAPER, LEARNED)]
    return {"unigram": unigram, "passes": passes, "runs": side_by_side(plans, _long_run, told_of)}


def _long_run(plan: tuple[str, int]) -> dict[str, Any]:
    method, passes = plan
    train, test = nips(None)
    curve = Curve("NIPS", method, 100, 0)
    return asdict(follow(curve, train, Scorer(test, ALPHA), batch=MINIBATCH, passes=passes))


def told_of(run: dict[str, Any]) -> str:
    """The line of a run that has ended."""
    return told(Curve(**run))


def section_long(data: dict[str, Any]) -> Section:
    """The two curves, and how topics that were split look at their ends."""
    curves = [Curve(**run) for run in data["runs"]]
    return Section(
        "NIPS, as long as in the paper, from 100 topics",
        [
            f"{data['passes']:,} passes; the unigram model scores {data['unigram']:.4f}.",
            *panels("NIPS, whole", curves),
            Table(
                ("documents", *(f"{curve.name}: {what}" for curve in curves for what in ("score", "used"))),
                [
                    [f"{curves[0].documents[point]:,.0f}",
                     *(cell for curve in curves
                       for cell in (f"{curve.held_out[point]:.4f}", curve.used[point]))]
                    for point in range(len(curves[0].documents))
                ],
            ),
            runs_table(curves),
            *_split_topics(curves),
        ],
    )  # fmt: skip


def _claims(curves: list[Curve]) -> list[Claim]:
    moved, fixed = of(curves, [PAPER]), of(curves, [ONLINE, BATCH])
    ours = of(curves, [MEMOISED, HALVES])
    others, mine = of(curves, [FRANCHISE, GIBBS]), of(curves, MINE)
    late, early = max(map(_last_half, moved)), max(map(_last_half, fixed))
    return [
        (
            "paper",
            "oHDP-SM predicts better than oHDP and bHDP",
            f"best {best(moved):.4f} against {best(fixed):.4f}",
            best(moved) > best(fixed),
        ),
        (
            "project",
            "so do memoised and halves",
            f"best {best(ours):.4f} against {best(fixed):.4f}",
            best(ours) > best(fixed),
        ),
        (
            "project",
            "memoised is at least at oHDP's level from the same K",
            *_from_same_start(curves),
        ),
        (
            "paper",
            "the others stop early, oHDP-SM continues to improve",
            f"gain in the last half of the documents at most {late:+.4f} against {early:+.4f}",
            late > early,
        ),
        (
            "paper",
            "oHDP-CRF and CGS perform much worse than any of these methods",
            "; ".join(f"{c.name} {c.held_out[-1]:.4f}" for c in others)
            + f"; the worst of the others {worst(mine):.4f}",
            best(others) < worst(mine),
        ),
        (
            "paper",
            "for every number of topics used, a split-merge run outperforms a conventional one",
            *_by_topics(curves),
        ),
    ]


def _from_same_start(curves: Sequence[Curve]) -> tuple[str, bool]:
    """Ends of memoised runs compared with those of online runs from the same number of topics, means over
    seeds."""
    ends = defaultdict[tuple[str, int], list[float]](list)
    for curve in curves:
        ends[curve.method, curve.start].append(curve.held_out[-1])
    mean = {key: sum(scores) / len(scores) for key, scores in ends.items()}
    starts = [start for method, start in mean if method == MEMOISED and (ONLINE, start) in mean]
    told = "; ".join(f"K = {k}: {mean[MEMOISED, k]:.4f} against {mean[ONLINE, k]:.4f}" for k in starts)
    return told, all(mean[MEMOISED, start] >= mean[ONLINE, start] for start in starts)


def _last_half(curve: Curve) -> float:
    """What the second half of a run's documents gains."""
    middle = next(place for place, seen in enumerate(curve.documents) if seen >= curve.documents[-1] / 2)
    return curve.held_out[-1] - curve.held_out[middle]


def _by_topics(curves: Sequence[Curve]) -> tuple[str, bool]:
    """Each conventional run's end compared with the best point of a split-merge run with no more topics
    used."""
    found, each = [], []
    for curve in of(curves, CONVENTIONAL):
        rivals = [
            score
            for other in of(curves, SPLIT_MERGE)
            for score, used in zip(other.held_out, other.used, strict=True)
            if used <= curve.used[-1]
        ]
        rival = max(rivals, default=None)
        each.append(rival is not None and rival > curve.held_out[-1])
        shown = "none" if rival is None else f"{rival:.4f}"
        found.append(f"{curve.name}: {curve.used[-1]} used {curve.held_out[-1]:.4f}, {shown}")
    return "; ".join(found) + " (split-merge, with no more topics)", all(each)
