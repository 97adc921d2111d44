"""A model of unbounded words and topics that learns from an unbounded stream on Spark: 20 Newsgroups by date.

`make reproduce WHAT=stream` puts the first 6,000 posts, by their date, into a directory, a thousand a file,
while `stickbreaker stream hdp --words open` learns from them; FULL=1 (or --full) takes all. After each file
the model is read while it learns, and a line is printed. At the end the posts that it counted are compared
with those that were put.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from reproduce.texts import missing, rows

from stickbreaker import load
from stickbreaker.core.errors import UserError
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.directory import SNAPSHOTS
from stickbreaker.saved.evolution import Evolution

PROGRAM = Path(sys.executable).parent / "stickbreaker"
NAME = "20 Newsgroups, whole"
A_FILE, SHORT = 1000, 6000  # posts
TOPICS_TOLD, WORDS_TOLD = 2, 4
OPTIONS = ("--words", "open", "--inference", "hybrid", "--batch-size", "250", "--topics", "150")
SPARK = ("--engine", "spark", "--master", "local[2]")
TABLE = """\
| posts | to | words | topics in use | s | new words of the two topics that took most in |
|---|---|---|---|---|---|"""


class Told(NamedTuple):
    """The figures after a file: posts learned from, the date of the last, words, topics in use, seconds, and
    of a few topics their first words and new words."""

    documents: int
    date: str
    words: int
    topics: int
    seconds: float
    new: Sequence[tuple[list[str], list[str]]]

    def row(self) -> str:
        """A row of the table."""
        new = "; ".join(f"({' '.join(first)}) {' '.join(words)}" for first, words in self.new)
        counts = f"{self.documents:,} | {self.date[:10]} | {self.words:,} | {self.topics}"
        return f"| {counts} | {self.seconds:.0f} | {new} |"


def files_of(posts: Sequence[dict[str, Any]], size: int) -> Iterator[list[dict[str, str]]]:
    """The posts by their date, `size` per file.

    >>> [len(part) for part in files_of([{"date": "1993", "id": "a", "text": "b"}] * 5, 2)]
    [2, 2, 1]
    """
    by_date = sorted(posts, key=lambda post: (post["date"], post["id"]))
    for start in range(0, len(by_date), size):
        yield [{"date": post["date"], "text": post["text"]} for post in by_date[start : start + size]]


def put(directory: Path, number: int, posts: Sequence[dict[str, str]]) -> None:
    """Put a file into a directory, whole."""
    partial = directory / f".{number:03d}.jsonl"
    partial.write_text("".join(json.dumps(post) + "\n" for post in posts), encoding="utf-8")
    partial.rename(directory / f"{number:03d}.jsonl")


def documents_in(model: Path) -> int:
    """How many documents a model counts as it was last saved."""
    return ModelDirectory(model).manifest()["corpus"]["documents"] if model.exists() else 0


def told_of(model: Path, seconds: float) -> Told:
    """The figures of a model that is learning."""
    learned, moment = load(model), Evolution.read(model / SNAPSHOTS).moments[-1]
    top, entered = moment.top(), moment.entered()
    most = sorted(entered, key=lambda topic: -sum(share for _, _, share in entered[topic]))[:TOPICS_TOLD]
    new = [
        ([word for word, _ in top[topic][:3]], [word for _, word, _ in entered[topic]][:WORDS_TOLD])
        for topic in most
    ]
    size = learned.corpus_["documents"], moment.date or "", len(learned.vocabulary_), len(learned.topic_ids_)
    return Told(*size, seconds, new)


def follow(posts: Sequence[dict[str, Any]], folder: Path, size: int = A_FILE) -> Iterator[Told]:
    """Put the files of posts one by one while a process learns from them; yields the figures after each.

    Raises UserError if the process ends by itself.
    """
    incoming, model = folder / "incoming", folder / "model"
    incoming.mkdir()
    command = [PROGRAM, "stream", "hdp", incoming, *OPTIONS, *SPARK, "--out", model]
    with subprocess.Popen(list(map(str, command)), start_new_session=True) as process:
        try:
            put_up_to = 0
            for number, part in enumerate(files_of(posts, size)):
                begun = time.perf_counter()
                put(incoming, number, part)
                put_up_to += len(part)
                while documents_in(model) < put_up_to:
                    if process.poll() is not None:
                        raise UserError("the stream ended by itself", remedy="see what it printed")
                    time.sleep(0.1)
                yield told_of(model, time.perf_counter() - begun)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def main(arguments: Sequence[str]) -> None:
    full = "--full" in arguments or os.environ.get("FULL") == "1"
    if lacking := missing((NAME,)):
        sys.exit("\n".join(lacking))
    posts = sorted(rows(NAME), key=lambda post: (post["date"], post["id"]))
    posts = posts if full else posts[:SHORT]
    print(f"{len(posts):,} posts; about {1 + len(posts) / 5000:.0f} minutes on two idle cores", flush=True)
    folder, begun = Path(tempfile.mkdtemp(prefix="stickbreaker-stream-")), time.perf_counter()
    try:
        print(TABLE, flush=True)
        last = 0
        for told in follow(posts, folder):
            print(told.row(), flush=True)
            last = told.documents
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    took = time.perf_counter() - begun
    print(f"posts put: {len(posts):,}; posts counted: {last:,}; {took / 60:.1f} minutes")
    sys.exit(last != len(posts))


if __name__ == "__main__":
    main(sys.argv[1:])
