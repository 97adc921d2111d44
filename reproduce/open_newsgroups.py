"""Section 7.5.3: Table 7.1, what a classifier makes of topic shares."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from reproduce import open_accuracy
from reproduce.open_data import MINIBATCHES, TOPICS, Stream, newsgroups
from reproduce.open_dtm import VARIANCES_NEWSGROUPS, Dynamic, dynamic, there
from reproduce.open_runs import CLOSED, DTM, ENGINES, OPEN, Settings, each, one_pass
from reproduce.open_scoring import best_penalty, tested_on
from reproduce.pages import Section

NAME = "20 Newsgroups"
KINDS = (OPEN, *CLOSED)
PRIORS = ("1/K", "0.1", "learned")
Row = dict[str, Any]


class Size(NamedTuple):
    """Documents of a minibatch; priors; tries of fixed vocabularies (kappa, eta) and of the open one (kappa,
    alpha^beta, T, U), as many; whether each prior has tries of its own, or all those of 0.1; seeds; sweeps of
    dtm and its tries; topics."""

    batches: tuple[int, ...]
    priors: tuple[str, ...]
    closed: tuple[tuple[float, float], ...]
    open: tuple[tuple[float, float, int, int], ...]
    by_prior: bool
    seeds: tuple[int, ...]
    sweeps: int
    variances: tuple[float, ...]
    topics: int = TOPICS[NAME]


SHORT = Size(
    MINIBATCHES[NAME][:1],
    PRIORS,
    tuple(product((0.6, 0.8), (0.01, 0.1))),
    ((0.6, 3e3, 40_000, 10), (0.6, 5e3, 20_000, 20), (0.8, 3e3, 20_000, 20), (0.8, 5e3, 40_000, 10)),
    by_prior=False,
    seeds=(1, 2),
    sweeps=100,
    variances=VARIANCES_NEWSGROUPS[1:2],
)
FULL = Size(
    MINIBATCHES[NAME],
    PRIORS,
    tuple(product((0.6, 0.7, 0.8, 0.9), (0.01, 0.03, 0.1, 0.3))),
    tuple(product((0.6, 0.8), (3e3, 5e3), (20_000, 40_000), (10, 20))),
    by_prior=True,
    seeds=(1, 2, 3, 4, 5),
    sweeps=1000,
    variances=VARIANCES_NEWSGROUPS,
)


def measure(
    full: bool, size: Size | None = None, stream: Stream | None = None, workers: int | None = None
) -> dict[str, Any]:
    """Choose each row's settings on a part of the training documents, then run it on all documents."""
    size, stream = size or (FULL if full else SHORT), stream or newsgroups()
    found = dict(_chosen(size, stream.learned_from(), workers))
    rows: list[Row] = []
    for batch, kind, engine, prior in product(size.batches, KINDS, ENGINES, size.priors):
        settings, dev, penalty = found[batch, kind, engine, prior if size.by_prior else "0.1"]
        own = settings._replace(prior=prior)
        rows.append({"settings": own._asdict(), "C": penalty, "dev": dev, "ends": []})
    plan = list(product(rows, size.seeds))
    jobs = [(Settings(**{**row["settings"], "seed": seed}), row["C"]) for row, seed in plan]
    for (row, _), job, ended in zip(plan, jobs, each(final, stream, jobs, workers), strict=True):
        row["ends"].append(ended)
        print(f"{told(job[0])}, seed {job[0].seed}: {_shown(ended)}", flush=True)
    return {
        "size": size._asdict(),
        "documents": [len(stream.documents), sum(stream.train)],
        "dictionary": len(stream.dictionary),
        "rows": rows,
        "dtm": _dynamic_rows(size, stream, workers),
    }


def _chosen(
    size: Size, stream: Stream, workers: int | None
) -> Iterator[tuple[tuple[Any, ...], tuple[Settings, float, float]]]:
    """For each row: the settings of the highest accuracy, that accuracy, and the classifier's C."""
    rows = list(product(size.batches, KINDS, ENGINES, size.priors if size.by_prior else ("0.1",)))
    jobs = [settings for row in rows for settings in tries(size, *row)]
    tried: list[tuple[Settings, float, float]] = []
    for settings, (dev, penalty) in zip(jobs, each(attempt, stream, jobs, workers), strict=True):
        tried.append((settings, dev, penalty))
        print(f"tried: {told(settings)}, {settings.chosen()}: {dev:.2f} % of the dev part", flush=True)
    for number, row in enumerate(rows):
        own = tried[number * len(size.closed) : (number + 1) * len(size.closed)]
        yield row, max(own, key=lambda one: one[1])


