"""A stream that is learned from in a process of its own, which kills itself at a chosen moment.

`python -m tests.spark.streaming_on_spark DIRECTORY MODEL`; DIES tells when: a place of `learned_under`.
CLOSED makes it an HDP of known words, whose table lies in blocks.
"""

import itertools
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from tests.running import planted_documents
from tests.spark.running_on_spark import session_of

from stickbreaker import SplitMerge
from stickbreaker.contracts.model_source import source_of
from stickbreaker.corpus import Analysis, Corpus, Vocabulary, VocabularyRule
from stickbreaker.engines.local import LocalEngine
from stickbreaker.engines.spark import SparkEngine
from stickbreaker.learning.schedules import Online
from stickbreaker.learning.variational import VariationalRun
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved import directory as saved
from stickbreaker.spark.file_stream import Arrivals
from stickbreaker.spark.streaming import StreamingModel, wait
from stickbreaker.topics.plan import plan_of
from stickbreaker.topics.runs.topic_runs import start_run
from stickbreaker.topics.runs.topic_stream import online_step
from stickbreaker.topics.settings import HDPSettings, LDASettings, TopicSettings

BATCH = 30  # documents a minibatch
FILE = 2 * BATCH  # documents of a file
SPARK = ("--engine", "spark", "--master", "local[2]")
GIVEN = ("--words", "open", "--inference", "hybrid", "--topics", 3, "--batch-size", BATCH, "--files", 1)
ANALYSIS = Analysis()
RUN: dict[str, Any] = {"schedule": Online(batch_size=BATCH, kappa=0.6, tau0=1.0), "random_state": 1}
SPLITTING: dict[str, Any] = {
    **RUN,
    "schedule": Online(batch_size=15, kappa=0.6, tau0=1.0),
    "moves": SplitMerge("halves"),
}
OPEN: dict[str, Any] = {**RUN, "words": "open", "inference": "hybrid", "alpha": 0.1}
Reached = Callable[[str], object]


def lda(session: Any, **settings: Any) -> LDASettings:
    """LDA of three topics that learns on a session."""
    return LDASettings(3, engine=SparkEngine(session, blocks=3), **(settings or OPEN))


def hdp(session: Any, **settings: Any) -> HDPSettings:
    """HDP that begins with two topics."""
    return HDPSettings(2, engine=SparkEngine(session, blocks=3), **settings)


def arrivals(directory: Path, **settings: Any) -> Arrivals:
    """The files of a directory, taken one at a time."""
    return Arrivals(str(directory), **{"files": 1, **settings})


def to_the_end(arriving: StreamingModel) -> StreamingModel:
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
    to_the_end(StreamingModel(lda(session), arrivals(directory), ANALYSIS, out))
    return out


def learned_here(
    settings: TopicSettings, vocabulary: Vocabulary | None = None
) -> tuple[LocalEngine, list[dict[str, Any]]]:
    """The engine of one machine after the same minibatches, and its trace."""
    trace: list[dict[str, Any]] = []
    plan = plan_of(settings.but(engine="local"), stream=True)
    documents = job = state = None
    for file in FILES:
        texts = [document["text"] for document in file]
        corpus = Corpus.from_texts(
            texts, analysis=ANALYSIS, rule=VocabularyRule(1, 1.0), vocabulary=vocabulary
        )
        model = plan.model(corpus.vocabulary, ANALYSIS)
        source = source_of(corpus, model)
        if job is None:
            run = VariationalRun(model, LocalEngine(1), plan.schedule, source, seed=1)
            documents, (job, state) = 0, start_run(plan, run)
        size = plan.schedule.batch_size
        for start in range(0, FILE, size):
            documents += size
            shards = source.shards(np.arange(start, start + size))
            trace.append(online_step(replace(job, source=source), state, documents, shards))
    return job.engine, trace


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


class Watched(StreamingModel):
    """Says when it has come between a save and Spark's commit."""

    reached: Reached

    def _learn(self, frame: Any, batch: int) -> None:
        super()._learn(frame, batch)
        self.reached(f"commit {batch + 1}")


def learned_under(
    reached: Reached, session: Any, directory: Path, out: Path, *, closed: bool = False
) -> Path:
    """As `learned`; `reached` is called with the name of each place that the stream comes to.

    "step N": after so many steps; "save N": in the midst of so many saves of the model; "commit N": between
    such a save and Spark's commit. `closed`: an HDP of known words, whose table lies in blocks.
    """
    write, saves = saved.write_atomic, itertools.count(1)

    def write_watched(path: Path, content: bytes) -> None:
        if path.name == saved.MANIFEST:
            reached(f"save {next(saves)}")
        write(path, content)

    estimator = hdp(session, **SPLITTING) if closed else lda(session)
    known = Vocabulary.of(WORDS) if closed else None
    saved.write_atomic = write_watched
    try:
        stream = Watched(
            estimator,
            arrivals(directory),
            ANALYSIS,
            out,
            known,
            watch=lambda record: reached(f"step {record['step']}"),
        )
        stream.reached = reached
        to_the_end(stream)
    finally:
        saved.write_atomic = write
    return out


class Copies:
    """An undisturbed stream's model, and copies of its folder as it was in each place."""

    def __init__(self, session: Any, incoming: Path, folder: Path, *, closed: bool = False) -> None:
        self.incoming, self.folder = incoming, folder
        (folder / "whole").mkdir()
        self.model = learned_under(self.copy, session, incoming, folder / "whole" / "model", closed=closed)

    def copy(self, place: str) -> None:
        """Copy the folder."""
        shutil.copytree(self.folder / "whole", self.folder / place)

    def at(self, place: str) -> Path:
        """Where a stream's model lies, or would, that was killed in a place."""
        return self.folder / place / "model"


def main(arguments: Sequence[str]) -> None:
    directory, model = map(Path, arguments)

    def die_there(place: str) -> None:
        if place == os.environ["DIES"]:
            die()

    learned_under(die_there, session_of("local[2]"), directory, model, closed="CLOSED" in os.environ)


if __name__ == "__main__":
    main(sys.argv[1:])
