"""Models and checkpoints as an older version wrote them, which every later one must load and go on with.

Each is a zipped directory in `older/VERSION/`; `expected.json` has what that version made of them.
`python -m tests.golden.older_models [NAME]` adds those of the present version, or commit; what is there is
never written again.
"""

import json
import shutil
import sys
import zipfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from tests.golden.runs import RUNS, write_corpora
from tests.running import StopAfter, planted_documents

from stickbreaker.corpus import Corpus
from stickbreaker.engines import Interrupted
from stickbreaker.estimators import fitting

OLDER = Path(__file__).parent / "older"
TEXTS = [document["text"] for document in planted_documents(3, seed=9)]
BILINGUAL = [{"en": TEXTS[0]}, {"de": "revire taobe"}, {"en": TEXTS[1], "de": "etarse"}]
FINISHED = ("guide", "languages", "gibbs", "hdp, online", "open words, bloom", "hdp, open words")
RUNNING = {  # runs that are stopped after so many steps
    "records kept": 2,
    "online": 7,
    "memoised": 7,
    "hdp, memoised": 26,  # moves wait for documents that have not tried them
    "hdp, gibbs": 5,
    "gibbs, delayed": 5,
    "open words, online": 7,
}
ON_SPARK = "batch"  # its table lies in files


def file_name(run: str) -> str:
    """The name of a run's zip file."""
    return run.replace(", ", "-").replace(" ", "-") + ".zip"


def summary_of(run: str, path: Path) -> dict[str, Any]:
    """What is compared of a finished model: topics of some texts, words of topics, the last score."""
    model = type(RUNS[run][1]()).load(path)
    texts: Any = BILINGUAL if RUNS[run][0] == "two" else TEXTS
    shares = np.asarray(model.transform(texts))
    return {
        "shares": shares.round(7).tolist(),
        "words": [
            words if isinstance(words, dict) else list(words[:5])
            for words in model.top_words(5, by="probability")
        ],
        "score": next(record["pass_score"] for record in reversed(model.trace_) if "pass_score" in record),
        "steps": len(model.trace_),
    }


def write_finished(run: str, corpora: Path, path: Path) -> Path:
    """A finished model."""
    name, make = RUNS[run]
    fitting.begin(make(), Corpus.open(corpora / name), path)
    fitting.resume(path, every=60, threads=1)
    return path


def write_running(run: str, corpora: Path, path: Path) -> Path:
    """A checkpoint of a run, with its corpus inside."""
    name, make = RUNS[run]
    own = shutil.copytree(corpora / name, path.with_name("own"))
    fitting.begin(make(), Corpus.open(own), path, corpus_inside=True)
    try:
        fitting.resume(path, every=60, threads=1, watch=[StopAfter(RUNNING[run])])
    except Interrupted:
        return path
    raise AssertionError("the run was not stopped")


def write_on_spark(run: str, corpora: Path, path: Path) -> Path:
    """A finished model whose table Spark wrote in blocks."""
    from tests.spark.running_on_spark import session_of

    from stickbreaker.engines.spark import SparkEngine

    session = session_of("local[1]")
    name, make = RUNS[run]
    engine = SparkEngine(session, portion=32, blocks=2)
    fitting.begin(make(engine=engine), Corpus.open(corpora / name), path)
    fitting.resume(path, every=60, threads=1, spark=engine)
    session.stop()
    return path


def archive(model: Path, file: Path) -> None:
    """A model's directory as a zip file, without the lock."""
    with zipfile.ZipFile(file, "x", zipfile.ZIP_DEFLATED) as out:
        for path in sorted(model.rglob("*")):
            if path.is_file() and path.name != "lock":
                out.write(path, path.relative_to(model))


def unpack(file: Path, place: Path) -> Path:
    """The model's directory that a zip file holds."""
    with zipfile.ZipFile(file) as held:
        held.extractall(place)
    return place


def main() -> None:
    """Write the models of this version, and what it makes of them."""
    folder = OLDER / (sys.argv[1] if len(sys.argv) > 1 else version("stickbreaker"))
    folder.mkdir(parents=True)
    expected: dict[str, Any] = {}
    writers: list[tuple[str, Callable[[str, Path, Path], Path], str]] = [
        *((run, write_finished, "finished") for run in FINISHED),
        *((run, write_running, "running") for run in RUNNING),
        (ON_SPARK, write_on_spark, "finished"),
    ]
    with TemporaryDirectory() as place:
        corpora = write_corpora(Path(place) / "corpora")
        for number, (run, write, status) in enumerate(writers):
            path = Path(place) / str(number) / "model"
            path.parent.mkdir()
            archive(write(run, corpora, path), folder / file_name(run))
            if status == "running":
                fitting.resume(path, every=60, threads=1)
            expected[run] = {"status": status, **summary_of(run, path)}
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