def tries(size: Size, batch: int, kind: str, engine: str, prior: str) -> list[Settings]:
    """The settings that a row is tried with: as many for every row."""
    row = Settings(kind, engine, prior, size.topics, batch)
    if kind == OPEN:
        return [
            row._replace(kappa=kappa, concentration=concentration, truncation=truncation, reorder_every=U)
            for kappa, concentration, truncation, U in size.open
        ]
    return [row._replace(kappa=kappa, eta=eta) for kappa, eta in size.closed]


def attempt(stream: Stream, settings: Settings) -> tuple[float, float]:
    """A pass over the training documents: the accuracy on a part of them by the others, and the best C."""
    return best_penalty(one_pass(settings, stream).shares, stream)


def final(stream: Stream, job: tuple[Settings, float]) -> Row:
    """A pass over all documents: the accuracy on the test part by shares as they came, and at the end."""
    settings, penalty = job
    done = one_pass(settings, stream)
    return {
        "streaming": tested_on(done.shares, stream, penalty),
        "end": tested_on(done.model.transform(stream.documents), stream, penalty),
        "words": len(done.model.vocabulary_),
        "a second": len(stream.documents) / max(done.seconds, 1e-9),
    }


def _dynamic_rows(size: Size, stream: Stream, workers: int | None) -> list[Row]:
    """dtm: its variance and C are chosen alike; it has no shares as documents came."""
    part, rows = stream.learned_from(), []
    for batch in size.batches if size.variances and there() else ():
        tried = [Dynamic(size.topics, batch, variance, size.sweeps, 0) for variance in size.variances]
        found = zip(each(attempt_dynamic, part, tried, workers), tried, strict=True)
        (dev, penalty), best = max(found, key=lambda one: one[0][0])
        jobs = [(best._replace(seed=seed), penalty) for seed in size.seeds]
        ends = list(each(final_dynamic, stream, jobs, workers))
        rows.append({"settings": best._asdict(), "C": penalty, "dev": dev, "ends": ends})
        print(f"{DTM}, S = {batch}, variance {best.variance:g}: " + "; ".join(map(_shown, ends)), flush=True)
    return rows


def attempt_dynamic(stream: Stream, settings: Dynamic) -> tuple[float, float]:
    """`attempt` of dtm."""
    return best_penalty(dynamic(settings, stream).shares, stream)


def final_dynamic(stream: Stream, job: tuple[Dynamic, float]) -> Row:
    """`final` of dtm."""
    done = dynamic(job[0], stream)
    accuracy = tested_on(done.shares, stream, job[1])
    return {"streaming": None, "end": accuracy, "words": done.words, "seconds": done.seconds}


def told(settings: Settings) -> str:
    """A row's name."""
    return f"{settings.kind}, {settings.engine}, α = {settings.prior}, S = {settings.batch}"


def _shown(ended: Row) -> str:
    streaming = "" if ended["streaming"] is None else f"{ended['streaming']:.2f} % streaming, "
    return f"{streaming}{ended['end']:.2f} % at the end"


def section(data: dict[str, Any]) -> Section:
    """Table 7.1, and its claims."""
    return Section("Classification of 20 Newsgroups (Table 7.1)", open_accuracy.blocks(data, tried_of(data)))


def tried_of(data: dict[str, Any]) -> Sequence[str]:
    """What was tried, in words."""
    closed = ", ".join(f"({kappa:g}, {eta:g})" for kappa, eta in data["size"]["closed"])
    opened = ", ".join("(" + ", ".join(f"{value:g}" for value in one) + ")" for one in data["size"]["open"])
    return [f"fixed vocabularies (κ, η): {closed}", f"the open one (κ, α^β, T, U): {opened}"]
