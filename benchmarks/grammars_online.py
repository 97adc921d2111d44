"""Adaptor grammars online: sentences per CPU second with updates, and the gain of a second thread."""

import gzip
import time
from typing import Any

from benchmarks.harness import Report
from reproduce.texts import DATA, TEXTS

from stickbreaker import AdaptorGrammar, Online

AIMS = {
    ("unigram", 20): 25_000,
    ("unigram", 100): 50_000,
    ("collocation", 100): 20_000,
}  # sentences per CPU second
SIZES = (20, 100)  # sentences of a minibatch
THREADS = 1.5  # times as fast with two threads
OTHERS = 45  # sentences per second of PyAdaGram, measured by the authors of this library on another day
PASSES = 2
CHINESE = 12_000  # sentences of CTB6
SPEED = (
    "text", "grammar", "sentences/step", "threads", "pass", "sentences/CPU s", "CPU ms/step",
    "wall ms/step", "times PyAdaGram", "aim",
)  # fmt: skip


def speed(report: Report, lines: list[str]) -> None:
    """The table of online steps: Brent's corpus on one thread, Chinese on one and on two."""
    report.section(
        "Online",
        f"Steps of {PASSES} passes, from the second step of a pass to the one before its last: sentences are "
        "read and cut, trees drawn (ten of each), counts blended, trees added, ranked, derived again and "
        "dropped, discounts, concentrations and priors learned. PyAdaGram draws on one thread; its time was "
        "measured on another day.",
        SPEED,
    )
    for grammar in ("unigram", "collocation"):
        for size in SIZES:
            _rows(report, "Brent", lines, grammar, size, 1)
    if not report.has("Chinese"):
        return
    with gzip.open(DATA / TEXTS["Chinese"][0], "rt", encoding="utf-8") as file:
        chinese = ["".join(line.split()) for line in file if line.split()][:CHINESE]
    walls = {jobs: _rows(report, "CTB6", chinese, "unigram", 100, jobs) for jobs in (1, 2)}
    report.say(f"Two threads on CTB6: {walls[1] / walls[2]:.2f} times as fast (aim {THREADS:g}).")


def _rows(report: Report, text: str, lines: list[str], grammar: str, size: int, jobs: int) -> float:
    """A row for each pass; returns the wall seconds per step of the last."""
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
                "sentences/step": size,
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
    """CPU and wall seconds at the end of each step."""
    times: list[tuple[float, float]] = []

    def note(record: dict[str, Any]) -> bool:
        times.append((time.process_time(), time.perf_counter()))
        return False

    AdaptorGrammar(
        grammar, inference="hybrid", schedule=Online(size, 0.5, 1.0, total="seen"), max_iter=PASSES,
        random_state=0, n_jobs=jobs, punctuation="boundaries", unparsed="skip", callbacks=[note],
    ).fit(lines)  # fmt: skip
    return times
