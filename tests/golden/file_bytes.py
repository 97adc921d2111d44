"""Files that models of every kind leave, to compare byte for byte before and after a change of the code.

`python -m tests.golden.file_bytes FOLDER [CASE ...]` writes them into a folder: for each case a fitted model
that was saved, the same updated with more documents, a run before its first step, its checkpoint when it was
stopped, and the model that it ended with. `python -m tests.golden.file_bytes --compare BEFORE AFTER` compares
two such folders; the exit status is 1 if they differ. Times, digests, the version and the absolute path of
the corpus alone may differ. Unlike digests of golden runs, which are recorded, both are made on one machine;
all kinds are here, and all files.
"""

import json
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner
from tests.golden.runs import RUNS, write_corpora
from tests.running import StopAfter, write_trees

from stickbreaker import AdaptorGrammar, Corpus, Online, SyntacticTopics, TopicNgramModel, UserError
from stickbreaker.cli import main as program
from stickbreaker.corpus import Analysis, ReadingOptions, VocabularyRule
from stickbreaker.corpus.text.all_words import analysis_of_all_words
from stickbreaker.engines import Interrupted
from stickbreaker.estimators import model_runs
from stickbreaker.estimators.kinds import kinds
from stickbreaker.learning.trace import UNTIMED
from stickbreaker.testing.estimators import begin

Maker = Callable[..., Any]
SEED = {"random_state": 3}
OF_TREES: dict[str, dict[str, Any]] = {
    "whole": {},
    "hdp": {"limit": "hdp"},
    "itic": {"limit": "itic"},
    "one chain": {"chains": 1, "samples": 2},
    "mean-field": {"inference": "mean-field"},
    "online": {"inference": "mean-field", "schedule": Online(batch_size=8)},
    "tags": {"unknown": "tag"},
}
OF_SYMBOLS: dict[str, dict[str, Any]] = {
    "collocation": {"grammar": "collocation"},
    "incremental": {"grammar": "unigram", "init": "incremental", "chains": 2, "temperature": 2.0},
    "hybrid": {"inference": "hybrid", "schedule": Online(60, total="seen"), "refine_every": 2},
    "hybrid in batches": {"inference": "hybrid", "schedule": "batch", "grammar": "unigram"},
    "mean-field": {"inference": "mean-field", "grammar": "unigram", "truncation": {"Word": 200}},
    "fixed": {"grammar": "unigram", "processes": "fixed", "weights": "fixed", "relabel": False},
}
OF_SENTENCES: dict[str, dict[str, Any]] = {
    "switching": {},
    "hierarchical": {"prior": "hierarchical", "order": 2},
    "unbounded": {"order": "unbounded"},
    "tokens": {"moves": "tokens", "order": 1},
    "spelled": {"unknown": "spelled", "order": 2},
}
CASES: dict[str, tuple[str, Maker]] = {**RUNS}  # the corpus and the estimator


def _add(
    prefix: str, corpus: str, kind: Any, configurations: dict[str, dict[str, Any]], **shared: Any
) -> None:
    for name, settings in configurations.items():
        given = {**SEED, **shared, **settings}
        CASES[f"{prefix}, {name}"] = (corpus, lambda given=given, **more: kind(**{**given, **more}))


_add("syntax", "trees", SyntacticTopics, OF_TREES, n_topics=4, max_iter=5)
_add("grammar", "symbols", AdaptorGrammar, OF_SYMBOLS, max_iter=4)
_add("topic n-grams", "one", TopicNgramModel, OF_SENTENCES, n_topics=3, max_iter=4)
for _run in ("batch", "hdp"):  # several starts, of which one becomes the model
    CASES[f"{_run}, three starts"] = ("one", lambda _make=RUNS[_run][1], **more: _make(n_init=3, **more))
HELD_OUT = 0.2  # of every second case
STOP = 3  # steps


