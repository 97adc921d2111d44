"""Table 8.2 on CTB6: words found, and held-out log likelihood, with the same search for every row."""

import time
from itertools import product
from typing import Any, NamedTuple

from reproduce.grammar_texts import Sentences, sentences
from reproduce.pages import Section, Table
from reproduce.parts import side_by_side

from stickbreaker import AdaptorGrammar, Online
from stickbreaker.core.random_streams import stream
from stickbreaker.grammars.grammar_scores import gold_of, scores_of
from stickbreaker.grammars.segmentation_agreement import segmentation_of

PAPER = {  # table 2 on CTB7: unigram and collocation, F1 in per cent (−log likelihood, millions)
    "MCMC, 500 sweeps": ("72.70 (2.81)", "50.53 (2.82)"),
    "MCMC, 2,000 sweeps": ("71.75 (2.79)", "71.66 (2.76)"),
    "ONLINE, two passes": ("72.98 (2.78)", "71.29 (2.77)"),
    "VARIATIONAL, 50 passes": ("69.83 (2.85)", "67.78 (2.75)"),
}
TRUNCATION = {"unigram": {"Word": 30_000}, "collocation": {"Word": 30_000, "Colloc": 100_000}}
DEV = 1000  # sentences that the search looks at, of those learned from
KAPPAS, TAUS = (0.5, 0.7), (1.0, 64.0)
FULL_KAPPAS, FULL_TAUS = (0.5, 0.6, 0.7, 0.8, 0.9), (1.0, 64.0, 256.0)
SWEEPS, PASSES = {"unigram": 60, "collocation": 30}, {"unigram": 10, "collocation": 6}


class Plan(NamedTuple):
    """What is learned, and how."""

    row: str
    grammar: str
    tried: str
    settings: dict[str, Any]
    whole: bool  # all sentences to learn from, or a sixth of them for the search


class Run(NamedTuple):
    """How a run ended."""

    row: str
    grammar: str
    tried: str
    whole: bool
    token: float  # F1 of words of the test part, or of the search's
    nats: float  # log p of its sentences
    symbols: int
    remembered: dict[str, int]
    seconds: float


def parts_of(text: Sentences) -> tuple[list[int], list[int]]:
    """Numbers of sentences to learn from, 70 %, and to test by."""
    order = stream(0, "chinese parts").permutation(len(text.gold))
    cut = round(0.7 * len(order))
    return sorted(order[:cut].tolist()), sorted(order[cut:].tolist())


def tries(grammar: str, full: bool) -> dict[str, dict[str, dict[str, Any]]]:
    """The settings that are tried for each row, the same number for all."""
    many = 5 if full else 1
    grid = list(product(FULL_KAPPAS, FULL_TAUS) if full else product(KAPPAS, TAUS))
    online = {
        f"κ = {kappa}, τ = {tau:g}": {
            "inference": "hybrid", "schedule": Online(100, kappa, tau, total="seen"), "max_iter": 2,
            "refine_every": 100, "truncation": TRUNCATION[grammar],
        }
        for kappa, tau in grid
    }  # fmt: skip
    sampled = {
        f"{init}, {'with' if relabel else 'without'} relabelling": {
            "inference": "mcmc", "init": init, "max_iter": SWEEPS[grammar] * many, "relabel": relabel,
        }
        for init in ("incremental", "batch")
        for relabel in (True, False)
    }  # fmt: skip
    summed = {
        f"{most:,} words": {
            "inference": "mean-field", "max_iter": PASSES[grammar] * many,
            "truncation": {**TRUNCATION[grammar], "Word": most},
        }
        for most in (5_000, 10_000, 20_000, 30_000)
    }  # fmt: skip
    return {"ONLINE": online, "MCMC": sampled, "VARIATIONAL": summed}


