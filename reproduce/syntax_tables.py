"""The parts on treebanks, and their tables: perplexity by split, paired differences, parts of speech."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from reproduce.pages import Section, Table
from reproduce.parts import side_by_side
from reproduce.syntax_printed import Settings
from reproduce.syntax_printed_runs import MORE_SWEEPS, PRINTED, STARTS, learn_printed
from reproduce.syntax_printed_runs import SWEEPS as PRINTED_SWEEPS
from reproduce.syntax_runs import MODELS, TOPICS, Plan, Run, difference, learn, summary

SWEEPS, MORE = 400, 1000  # of each of the four chains that the library has
SEEDS = (0, 1, 2)
MOST_TAGS = 12
AIMS = {"ITIC": 1.02, "HDP": 1.25, PRINTED: None}  # times the perplexity of the STM, at least


def measured(plans: Sequence[Plan]) -> dict[str, Any]:
    """All runs of plans; each is printed as it ends."""
    return {"runs": side_by_side(plans, learn_by_name, summary)}


def learn_by_name(plan: Plan) -> Run:
    """A run by our chain, or by the printed inference."""
    return (learn_printed if plan.model == PRINTED else learn)(plan)


def measure_sample(full: bool, sweeps: int | None = None) -> dict[str, Any]:
    """Three splits of the sample of the Penn Treebank; the printed inference on all with FULL=1, or on the
    first."""
    printed = sweeps or (MORE_SWEEPS if full else PRINTED_SWEEPS)
    sweeps = sweeps or (MORE if full else SWEEPS)
    plans = [Plan("treebank sample", seed, model, sweeps) for seed in SEEDS for model in MODELS]
    plans += [Plan("treebank sample", seed, PRINTED, printed) for seed in (SEEDS if full else SEEDS[:1])]
    return measured(plans)


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
    if of(runs, PRINTED):
        blocks.append(printed_note(of(runs, PRINTED)))
    if len({run.plan.model for run in runs}) > 1:
        blocks += [
            differences(runs),
            "By part of speech, the mean over the splits that there are:",
            by_tag(runs),
        ]
    for run in runs:
        if run.found:
            blocks += ["Topics of the STM in the first split (Figure 7):", topics_table(run.found)]
    return Section(title, blocks)


def topics_table(found: Sequence[Any]) -> Table:
    """A row for each topic."""
    rows = []
    for place, (share, tag, part, below, words) in enumerate(found):
        tags, heads = f"{tag} {100 * part:.0f} %", " ".join(map(str, below))
        rows.append([place, f"{100 * share:.1f} %", tags, heads, " ".join(words)])
    return Table(("", "share", "part of speech", "below it", "words"), rows)


def printed_note(runs: Sequence[Run]) -> str:
    """What the rows of the printed inference are."""
    given, bounds = Settings(TOPICS), ", ".join(f"{run.bound:.3f}" for run in runs if run.bound is not None)
    alphas = f"alpha_D = {given.alpha_documents:g}, alpha_T = {given.alpha_transitions:g}"
    return (
        f"{PRINTED}: the paper's own inference with its misprints corrected (a factorised variational "
        f"distribution, a slack for each word, conjugate gradients), {runs[0].plan.sweeps} sweeps from each "
        f"of {STARTS} random starts. The start with the best bound is shown: {bounds} nats per word. The "
        f"paper gives alpha = .1 alone; {alphas} have the best bound of those tried on the first split. "
        f"Topics' words have the prior Dirichlet({given.sigma:g}). Shares of a document are the mean of its "
        "Dirichlet, inferred from the same sentences as the others', and its trees are summed exactly at the "
        "means."
    )


def of(runs: Sequence[Run], model: str) -> list[Run]:
    """The runs of a model, by split."""
    return sorted((run for run in runs if run.plan.model == model), key=lambda run: run.plan.number)


def models_of(runs: Sequence[Run]) -> list[str]:
    """The models that there are runs of."""
    return [model for model in (*MODELS, PRINTED) if of(runs, model)]


def perplexities(runs: Sequence[Run], *, own: bool) -> Table:
    """A row a model: perplexity of each split, the mean, topics in use, seconds."""
    numbers = sorted({run.plan.number for run in runs})
    rows = []
    for model in models_of(runs):
        ours = of(runs, model)
        found = {run.plan.number: run.own_perplexity if own else run.perplexity for run in ours}
        each = [f"{found[number]:.1f}" if number in found else None for number in numbers]
        mean = None if None in each else f"{np.mean(list(found.values())):.1f}"
        topics = ", ".join(str(run.topics) for run in ours)
        seconds = round(float(np.mean([run.seconds for run in ours])))
        rows.append([model, *each, mean, topics, seconds])
    return Table(("model", *(f"split {n}" for n in numbers), "mean", "topics in use", "s to learn"), rows)


def differences(runs: Sequence[Run]) -> Table:
    """How much worse the limits are than the STM, and whether that is as much as aimed at."""
    rows = []
    for model, aim in AIMS.items():
        ours = of(runs, model)
        numbers = [run.plan.number for run in ours]
        best = [run for run in of(runs, "STM") if run.plan.number in numbers]
        if not ours:
            continue
        nats, error = difference(best, ours)
        ratio = float(np.mean([run.perplexity for run in ours]) / np.mean([run.perplexity for run in best]))
        reached = None if aim is None else ratio >= aim
        rows.append([model, f"{ratio:.3f}", aim and f"{aim}", reached, f"{nats:.4f}", f"{error:.4f}"])
    heads = ("compared with STM", "perplexity, times", "aim", "reached", "nats/word worse", "standard error")
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
