"""Table 8.2 of the thesis row by row: three Chinese texts, sweeps of MCMC, nine rates online, batches."""

import time
from itertools import product
from typing import Any, NamedTuple

from reproduce.grammar_texts import sentences
from reproduce.online_chinese import parts_of, scored
from reproduce.pages import Section, Table
from reproduce.parts import side_by_side

from stickbreaker import AdaptorGrammar, Corpus, Online
from stickbreaker.estimators.model_runs import EndedRun, facts_of
from stickbreaker.grammars import learner
from stickbreaker.learning.loop import run
from stickbreaker.learning.observers import Observer, Trace
from stickbreaker.learning.run import Run as LearningRun
from stickbreaker.learning.run import RunState

TEXTS = {  # this text, the thesis's, and its truncations of words and collocations
    "CTB6": ("ctb7", 30_000, 100_000),
    "PKU, test part": ("pku", 40_000, 120_000),
    "CityU, test part": ("cityu", 50_000, 150_000),
}
SMALL = tuple(TEXTS)[1:]
GRAMMARS = ("unigram", "collocation")
KAPPAS, TAUS = (0.6, 0.8, 1.0), (32.0, 128.0, 512.0)
SWEEPS = (500, 1000, 1500, 2000)
PASSES = 50  # of VARIATIONAL
ONLINE_PASSES, BATCH_SIZE, REFINE = 2, 100, 100
PAPER = {  # F1 of words in per cent: unigram and collocation of ctb7, pku, cityu
    "MCMC, 500 sweeps": (72.70, 50.53, 72.01, 49.06, 74.19, 63.14),
    "MCMC, 1,000 sweeps": (72.65, 62.27, 71.81, 62.47, 74.37, 70.62),
    "MCMC, 1,500 sweeps": (72.17, 69.65, 71.46, 70.20, 74.22, 72.33),
    "MCMC, 2,000 sweeps": (71.75, 71.66, 71.04, 72.55, 74.01, 73.15),
    "ONLINE, κ = 0.6, τ = 32": (70.17, 68.43, 69.93, 68.09, 72.59, 69.27),
    "ONLINE, κ = 0.6, τ = 128": (72.98, 65.20, 72.26, 65.57, 74.73, 64.83),
    "ONLINE, κ = 0.6, τ = 512": (72.76, 56.05, 71.99, 58.94, 73.68, 60.40),
    "ONLINE, κ = 0.8, τ = 32": (71.10, 70.84, 70.31, 70.91, 73.12, 71.89),
    "ONLINE, κ = 0.8, τ = 128": (72.79, 70.93, 72.08, 72.02, 74.62, 72.28),
    "ONLINE, κ = 0.8, τ = 512": (72.82, 68.53, 72.14, 70.07, 74.71, 72.58),
    "ONLINE, κ = 1, τ = 32": (69.98, 70.71, 69.42, 71.45, 73.18, 72.42),
    "ONLINE, κ = 1, τ = 128": (71.84, 71.29, 71.29, 72.56, 73.23, 72.61),
    "ONLINE, κ = 1, τ = 512": (72.68, 70.67, 71.86, 71.39, 74.45, 72.88),
    "VARIATIONAL, 50 passes": (69.83, 67.78, 67.82, 66.97, 70.47, 69.06),
}


class Plan(NamedTuple):
    """One run: a chain is scored after each number of `sweeps`, other runs once."""

    text: str
    grammar: str
    row: str
    settings: dict[str, Any]
    sweeps: tuple[int, ...] = ()


class Scored(NamedTuple):
    """One cell of the table."""

    text: str
    grammar: str
    row: str
    token: float  # F1 of the words of the test part
    nats: float  # log p of its sentences, exact
    symbols: int
    seconds: float


def plans_of(full: bool) -> list[Plan]:
    """All runs, the long ones first.

    Without `full`, chains and batches learn from the two small texts alone, the chains for 500 sweeps.
    """
    found = []
    for text, grammar in product(TEXTS, GRAMMARS):
        _, words, collocations = TEXTS[text]
        truncation = {"Word": words} | ({"Colloc": collocations} if grammar == "collocation" else {})
        if full or text in SMALL:
            sweeps = SWEEPS if full else SWEEPS[:1]
            chain = {"inference": "mcmc", "init": "incremental", "max_iter": sweeps[-1]}
            batches = {"inference": "mean-field", "max_iter": PASSES, "truncation": truncation}
            found.append(Plan(text, grammar, "MCMC", chain, sweeps))
            found.append(Plan(text, grammar, f"VARIATIONAL, {PASSES} passes", batches))
        for kappa, tau in product(KAPPAS, TAUS):
            online = {
                "inference": "hybrid", "schedule": Online(BATCH_SIZE, kappa, tau, total="seen"),
                "max_iter": ONLINE_PASSES, "refine_every": REFINE, "truncation": truncation,
            }  # fmt: skip
            found.append(Plan(text, grammar, f"ONLINE, κ = {kappa:g}, τ = {tau:g}", online))
    order = ("MCMC", "VARI", "ONLI")
    return sorted(found, key=lambda plan: (order.index(plan.row[:4]), plan.text != "CTB6"))


