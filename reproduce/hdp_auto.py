"""The number of topics by itself: on text from several seeds, on planted data compared with the truth."""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from reproduce.hdp_data import World, bars, counts_of, draw
from reproduce.pages import Section, Table
from reproduce.texts import cut, texts

from stickbreaker import HDP, Corpus
from stickbreaker.core.random_streams import stream
from stickbreaker.topics.evaluation import completion_of

HELD_OUT = 0.1  # share of the documents that no run of a text sees
ABOVE = 0.005  # share of the tokens of a topic that is counted as large
LEAST = 0.002  # share of a planted topic at least: those below cannot be known
ALPHA, ETA, WORDS, LENGTH = 2.0, 0.05, 1_000, 150  # of draws from the HDP
WIDEST, BOUND_GAP, HELD_OUT_GAP, DEAREST = 0.15, 0.005, 0.02, 4.0  # what is aimed at


class Size(NamedTuple):
    """Documents of each text at most (0: all), seeds, numbers of topics of fixed starts; of planted data the
    true numbers, their seeds and documents; the texts of which only the first seed runs."""

    texts: dict[str, int]
    seeds: tuple[int, ...]
    fixed: tuple[int, ...]
    planted: tuple[int, ...]
    planted_seeds: tuple[int, ...]
    documents: int
    single: tuple[str, ...] = ()

    def seeds_of(self, name: str) -> tuple[int, ...]:
        return self.seeds[:1] if name in self.single else self.seeds


FULL = Size(
    {"AP": 0, "de-news": 2_000, "NIPS": 300, "20 Newsgroups": 2_000, "blogs": 2_000},
    (0, 1, 2), (20, 40, 80), (5, 13, 24, 37, 80), (0, 1), 2_000,
)  # fmt: skip
SHORT = FULL._replace(planted_seeds=(0,), single=("AP", "NIPS", "20 Newsgroups"))


def measure(full: bool, size: Size | None = None) -> dict[str, Any]:
    """All texts and planted corpora; runs are printed as they end."""
    size = size or (FULL if full else SHORT)
    found: dict[str, Any] = {"size": size._asdict(), "texts": {}, "planted": []}
    for name, documents in size.texts.items():
        found["texts"][name] = measure_text(name, documents, size)
    worlds: dict[str, tuple[int, Callable[[int], World]]] = {
        "sparse bars": (20, lambda seed: bars(1 / 20, seed=seed)),
        "dense bars": (20, lambda seed: bars(5 / 20, seed=seed)),
        **{f"HDP, {n} topics": (n, lambda seed, n=n: hdp_of(n, seed)) for n in size.planted},
    }
    for name, (true, world) in worlds.items():
        for seed in size.planted_seeds:
            train = Corpus.from_matrix(draw(world(seed), size.documents, "train").counts)
            run = one_run(HDP(random_state=seed, n_jobs=1), train, None)
            found["planted"].append({"data": name, "true": true, "seed": seed, **run})
            print(f"{name}, seed {seed}: {run['used']} of {true}, {_seconds(run)}", flush=True)
    return found


def hdp_of(n_topics: int, seed: int) -> World:
    """A draw from the HDP's prior with that many topics, each with `LEAST` of the weight or more.

    The sticks of GEM(n_topics / 2) are broken again until there are enough of that size; the rest is left
    out.
    """
    for number in range(1000):
        generator = stream(seed, "HDP of a number", number)
        sticks = generator.beta(1.0, n_topics / 2, 20 * n_topics)
        weights = np.sort(sticks * np.cumprod(np.append(1.0, 1.0 - sticks[:-1])))[::-1][:n_topics]
        weights = weights / weights.sum()
        if weights[-1] >= LEAST:
            topics = generator.dirichlet(np.full(WORDS, ETA), n_topics)
            return World(topics, ALPHA * weights, LENGTH, seed)
    raise ValueError(f"no draw of {n_topics} topics")


def measure_text(name: str, documents: int, size: Size) -> dict[str, Any]:
    """The search from every seed, by both judges, and fixed starts of one seed, on one split of a text."""
    whole = Corpus.from_texts(texts(name)[: documents or None])
    test, train = cut(list(range(whole.n_documents)), HELD_OUT)
    counts, words = counts_of(whole), whole.vocabulary.words
    known, unknown = Corpus.from_matrix(counts[train], words), Corpus.from_matrix(counts[test], words)
    print(f"{name}: {known.n_documents} documents, {known.n_words} words", flush=True)
    runs: list[dict[str, Any]] = []
    for judge in ("bound", "held-out"):
        for seed in size.seeds_of(name):
            model = HDP(judge=judge, random_state=seed, n_jobs=1)
            runs.append({"judge": judge, "seed": seed, **one_run(model, known, unknown)})
            print(f"{name}, {judge}, seed {seed}: {_told(runs[-1])}", flush=True)
    for start in size.fixed:
        model = HDP(start, eta="learned", random_state=size.seeds[0], n_jobs=1)
        runs.append({"judge": f"from {start}", "seed": size.seeds[0], **one_run(model, known, unknown)})
        print(f"{name}, from {start}: {_told(runs[-1])}", flush=True)
    return {"documents": known.n_documents, "words": known.n_words, "runs": runs}


