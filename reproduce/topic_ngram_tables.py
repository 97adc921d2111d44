"""The paper's tables and figures of topic n-grams, as they came."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from reproduce.chart import Line
from reproduce.ngram_runs import Order, Sizes, order_name
from reproduce.ngram_tables import sizes_table
from reproduce.pages import Chart, Table
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
from reproduce.topic_ngram_texts import BROWN, NIPS, WIKITEXT
from reproduce.topic_ngram_words import FREQUENT, contexts_table, passage_line, phrases_table

if TYPE_CHECKING:
    from reproduce.topic_ngram_parts import Size

Block = str | Table | Chart
TABLE_1 = {  # the paper's: types, documents, tokens, documents and tokens to score
    BROWN: ("Brown", 19_759, 470, 1_157_225, 30, 70_795),
    NIPS: ("NIPS", 22_705, 1_500, 5_088_786, 50, 167_730),
    WIKITEXT: ("BNC", 33_071, 6_162, 12_783_130, 100, 202_994),
}
TABLE_2 = {  # the paper's, K = 100: perplexity and seconds to predict
    NIPS: {
        (HPYLM, 4): (117.2, 59), (HPYLM, "unbounded"): (117.9, 61), (RESCALING, 4): (101.4, 19_009),
        (HPYTM, 4): (107.0, 1_004), (HPYTM, "unbounded"): (107.2, 1_346),
        (HIERARCHICAL, 4): (106.3, 1_038), (HIERARCHICAL, "unbounded"): (105.7, 1_337),
        (SWITCHING, 4): (100.0, 1_059), (SWITCHING, "unbounded"): (100.4, 1_369),
    },
    WIKITEXT: {
        (HPYLM, 4): (169.2, 74), (HPYLM, "unbounded"): (173.1, 59), (RESCALING, 4): (130.3, 36_323),
        (HPYTM, 4): (133.1, 980), (HPYTM, "unbounded"): (133.6, 1_232),
        (HIERARCHICAL, 4): (129.0, 993), (HIERARCHICAL, "unbounded"): (129.3, 1_001),
        (SWITCHING, 4): (125.5, 991), (SWITCHING, "unbounded"): (125.7, 1_006),
    },
}  # fmt: skip
MODELS = (*PRIORS, RESCALING)


def of(
    runs: Sequence[Run], model: str, topics: int, order: Order = 3, sweeps: int | None = None
) -> list[Run]:
    """The runs of a model, one for each split; with that many sweeps if given, else the fewest."""
    found = [run for run in runs if run.plan[2:5] == (model, topics, order)]
    sweeps = sweeps or min((run.plan.sweeps for run in found), default=0)
    return [run for run in found if run.plan.sweeps == sweeps]


def language(runs: Sequence[Run], like: Run) -> Run:
    """The HPYLM of the same text and order as another run, or of n = 3 if there is none."""
    own = [run for run in runs if run.plan.model == HPYLM and run.plan.number == like.plan.number]
    same = [run for run in own if run.plan.order == like.plan.order]
    return (same or own)[0]


def ratios(runs: Sequence[Run], run: Run) -> tuple[float, float]:
    """To the HPYLM: of the means of the samples' perplexities, and of those of the mean of probabilities."""
    beside = language(runs, run)
    return run.averaged / beside.averaged, run.perplexity / beside.perplexity


def all_tables(text: str, size: "Size", sizes: Sequence[Sizes], runs: Sequence[Run]) -> list[Block]:
    """Everything but the claims."""
    return [
        *_texts(text, sizes),
        f"After {size.early} sweeps, one state each, nothing averaged:",
        early_table(runs),
        f"Figures 4 d to f: perplexity of trigrams by the number of topics. Models with topics: "
        f"{size.sweeps} sweeps; without: {size.language}; LDA, by Gibbs sampling: {size.lda}.",
        topics_table(size, runs),
        topics_chart(size, runs, paper=True),
        topics_chart(size, runs, paper=False),
        "Figures 4 a to c: log p(words, topics, seating) of HPYTM's chain, in nats per word, at the same "
        "CPU seconds. Chains of one prior alone can be compared so.",
        curves_table(runs),
        curves_chart(runs),
        "Table 2: seconds to predict, with all samples. `all words`: RESCALING if the sum over all "
        "words is taken from the probability of every word in every context, extrapolated from "
        f"{size.naive} words. `contexts`: those of a sample in which a word sits; `rooms`: the same counted "
        "for each topic.",
        predictions_table(text, size, runs),
        "Speed of the sampler: words that draw their topics, a CPU second, and seconds of a sweep's "
        "blocks of tables:",
        speed_table(runs),
        *_shown(runs),
    ]


