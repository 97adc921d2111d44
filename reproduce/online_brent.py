"""Figure 8.2: words found in Brent's corpus against inside calls, online, by MCMC and in batches."""

import time
from statistics import mean
from typing import Any, NamedTuple

from reproduce.claims import spread
from reproduce.grammar_texts import sentences
from reproduce.pages import Section, Table
from reproduce.parts import side_by_side

from stickbreaker import AdaptorGrammar, Grammar, Online
from stickbreaker.grammars.grammar_scores import gold_of
from stickbreaker.grammars.model.grammar import Adaptation
from stickbreaker.grammars.model.named import BY_NAME
from stickbreaker.grammars.segmentation_agreement import segmentation_of

AIM = 0.73  # F1 of unigram after two passes, from both starts of the concentration
STARTS = (100.0, 3000.0)  # of the concentration
TRUNCATIONS = {"unigram": {"Word": 1500}, "collocation": {"Colloc": 3000, "Word": 3000}}
ONLINE = {  # batch size, kappa, tau0
    "unigram": ((20, 0.5, 1.0), (20, 0.6, 128.0)),
    "collocation": ((5, 0.8, 256.0), (20, 0.5, 1.0)),
}
PAPER = {"unigram": (20, 0.6, 128.0), "collocation": (5, 0.8, 256.0)}
SHARES = (0.1, 0.3)  # of a pass at which words are looked at, too
PASSES = {"unigram": (1, 2, 5), "collocation": (1, 2)}
SWEEPS = {"unigram": (2, 20, 200), "collocation": (2, 20, 100)}
VARIATIONAL = (2, 10)


class Plan(NamedTuple):
    """What is learned, and how."""

    name: str
    grammar: str
    seed: int
    calls: float  # passes or sweeps, a share of one too
    concentration: float
    settings: dict[str, Any]


class Run(NamedTuple):
    """How a run ended."""

    name: str
    grammar: str
    seed: int
    calls: float  # inside calls a sentence
    concentration: float
    token: float  # F1 of words
    learned: list[float]  # discounts and concentrations
    seconds: float


def plans(full: bool) -> list[Plan]:
    """Long runs first, so that two at a time end together."""
    seeds, found = range(5), []
    for grammar in ("collocation", "unigram"):
        for sweeps in SWEEPS[grammar]:
            for init in ("incremental", "batch"):
                settings = {"inference": "mcmc", "init": init}
                times = 5 if full else 2
                found += [Plan(f"MCMC, {init}", grammar, seed, sweeps * (5 if full else 1), 1000.0, settings)
                          for seed in range(times)]  # fmt: skip
        for passes in VARIATIONAL:
            settings = {"inference": "mean-field", "truncation": TRUNCATIONS[grammar]}
            found += [Plan("VARIATIONAL", grammar, seed, passes, 1000.0, settings) for seed in range(2)]
        for size, kappa, tau0 in ONLINE[grammar]:
            for concentration in STARTS:
                for calls in (*SHARES, *PASSES[grammar]):
                    if calls not in (1, 2) and concentration != STARTS[0]:
                        continue
                    schedule = Online(size, kappa, tau0, total="seen")
                    settings = {
                        "inference": "hybrid",
                        "schedule": schedule,
                        "truncation": TRUNCATIONS[grammar],
                    }
                    name = f"ONLINE, B = {size}, κ = {kappa}, τ = {tau0:g}"
                    found += [Plan(name, grammar, seed, calls, concentration, settings) for seed in seeds]
        size, kappa, tau0 = PAPER[grammar]
        for concentration in STARTS:
            settings = {
                "inference": "hybrid", "schedule": Online(size, kappa, tau0), "processes": "fixed",
                "truncation": TRUNCATIONS[grammar],
            }  # fmt: skip
            name = f"ONLINE as printed, B = {size}, κ = {kappa}, τ = {tau0:g}, nothing learned"
            found += [Plan(name, grammar, seed, 2, concentration, settings) for seed in range(2)]
    return sorted(found, key=lambda plan: -_cost(plan))


def _cost(plan: Plan) -> float:
    """About how long a run takes."""
    heavy = 3.0 if plan.grammar == "collocation" else 1.0
    return plan.calls * heavy * (20.0 if plan.settings["inference"] != "mcmc" else 1.0)


def grammar_over(name: str, symbols: list[str], concentration: float) -> Grammar:
    """A grammar by its name with another concentration to begin with."""
    made = BY_NAME[name](symbols)
    return Grammar(made.rules, {symbol: Adaptation(0.0, concentration) for symbol in made.adapted})


