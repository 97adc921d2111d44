"""Sections 7.5.1 and 7.5.2: do the topics' words occur together, minibatch by minibatch? Figures 7.3 to
7.6."""

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from reproduce import open_figures
from reproduce.open_data import MINIBATCHES, TOPICS, Stream, stream_of, wikipedia
from reproduce.open_dtm import VARIANCES, VARIANCES_NEWSGROUPS, Dynamic, dynamic, there
from reproduce.open_evolution import evolution, evolution_blocks
from reproduce.open_runs import DICT, DICT_HASH, DTM, ENGINES, HYBRID, NULL, OPEN, Settings, each, one_pass
from reproduce.open_scoring import TEN, coherences
from reproduce.pages import Section

from stickbreaker import LDA, Corpus

KINDS = (OPEN, NULL, DICT, DICT_HASH)  # of a bucket no word is the top word
POINTS = 10  # on the way at which topics are looked at
Tops = list[list[str]]


class Size(NamedTuple):
    """The stream, its topics and minibatches; kappa; tries of fixed vocabularies (eta) and of the open one
    (alpha^beta, T, U), as many; seeds; sweeps and tries of dtm; alpha^beta, T, U, kappa and tau0 of the
    grids."""

    name: str
    topics: int
    batches: tuple[int, ...]
    kappa: float
    closed: tuple[float, ...]
    open: tuple[tuple[float, int, int], ...]
    seeds: tuple[int, ...]
    sweeps: int
    variances: tuple[float, ...]
    grid: tuple[tuple[Any, ...], ...]


DE_NEWS = Size(
    "de-news", TOPICS["de-news"], MINIBATCHES["de-news"][1:], 0.6,
    (0.01, 0.1), ((1e3, 4_000, 20), (2e3, 4_000, 20)),
    seeds=(0, 1, 2), sweeps=200, variances=VARIANCES[1::2],
    grid=((1e3, 2e3), (3_000, 4_000), (10, 20), (0.6, 0.8, 1.0), (64.0, 256.0)),
)  # fmt: skip
DE_NEWS_FULL = DE_NEWS._replace(
    batches=MINIBATCHES["de-news"],
    closed=(0.003, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5),
    open=tuple(product((1e3, 2e3), (3_000, 4_000), (10, 20))),
    seeds=(0, 1, 2, 3, 4),
    sweeps=1000,
    variances=VARIANCES,
    grid=((5e2, 1e3, 2e3, 3e3), (2_000, 3_000, 4_000), (5, 10, 20), (0.6, 0.7, 0.8, 0.9, 1.0), (64.0, 256.0)),
)
NEWSGROUPS = Size(
    "20 Newsgroups", TOPICS["20 Newsgroups"], MINIBATCHES["20 Newsgroups"][:1], 0.8,
    (0.1,), ((5e3, 20_000, 20),),
    seeds=(0,), sweeps=0, variances=(), grid=((3e3, 5e3), (20_000,), (20,), (0.6, 0.8), (64.0,)),
)  # fmt: skip
NEWSGROUPS_FULL = NEWSGROUPS._replace(
    closed=(0.01, 0.03, 0.1, 0.3),
    open=tuple(product((3e3, 5e3), (20_000, 40_000), (20,))),
    seeds=(0, 1, 2),
    sweeps=1000,
    variances=VARIANCES_NEWSGROUPS,
    grid=((2e3, 3e3, 4e3, 5e3), (20_000, 30_000, 40_000), (10, 20), (0.6, 0.7, 0.8, 0.9, 1.0), (64.0, 256.0)),
)


def de_news(full: bool) -> dict[str, Any]:
    """The figures of de-news."""
    return measure(DE_NEWS_FULL if full else DE_NEWS)


def newsgroups(full: bool) -> dict[str, Any]:
    """The figures of 20 Newsgroups."""
    return measure(NEWSGROUPS_FULL if full else NEWSGROUPS)


