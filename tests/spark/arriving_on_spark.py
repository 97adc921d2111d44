"""A stream that is learned from in a process of its own, which kills itself at a chosen moment.

`python -m tests.spark.arriving_on_spark DIRECTORY MODEL`; DIES tells when: "step N", after so many steps;
"save N", in the midst of so many saves of the model; "commit N", between that save and Spark's commit. CLOSED
makes it an HDP of known words, whose table lies in blocks.
"""

import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tests.running import planted_documents
from tests.spark.running_on_spark import session_of

from stickbreaker import HDP, LDA
from stickbreaker.corpus import Analysis, Vocabulary
from stickbreaker.engines.spark import SparkEngine
from stickbreaker.learning.schedules import Online
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved import directory as saved
from stickbreaker.spark.arrivals import Arrivals
from stickbreaker.spark.arriving import Arriving, wait

BATCH = 30  # documents a minibatch
FILE = 2 * BATCH  # documents of a file
SPARK = ("--engine", "spark", "--master", "local[2]")
GIVEN = ("--words", "open", "--inference", "hybrid", "--topics", 3, "--batch-size", BATCH, "--files", 1)
ANALYSIS = Analysis()
RUN: dict[str, Any] = {"schedule": Online(batch_size=BATCH, kappa=0.6, tau0=1.0), "random_state": 1}
SPLITTING: dict[str, Any] = {**RUN, "schedule": Online(batch_size=15, kappa=0.6, tau0=1.0)}
OPEN: dict[str, Any] = {**RUN, "words": "open", "inference": "hybrid", "alpha": 0.1}


def lda(session: Any, **settings: Any) -> LDA:
    """LDA of three topics that learns on a session."""
    return LDA(3, engine=SparkEngine(session, blocks=3), **(settings or OPEN))


def hdp(session: Any, **settings: Any) -> HDP:
    """HDP that begins with two topics."""
    return HDP(2, engine=SparkEngine(session, blocks=3), **settings)


def arrivals(directory: Path, **settings: Any) -> Arrivals:
    """The files of a directory, taken one at a time."""
    return Arrivals(str(directory), **{"files": 1, **settings})


def to_the_end(arriving: Arriving) -> Arriving:
    """Learn from what is there."""
    try:
        assert wait(arriving.start(once=True), arriving, lambda: False)
    finally:
        arriving.close()
    return arriving


def die() -> None:
    """Kill this process and Java's, as a machine that is switched off does."""
    os.killpg(0, signal.SIGKILL)


def written(number: int) -> list[dict[str, str]]:
    """The documents of a file, whose words change from file to file."""
    told = planted_documents(FILE, seed=number)
    for place, document in enumerate(told):
        document["text"] += f" new{'abc'[number]}{'xyz'[place % 3]}"
        document["date"] = f"2001-01-{number + 1:02d}"
    return told


FILES = [written(number) for number in range(3)]
WORDS = sorted({word for file in FILES for document in file for word in document["text"].split()})


def put(directory: Path, number: int, documents: Sequence[dict[str, str]] = ()) -> Path:
    """Put a file into a directory, whole; files that come later are younger."""
    lines = "".join(json.dumps(each) + "\n" for each in documents or FILES[number])
    path = directory / f"{number}.jsonl"
    (directory / f".{number}").write_text(lines)
    (directory / f".{number}").rename(path)
    os.utime(path, (1_000_000_000 + number, 1_000_000_000 + number))
    return path


def put_all(directory: Path) -> Path:
    """Make a directory with all three files."""
    directory.mkdir()
    for number in range(3):
        put(directory, number)
    return directory


def learned(session: Any, directory: Path, out: Path) -> Path:
    """The path of a model that has learned from all that is in a directory."""
    to_the_end(Arriving(lda(session), arrivals(directory), ANALYSIS, out))
    return out


def trace_of(model: Path) -> list[dict[str, Any]]:
    """The records of a model's steps."""
    return [json.loads(line) for line in (model / "trace.jsonl").read_text().splitlines()]


def same_model(one: Path, other: Path) -> None:
    """Whether two models learned the same, step for step."""
    a, b = (ModelDirectory(path).read() for path in (one, other))
    assert a.keys == b.keys
    assert a.arrays.keys() == b.arrays.keys()
    for name in a.arrays:
        assert np.array_equal(a.arrays[name], b.arrays[name]), name
    assert a.manifest["run"] == b.manifest["run"]
    assert a.manifest["corpus"] == b.manifest["corpus"]
    files = [next(path.glob("evolution*.parquet")) for path in (one, other)]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert [each["documents"] for each in trace_of(one)] == [each["documents"] for each in trace_of(other)]


class Mortal(Arriving):
    """Dies after a save, before Spark hears of it."""

    dies, number = "", 0

    def _save(self) -> None:
        super()._save()
        if (self.dies, self.number) == ("commit", self.fixed["arriving"]["batch"] + 1):
            die()


def mortal_saves(number: int) -> None:
    """Let the write of a model's manifest with this number be the last thing that is done."""
    write, done = saved.write_atomic, []

    def write_or_die(path: Path, content: bytes) -> None:
        if path.name == saved.MANIFEST:
            done.append(path)
            if len(done) == number:
                die()
        write(path, content)

    saved.write_atomic = write_or_die


def main(arguments: Sequence[str]) -> None:
    directory, model = map(Path, arguments)
    dies, number = os.environ["DIES"].split()
    Mortal.dies, Mortal.number = dies, int(number)
    if dies == "save":
        mortal_saves(int(number))

    def watch(record: dict[str, Any]) -> None:
        if (dies, int(number)) == ("step", record["step"]):
            die()

    session, closed = session_of("local[2]"), "CLOSED" in os.environ
    estimator = hdp(session, **SPLITTING) if closed else lda(session)
    known = Vocabulary.of(WORDS) if closed else None
    to_the_end(Mortal(estimator, arrivals(directory), ANALYSIS, model, known, watch=watch))


if __name__ == "__main__":
    main(sys.argv[1:])
