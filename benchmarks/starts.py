"""What a user waits for besides inference: imports, kernels' first compilation, commands on a finished model,
steps on a large table.

CPU seconds of whole processes, imports included, the least of some runs; programs take turns.
`make bench WHAT=starts` runs it: some five minutes, most of them compiling. The tables are printed row by row
and kept in bench-results/.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from benchmarks.harness import Report, options, run
from benchmarks.processes import ONE_THREAD, Result, answer, cpu_seconds
from reproduce.texts import DATA, TEXTS, rows
from scipy.sparse import csr_matrix

from stickbreaker import LDA, Online

ROUNDS = 3
ARTICLES, FEW = 2_225, 150  # documents of a model that is looked at, and of one whose kernels are compiled
SENTENCES = 60
WORDS, TOPICS, DOCUMENTS, LENGTH, BATCH = (100_000, 1_000_000), 100, 4_000, 60, 256  # of large tables
STARTS = ("what", "CPU s", "peer", "peer's CPU s", "ours is", "aim")
COLD = ("kernels", "CPU s of the first run", "of the second", "CPU s of compiling", "aim")
STEPS = ("words", "CPU ms/step", "CPU s of the whole fit", "aim")
OURS, SKLEARN = (
    "from stickbreaker import LDA",
    "from sklearn.decomposition import LatentDirichletAllocation",
)
PROGRAM = Path(sys.executable).with_name("stickbreaker")


def measure(report: Report, args: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as place:
        if report.has("20 Newsgroups", "Brent"):
            finished_models(report, Path(place))
            first_uses(report, Path(place))
    large_tables(report)


def finished_models(report: Report, place: Path) -> None:
    """The table of imports and of commands that show a model."""
    note = f"A model of {ARTICLES:,} articles of 20 Newsgroups."
    report.section("Starts", note, STARTS)
    file, model = written(place, ARTICLES), place / "model"
    cpu_seconds([PROGRAM, "fit", "lda", file, "--out", model, "--topics", 20, "--iterations", 10])
    python = [sys.executable, "-c"]
    page = ["--out", place / "report.html", "--overwrite"]
    commands: dict[str, tuple[list[Any], list[Any], float]] = {
        "import": ([*python, OURS], [*python, SKLEARN], 1.0),
        "topics": ([PROGRAM, "topics", model], [], 0.35),
        "report": ([PROGRAM, "report", model, *page], [], 1.5),
    }
    for what, (own, peer, aim) in commands.items():
        times = [[cpu_seconds(each) for each in (own, peer) if each] for _ in range(ROUNDS)]
        ours, *peers = (min(each) for each in zip(*times, strict=True))
        row = {"what": what, "CPU s": ours, "aim": f"{aim:g} at most"}
        for theirs in peers:
            row |= {"peer": "scikit-learn", "peer's CPU s": theirs, "ours is": f"{theirs / ours:.2f}×"}
        report.row(row)


def first_uses(report: Report, place: Path) -> None:
    """The table of what is compiled once after an install."""
    report.section("First use", "Small corpora, an empty cache of kernels, one thread.", COLD)
    articles, lines = written(place, FEW), place / "sentences.txt"
    text = (DATA / TEXTS["Brent"][0]).read_text(encoding="utf-8").splitlines()[:SENTENCES]
    lines.write_text("".join(f"{line.replace(' ', '')}\n" for line in text), encoding="utf-8")
    threads = ("--threads", 1)  # a language model learns on one anyway
    kinds: dict[str, tuple[list[Any], float]] = {
        "LDA": (["lda", articles, "--topics", 5, *threads], 6.0),
        "n-grams": (["ngram", articles], 3.0),
        "grammar, hybrid": (["grammar", lines, "--inference", "hybrid", *threads], 10.0),
    }
    for what, (words, aim) in kinds.items():
        variables = {**ONE_THREAD, "NUMBA_CACHE_DIR": str(place / what)}
        fit = [PROGRAM, "fit", *words, "--iterations", 2, "--out", place / f"{what} model", "--overwrite"]
        first, second = (cpu_seconds(fit, **variables) for _ in range(2))
        names = zip(COLD, (what, first, second, first - second, f"{aim:g} at most"), strict=True)
        report.row(dict(names))


def large_tables(report: Report) -> None:
    """The table of steps on tables of different sizes, with minibatches of the same size."""
    note = f"K = {TOPICS}, minibatches of {BATCH} generated documents of {LENGTH} words: median steps."
    report.section("Large tables", note, STEPS)
    for n_words in WORDS:
        result = answer(steps, n_words)
        report.row({"words": n_words, "aim": "the cost of the minibatch's rows", **result})


def steps(n_words: int) -> Result:
    """CPU milliseconds of a step and seconds of a fit in one pass, after a fit that compiles."""
    generator = np.random.default_rng(0)
    words = (n_words ** generator.random(DOCUMENTS * LENGTH)).astype(np.int64).clip(max=n_words - 1)
    owners = np.repeat(np.arange(DOCUMENTS), LENGTH)
    counts = csr_matrix((np.ones(len(words)), (owners, words)), (DOCUMENTS, n_words))
    times: list[float] = []
    settings: dict[str, Any] = {"schedule": Online(BATCH), "max_iter": 1, "tol": 0.0, "n_jobs": 1}
    LDA(TOPICS, **settings, random_state=0).fit(counts[: 2 * TOPICS])
    start = time.process_time()
    note: Any = lambda _: times.append(time.process_time())  # noqa: E731
    LDA(TOPICS, **settings, random_state=0, callbacks=[note]).fit(counts)
    whole, gaps = time.process_time() - start, np.diff(times).tolist()
    return {"CPU ms/step": 1e3 * median(gaps), "CPU s of the whole fit": whole}


def written(place: Path, most: int) -> Path:
    """A file of the first articles."""
    path = place / f"articles-{most}.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows("20 Newsgroups")[:most]))
    return path


if __name__ == "__main__":
    run("starts", "Starts", options(__doc__), measure)