def measure(
    size: Size, stream: Stream | None = None, reference: Corpus | None = None, workers: int | None = None
) -> dict[str, Any]:
    """All runs, scored; they are printed as they end."""
    stream, reference = stream or stream_of(size.name), reference or wikipedia()
    own = Corpus.from_tokens(stream.documents)
    jobs = [*rows_of(size), *dynamics_of(size), *grid_of(size), *rates_of(size)]
    runs = []
    for job, (at, tops) in zip(jobs, each(follow, stream, jobs, workers), strict=True):
        scores = coherences(tops, own, reference)
        runs.append({"settings": job._asdict(), "at": at, **scores._asdict(), "tops": tops[-1]})
        print(f"{_told(job)}: NPMI {scores.npmi[-1]:.4f}, PMI {scores.pmi[-1]:.4f}", flush=True)
    ends = np.cumsum([len(rows_of(size)), len(dynamics_of(size)), len(grid_of(size))]).tolist()
    parts = [runs[start:stop] for start, stop in zip([0, *ends], [*ends, len(runs)], strict=True)]
    return {
        "size": size._asdict(),
        "documents": len(stream.documents),
        "dictionary": len(stream.dictionary),
        "reference": reference.n_documents,
        "evolution": evolution(stream, grid_of(size)[-1]),
        **dict(zip(("rows", DTM, "grid", "rates"), parts, strict=True)),
    }


def rows_of(size: Size) -> list[Settings]:
    """Figure 7.6: every vocabulary and engine, each tried as often, at the paper's prior."""
    listed = []
    for batch, kind, engine in product(size.batches, KINDS, ENGINES):
        row = Settings(kind, engine, "1/K", size.topics, batch, size.kappa)
        for number, seed in product(range(len(size.closed)), size.seeds):
            concentration, truncation, every = size.open[number]
            own = {"concentration": concentration, "truncation": truncation, "reorder_every": every}
            chosen = own if kind == OPEN else {"eta": size.closed[number]}
            listed.append(row._replace(seed=seed, **chosen))
    return listed


def dynamics_of(size: Size) -> list[Dynamic]:
    """Figure 7.6: dtm, of the larger minibatches."""
    if not size.variances or not there():
        return []
    return [
        Dynamic(size.topics, size.batches[-1], variance, size.sweeps, seed)
        for variance, seed in product(size.variances, size.seeds)
    ]


def grid_of(size: Size) -> list[Settings]:
    """Figures 7.3 and 7.4: what the open vocabulary is sensitive to; kappa = 0.8."""
    row = Settings(OPEN, HYBRID, "1/K", size.topics, size.batches[-1], 0.8)
    return [
        row._replace(concentration=concentration, truncation=truncation, reorder_every=every)
        for concentration, truncation, every in product(*size.grid[:3])
    ]


def rates_of(size: Size) -> list[Settings]:
    """Figure 7.5: learning rates, of the open vocabulary (U = 20) and of that of the first minibatch."""
    concentration, truncation = size.grid[0][-1], size.grid[1][-1]
    row = Settings(
        OPEN, HYBRID, "1/K", size.topics, size.batches[-1],
        concentration=concentration, truncation=truncation, reorder_every=20, eta=size.closed[-1],
    )  # fmt: skip
    return [
        row._replace(kind=kind, kappa=kappa, tau0=tau0)
        for kind, kappa, tau0 in product((OPEN, NULL), *size.grid[3:])
    ]


def follow(stream: Stream, job: Settings | Dynamic) -> tuple[list[int], list[Tops]]:
    """The ten top words of each topic after some numbers of documents; for dtm after each epoch."""
    if isinstance(job, Dynamic):
        tops = dynamic(job, stream).tops
        each_of = len(stream.documents) / len(tops)
        return [round(each_of * (number + 1)) for number in range(len(tops))], tops
    steps = -(-len(stream.documents) // job.batch)
    wanted = set(np.unique(np.linspace(0, steps, POINTS + 1).round()).astype(int).tolist()) - {0}
    seen: list[int] = []
    tops: list[Tops] = []

    def watch(model: LDA, number: int) -> None:
        if number in wanted:
            seen.append(min(number * job.batch, len(stream.documents)))
            tops.append(model.top_words(TEN, by="relevance"))

    one_pass(job, stream, watch, shares=False)
    return seen, tops


def _told(job: Settings | Dynamic) -> str:
    if isinstance(job, Dynamic):
        return f"{DTM}, variance {job.variance:g}, seed {job.seed}"
    return f"{job.kind}, {job.engine}, S = {job.batch}, {job.chosen()}, seed {job.seed}"


def section(data: dict[str, Any]) -> Section:
    """Figure 7.6, the grids and the claims."""
    figures = "7.3, 7.5 a, 7.6 a" if data["size"]["name"] == "de-news" else "7.4, 7.5 b, 7.6 b"
    blocks = [*open_figures.blocks(data), *evolution_blocks(data["evolution"])]
    return Section(f"Coherence on {data['size']['name']} (Figures 7.1, {figures})", blocks)