def _texts(text: str, sizes: Sequence[Sizes]) -> list[Block]:
    name, types, documents, train, scored, test = TABLE_1[text]
    return [
        f"Table 1. The paper's {name} has {types:,} types, {documents:,} documents of {train:,} words to "
        f"learn from, and {scored} of {test:,} to score; how its text was cut is not said.",
        sizes_table(sizes),
    ]


def early_table(runs: Sequence[Run]) -> Table:
    """Perplexities of single states."""
    rows: list[list[Any]] = []
    for run in (run for run in runs if run.early is not None):
        beside = language(runs, run).early
        assert run.early is not None
        rows.append([run.plan.number, name_of(run.plan), f"{run.early:.1f}", _ratio(run.early, beside)])
    return Table(("split", "model", "perplexity", "to HPYLM"), rows)


def topics_table(size: "Size", runs: Sequence[Run]) -> Table:
    """Figures 4 d to f."""
    columns = [
        f"K = {k}: {what}" for k in size.topics for what in ("paper's mean", "ratio", "mean of p", "ratio")
    ]
    beside = of(runs, HPYLM, 0)
    rows: list[list[Any]] = []
    for number, alone in enumerate(beside):
        told = [f"{alone.averaged:.1f}", "1", f"{alone.perplexity:.1f}", "1"]
        rows.append([number, HPYLM, *told * len(size.topics)])
        for model in MODELS:
            cells: list[str] = []
            for topics in size.topics:
                run = of(runs, model, topics)[number]
                averaged, mean = ratios(runs, run)
                cells += [f"{run.averaged:.1f}", f"{averaged:.3f}", f"{run.perplexity:.1f}", f"{mean:.3f}"]
            rows.append([number, model, *cells])
    return Table(("split", "model", *columns), rows)


def topics_chart(size: "Size", runs: Sequence[Run], *, paper: bool) -> Chart:
    """Figures 4 d to f, of the first split."""
    lines = []
    for model in MODELS:
        own = [of(runs, model, topics)[0] for topics in size.topics]
        lines.append(Line(model, size.topics, [run.averaged if paper else run.perplexity for run in own]))
    alone = of(runs, HPYLM, 0)[0]
    level = alone.averaged if paper else alone.perplexity
    kind = "mean of the samples' perplexities" if paper else "by the mean of probabilities"
    return Chart(f"Trigrams, {kind}", "topics", "perplexity", lines, (HPYLM, level))


def followed(runs: Sequence[Run]) -> list[tuple[Run, Run]]:
    """By order, HPYTM's chain of single words and that of tables."""
    own = [run for run in runs if run.plan.follow]
    orders = dict.fromkeys(run.plan.order for run in own)
    by_model = {(run.plan.model, run.plan.order): run for run in own}
    return [(by_model[TOKENS, order], by_model[HPYTM, order]) for order in orders]


def at_seconds(run: Run, seconds: float) -> float:
    """What a chain's score was after some CPU seconds, in nats per word; between two, on the line of both."""
    _, when, nats = (np.array(column, np.float64) for column in zip(*run.curve, strict=True))
    return float(np.interp(seconds, when, nats)) / run.learned_from


def curves_table(runs: Sequence[Run]) -> Table:
    """Figures 4 a to c, at some times that both chains have."""
    rows: list[list[Any]] = []
    for tokens, tables in followed(runs):
        last = min(tokens.curve[-1][1], tables.curve[-1][1])
        for share in (0.1, 0.25, 0.5, 1.0):
            values = [at_seconds(run, share * last) for run in (tokens, tables)]
            rows.append(
                [order_name(tokens.plan.order), f"{share * last:.1f}", *(f"{v:.4f}" for v in values),
                 f"{values[1] - values[0]:+.4f}"]
            )  # fmt: skip
    return Table(("order", "s", TOKENS, HPYTM, "higher by"), rows)


