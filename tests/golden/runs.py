"""Runs whose bytes are recorded: a change of the code that should change no number must leave these alone.

They are made by a process whose numbers do not depend on the processor (`tests/baseline.py`): a record is of
packages and their versions. `python -m tests.golden.runs` (`make golden`) records them anew for the packages
at hand. Do so only for a change that is meant to change numbers, and say which in CHANGELOG.md.
`python -m tests.golden.runs --compare [RUN ...]` records nothing and prints which runs differ (none named:
all that need no Spark). On Spark the last digits of sums depend on how documents are cut into portions, and
on nothing else: digests are of one cut.
"""

import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tests import baseline
from tests.running import StopAfter, planted_documents, with_german

from stickbreaker import HDP, LDA, Hybrid, Memoised, NgramModel, Online, OpenVocabulary, SplitMerge
from stickbreaker.core.files import digest_of
from stickbreaker.corpus import Corpus
from stickbreaker.engines import Interrupted
from stickbreaker.estimators import model_runs
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.manifest import VERSION
from stickbreaker.saved.manifest_fields import BLOCK, METADATA_SUMS
from stickbreaker.testing.estimators import begin, untimed

if TYPE_CHECKING:
    from stickbreaker.engines.spark import SparkEngine

RECORD = Path(__file__).parent / "digests.json"
SETTINGS: dict[str, Any] = {"max_iter": 4, "tol": 0.0, "random_state": 3}
SMALL_BATCHES = Online(batch_size=16, kappa=0.6, tau0=1.0)
PASSING = OpenVocabulary(truncation=15, reorder_every=2, concentration="learned", memory="keep")
GUIDE = {"finance": ["bank", "loan"], "space": ["plan*"]}

Estimator = LDA | HDP | NgramModel
Maker = Callable[..., Estimator]


def lda(**settings: Any) -> Maker:
    """LDA of a few passes; what it is called with comes on top."""
    return lambda **more: LDA(4, **{**SETTINGS, **settings, **more})


def hdp(n_topics: int | str, **settings: Any) -> Maker:
    """HDP of a few passes."""
    return lambda **more: HDP(n_topics, **{**SETTINGS, **settings, **more})


def ngram(order: int | str, **settings: Any) -> Maker:
    """A language model of a few sweeps."""
    return lambda **more: NgramModel(order, max_iter=4, random_state=3, **settings, **more)


RUNS: dict[str, tuple[str, Maker]] = {  # the corpus and the estimator
    "batch": ("one", lda()),
    "learned eta": ("one", lda(eta="learned")),
    "records kept": ("one", lda(keep_local=True)),
    "online": ("one", lda(schedule=SMALL_BATCHES)),
    "memoised": ("one", lda(schedule=Memoised(16))),
    "noise start": ("one", lda(init="random")),
    "guide": ("one", lda(guide=GUIDE)),
    "languages": ("two", lda()),
    "languages, hybrid": ("two", lda(inference="hybrid")),
    "hybrid": ("one", lda(inference="hybrid")),
    "hybrid, online": ("one", lda(inference=Hybrid(burn_in=3, samples=4), schedule=SMALL_BATCHES)),
    "gibbs": ("one", lda(inference="gibbs", max_iter=12, eta="learned")),
    "gibbs, delayed": ("one", lda(inference="gibbs-delayed", max_iter=12)),
    "open words": ("one", lda(words="open")),
    "open words, online": ("one", lda(words=PASSING, schedule=SMALL_BATCHES)),
    "open words, bloom": ("one", lda(words=OpenVocabulary(memory="bloom"), schedule=SMALL_BATCHES)),
    "open words, hybrid": ("one", lda(words="open", inference="hybrid", schedule=SMALL_BATCHES)),
    "hdp": ("one", hdp(3)),
    "hdp, searched": ("one", hdp("auto")),
    "hdp, memoised": ("one", hdp(2, schedule=Memoised(16), max_iter=6)),
    "hdp, online": ("one", hdp(2, schedule=SMALL_BATCHES, moves=SplitMerge("halves"), max_iter=6)),
    "hdp, by the paper": ("one", hdp(6, schedule=SMALL_BATCHES, moves=SplitMerge("paper"))),
    "hdp, hybrid": ("one", hdp(3, inference="hybrid", schedule="batch", moves=None)),
    "hdp, gibbs": ("one", hdp(3, inference="gibbs", max_iter=12)),
    "hdp, franchise": ("one", hdp(6, representation="franchise")),
    "hdp, open words": ("one", hdp(3, words="open", schedule=SMALL_BATCHES)),
    "trigrams": ("one", ngram(3)),
    "unbounded n-grams": ("one", ngram("unbounded")),
    "spelled n-grams": ("one", ngram(2, unknown="spelled")),
}
STOPS = {"hdp, memoised": 26}  # steps after which a run is interrupted: here moves are under way
HELD_OUT = ("online", "gibbs", "hdp, online", "trigrams")  # runs that are watched by documents left out
ON_SPARK = (  # runs that also learn on Spark: tables in blocks, and those with open words everywhere
    "languages",
    "memoised",
    "hybrid, online",
    "hdp, by the paper",
    "open words",
    "hdp, open words",
)
PACKAGES = ("numpy", "scipy", "numba", "llvmlite", "pyarrow")
FILE_NAMES = ("version", "records")  # arrays with names of files of a run on Spark, new ones each time
PORTION, BLOCKS = 32, 2  # of those on Spark, where sums depend on how documents are cut