def learn(plan: Plan) -> Run:
    """One run."""
    text = sentences("Brent")
    symbols = sorted({symbol for line in text.joined for symbol in line})
    settings, whole = dict(plan.settings), max(1, int(plan.calls))
    if plan.calls < 1:
        steps = max(1, round(plan.calls * len(text.joined) / settings["schedule"].batch_size))
        settings["callbacks"] = [lambda record: record["step"] >= steps]
    model = AdaptorGrammar(
        grammar_over(plan.grammar, symbols, plan.concentration), max_iter=whole, random_state=plan.seed,
        n_jobs=1, **settings,
    )  # fmt: skip
    start = time.perf_counter()
    model.fit(text.joined)
    seconds = time.perf_counter() - start
    gold = gold_of(model.learned_.model, [" ".join(words) for words in text.gold])
    agreement = segmentation_of(model.segment(text.joined, "Word"), gold)
    learned = [*model.discounts_.tolist(), *model.concentrations_.tolist()]
    return Run(
        plan.name, plan.grammar, plan.seed, plan.calls, plan.concentration, agreement.token.f1, learned,
        seconds,
    )  # fmt: skip


def summary(run: Run) -> str:
    """A line of a run that has ended."""
    return (
        f"Brent, {run.grammar}, {run.name}, concentration {run.concentration:g}, seed {run.seed}: "
        f"{run.calls:g} calls a sentence, words {run.token:.3f}, {run.seconds:.0f} s"
    )


def measure_all(full: bool) -> dict[str, Any]:
    """All runs."""
    return {"sentences": len(sentences("Brent").gold), "runs": side_by_side(plans(full), learn, summary)}


def section(data: dict[str, Any]) -> Section:
    """The figure as tables, the aim, and the calls that MCMC needs for as much."""
    runs = [Run(*held) for held in data["runs"]]
    return Section(
        "Brent",
        [
            f"{data['sentences']:,} utterances; F1 of words, means over seeds, the least and the greatest in "
            "brackets. Truncations as in the paper: 1,500 words (unigram), 3,000 collocations. As printed "
            "means the paper's schedule, where each minibatch stands for the whole corpus from the "
            "start, and concentrations stay what they are.",
            *(_table(grammar, runs) for grammar in ("unigram", "collocation")),
            Table(
                ("start of the concentration", "aim after two passes", "here", "reached"),
                [_aim(start, runs) for start in STARTS],
            ),
            *(_calls(grammar, runs) for grammar in ("unigram", "collocation")),
        ],
    )


def _table(grammar: str, runs: list[Run]) -> Table:
    groups: dict[tuple[str, float, float], list[Run]] = {}
    for run in sorted((run for run in runs if run.grammar == grammar), key=lambda run: (run.name, run.calls)):
        groups.setdefault((run.name, run.concentration, run.calls), []).append(run)
    return Table(
        (grammar, "concentration at first", "calls a sentence", "seeds", "words, F1", "s a run"),
        [
            [name, f"{start:g}", f"{calls:g}", len(own), spread(run.token for run in own),
             f"{mean(run.seconds for run in own):.1f}"]
            for (name, start, calls), own in groups.items()
        ],
    )  # fmt: skip


def _of(runs: list[Run], grammar: str, concentration: float, calls: float) -> dict[str, list[float]]:
    """F1 of online runs, by their settings."""
    found: dict[str, list[float]] = {}
    for run in runs:
        same = (run.grammar, run.concentration, run.calls) == (grammar, concentration, calls)
        if same and run.name.startswith("ONLINE, "):
            found.setdefault(run.name, []).append(run.token)
    return found


def _aim(start: float, runs: list[Run]) -> list[Any]:
    found = next(iter(sorted(_of(runs, "unigram", start, 2).items(), key=lambda item: -mean(item[1]))), None)
    if found is None:
        return [f"{start:g}", f"{AIM} at least", "not run", ""]
    name, scores = found
    return [
        f"{start:g}",
        f"{AIM} at least",
        f"{spread(scores)}: {name}",
        "yes" if mean(scores) >= AIM else "no",
    ]


def _calls(grammar: str, runs: list[Run]) -> str:
    """How many calls each needs for as good words as MCMC ends with."""
    own = [run for run in runs if run.grammar == grammar]
    sampled = [run for run in own if run.name == "MCMC, batch"]
    if not sampled:
        return ""
    most = max(run.calls for run in sampled)
    target = mean(run.token for run in sampled if run.calls == most)
    reached = sorted(
        calls
        for calls in {run.calls for run in own if run.name.startswith("ONLINE, ")}
        if any(mean(scores) >= target for scores in _of(runs, grammar, STARTS[0], calls).values())
    )
    if not reached:
        return f"{grammar}: no online run finds words as MCMC does from the batch start ({target:.3f})."
    share = reached[0] / most
    return (
        f"{grammar}: MCMC from the batch start ends at {target:.3f} after {most:g} calls a sentence; online "
        f"that is had by {reached[0]:g}, {share:.1%} of them (aim: a tenth at most)."
    )