def learn(plan: Plan) -> Run:
    """One run, tested by the test part or, in the search, by sentences learned from."""
    text = sentences("CTB6")
    learned, tested = parts_of(text)
    if not plan.whole:
        learned, tested = learned[: len(learned) // 6], learned[len(learned) // 6 :][:DEV]
    model = AdaptorGrammar(
        plan.grammar, punctuation="boundaries", unparsed="skip", random_state=0, n_jobs=1, **plan.settings
    )
    start = time.perf_counter()
    model.fit([text.joined[number] for number in learned])
    seconds = time.perf_counter() - start
    return Run(
        plan.row, plan.grammar, plan.tried, plan.whole, *scored(model, text, tested), model._sizes(), seconds
    )


def scored(model: AdaptorGrammar, text: Sentences, tested: list[int]) -> tuple[float, float, int]:
    """F1 of the words of some sentences, exact log p of the sentences in nats, and their symbols."""
    lines = [" ".join(text.gold[number]) for number in tested]
    joined = [text.joined[number] for number in tested]
    agreement = segmentation_of(model.segment(joined, "Word"), gold_of(model.learned_.model, lines))
    scores = scores_of(model.learned_.model, joined)
    return agreement.token.f1, scores["nats_per_symbol"] * scores["symbols"], scores["symbols"]


def summary(run: Run) -> str:
    """A line of a run that has ended."""
    part = "test" if run.whole else "search"
    return (
        f"CTB6, {run.grammar}, {run.row}, {run.tried} ({part}): words {run.token:.3f}, "
        f"{run.nats / run.symbols:.3f} nats per symbol, {run.seconds:.0f} s"
    )


def measure_all(full: bool) -> dict[str, Any]:
    """The search on a sixth of the sentences, then the best of each row, by words found, on all."""
    grammars = ("collocation", "unigram")
    plans = [
        Plan(row, grammar, name, settings, False)
        for grammar in grammars
        for row, tried in tries(grammar, full).items()
        for name, settings in tried.items()
    ]
    searched = side_by_side(plans, learn, summary)
    finals = []
    for grammar, row in product(grammars, ("MCMC", "ONLINE", "VARIATIONAL")):
        own = [run for run in searched if (run.grammar, run.row) == (grammar, row)]
        best = max(own, key=lambda run: run.token).tried
        finals.append(Plan(row, grammar, best, tries(grammar, full)[row][best], True))
    text = sentences("CTB6")
    sizes = [len(part) for part in parts_of(text)]
    types = len({word for line in text.gold for word in line})
    return {"sizes": sizes, "types": types, "runs": [*searched, *side_by_side(finals, learn, summary)]}


def section(data: dict[str, Any]) -> Section:
    """Our table next to the paper's."""
    runs = [Run(*held) for held in data["runs"]]
    learned, tested = data["sizes"]
    return Section(
        "Chinese",
        [
            f"CTB6: {learned:,} sentences to learn from, {tested:,} to test by, {data['types']:,} distinct "
            "words (the paper's CTB7 has 162,000 sentences and 57,000 words; PKU and CityU are to be had as "
            "test parts alone). Marks of punctuation end words and are left out. For every row four settings "
            "(FULL=1: fifteen online) are tried on a sixth of the sentences, and the one that finds most "
            "words is learned from all. Held-out −log p of sentences is exact here, by sums over all trees; "
            "the paper has that of the most likely tree.",
            Table(
                ("CTB6", "grammar", "chosen", "words, F1", "−log p, nats per symbol", "−log p, thousands",
                 "remembered", "s"),
                [
                    [run.row, run.grammar, run.tried, f"{100 * run.token:.2f}",
                     f"{-run.nats / run.symbols:.3f}", f"{-run.nats / 1e3:,.1f}",
                     ", ".join(f"{n:,} {name}" for name, n in run.remembered.items()),
                     f"{run.seconds:.0f}"]
                    for run in runs
                    if run.whole
                ],
            ),
            "The paper's table 2 on CTB7, F1 of words in per cent (−log likelihood of held-out sentences, "
            "millions):",
            Table(("", "unigram", "collocation"), [[name, *cells] for name, cells in PAPER.items()]),
            Table(
                ("search, on a sixth", "grammar", "tried", "words, F1", "nats per symbol", "s"),
                [
                    [run.row, run.grammar, run.tried, f"{100 * run.token:.2f}",
                     f"{run.nats / run.symbols:.3f}", f"{run.seconds:.0f}"]
                    for run in runs
                    if not run.whole
                ],
            ),
        ],
    )  # fmt: skip