def stop_of(path: Path) -> Path:
    """Where the checkpoint of a run that was stopped is kept, when the run is in `path`."""
    return path.with_name(f"{path.name}, stopped")


def spark_name(run: str) -> str:
    """What a run is called in the record when it learned on Spark."""
    return f"{run} (Spark)"


def write_corpora(folder: Path) -> Path:
    """The corpora of all runs: in one language, and in two of which documents have one or both."""
    documents = planted_documents(80, seed=2)
    Corpus.from_texts([document["text"] for document in documents]).write(folder / "one")
    sides = [
        {code: document[name] for code, name in (("en", "text"), ("de", "deutsch")) if name in document}
        for document in with_german(documents)
    ]
    Corpus.from_texts(sides).write(folder / "two")
    return folder


def numerics() -> str:
    """What a record is of: the packages whose versions decide last digits, where no processor does."""
    packages = [f"{name} {version(name)}" for name in PACKAGES]
    return ", ".join([f"Python {sys.version_info.major}.{sys.version_info.minor}", *packages])


def digest(value: Any) -> str:
    """A digest of a value that JSON can hold."""
    return hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=12).hexdigest()


def digest_of_arrays(arrays: Mapping[str, Any]) -> str:
    """A digest of named arrays: names, types, shapes and every bit."""
    total = hashlib.blake2b(digest_size=12)
    for name in sorted(arrays):
        values = np.ascontiguousarray(arrays[name])
        total.update(f"{name} {values.dtype.str} {values.shape};".encode())
        total.update(values.tobytes())
    return total.hexdigest()


def digests_of_directory(path: Path) -> dict[str, str]:
    """Digests of what a model's directory holds, but for times, versions and paths."""
    directory = ModelDirectory(path)
    snapshot = directory.read()
    params = {name: values for name, values in snapshot.arrays.items() if name.startswith("small/")}
    rest = {
        VERSION.sub("rows", name): values
        for name, values in snapshot.arrays.items()
        if name not in params and name not in FILE_NAMES and "/support " not in name  # came after the records
    }
    varying = ("stickbreaker", "files", "corpus_path", "trace_bytes")
    manifest = {name: value for name, value in snapshot.manifest.items() if name not in varying}
    files = [name for name in snapshot.manifest["files"] if name != METADATA_SUMS]  # came after the records
    names = sorted(name.split("-")[0] for name in files)
    moments = directory.evolution().moments
    blocks = sorted(
        [VERSION.sub("rows", name), digest_of(path / name)]
        for name in snapshot.manifest["files"]
        if BLOCK.fullmatch(name)
    )
    digests = {
        "table": digest_of_arrays(rest),
        "params": digest_of_arrays(params),
        "trace": digest(untimed(snapshot.trace)),
        "manifest": digest([manifest, names, snapshot.keys]),
        "evolution": digest([[at.step, at.documents, at.date, *map(_plain, at.rows)] for at in moments]),
    }
    return digests | {"blocks": digest(blocks)} if blocks else digests


