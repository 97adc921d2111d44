"""Runs that tests compare between engines and masters; as a program, in a process of its own.

See `main` for what the program does.
"""

import hashlib
import itertools
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.spark.class_archive import java_options

from stickbreaker import HDP, LDA, ConceptTree
from stickbreaker.corpus import Corpus
from stickbreaker.engines import Interrupted
from stickbreaker.engines.spark import SparkEngine
from stickbreaker.engines.spark.file_versions import Versions
from stickbreaker.engines.spark.jobs import Cluster
from stickbreaker.estimators import model_runs
from stickbreaker.estimators.model_files import load
from stickbreaker.learning.observers import Observer
from stickbreaker.learning.schedules import Memoised, Online
from stickbreaker.saved import directory
from stickbreaker.testing.estimators import begin, untimed
from stickbreaker.topics.model.moves.split_merge_settings import SplitMerge

WORDS, TOPICS = 150, 4
GUIDE = {"first": ["w0*"], "second": ["w1*"]}
ONLINE = Online(batch_size=100, tau0=1.0)
PAPER = Online(batch_size=128, kappa=0.5, tau0=1.0)
LIGHT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # jobs are small


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


def write_corpora(folder: Path, documents: int = 256) -> Path:
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


RUN: dict[str, Any] = {"tol": 0.0, "random_state": 1, "n_jobs": 1}
Maker = Callable[[Any], LDA | HDP]  # of an estimator's `engine`


def lda(**settings: Any) -> Maker:
    """LDA of a few passes."""
    return lambda engine: LDA(TOPICS, engine=engine, **{"max_iter": 3, **RUN, **settings})


def hdp(n_topics: int, **settings: Any) -> Maker:
    """HDP of a few passes."""
    return lambda engine: HDP(n_topics, engine=engine, **{"max_iter": 3, **RUN, **settings})


def concepts(n: int = 40) -> ConceptTree:
    """Pairs of words of both languages that are written alike from either end, and each with the next one."""
    words = list(dict.fromkeys(word for text in zipf_texts(20) for word in text.split()))[: n + 1]
    pairs = [(word, word) for word in words[:n]] + [(words[i], words[i + 1]) for i in range(0, n, 3)]
    return ConceptTree(
        [{"concept": f"c{i}", "words": {"en": [a], "de": [b[::-1]]}} for i, (a, b) in enumerate(pairs)]
    )


RUNS: dict[str, tuple[str, Maker]] = {  # corpus and estimator
    "batch": ("one", lda()),
    "learned eta": ("one", lda(eta="learned")),
    "carried records": ("one", lda(keep_local=True)),
    "online": ("one", lda(schedule=ONLINE, max_iter=2)),
    "memoised": ("one", lda(schedule=Memoised(128), keep_local=True)),
    "guide": ("one", lda(guide=GUIDE)),
    "languages": ("two", lda()),
    "concepts": ("two", lda(words=concepts())),
    "concepts, hybrid, online": (
        "two",
        lda(words=concepts(), inference="hybrid", schedule=ONLINE, max_iter=2),
    ),
    "concepts, growing": ("two", hdp(4, words=concepts())),
    "hybrid": ("one", lda(inference="hybrid")),
    "hybrid, online": ("one", lda(inference="hybrid", schedule=ONLINE, max_iter=2)),
    "growing, exact moves": ("one", hdp(2, schedule=Memoised(), max_iter=4)),
    "growing, halves": (
        "one",
        hdp(3, schedule=Online(batch_size=64, kappa=0.5, tau0=1.0), moves=SplitMerge("halves")),
    ),
    "growing, by the paper": ("one", hdp(6, schedule=PAPER, moves=SplitMerge("paper"), max_iter=2)),
    "growing, hybrid": ("one", hdp(3, inference="hybrid", schedule="batch", moves=None)),
    "franchise": ("one", hdp(6, representation="franchise")),
    "open words": ("one", lda(words="open")),
    "open words, hybrid": ("one", lda(words="open", inference="hybrid")),
}


def fitted(run: str, corpora: Path, engine: Any) -> LDA | HDP:
    """A model that a run learned."""
    corpus, maker = RUNS[run]
    return maker(engine).fit(Corpus.open(corpora / corpus))


def digest(components: NDArray[np.float64]) -> str:
    """What two equal tables have in common, to the last bit."""
    return hashlib.blake2b(np.ascontiguousarray(components).tobytes(), digest_size=16).hexdigest()


def same(one: Path, other: Path) -> bool:
    """Whether two finished runs in directories ended with the same bytes and traces."""
    models = [load(path) for path in (one, other)]
    traces = [
        untimed(json.loads(line) for line in (path / "trace.jsonl").read_text().splitlines())
        for path in (one, other)
    ]
    return digest(models[0].components) == digest(models[1].components) and traces[0] == traces[1]


