"""Runs that tests compare between engines and masters; as a program, in a process of its own.

`python -m tests.spark.running_on_spark MASTER CORPORA RUN...` prints a digest of each run's table.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stickbreaker import HDP, LDA
from stickbreaker.corpus import Corpus
from stickbreaker.engines.spark import SparkEngine
from stickbreaker.learning.schedules import Memoised, Online
from stickbreaker.models.topics.split_merge import SplitMerge

WORDS, TOPICS = 150, 4
GUIDE = {"first": ["w0*"], "second": ["w1*"]}
ONLINE = Online(batch_size=200, tau0=1.0)
LIGHT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def word(number: int) -> str:
    """A word that is told from others of its topic by its number."""
    return f"w{number % TOPICS}x{number}"


def zipf_texts(documents: int, length: int = 20, seed: int = 0) -> list[str]:
    """Documents of mostly one topic each; a topic's words are as frequent as Zipf's law has them."""
    draw = np.random.default_rng(seed)
    ranks = 1.0 / np.arange(1, WORDS // TOPICS + 1)
    ranks /= ranks.sum()
    texts: list[str] = []
    for number in range(documents):
        own = draw.random(length) < 0.8
        topics = np.where(own, number % TOPICS, draw.integers(TOPICS, size=length))
        places = draw.choice(len(ranks), length, p=ranks)
        texts.append(" ".join(word(int(p) * TOPICS + int(k)) for p, k in zip(places, topics, strict=True)))
    return texts


def write_corpora(folder: Path, documents: int = 600) -> Path:
    """The corpora of all runs: one language, and two of which documents have one or both."""
    texts = zipf_texts(documents)
    Corpus.from_texts(texts).write(folder / "one")
    both: list[dict[str, str]] = []
    for number, text in enumerate(texts):
        sides = {"en": text, "de": " ".join(each[::-1] for each in text.split())}
        lacking = {3: "en", 5: "de"}.get(number % 7)
        both.append({code: side for code, side in sides.items() if code != lacking})
    Corpus.from_texts(both).write(folder / "two")
    return folder


Maker = Callable[[Any], LDA | HDP]  # of an estimator's `engine`
RUNS: dict[str, tuple[str, Maker]] = {
    "batch": ("one", lambda engine: LDA(TOPICS, max_iter=4, engine=engine, **RUN)),
    "learned eta": ("one", lambda engine: LDA(TOPICS, eta="learned", max_iter=3, engine=engine, **RUN)),
    "carried records": ("one", lambda engine: LDA(TOPICS, keep_local=True, max_iter=3, engine=engine, **RUN)),
    "online": ("one", lambda engine: LDA(TOPICS, schedule=ONLINE, max_iter=2, engine=engine, **RUN)),
    "memoised": ("one", lambda engine: LDA(TOPICS, schedule=Memoised(300), max_iter=3, engine=engine, **RUN)),
    "guide": ("one", lambda engine: LDA(TOPICS, guide=GUIDE, max_iter=3, engine=engine, **RUN)),
    "languages": ("two", lambda engine: LDA(TOPICS, max_iter=3, engine=engine, **RUN)),
    "hybrid": ("one", lambda engine: LDA(TOPICS, inference="hybrid", max_iter=3, engine=engine, **RUN)),
    "hybrid, online": (
        "one",
        lambda engine: LDA(
            TOPICS, inference="hybrid", schedule=ONLINE, max_iter=2, engine=engine, **RUN
        ),
    ),
    "growing, exact moves": (
        "one",
        lambda engine: HDP(2, schedule=Memoised(300), max_iter=6, engine=engine, **RUN),
    ),
    "growing, halves": (
        "one",
        lambda engine: HDP(
            3, schedule=Online(batch_size=60, kappa=0.5, tau0=1.0), max_iter=2, engine=engine, **RUN
        ),
    ),
    "growing, by the paper": (
        "one",
        lambda engine: HDP(
            6,
            schedule=Online(batch_size=100, kappa=0.5, tau0=1.0),
            moves=SplitMerge("paper"),
            max_iter=2,
            engine=engine,
            **RUN,
        ),
    ),
    "growing, hybrid": (
        "one",
        lambda engine: HDP(3, inference="hybrid", schedule="batch", max_iter=3, engine=engine, **RUN),
    ),
    "franchise": (
        "one",
        lambda engine: HDP(6, representation="franchise", max_iter=3, engine=engine, **RUN),
    ),
    "open words": ("one", lambda engine: LDA(TOPICS, words="open", max_iter=2, engine=engine, **RUN)),
    "open words, hybrid": (
        "one",
        lambda engine: LDA(TOPICS, words="open", inference="hybrid", max_iter=2, engine=engine, **RUN),
    ),
}
RUN: dict[str, Any] = {"tol": 0.0, "random_state": 1, "n_jobs": 1}


def fitted(run: str, corpora: Path, engine: Any) -> LDA | HDP:
    """A model that a run learned."""
    corpus, maker = RUNS[run]
    return maker(engine).fit(Corpus.open(corpora / corpus))


def digest(model: LDA | HDP) -> str:
    """What two equal tables have in common, to the last bit."""
    return hashlib.blake2b(np.ascontiguousarray(model.components_).tobytes(), digest_size=16).hexdigest()


def session_of(master: str, settings: dict[str, str] | None = None) -> Any:
    """A session with small, quiet executors."""
    from pyspark.sql import SparkSession

    from stickbreaker.spark import check_spark
    from stickbreaker.spark.session import QUIET

    check_spark()
    quiet = f"-Dlog4j2.configurationFile={QUIET} {LIGHT}"
    common = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": quiet,
        "spark.executor.extraJavaOptions": quiet,
        "spark.executor.memory": "512m",
    }
    builder = SparkSession.builder.master(master).appName("tests").config(map={**common, **(settings or {})})
    return builder.getOrCreate()


def main(arguments: Sequence[str]) -> None:
    master, corpora, *runs = arguments
    session = session_of(master)
    for run in runs:
        model = fitted(run, Path(corpora), SparkEngine(session, portion=128, blocks=4))
        print(json.dumps({"run": run, "digest": digest(model)}), flush=True)
    session.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
