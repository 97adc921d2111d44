"""What the paper claims of topic n-grams and what was aimed at, compared with what came."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from reproduce.claims import Claim, claims, span, verdict
from reproduce.ngram_runs import UNBOUNDED
from reproduce.pages import Table
from reproduce.syntax_runs import difference
from reproduce.topic_ngram_runs import (
    HIERARCHICAL,
    HPYLM,
    HPYTM,
    PRIORS,
    RESCALING,
    SWITCHING,
    TOKENS,
    Run,
    name_of,
)
from reproduce.topic_ngram_tables import MODELS, at_seconds, followed, language, of, speed
from reproduce.topic_ngram_texts import BROWN

if TYPE_CHECKING:
    from reproduce.topic_ngram_parts import Size

EARLY = {SWITCHING: 0.90, HPYTM: 0.95}  # aimed at: one state, times the HPYLM's
SPEED, BLOCKS = 0.6, 6.0  # million words per CPU second at least; seconds of blocks at most
BELOW = (
    (HPYTM, TOKENS, "HPYTM is below HPYTM by moves of single words"),
    (HIERARCHICAL, HPYTM, "HIERARCHICAL is below HPYTM"),
    (SWITCHING, HPYTM, "SWITCHING is below HPYTM"),
    (SWITCHING, RESCALING, "SWITCHING is below RESCALING"),
    (SWITCHING, HIERARCHICAL, "SWITCHING is below HIERARCHICAL"),
)


def all_claims(text: str, size: "Size", runs: Sequence[Run]) -> list[str | Table]:
    """All claims, and what may explain those that do not hold."""
    rows = [*early(runs)]
    for pair in BELOW:
        rows += below(size, runs, *pair)
    rows += [*large(size, runs), *best(size, runs), *training(runs), *prediction(size, runs)]
    rows += [*unbounded(size, runs), *speeds(text, size, runs)]
    return [
        *claims(rows),
        "Differences are of log p in nats per word, by the mean of the samples' probabilities, with their "
        "standard error over the documents to score. Another chain of the same model differs by chance too; "
        "that is not part of the error.",
        f"If a claim does not hold, this is known of what differs. There are {size.sweeps} sweeps, of "
        "which the second half has the samples, where the paper has 500 before the first of ten; perplexity "
        "continues to fall for long, most of all with moves of single words alone. Equations 10 to 13 are as "
        "they must be for the chain to be exact: the factor of a new table has the restaurant's totals and "
        "the rising factorial has the table's size as its length, and the shares λ are drawn, not counted in "
        "fractions; as printed, HIERARCHICAL's sampler is biased. RESCALING learns its topics from all words "
        "of the text, with α and η learned. The level of perplexities depends on which documents are held "
        "out.",
    ]


def early(runs: Sequence[Run]) -> list[Claim]:
    """The states after a few sweeps."""
    rows: list[Claim] = []
    for model, most in EARLY.items():
        own = [run for run in runs if run.plan.model == model and run.early is not None]
        found = [(run.early or 0.0) / (language(runs, run).early or np.nan) for run in own]
        if found:
            after = own[0].plan.early
            rows.append(
                ("aim", f"after {after} sweeps, one state, {model} is {most:.2f} times HPYLM at most",
                 span(found, ".3f"), verdict([each <= most for each in found]))
            )  # fmt: skip
    return rows


def below(size: "Size", runs: Sequence[Run], model: str, other: str, claim: str) -> list[Claim]:
    """Whether a model has lower perplexities than another, for every number of topics, by both measures."""
    pairs = [(k, of(runs, model, k), of(runs, other, k)) for k in size.topics]
    paper, mean = [], []
    holds: tuple[list[bool], list[bool]] = [], []
    for k, own, beside in pairs:
        averaged = [a.averaged / b.averaged for a, b in zip(own, beside, strict=True)]
        by_mean = [a.perplexity / b.perplexity for a, b in zip(own, beside, strict=True)]
        lost, error = difference(own, beside)
        paper.append(f"K = {k}: {span(averaged, '.3f')}")
        mean.append(f"K = {k}: {span(by_mean, '.3f')} ({lost:+.4f} ± {error:.4f} nats)")
        holds[0].extend(each < 1.0 for each in averaged)
        holds[1].extend(each < 1.0 for each in by_mean)
    return [
        ("paper", f"{claim}, by the mean of the samples' perplexities",
         f"times {'; '.join(paper)}", verdict(holds[0])),
        ("paper", f"{claim}, by the mean of probabilities", f"times {'; '.join(mean)}", verdict(holds[1])),
    ]  # fmt: skip


def large(size: "Size", runs: Sequence[Run]) -> list[Claim]:
    """HIERARCHICAL and RESCALING with many topics."""
    most = max(size.topics)
    pairs = zip(of(runs, HIERARCHICAL, most), of(runs, RESCALING, most), strict=True)
    found = [a.averaged / b.averaged for a, b in pairs]
    return [
        ("paper", f"HIERARCHICAL is somewhat above RESCALING where K is large (here {most})",
         f"times {span(found, '.3f')}, by the mean of the samples' perplexities",
         verdict([each > 1.0 for each in found]))
    ]  # fmt: skip


def best(size: "Size", runs: Sequence[Run]) -> list[Claim]:
    """The number of topics that is best, and the best model."""
    most, told, holds = max(size.topics), [], []
    for model in MODELS:
        own = {k: of(runs, model, k)[0].averaged for k in size.topics}
        chosen = min(own, key=lambda k: own[k])
        told.append(f"{model} {chosen}")
        holds.append((chosen == most) == (model != TOKENS))
    lowest = [min(MODELS, key=lambda model: of(runs, model, k)[0].averaged) for k in size.topics]
    by_topics = ", ".join(f"K = {k}: {model}" for k, model in zip(size.topics, lowest, strict=True))
    return [
        ("paper", f"all but HPYTM by moves of single words are best with the most topics ({most})",
         f"best: {', '.join(told)}", verdict(holds)),
        ("paper", "SWITCHING is the best of all", by_topics,
         verdict([each == SWITCHING for each in lowest])),
    ]  # fmt: skip


def training(runs: Sequence[Run]) -> list[Claim]:
    """Moves of tables compared with those of single words."""
    rows: list[Claim] = []
    for tokens, tables in followed(runs):
        last = min(tokens.curve[-1][1], tables.curve[-1][1])
        gaps = [at_seconds(tables, s * last) - at_seconds(tokens, s * last) for s in (0.5, 1.0)]
        rows.append(
            ("paper", f"{name_of(tables.plan)}: the joint probability is higher with tables",
             f"after the same time, by {gaps[0]:+.4f} nats per word ({last / 2:.0f} s) and {gaps[1]:+.4f} "
             f"({last:.0f} s)",
             verdict([gap > 0.0 for gap in gaps]))
        )  # fmt: skip
    return rows


def prediction(size: "Size", runs: Sequence[Run]) -> list[Claim]:
    """Seconds to predict."""
    beside = of(runs, RESCALING, size.table)[0]
    own = {model: of(runs, model, size.table)[0].predicting for model in PRIORS if model != TOKENS}
    told = ", ".join(f"{model} {seconds:.1f}" for model, seconds in own.items())
    rows: list[Claim] = [
        ("paper", "models with topics predict faster than RESCALING (NIPS, n = 4: 1,059 s at most, 19,009)",
         f"{told} s; {RESCALING} {beside.predicting:.1f} s, its sums down the restaurants",
         verdict([seconds < beside.predicting for seconds in own.values()]))
    ]  # fmt: skip
    if beside.naive is not None:
        rows.append(
            ("paper", "and than RESCALING whose sums are over all words", f"{told} s; {beside.naive:,.0f} s",
             verdict([seconds < beside.naive for seconds in own.values()]))
        )  # fmt: skip
    return rows


def unbounded(size: "Size", runs: Sequence[Run]) -> list[Claim]:
    """Contexts of unbounded models compared with those of the longest fixed order that was learned."""
    rows: list[Claim] = []
    for model in (HPYLM, HPYTM, HIERARCHICAL, SWITCHING):
        topics = 0 if model == HPYLM else size.table
        none = of(runs, model, topics, UNBOUNDED)
        fixed = [*of(runs, model, topics, 4), *of(runs, model, topics, 3)]
        if not none or not fixed:
            continue
        share, ratio = none[0].rooms / fixed[0].rooms, none[0].averaged / fixed[0].averaged
        order = fixed[0].plan.order
        rows += [
            ("paper", f"{model}: unbounded is as good as n = {order} (0.2 % to 2.3 % apart for n = 4)",
             f"times {ratio:.3f}", abs(ratio - 1.0) <= 0.025),
            ("paper", f"{model}: and has about half its nodes (SWITCHING, BNC: 3.9 and 7.9 million, n = 4)",
             f"n = {order}: {fixed[0].contexts:,} contexts, {fixed[0].rooms:,} rooms; unbounded: "
             f"{none[0].contexts:,} and {none[0].rooms:,} ({100 * share:.0f} % of the rooms)", share <= 0.6),
        ]  # fmt: skip
    return rows


def speeds(text: str, size: "Size", runs: Sequence[Run]) -> list[Claim]:
    """How fast the sampler is on Brown."""
    if text != BROWN:
        return []
    own = [of(runs, model, size.middle)[0] for model in PRIORS if model != TOKENS]
    return [
        ("aim", f"K = {size.middle}: {SPEED:g} million words per CPU second at least",
         ", ".join(f"{run.plan.model} {speed(run):.2f}" for run in own),
         verdict([speed(run) >= SPEED for run in own])),
        ("aim", f"K = {size.middle}: blocks take {BLOCKS:g} s a sweep at most",
         ", ".join(f"{run.plan.model} {run.parts['tables']:.1f}" for run in own),
         verdict([run.parts["tables"] <= BLOCKS for run in own])),
    ]  # fmt: skip