class ScoredSweeps(Observer):
    """Scores a chain after some numbers of sweeps; the clock stands still meanwhile."""

    def __init__(self, plan: Plan, model: AdaptorGrammar, corpus: Corpus, trace: Trace) -> None:
        self.plan, self.model, self.corpus, self.trace = plan, model, corpus, trace
        self.scores: list[Scored] = []
        self.seconds = 0.0

    def begin(self, job: LearningRun[Any], state: RunState) -> None:
        self.since = time.perf_counter()

    def step(self, job: LearningRun[Any], state: RunState, record: dict[str, Any]) -> bool:
        if state.passes in self.plan.sweeps:
            self.seconds += time.perf_counter() - self.since
            ended = EndedRun(job, state, self.trace)
            facts = facts_of(self.model.settings, 0, self.corpus, ended, 0.0)
            model = AdaptorGrammar.of(learner.GRAMMARS.learned(facts, self.corpus, job, state))
            row = f"MCMC, {state.passes:,} sweeps"
            self.scores.append(_scored(self.plan._replace(row=row), model, self.seconds))
            self.since = time.perf_counter()
        return False


def learn(plan: Plan) -> list[Scored]:
    """A run, scored by the test part of its text."""
    text = sentences(plan.text)
    lines = [text.joined[number] for number in parts_of(text)[0]]
    model = AdaptorGrammar(
        plan.grammar, punctuation="boundaries", unparsed="skip", random_state=0, n_jobs=1, **plan.settings
    )
    if not plan.sweeps:
        start = time.perf_counter()
        model.fit(lines)
        return [_scored(plan, model, time.perf_counter() - start)]
    analysis, rule = learner.GRAMMARS.reads_texts_by(model.settings)
    corpus = Corpus.from_texts(lines, analysis=analysis, rule=rule)
    job, state = learner.GRAMMARS.new_run(model.settings, corpus, 0)
    trace = Trace()
    watch = ScoredSweeps(plan, model, corpus, trace)
    run(job, state, [trace, watch])
    return watch.scores


def _scored(plan: Plan, model: AdaptorGrammar, seconds: float) -> Scored:
    """How well the model cuts and predicts the test part."""
    text = sentences(plan.text)
    return Scored(plan.text, plan.grammar, plan.row, *scored(model, text, parts_of(text)[1]), seconds)


def summary(scores: list[Scored]) -> str:
    """The lines of a run that has ended."""
    return "\n".join(
        f"{one.text}, {one.grammar}, {one.row}: words {one.token:.3f}, {one.nats / one.symbols:.3f} nats per "
        f"symbol, {one.seconds:.0f} s"
        for one in scores
    )


def measure_all(full: bool) -> dict[str, Any]:
    """All cells, and the sizes of the texts."""
    ended = side_by_side(plans_of(full), learn, summary)
    sizes = {name: [len(part) for part in parts_of(sentences(name))] for name in TEXTS}
    return {"sizes": sizes, "runs": [one for scores in ended for one in scores]}


def section(data: dict[str, Any]) -> Section:
    """Our table next to the thesis's, cell by cell, and what it says of the thesis's claims."""
    cells = {(text, grammar, row): Scored(text, grammar, row, *others)
             for text, grammar, row, *others in data["runs"]}  # fmt: skip
    columns = list(product(TEXTS, GRAMMARS))
    sizes = "; ".join(
        f"{name}: {learned:,} sentences to learn from, {tested:,} to test by"
        for name, (learned, tested) in data["sizes"].items()
    )
    tables = {
        "F1 of words, per cent": lambda one: f"{100 * one.token:.2f}",
        "held-out −log p, nats per symbol": lambda one: f"{-one.nats / one.symbols:.3f}",
        "seconds": lambda one: f"{one.seconds:.0f}",
    }
    names = [f"{text.partition(',')[0]}, {grammar}" for text, grammar in columns]
    return Section(
        "Chinese, the thesis's table 8.2 row by row",
        [
            f"{sizes}. The thesis has 162,000, 183,000 and 207,000 sentences; of PKU and CityU only the test "
            "parts can be had. Settings are the thesis's: minibatches of 100 sentences, pruning every 100 "
            f"steps, {ONLINE_PASSES} passes online, {PASSES} in batches, chains from the incremental start; "
            "none is chosen by its results. −log p is exact here, of the most likely sampled trees there.",
            *(
                Table(
                    (name, *names),
                    [
                        [row, *(show(cells[key]) if (key := (*column, row)) in cells else ""
                                for column in columns)]
                        for row in PAPER
                    ],
                )
                for name, show in tables.items()
            ),
            "The thesis's F1 of words, per cent:",
            Table(
                ("", *(f"{TEXTS[text][0]}, {grammar}" for text, grammar in columns)),
                [[row, *(f"{value:.2f}" for value in values)] for row, values in PAPER.items()],
            ),
            Table(
                ("the thesis says", *names),
                [
                    ["the best ONLINE finds more words than VARIATIONAL",
                     *(_compared(cells, column, "VARI") for column in columns)],
                    ["… at least as many as MCMC (within a point)",
                     *(_compared(cells, column, "MCMC", 0.01) for column in columns)],
                ],
            ),
        ],
    )  # fmt: skip


def _compared(
    cells: dict[tuple[str, str, str], Scored], column: tuple[str, str], other: str, within: float = 0.0
) -> str:
    """Whether the best online run of a column reaches the best of another kind; empty if there is no other
    kind."""
    best: dict[str, float] = {}
    for (text, grammar, row), one in cells.items():
        if (text, grammar) == column:
            best[row[:4]] = max(one.token, best.get(row[:4], 0.0))
    if other not in best:
        return ""
    difference = best["ONLI"] - best[other]
    return f"{'yes' if difference > -within else 'no'} ({100 * difference:+.1f})"
