"""Fit, resume, transform and evaluate with --engine spark: the files and figures of one machine."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from tests.running import StopAfter
from tests.spark.streaming_on_spark import SPARK

from stickbreaker.cli import main
from stickbreaker.core.random_streams import stream
from stickbreaker.corpus import Corpus
from stickbreaker.engines.spark import SparkEngine
from stickbreaker.engines.stored_table import StoredTable
from stickbreaker.estimators import model_files, model_runs
from stickbreaker.spark import check_spark
from stickbreaker.testing.estimators import begin

BLOCKS = ("--blocks", 2, "--checkpoint-every", 0)
THEMES = ("sea ship wave harbour sail", "law court judge trial appeal", "leaf root soil seed bloom")


def run(*args: object, code: int = 0) -> str:
    result = CliRunner().invoke(main, [str(arg) for arg in args])
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.output


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """300 documents of three themes, as a store."""
    folder = tmp_path_factory.mktemp("texts")
    with (folder / "texts.jsonl").open("w") as file:
        for number in range(300):
            words = stream(1, "texts", key=number).choice(THEMES[(0, 0, 0, 1, 1, 2)[number % 6]].split(), 20)
            file.write(json.dumps({"id": str(number), "text": " ".join(words)}) + "\n")
    run("corpus", "build", folder / "texts.jsonl", "--out", folder / "corpus")
    return folder / "corpus"


@pytest.fixture(scope="module")
def model(spark, corpus, tmp_path_factory):
    """A model that Spark made, and the one of this machine."""
    folder = tmp_path_factory.mktemp("models")
    options = ("--topics", 3, "--iterations", 4, "--eta", 0.1)
    run("fit", "lda", corpus, "--out", folder / "here", *options)
    run("fit", "lda", corpus, "--out", folder / "there", *options, *SPARK, *BLOCKS)
    return folder


def test_topics_are_those_of_one_machine(model):
    assert run("topics", model / "there") == run("topics", model / "here")
    here, there = model_files.load(model / "here"), model_files.load(model / "there")
    np.testing.assert_allclose(there.components, here.components, rtol=1e-8)


def test_a_finished_model_holds_its_blocks_and_no_more(model):
    held = sorted(path.name for path in (model / "there").iterdir() if path.is_dir())
    assert len(held) == 1
    assert len(list((model / "there" / held[0]).iterdir())) == 2


def test_executors_write_the_shares_that_one_machine_writes(model, corpus, tmp_path):
    run("transform", model / "there", corpus, "--out", tmp_path / "there", *SPARK)
    run("transform", model / "there", corpus, "--out", tmp_path / "here.parquet")
    same_shares(tmp_path / "there", tmp_path / "here.parquet")


def same_shares(there, here):
    """The files of executors have what the file of one machine has."""
    told, wide = pq.read_table(there), pq.read_table(here)
    assert told["id"].to_pylist() == wide["id"].to_pylist()
    names = [name for name in wide.column_names if name.startswith("topic")]
    shares = np.column_stack([wide[name].to_numpy() for name in names])
    assert np.array(told["topics"].to_pylist()).tobytes() == shares.tobytes()


def test_executors_score_as_one_machine_does(model, corpus):
    scores_are_the_same(model / "there", corpus)


def scores_are_the_same(model, corpus):
    """Those of executors are those of one machine."""
    there, here = (json.loads(run("evaluate", model, corpus, "--json", *where)) for where in (SPARK, ()))
    for name, value in there.items():
        assert value == (None if value is None else pytest.approx(here[name], rel=1e-12)), name


def test_spark_submit_runs_the_program(model, corpus, tmp_path):
    (tmp_path / "run.py").write_text("from stickbreaker.cli import main\n\nmain()\n")
    submit = Path(sys.executable).with_name("spark-submit")
    options = ("--engine", "spark", "--topics", 3, "--iterations", 4, "--eta", 0.1, "--blocks", 2)
    command, out = (submit, "--master", "local[1]", tmp_path / "run.py"), tmp_path / "out"
    words = (*command, "fit", "lda", corpus, "--out", out, *options)
    check_spark()  # tells PySpark which Python
    subprocess.run([str(word) for word in words], check=True, capture_output=True)
    assert run("topics", out) == run("topics", model / "here")


KINDS = {
    "hdp": ("hdp", "--iterations", 3),
    "open": ("lda", "--words", "open", "--schedule", "batch", "--inference", "hybrid", "--iterations", 3),
    "guided": ("lda", "--iterations", 3, "--guide", "guide.json"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_model_is_learned_scored_and_shown(spark, corpus, tmp_path, monkeypatch, kind):
    """By executors and on this machine, with the same figures; `report` shows what Spark learned."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "guide.json").write_text(json.dumps({"sea": ["ship", "wave"], "law": ["court"]}))
    model, *options = KINDS[kind]
    for out, where in (("here", ()), ("there", SPARK)):
        run("fit", model, corpus, "--out", out, "--topics", 3, "--seed", 1, *options, *where)
    assert run("topics", "there") == run("topics", "here")
    scores_are_the_same("there", corpus)
    run("transform", "there", corpus, "--out", "shares", *SPARK)
    run("transform", "there", corpus, "--out", "shares.parquet")
    same_shares("shares", "shares.parquet")
    run("report", "there", "--out", "report.html")
    assert "harbour" in (tmp_path / "report.html").read_text()


