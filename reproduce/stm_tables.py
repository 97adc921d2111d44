"""The parts on treebanks, and their tables: perplexity by split, paired differences, parts of speech."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from parts import side_by_side
from stm_runs import MODELS, Plan, Run, difference, learn, summary

from pages import Section, Table

SWEEPS, MORE = 400, 1000  # of each of the four chains that the library has
SEEDS = (0, 1, 2)
MOST_TAGS = 12
AIMS = {"ITIC": 1.02, "HDP": 1.25}  # times the perplexity of the STM, at least


def measured(plans: Sequence[Plan]) -> dict[str, Any]:
    """All runs of plans; each is printed as it ends."""
    return {"runs": side_by_side(plans, learn, summary)}


def measure_sample(full: bool, sweeps: int | None = None) -> dict[str, Any]:
    """Three splits of the sample of the Penn Treebank."""
    sweeps = sweeps or (MORE if full else SWEEPS)
    return measured([Plan("treebank sample", seed, model, sweeps) for seed in SEEDS for model in MODELS])


def measure_ewt(full: bool, sweeps: int | None = None) -> dict[str, Any]:
    """The training part of EWT, and its other two parts to score; three seeds."""
    sweeps = sweeps or (MORE if full else SWEEPS)
    return measured([Plan("EWT", seed, model, sweeps) for seed in SEEDS for model in MODELS])


def measure_sequoia(full: bool, sweeps: int | None = None) -> dict[str, Any]:
    """A treebank without documents: hidden states in trees alone."""
    sweeps = sweeps or (MORE if full else SWEEPS)
    return measured([Plan("Sequoia", seed, "ITIC", sweeps, 1) for seed in (SEEDS if full else SEEDS[:1])])


def measure_preparation(full: bool, sweeps: int | None = None) -> dict[str, Any]:
    """The sample prepared as in the paper: words of ten documents, others are their tags."""
    sweeps = sweeps or (MORE if full else SWEEPS)
    seeds = SEEDS if full else SEEDS[:1]
    return measured(
        [Plan("treebank sample", seed, model, sweeps, 10, "tag") for seed in seeds for model in MODELS]
    )


def section(data: dict[str, Any]) -> Section:
    """The tables of a part."""
    runs = [Run.from_json(each) for each in data["runs"]]
    plan = runs[0].plan
    known = f"words of at least {plan.min_documents} training documents are known"
    others = "others are their tags" if plan.unknown == "tag" else "others are nodes without a word"
    title = plan.text if plan.unknown == "blank" else f"{plan.text}, prepared as in the paper"
    blocks: list[str | Table] = [
        f"{plan.sweeps} sweeps, at most 32 topics; {known}, {others}: {runs[0].vocabulary:,} words in the "
        "first split.",
        perplexities(runs, own=False),
        "The same where a document's shares are drawn from all its sentences, also those that are scored, "
        "as the paper has it: that flatters whoever has shares.",
        perplexities(runs, own=True),
    ]
    if len({run.plan.model for run in runs}) > 1:
        blocks += [differences(runs), "By part of speech, the mean over the splits:", by_tag(runs)]
    return Section(title, blocks)


def of(runs: Sequence[Run], model: str) -> list[Run]:
    """The runs of a model, by split."""
    return sorted((run for run in runs if run.plan.model == model), key=lambda run: run.plan.number)


def models_of(runs: Sequence[Run]) -> list[str]:
    """The models that there are runs of."""
    return [model for model in MODELS if of(runs, model)]


def perplexities(runs: Sequence[Run], *, own: bool) -> Table:
    """A row a model: perplexity of each split, the mean, topics in use, seconds."""
    numbers = sorted({run.plan.number for run in runs})
    rows = []
    for model in models_of(runs):
        ours = of(runs, model)
        found = [run.own_perplexity if own else run.perplexity for run in ours]
        topics = ", ".join(str(run.topics) for run in ours)
        seconds = round(float(np.mean([run.seconds for run in ours])))
        rows.append([model, *(f"{p:.1f}" for p in found), f"{np.mean(found):.1f}", topics, seconds])
    return Table(("model", *(f"split {n}" for n in numbers), "mean", "topics in use", "s to learn"), rows)


def differences(runs: Sequence[Run]) -> Table:
    """How much worse the limits are than the STM, and whether by what is aimed at."""
    best = of(runs, "STM")
    mean = float(np.mean([run.perplexity for run in best]))
    rows = []
    for model, aim in AIMS.items():
        ours = of(runs, model)
        nats, error = difference(best, ours)
        ratio = float(np.mean([run.perplexity for run in ours])) / mean
        rows.append([model, f"{ratio:.3f}", f"{aim}", ratio >= aim, f"{nats:.4f}", f"{error:.4f}"])
    heads = ("beside STM", "perplexity, times", "aim", "reached", "nats/word worse", "standard error")
    return Table(heads, rows)


def by_tag(runs: Sequence[Run]) -> Table:
    """Perplexity of the commonest parts of speech, each word given those before it, heads first."""
    sums: dict[tuple[str, str], list[tuple[float, int]]] = defaultdict(list)
    counts: dict[str, int] = defaultdict(int)
    for run in runs:
        for tag, (nats, words) in run.by_tag.items():
            sums[run.plan.model, tag].append((nats, words))
            counts[tag] += words
    shown = sorted(counts, key=lambda tag: -counts[tag])[:MOST_TAGS]

    def cell(model: str, tag: str) -> str:
        return f"{np.mean([np.exp(-nats / words) for nats, words in sums[model, tag]]):.1f}"

    models = models_of(runs)
    share = sum(counts.values())
    return Table(
        ("tag", "share of the words", *models),
        [
            [tag, f"{100 * counts[tag] / share:.1f} %", *(cell(model, tag) for model in models)]
            for tag in shown
        ],
    )
