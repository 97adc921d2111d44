"""Streams in order of time or sorted by label: do topics last, and is the next minibatch predicted?

`make bench WHAT=streams` learns from each stream once, thirty topics, in order (from three seeds) and
shuffled, compared with river, scikit-learn, gensim and a batch run that is repeated after every tenth;
`make bench WHAT=streams FULL=1` (or --full) has closed and open words, mean-field and hybrid, 10, 30 and 100
topics and three seeds of all. The tables are printed row by row and kept in bench-results/.
"""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.harness import Report, Row, options, print_minutes, run
from benchmarks.stream_data import FILES, SHUFFLED, STREAMS, StreamOf, write_stream
from benchmarks.stream_programs import ALPHA, DECAYS, ETA, KAPPA, TAU0, TWINS, run_program
from benchmarks.tables import CLAIMS, at_least, at_most

MINUTES = (35, 1_200)  # on one idle core
RIVER_PART = 1_000  # documents that river learns from: it takes seconds for each
LARGEST, TOPICS_FROM = (
    0.15,
    30,
)  # largest share of the words of a topic, if there are at least that many topics
OF_DOCUMENTS = 0.20  # the same for the documents of the last tenth
GAIN = 0.08  # nats per word above the fading unigram in a stream's second half
CLOSE = 0.05  # nats per word that an order may cost
COLUMNS = (
    "stream", "words", "inference", "K", "seed", "program", "largest", "of documents", "effective", "S",
    "unigram", "gain", "twins", "exchanges", "CPU s",
)  # fmt: skip
PEERS = (
    "scikit-learn", "scikit-learn, our rate", "gensim", "gensim, our rate", "river", "river, our rate",
    "ours, refitted",
)  # fmt: skip


class Cell(NamedTuple):
    """One run: the stream, the program and its settings."""

    stream: StreamOf
    program: str
    topics: int
    seed: int
    words: str = "closed"
    inference: str = "mean-field"

    @property
    def settings(self) -> dict[str, Any]:
        given = {"topics": self.topics, "seed": self.seed, "batch": self.stream.batch}
        if self.program.startswith("river"):
            return {**given, "first": RIVER_PART}
        return {**given, "words": self.words, "inference": self.inference}


def cells_of(stream: StreamOf, full: bool) -> Iterator[Cell]:
    """The runs on a stream, seed by seed, because a shuffled order depends on the seed."""
    for seed in range(3 if full or stream.order != "shuffled" else 1):
        if full:
            for topics in (10, 30, 100):
                for words in ("open", "closed"):
                    for inference in ("mean-field", "hybrid"):
                        yield Cell(stream, "ours", topics, seed, words, inference)
                        yield Cell(stream, "ours, no moves", topics, seed, words, inference)
        else:
            yield Cell(stream, "ours", 30, seed, "open")
            yield Cell(stream, "ours", 30, seed, "closed")
            if seed:
                continue
            yield Cell(stream, "ours, no moves", 30, seed, "open")
            if stream.corpus == "AP":
                yield Cell(stream, "ours", 10, seed, "open")
                yield Cell(stream, "ours", 100, seed, "open")
                yield Cell(stream, "ours", 30, seed, "open", "hybrid")
                yield Cell(stream, "ours, no moves", 30, seed, "open", "hybrid")
        if full or stream.corpus == "AP":
            for program in PEERS:
                yield Cell(stream, program, 30, seed)