def test_resume_goes_on_with_a_run_on_spark(spark, corpus, model, tmp_path):
    from stickbreaker import LDA
    from stickbreaker.engines import Interrupted

    engine = SparkEngine(spark, blocks=2)
    estimator = LDA(3, max_iter=4, eta=0.1, random_state=0, engine=engine)
    begin(estimator, Corpus.open(corpus), tmp_path / "model")
    with pytest.raises(Interrupted):
        model_runs.resume(tmp_path / "model", every=60.0, threads=1, watch=[StopAfter(1)], spark=engine)
    assert "--engine spark" in run("resume", tmp_path / "model", code=1)
    run("resume", tmp_path / "model", *SPARK)
    here, there = model_files.load(model / "there"), model_files.load(tmp_path / "model")
    assert there.components.tobytes() == here.components.tobytes()


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("fit", "lda", "x", "--out", "y", "--master", "local[2]"), "--master needs --engine spark"),
        (("fit", "lda", "x", "--out", "y", "--blocks", "3"), "--blocks needs --engine spark"),
        (("evaluate", "m", "c", "--engine", "spark", "--labels", "f"), "--labels does not go with"),
        (("stream", "lda", "x", "--out", "y"), "give --engine spark"),
    ],
)
def test_options_that_do_not_fit_are_told(args, told):
    assert told in " ".join(run(*args, code=2).split())


def test_raw_files_are_not_scored_on_spark(tmp_path):
    (tmp_path / "a.txt").write_text("sea")
    told = run("transform", "m", tmp_path / "a.txt", "--out", "o", "--engine", "spark", code=1)
    assert "stickbreaker corpus build" in told
    assert told.count("\n") <= 2


def test_a_memoised_run_is_read_while_it_learns(spark, corpus, tmp_path):
    """Its reports serve the run alone; what is read stays whole when the run goes on."""
    from stickbreaker import HDP
    from stickbreaker.engines import Interrupted

    engine = SparkEngine(spark, blocks=2)
    estimator = HDP(3, max_iter=3, moves=None, random_state=0, engine=engine)
    begin(estimator, Corpus.open(corpus), tmp_path / "model")
    with pytest.raises(Interrupted):
        model_runs.resume(tmp_path / "model", every=0.0, threads=1, watch=[StopAfter(1)], spark=engine)
    read, in_place = model_files.load(tmp_path / "model"), model_files.load(tmp_path / "model", in_place=True)
    assert isinstance(in_place.engine.table, StoredTable)
    assert np.array_equal(in_place.topic_word, read.topic_word)
    model_runs.resume(tmp_path / "model", every=0.0, threads=1, spark=engine)
    assert np.isfinite(read.topic_word).all()
    assert len(model_files.load(tmp_path / "model").facts.trace) > len(read.facts.trace)


def test_a_run_of_one_machine_is_not_gone_on_with_on_spark(spark, corpus, tmp_path):
    from stickbreaker import LDA

    begin(LDA(3, random_state=0), Corpus.open(corpus), tmp_path / "model")
    told = run("resume", tmp_path / "model", *SPARK, code=1)
    assert "the run began on one machine" in told