def curves_chart(runs: Sequence[Run]) -> Chart:
    """Figures 4 a to c."""
    lines = [
        Line(
            f"{run.plan.model}, {order_name(run.plan.order)}",
            [seconds for _, seconds, _ in run.curve],
            [nats / run.learned_from for _, _, nats in run.curve],
        )
        for pair in followed(runs)
        for run in pair
    ]
    return Chart("The chain of HPYTM", "CPU seconds", "log p(words, topics, seating), nats per word", lines)


def predictions_table(text: str, size: "Size", runs: Sequence[Run]) -> Table:
    """Table 2, of the first split."""
    rows: list[list[Any]] = []
    paper, most = TABLE_2.get(text, {}), max(size.sweeps, size.language)
    for run in runs:
        plan = run.plan
        if plan.number or plan.topics not in (0, size.table) or plan.sweeps > most:
            continue
        averaged, mean = ratios(runs, run)
        rows.append(
            [name_of(plan), f"{run.averaged:.1f}", f"{averaged:.3f}", f"{run.perplexity:.1f}", f"{mean:.3f}",
             f"{run.predicting:.1f}", None if run.naive is None else round(run.naive), round(run.learning),
             run.contexts, run.rooms]
        )  # fmt: skip
        if paper:
            level, seconds = paper.get((plan.model, plan.order), (None, None))
            rows[-1] += [level, _ratio(level, paper[HPYLM, plan.order][0]) if level else None, seconds]
    columns = (
        "model", "paper's mean", "ratio", "mean of p", "ratio", "s to predict", "s, all words", "s to learn",
        "contexts", "rooms",
    )  # fmt: skip
    return Table((*columns, *(("paper", "its ratio", "its s") if paper else ())), rows)


def speed_table(runs: Sequence[Run]) -> Table:
    """Words a CPU second, and seconds of the blocks."""
    rows = [
        [name_of(run.plan), run.plan.sweeps, f"{speed(run):.2f}", f"{run.parts.get('tables', 0.0):.1f}"]
        for run in runs
        if run.parts and not run.plan.number
    ]
    return Table(("model", "sweeps", "million words per CPU second", "s of blocks per sweep"), rows)


def speed(run: Run) -> float:
    """Millions of words that draw their topics in a CPU second."""
    return run.learned_from / run.parts["words"] / 1e6


def _ratio(value: float, beside: float | None) -> str | None:
    return None if beside is None else f"{value / beside:.3f}"


def _shown(runs: Sequence[Run]) -> list[Block]:
    """Figure 5, tables 3 and 4."""
    found: list[Block] = []
    for run in (run for run in runs if run.shown):
        held, name = run.shown or {}, name_of(run.plan)
        if "passage" in held:
            words = held["words"]
            others = "–" if words["others"] is None else f"{words['others']:.2f}"
            found += [
                f"Figure 5: {name}. Behind each word, in tenths, the chance that it is of a topic and "
                "not of the common model, given its whole document:",
                passage_line(held["passage"]),
                f"Of the text learned from, the {FREQUENT} most frequent words are of a topic in "
                f"{words['frequent']:.2f} of all cases, the others in {others}. Of the former the least: "
                f"{_told(words['least'])}; the most: {_told(words['most'])}.",
            ]
        if "contexts" in held:
            tenths = ", ".join(f"{n:,}" for n in held["shares"])
            found += [
                f"Table 3: {name}. The longest contexts with the most words, by their share of topics λ:",
                contexts_table(held["contexts"]),
                f"How many of them by tenths from 0 to 1: {tenths}.",
            ]
        found += [f"Table 4: {name}. Phrases of its largest topics:", phrases_table(held["phrases"])]
    return found


def _told(words: Sequence[tuple[str, float]]) -> str:
    return ", ".join(f"{word} {share:.2f}" for word, share in words)