def corpora_in(folder: Path) -> Path:
    """Write the corpora that the cases learn from: `one`, `two`, `trees` and `symbols`."""
    write_corpora(folder)
    write_trees(folder / "parsed.conllu", 40)
    plain = Analysis(language=None)
    Corpus.build(
        folder / "parsed.conllu",
        folder / "trees",
        analysis=analysis_of_all_words(plain, "spaced"),
        rule=VocabularyRule(2, 1.0),
        reading=ReadingOptions(trees=True),
        all_words=True,
    )
    from stickbreaker.grammars.text_symbols import analysis_of_symbols

    generator = np.random.default_rng(0)
    words = ("the", "a", "dog", "cat", "saw", "ran")
    lines = ["".join(generator.choice(words, size)) for size in generator.integers(2, 5, 120)]
    rule = VocabularyRule(1, 1.0)
    Corpus.from_texts(lines, analysis=analysis_of_symbols("characters"), rule=rule).write(folder / "symbols")
    return folder


def record(folder: Path, names: list[str]) -> None:
    """Write the files of the cases (none named: of all) into a folder, each in a folder of its own."""
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        corpora = corpora_in(Path(place))
        for number, name in enumerate(CASES):
            if not names or name in names or any(name.startswith(f"{one},") for one in names):
                began = time.perf_counter()
                _record(folder / name, name, corpora, HELD_OUT * (number % 2))
                print(f"{name}: {time.perf_counter() - began:.1f} s", flush=True)


def _record(folder: Path, name: str, corpora: Path, held_out: float) -> None:
    source, make = CASES[name]
    folder.mkdir(parents=True)
    corpus = Corpus.open(corpora / source)
    model = make(n_jobs=1).fit(corpus)
    shown = None if source == "symbols" else corpus  # reports of grammars show no documents
    model.save(folder / "fitted", documents=shown)
    type(model).load(folder / "fitted").save(folder / "loaded")
    (folder / "score").write_text(repr(model.score(corpus)))
    if "update" in kinds()[model.kind].verbs:
        shutil.copytree(folder / "fitted", folder / "updated")
        asked = ("update", folder / "updated", corpora / source, "--date", "2026-01-01", "--threads", 1)
        CliRunner().invoke(program, list(map(str, asked)), catch_exceptions=False)
    if callable(getattr(model, "transform", None)):
        np.save(folder / "shares.npy", model.transform(corpus))
    if callable(getattr(model, "partial_fit", None)):
        try:
            model.partial_fit(corpus).save(folder / "more")
        except UserError as error:  # not every way of learning can continue
            (folder / "refusal").write_text(str(error))
    run = folder / "run"
    if name.endswith("three starts"):
        return
    begin(make(), corpus, run, held_out=held_out)
    shutil.copytree(run, folder / "begun")
    try:
        model_runs.resume(run, every=60, threads=1, watch=[StopAfter(STOP)])
    except Interrupted:
        shutil.copytree(run, folder / "stopped")
    model_runs.resume(run, every=60, threads=1)


def compare(before: Path, after: Path) -> int:
    """Print what differs between two folders that `record` wrote; returns the number of files that do.

    Cases that only one of them has are left out.
    """
    cases = sorted({one.name for one in before.iterdir()} & {one.name for one in after.iterdir()})
    different = same = 0
    for case in cases:
        sides = [dict(_files(folder / case)) for folder in (before, after)]
        for name in sorted(sides[0].keys() | sides[1].keys()):
            if sides[0].get(name) == sides[1].get(name):
                same += 1
            else:
                different += 1
                print(f"{case}/{name} differs")
    print(f"{len(cases)} cases: {same} files are equal, {different} differ")
    return different


def _files(folder: Path) -> Iterator[tuple[str, object]]:
    """The files in a folder, by name, with what may differ left out of manifests and traces."""
    for file in sorted(folder.rglob("*")):
        name, content = str(file.relative_to(folder)), file.read_bytes() if file.is_file() else None
        if file.name == "model.json":
            manifest = json.loads(content or b"")
            manifest["corpus_path"] = manifest["corpus_path"] and Path(manifest["corpus_path"]).name
            manifest["files"] = sorted(manifest["files"])
            yield name, {key: held for key, held in manifest.items() if key not in VARYING}
        elif file.name == "trace.jsonl":
            records = map(json.loads, (content or b"").splitlines())
            yield name, [{key: one[key] for key in one if key not in UNTIMED} for one in records]
        else:
            yield name, content


VARYING = ("stickbreaker", "trace_bytes", "trace_digest", "digest")  # fields of a manifest


def main(words: list[str]) -> None:
    if words[:1] == ["--compare"]:
        sys.exit(int(compare(Path(words[1]), Path(words[2])) > 0))
    record(Path(words[0]), words[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
