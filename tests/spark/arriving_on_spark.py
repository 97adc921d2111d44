"""A stream that is learned from in a process of its own, which kills itself at a chosen moment.

`python -m tests.spark.arriving_on_spark DIRECTORY MODEL`; DIES tells when: "step N", after so many steps;
"save N", in the midst of so many saves of the model; "commit N", between that save and Spark's commit.
"""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.spark.running_on_spark import session_of

from stickbreaker import HDP, LDA
from stickbreaker.corpus import Analysis
from stickbreaker.engines.spark import SparkEngine
from stickbreaker.learning.schedules import Online
from stickbreaker.saved import directory as saved
from stickbreaker.spark.arrivals import Arrivals
from stickbreaker.spark.arriving import Arriving, wait

BATCH = 30  # documents a minibatch
ANALYSIS = Analysis()
RUN: dict[str, Any] = {"schedule": Online(batch_size=BATCH, kappa=0.6, tau0=1.0), "random_state": 1}
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

    estimator = lda(session_of("local[2]"))
    to_the_end(Mortal(estimator, arrivals(directory), ANALYSIS, model, watch=watch))


if __name__ == "__main__":
    main(sys.argv[1:])
