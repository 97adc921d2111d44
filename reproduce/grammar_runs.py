"""Adaptor grammars learned from sentences whose words are known: words found, log p, seconds."""

import time
from collections.abc import Callable, Iterable
from functools import partial
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
from reproduce.claims import spread
from reproduce.grammar_texts import Sentences
from reproduce.pages import Table
from reproduce.parts import side_by_side

from stickbreaker import AdaptorGrammar
from stickbreaker.grammars.grammar_scores import gold_of
from stickbreaker.grammars.segmentation_agreement import segmentation_of


class Plan(NamedTuple):
    """What is learned from what, and how."""

    text: str
    grammar: str  # its name in the tables
    init: str
    sweeps: int
    seed: int
    settings: dict[str, Any]  # further parameters


class Run(NamedTuple):
    """How a run ended.

    `nats`: log p(sentences, trees, tables), with the density of discounts and concentrations where these are
    learned. Scores are shares; seconds are of a sweep, by the clock, with another run alongside.
    """

    text: str
    grammar: str
    init: str
    sweeps: int
    seed: int
    token: float  # F1 of words, by the cuts of the samples of the second half
    boundary: float
    type: float
    nats: float
    nats_per_symbol: float  # nats per symbol of each sentence given all others, in the last sweep
    subtrees: dict[str, int]
    discounts: list[float]
    concentrations: list[float]
    seconds: float

    @property
    def name(self) -> str:
        return f"{self.text}, {self.grammar}, {self.init}"


def measure(plans: Iterable[Plan], sentences: Callable[[str], Sentences]) -> list[Run]:
    """All runs, two at a time, printed as they end."""
    return side_by_side(plans, partial(learn, sentences=sentences), summary)


def learn(plan: Plan, sentences: Callable[[str], Sentences]) -> Run:
    """One run."""
    text = sentences(plan.text)
    given = {"grammar": plan.grammar, **plan.settings}
    model = AdaptorGrammar(**given, init=plan.init, max_iter=plan.sweeps, random_state=plan.seed, n_jobs=1)
    start = time.perf_counter()
    model.fit(text.joined)
    seconds = time.perf_counter() - start
    lines = [" ".join(words) for words in text.gold]
    gold = gold_of(model.learned_.model, lines)  # apostrophes as the model has them
    agreement = segmentation_of(model.segment(text.joined, "Word"), gold)
    return Run(
        plan.text,
        plan.grammar,
        plan.init,
        plan.sweeps,
        plan.seed,
        agreement.token.f1,
        agreement.boundary.f1,
        agreement.type.f1,
        model.bound_ * int(np.sum(model.learned_.params["lengths"].values)),
        model.trace_[-1]["nats_per_symbol"],
        model.learned_.sizes(),
        model.discounts_.tolist(),
        model.concentrations_.tolist(),
        seconds / plan.sweeps,
    )


def summary(run: Run) -> str:
    """A line of a run that has ended."""
    return (
        f"{run.name}, seed {run.seed}: words {run.token:.3f}, boundaries {run.boundary:.3f}, types "
        f"{run.type:.3f}, log p {run.nats:,.0f}; {run.sweeps} sweeps of {run.seconds:.2f} s"
    )


def groups(runs: list[Run]) -> dict[str, list[Run]]:
    """Runs that differ in their seed alone, by name."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(run.name, []).append(run)
    return found


def table(runs: list[Run]) -> Table:
    """A row for each group."""
    return Table(
        ("text", "grammar", "start", "sweeps", "seeds", "words, F1", "boundaries", "types", "−log p",
         "nats per symbol", "s per sweep"),
        [
            [own[0].text, own[0].grammar, own[0].init, own[0].sweeps, len(own),
             spread(run.token for run in own), f"{mean(run.boundary for run in own):.3f}",
             f"{mean(run.type for run in own):.3f}", spread((-run.nats for run in own), ",.0f"),
             f"{mean(run.nats_per_symbol for run in own):.3f}", f"{mean(run.seconds for run in own):.2f}"]
            for own in groups(runs).values()
        ],
    )  # fmt: skip