def tidy(path: Path) -> bool:
    """Whether a finished run's directory has the table's blocks and few other files, none half-written."""
    names = [str(file.relative_to(path)) for file in path.rglob("*") if file.is_file()]
    tables = {name.split("/")[0] for name in names if name.startswith("rows-")}
    left = [name for name in names if "partial" in name or name.startswith((".tmp", "records-"))]
    return len(tables) == 1 and not left and len(names) <= 3 + 7  # three blocks


def session_of(master: str, settings: dict[str, str] | None = None) -> Any:
    """A session with small, quiet executors."""
    from stickbreaker.engines.spark.session import JAVA_OPTIONS, QUIET
    from stickbreaker.spark import start_session

    common = {
        JAVA_OPTIONS: LIGHT,
        "spark.executor.extraJavaOptions": f"-Dlog4j2.configurationFile={QUIET} {LIGHT} {java_options()}",
        "spark.executor.memory": "512m",
    }
    return start_session(master, "tests", {**common, **(settings or {})})


def resumed(path: Path, session: Any, watch: Sequence[Observer] = ()) -> bool:
    """Go on with a run in a directory, with a checkpoint after every step; whether it was asked to stop."""
    before = signal.getsignal(signal.SIGINT)
    engine = SparkEngine(session, portion=128, blocks=3)

    def stopper(stop: Callable[[], None]) -> None:
        signal.signal(signal.SIGINT, lambda *_: stop())

    try:
        model_runs.resume(path, every=0, threads=1, spark=engine, watch=watch, stopper=stopper)
    except Interrupted:
        return True
    finally:
        signal.signal(signal.SIGINT, before)
    return False


def begun(run: str, corpora: Path, path: Path, session: Any) -> Path:
    """The directory of a run that is at its start."""
    corpus, maker = RUNS[run]
    begin(maker(SparkEngine(session, portion=128, blocks=3)), Corpus.open(corpora / corpus), path)
    return path


class Steps(Observer):
    """Says when a step is done."""

    def step(self, job: Any, state: Any, record: Any) -> bool:
        print("step", state.step, flush=True)
        return False


@contextmanager
def reaching(place: str, number: int, reached: Callable[[], object]) -> Iterator[None]:
    """Call `reached` the `number`-th time that this process comes to a place.

    "job": before one; "checkpoint": before the rename that makes one count; "tidy": before old files go.
    """
    calls = itertools.count(1)
    owner, name = {
        "job": (Cluster, "collect"),
        "checkpoint": (directory, "write_atomic"),
        "tidy": (Versions, "tidy"),
    }[place]
    real: Callable[..., Any] = getattr(owner, name)

    def call(*given: Any, **named: Any) -> Any:
        if next(calls) == number:
            reached()
        return real(*given, **named)

    setattr(owner, name, call)
    try:
        yield
    finally:
        setattr(owner, name, real)


def die(after: float = 0.0) -> None:
    """Let this process be killed."""
    threading.Timer(after, os.kill, (os.getpid(), signal.SIGKILL)).start()
    if not after:
        threading.Event().wait()


def resume(session: Any, path: Path, place: str = "", number: str = "0") -> None:
    """Go on with a run, and be killed in a place: in the midst of a job, before all else."""
    if not place:
        resumed(path, session, [Steps()])
        return
    with reaching(place, int(number), lambda: die(0.05 if place == "job" else 0.0)):
        resumed(path, session, [Steps()])


def memory(session: Any, path: Path, topics: str) -> None:
    """Print the driver's largest memory, kB, in a run of so many topics."""
    import resource  # not on Windows

    engine = SparkEngine(session, task_bytes=1 << 22)
    LDA(int(topics), init="random", max_iter=2, engine=engine, **RUN).fit(Corpus.open(path))
    print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def digests(session: Any, corpora: Path, *runs: str) -> None:
    """Print the digests of what runs learn."""
    for run in runs:
        model = fitted(run, corpora, SparkEngine(session, portion=128, blocks=3))
        print(run, digest(model.components_), sep="\t", flush=True)


COMMANDS: dict[str, Callable[..., None]] = {"digests": digests, "memory": memory, "resume": resume}


def main(arguments: Sequence[str]) -> None:
    """`MASTER COMMAND PATH ...`, and after "then" further ones: functions above, in one session."""
    master, *words = arguments
    session = session_of(master, json.loads(os.environ.get("SETTINGS", "{}")))
    while words:
        end = words.index("then") if "then" in words else len(words)
        (command, path, *rest), words = words[:end], words[end + 1 :]
        COMMANDS[command](session, Path(path), *rest)
    session.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