def measure(report: Report, args: argparse.Namespace) -> None:
    print_minutes(MINUTES[args.full])
    report.section(
        "Streams",
        "One pass, each minibatch scored before it is learned from, by one scorer: S, nats per word of "
        f"half of each document given the other half, topics of expected counts plus {ETA}, over the words "
        f"that closed programs know. unigram: the best of running unigrams that fade by {DECAYS} per step. "
        "gain: S above the best of them, over the second half of the stream. largest, effective: topics "
        "among the words of the stream's last tenth; effective is the exponential of their entropy. twins: "
        f"topics in use whose words have a cosine above {TWINS} with those of another. our rate: kappa "
        f"{KAPPA}, tau0 {TAU0:g}, alpha {ALPHA} (gensim: learned), else the program's defaults. of "
        "documents: the largest mean of documents' shares, all with the same weight. CPU s: learning only. "
        f"river has the first {RIVER_PART:,} documents, and reports no counts.",
        COLUMNS,
    )
    results: dict[Cell, Row] = {}
    with tempfile.TemporaryDirectory() as place:
        for stream in (*STREAMS, *SHUFFLED):
            if args.corpus and stream.corpus not in args.corpus:
                continue
            if not report.has(FILES[stream.corpus]):
                continue
            path, written = Path(place, "stream.jsonl"), None
            for cell in cells_of(stream, args.full):
                seed = cell.seed if stream.order == "shuffled" else 0
                if written != seed:
                    write_stream(stream, seed, path)
                    written = seed
                results[cell] = run_program(cell.program, path, cell.settings)
                report.row(row_of(cell, results[cell]))
    report.section("What was wanted", "Ours with its defaults. Losses are reported as they are.", CLAIMS)
    for cell in results:
        for claim in claims(cell, results):
            report.row(claim)


def parser() -> argparse.ArgumentParser:
    found = options(__doc__, "all runs")
    found.add_argument("--corpus", action="append", help="only this collection; may be given several times")
    return found


def row_of(cell: Cell, result: Row) -> Row:
    """One row of the table, or one that says why there is none."""
    stream, ours = cell.stream, cell.program in ("ours", "ours, no moves")
    row: Row = {"stream": f"{stream.corpus}, {stream.order}", "K": cell.topics, "seed": cell.seed}
    row |= {"program": cell.program}
    if ours:
        row |= {"words": cell.words, "inference": cell.inference}
    if "error" in result:
        return {**row, "largest": f"did not run: {result['error'][:100]}"}
    return {
        **row,
        "largest": f"{result['largest']:.3f}",
        "of documents": f"{result['of documents']:.3f}",
        "effective": f"{result['effective']:.1f}",
        "S": None if result["S"] is None else f"{result['S']:.3f}",
        "unigram": f"{result['unigram']:.3f}",
        "gain": None if result["gain"] is None else f"{result['gain']:.3f}",
        "twins": result["twins"],
        "exchanges": result.get("exchanges"),
        "CPU s": result["seconds"],
    }


def claims(cell: Cell, results: dict[Cell, Row]) -> Iterator[Row]:
    """The claims about ours on a stream in order, for the worst of its seeds."""
    stream = cell.stream
    if cell.program != "ours" or stream.order == "shuffled" or cell.seed:
        return
    runs = [result for other, result in results.items() if other._replace(seed=0) == cell]
    done = [result for result in runs if "error" not in result]
    if not done:
        return
    n = len(done)
    what = f"{stream.corpus} {stream.order}, {cell.words}, {cell.inference}, K = {cell.topics}, "
    what += f"worst of {n} seeds: " if n > 1 else "one seed: "
    if cell.topics >= TOPICS_FROM:
        yield at_most(what + "largest", LARGEST, max(one["largest"] for one in done))
        yield at_most(what + "of documents", OF_DOCUMENTS, max(one["of documents"] for one in done))
    yield at_least(what + "effective", cell.topics / 2, min(one["effective"] for one in done))
    yield at_least(what + "gain", GAIN, min(one["gain"] for one in done))
    mixed = results.get(cell._replace(stream=stream._replace(order="shuffled")), {"error": ""})
    if "error" not in mixed:
        worst = max(mixed["S"] - one["S"] for one in done)
        yield at_most(what + "S, below the shuffled stream's by", CLOSE, worst)
    yield at_most(what + "twins", 0, max(one["twins"] for one in done))
    bare = results.get(cell._replace(program="ours, no moves"), {"error": ""})
    if "error" not in bare and "error" not in results[cell]:
        ratio = results[cell]["seconds"] / bare["seconds"]
        yield at_most(what + "CPU seconds, times those without moves (seed 0)", 1.5, ratio)


if __name__ == "__main__":
    run("streams", "Streams in order", parser(), measure)
