"""The parts of the topic n-grams' reproduction: which models are learned from each text, and their page."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from reproduce.ngram_runs import UNBOUNDED, Order, Sizes
from reproduce.pages import Section
from reproduce.parts import side_by_side
from reproduce.topic_ngram_claims import all_claims
from reproduce.topic_ngram_runs import (
    HIERARCHICAL,
    HPYLM,
    HPYTM,
    PRIORS,
    RESCALING,
    SWITCHING,
    TOKENS,
    Plan,
    Run,
    learn,
    summary,
)
from reproduce.topic_ngram_tables import all_tables
from reproduce.topic_ngram_texts import BROWN, NIPS, WIKITEXT, text_of

LONGER: tuple[tuple[str, Order], ...] = tuple(
    (model, order)
    for order in (4, UNBOUNDED)
    for model in (HPYLM, RESCALING, HPYTM, HIERARCHICAL, SWITCHING)
    if (model, order) != (RESCALING, UNBOUNDED)
)


class Size(NamedTuple):
    """How much is learned.

    topics: of the figures 4 d to f; middle: of the figures 4 a to c, of the states after `early` sweeps and
    of what is shown of words; table: of table 2. sweeps: of models with topics, `language` of those without,
    `lda` of LDA. longer: models and orders of table 2 besides n = 3. times: how often as many sweeps the
    moves of single words have in the figures 4 a to c, which take longer. naive: words for which the sum over
    all words is the naive way's.
    """

    splits: int = 1
    topics: tuple[int, ...] = (10, 50, 100)
    middle: int = 50
    table: int = 50
    sweeps: int = 40
    language: int = 100
    lda: int = 300
    early: int = 12
    longer: tuple[tuple[str, Order], ...] = ((SWITCHING, UNBOUNDED),)
    curves: tuple[Order, ...] = (3,)
    times: int = 3
    naive: int = 200
    samples: int = 10


SHORT = Size()
PAPER = Size(table=100, sweeps=500, lda=900, longer=LONGER, curves=(3, 4))
FULL = {BROWN: PAPER._replace(splits=3), NIPS: PAPER, WIKITEXT: PAPER}


def plans_of(text: str, size: Size) -> list[Plan]:
    """All runs on a text, in the order of tables; one that is followed besides is made once."""
    plans: list[Plan] = []
    for number in range(size.splits):
        first = number == 0
        plans.append(Plan(text, number, HPYLM, 0, 3, size.language, size.samples, size.early))
        for model in (*PRIORS, RESCALING):
            plans += [_plan(text, number, model, topics, 3, size) for topics in size.topics]
        if first:
            plans += [_plan(text, 0, model, size.table, order, size) for model, order in size.longer]
            plans += [_curve(text, model, order, size) for order in size.curves for model in (TOKENS, HPYTM)]
    followed = {plan._replace(follow=0): plan for plan in plans if plan.follow}
    return list(dict.fromkeys(followed.get(plan, plan) for plan in plans))


def _plan(text: str, number: int, model: str, topics: int, order: Order, size: Size) -> Plan:
    if model == HPYLM:
        return Plan(text, number, model, 0, order, size.language, size.samples)
    if model == RESCALING:
        return Plan(
            text, number, model, topics, order, size.language, size.samples, topic_sweeps=size.lda,
            naive=size.naive if topics == size.table and number == 0 else 0,
        )  # fmt: skip
    look = topics == size.middle and order == 3
    return Plan(
        text, number, model, topics, order, size.sweeps, size.samples,
        early=size.early if look and model != TOKENS else 0,
        look=look and number == 0 and model in (HIERARCHICAL, SWITCHING),
    )  # fmt: skip


def _curve(text: str, model: str, order: Order, size: Size) -> Plan:
    """A run that is followed, for the figures 4 a to c."""
    sweeps = size.sweeps * (size.times if model == TOKENS else 1)
    every = max(1, sweeps // 20)
    return _plan(text, 0, model, size.middle, order, size)._replace(sweeps=sweeps, follow=every)


def cost(plan: Plan) -> float:
    """Rough time of a run compared with others; those without topics go first."""
    if plan.model == HPYLM:
        return float("inf")
    weight = {TOKENS: 0.3, HIERARCHICAL: 1.5, RESCALING: 0.2}.get(plan.model, 1.0)
    return weight * (plan.topics + 50) * max(plan.sweeps, plan.topic_sweeps)


def measure_of(text: str) -> Callable[[bool, Size | None], dict[str, Any]]:
    """What measures a part."""

    def measure(full: bool, size: Size | None = None) -> dict[str, Any]:
        size = size or (FULL[text] if full else SHORT)
        sizes = [text_of(text, number).sizes() for number in reversed(range(size.splits))][::-1]
        plans = plans_of(text, size)
        order = sorted(range(len(plans)), key=lambda i: -cost(plans[i]))
        runs: dict[int, Run] = dict(
            zip(order, side_by_side([plans[i] for i in order], learn, summary), strict=True)
        )
        return {"text": text, "size": size, "sizes": sizes, "runs": [runs[i] for i in range(len(plans))]}

    return measure


def section(data: dict[str, Any]) -> Section:
    """A part of the page."""
    size = Size(*data["size"])
    sizes = [Sizes(*each) for each in data["sizes"]]
    runs: Sequence[Run] = [Run.from_json(each) for each in data["runs"]]
    return Section(
        data["text"], [*all_tables(data["text"], size, sizes, runs), *all_claims(data["text"], size, runs)]
    )