def one_run(model: HDP, train: Corpus, test: Corpus | None) -> dict[str, Any]:
    """The figures of a model that is learned now; CPU seconds are of the search, and of the last run."""
    starts: list[float] = [time.process_time()]

    def watch(record: dict[str, Any]) -> None:
        if record["step"] == 1:
            starts.append(before[0])
        before[0] = time.process_time()

    before = [starts[0]]
    model.set_params(callbacks=[watch]).fit(train)
    end = time.process_time()
    return {
        "used": model.n_topics_,
        "large": int((model.topic_shares_ > ABOVE).sum()),
        "range": model.n_topics_range_,
        "bound": model.bound_,
        "held_out": None if test is None else completion_of(model, test).nats_per_word,
        "search": starts[-1] - starts[1],
        "last": end - starts[-1],
        "points": [[one.topics, one.used, one.score(model.judge)] for one in model.search_],
    }


def section(data: dict[str, Any]) -> Section:
    """The texts with what was aimed at, and the planted corpora."""
    blocks: list[Any] = [
        "Each model is HDP() with all defaults: short runs from 160 topics, from half as many and so on, "
        "then two runs to the end, of which the better is the model; if it has ten topics or fewer, "
        "documents held out may overrule the bound. A tenth of each text is held out from "
        "everything, and its documents are completed from one half; held-out judges hold out another tenth. "
        "CPU seconds are of one thread: of all runs but the last, and of that.",
    ]
    for name, one in data["texts"].items():
        blocks += [
            f"{name}: {one['documents']:,} documents, {one['words']:,} words.",
            text_table(one["runs"]),
        ]
        blocks += ["What was aimed at:", aims(one["runs"])]
    rows = [
        [
            run["data"],
            run["seed"],
            run["true"],
            run["used"],
            _range(run),
            f"{run['search']:.1f}",
            f"{run['last']:.1f}",
        ]
        for run in data["planted"]
    ]
    head = ("data", "seed", "true", "found", "range", "search, CPU s", "last run, CPU s")
    exact = sum(run["used"] == run["true"] for run in data["planted"])
    near = sum(abs(run["used"] - run["true"]) <= 1 for run in data["planted"])
    blocks += [
        f"Planted: twenty bars, and draws from the HDP (α = {ALPHA:g}, η = {ETA:g}, {WORDS:,} words, "
        f"documents of {LENGTH}) reduced to topics of at least {100 * LEAST:g} % of the weight; "
        f"{data['size']['documents']:,} documents.",
        Table(head, rows),
        f"The true number in {exact} of {len(rows)}, that or a neighbour in {near}.",
    ]
    return Section("The number of topics by itself", blocks)


def text_table(runs: Sequence[dict[str, Any]]) -> Table:
    """The runs on a text."""
    head = (
        "judge",
        "seed",
        "in use",
        "above .5 %",
        "range",
        "bound",
        "held-out",
        "search, CPU s",
        "last run, CPU s",
    )
    return Table(
        head,
        [
            [
                run["judge"], run["seed"], run["used"], run["large"], _range(run), f"{run['bound']:.4f}",
                f"{run['held_out']:.4f}", f"{run['search']:.1f}", f"{run['last']:.1f}",
            ]
            for run in runs
        ],
    )  # fmt: skip


def aims(runs: Sequence[dict[str, Any]]) -> Table:
    """What was aimed at on a text, and whether it came."""
    by = {judge: [run for run in runs if run["judge"] == judge] for judge in ("bound", "held-out")}
    fixed = [run for run in runs if run["judge"].startswith("from ")]
    rows: list[list[Any]] = []
    for judge, some in by.items():
        if len(some) > 1:
            spread = _spread([run["large"] for run in some])
            aim = f"by {judge}: spread of topics above .5 % over seeds"
            rows.append([aim, f"{100 * spread:.0f} %", spread <= WIDEST])
        dear = max(run["search"] / run["last"] for run in some)
        rows.append([f"by {judge}: search against the last run", f"{dear:.1f}", dear <= DEAREST])
    for judge, figure, allowed in (("bound", "bound", BOUND_GAP), ("held-out", "held_out", HELD_OUT_GAP)):
        gap = max(run[figure] for run in fixed) - by[judge][0][figure]
        rows.append(
            [f"by {judge}: {judge} below the best fixed start's, nats", f"{gap:+.4f}", gap <= allowed]
        )
    return Table(("aim", "here", "holds"), rows)


def _spread(numbers: Sequence[int]) -> float:
    """The range of numbers as a share of their mean.

    >>> _spread([48, 51, 45])
    0.125
    """
    return (max(numbers) - min(numbers)) / (sum(numbers) / len(numbers))


def _range(run: dict[str, Any]) -> str:
    return "–" if run["range"] is None else f"{run['range'][0]}–{run['range'][1]}"


def _seconds(run: dict[str, Any]) -> str:
    return f"search {run['search']:.1f} CPU s, last run {run['last']:.1f}"


def _told(run: dict[str, Any]) -> str:
    return (
        f"{run['used']} topics, {run['large']} above .5 %, bound {run['bound']:.4f}, "
        f"held-out {run['held_out']:.4f}, {_seconds(run)}, {run['points']}"
    )