def _plain(column: Any) -> list[Any]:
    return np.asarray(column).tolist()


def digests_of(
    run: str,
    corpora: Path,
    path: Path,
    threads: int,
    *,
    stopped: bool = False,
    spark: "SparkEngine | None" = None,
) -> dict[str, Any]:
    """Digests of a run that is written to `path`, and of its checkpoint if it is `stopped` on its way.

    The checkpoint is copied to `stop_of(path)`.
    """
    name, make = RUNS[run]
    corpus = Corpus.open(corpora / name)
    model = make() if spark is None else make(engine=spark)
    begin(model, corpus, path, held_out=0.2 if run in HELD_OUT else 0.0)
    held: dict[str, Any] = {}
    watch = [StopAfter(STOPS.get(run, 3))]
    if stopped:
        try:
            model_runs.resume(path, every=60, threads=threads, spark=spark, watch=watch)
        except Interrupted:
            held["checkpoint"] = digests_of_directory(path)
            shutil.copytree(path, stop_of(path))
    model_runs.resume(path, every=60, threads=threads, spark=spark)
    return held | {"model": digests_of_directory(path)}


def digests_on_spark(
    run: str, corpora: Path, path: Path, master: str, *, stopped: bool = True
) -> dict[str, Any]:
    """`digests_of` a run on Spark, in the session that this process has."""
    return digests_of(run, corpora, path, 1, stopped=stopped, spark=_engine(master))


@cache
def _engine(master: str) -> "SparkEngine":
    from tests.spark.running_on_spark import session_of

    from stickbreaker.engines.spark import SparkEngine

    return SparkEngine(session_of(master), portion=PORTION, blocks=BLOCKS)


def digests_of_all_on_spark(corpora: Path, place: Path) -> dict[str, Any]:
    """Digests of the runs `ON_SPARK`, by one worker; whole and interrupted, they must end the same."""
    digests: dict[str, Any] = {}
    for run in ON_SPARK:
        name = spark_name(run)
        digests[name] = digests_on_spark(run, corpora, place / name, "local[1]")
        whole = digests_on_spark(run, corpora, place / f"{name}, whole", "local[1]", stopped=False)
        assert whole["model"] == digests[name]["model"], f"{name}: interrupted, it ended elsewhere"
    return digests


def record() -> dict[str, dict[str, Any]]:
    """All that was recorded: by `numerics`, then by the name of the run."""
    return json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}


def compare(names: list[str]) -> None:
    """Print which runs differ from what is recorded; the exit status is 1 where one does."""
    known = record().get(numerics(), {})
    with tempfile.TemporaryDirectory() as place:
        corpora = write_corpora(Path(place) / "corpora")
        differ = False
        for run in names or RUNS:
            digests = digests_of(run, corpora, Path(place) / run, 1, stopped=True)
            same = digests == known.get(run)
            differ = differ or not same
            print(
                f"{run}: {'same' if same else 'not recorded' if run not in known else 'another'}", flush=True
            )
    sys.exit(int(differ))


def record_all() -> None:
    """Record every run's digests for these packages, beside those of others."""
    with tempfile.TemporaryDirectory() as place:
        corpora = write_corpora(Path(place) / "corpora")
        digests = {run: digests_of(run, corpora, Path(place) / run, 1, stopped=True) for run in RUNS}
        digests |= digests_of_all_on_spark(corpora, Path(place))
    RECORD.write_text(json.dumps(record() | {numerics(): digests}, indent=1, sort_keys=True) + "\n", "utf-8")
    print(f"{len(digests)} runs recorded for {numerics()}")


def main(words: list[str]) -> None:
    """Record or compare, by a process whose numbers do not depend on the processor."""
    if not baseline.supported():
        sys.exit("golden runs need Linux on x86-64")
    if not baseline.is_here():
        baseline.main(["-m", "tests.golden.runs", *words])
    if words[:1] == ["--compare"]:
        compare(words[1:])
    else:
        record_all()


if __name__ == "__main__":
    main(sys.argv[1:])
