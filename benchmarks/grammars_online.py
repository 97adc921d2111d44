"""Adaptor grammars online: sentences a CPU second, updates included, and what a second thread gives."""

import gzip
import time
from typing import Any

from corpora import DATA
from tables import Report

from stickbreaker import AdaptorGrammar, Online

CTB6 = DATA / "chinese-segmentation/ctb6_train.txt.gz"
AIMS = {("unigram", 20): 25_000, ("unigram", 100): 50_000, ("collocation", 100): 20_000}  # sentences a CPU s
SIZES = (20, 100)  # sentences of a minibatch
THREADS = 1.5  # times as fast with two threads
OTHERS = 45  # sentences a second of PyAdaGram, measured by the authors of this library on another day
PASSES = 2
CHINESE = 12_000  # sentences of CTB6
SPEED = (
    "text", "grammar", "sentences a step", "threads", "pass", "sentences/CPU s", "CPU ms/step",
    "wall ms/step", "times PyAdaGram", "aim",
)  # fmt: skip


def speed(report: Report, lines: list[str]) -> None:
    """The table of online steps: Brent's corpus on one thread, Chinese on one and on two."""
    report.section(
        "Online",
        f"Steps of {PASSES} passes, from the second step of a pass to the one before its last: sentences are "
        "read and cut, trees drawn (ten of each), counts blended, trees enter, are ranked, rederived and "
        "dropped, discounts, concentrations and priors learned. PyAdaGram draws on one thread; its time was "
        "measured on another day.",
        SPEED,
    )
    for grammar in ("unigram", "collocation"):
        for size in SIZES:
            _rows(report, "Brent", lines, grammar, size, 1)
    if not CTB6.exists():
        report.say("MISSING: CTB6 is not there (../shared/data/chinese-segmentation)")
        return
    with gzip.open(CTB6, "rt", encoding="utf-8") as file:
        chinese = ["".join(line.split()) for line in file if line.split()][:CHINESE]
    walls = {jobs: _rows(report, "CTB6", chinese, "unigram", 100, jobs) for jobs in (1, 2)}
    report.say(f"Two threads on CTB6: {walls[1] / walls[2]:.2f} times as fast (aim {THREADS:g}).")


def _rows(report: Report, text: str, lines: list[str], grammar: str, size: int, jobs: int) -> float:
    """A row for each pass; gives the seconds of a step of the last, by the clock."""
    _learn(lines[: 4 * size], grammar, size, jobs)  # compiles
    times = _learn(lines, grammar, size, jobs)
    steps, wall = len(lines) // size - 1, 0.0
    aim = AIMS.get((grammar, size)) if text == "Brent" else None
    for number in range(PASSES):
        first = number * -(-len(lines) // size)
        begun, done = times[first], times[first + steps - 1]
        cpu, wall = ((b - a) / (steps - 1) for a, b in zip(begun, done, strict=True))
        report.row(
            {
                "text": text,
                "grammar": grammar,
                "sentences a step": size,
                "threads": jobs,
                "pass": number + 1,
                "sentences/CPU s": size / cpu,
                "CPU ms/step": 1e3 * cpu,
                "wall ms/step": 1e3 * wall,
                "times PyAdaGram": size / cpu / OTHERS,
                "aim": f"{aim:,} at least" if aim else None,
            }
        )
    return wall


def _learn(lines: list[str], grammar: str, size: int, jobs: int) -> list[tuple[float, float]]:
    """CPU seconds and the clock at the end of each step."""
    times: list[tuple[float, float]] = []

    def note(record: dict[str, Any]) -> bool:
        times.append((time.process_time(), time.perf_counter()))
        return False

    AdaptorGrammar(
        grammar, inference="hybrid", schedule=Online(size, 0.5, 1.0, total="seen"), max_iter=PASSES,
        random_state=0, n_jobs=jobs, punctuation="boundaries", unparsed="skip", callbacks=[note],
    ).fit(lines)  # fmt: skip
    return times
