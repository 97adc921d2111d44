"""A run that was interrupted or killed, and goes on, gives what an uninterrupted run gives, byte for byte."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.children import context
from tests.running import PROGRAM, SMALL, StopAfter, planted_documents, with_german, write_lines
from tests.tiers import EXHAUSTIVE, SEED, sampled

from stickbreaker import HDP, LDA, UserError
from stickbreaker.cli import main
from stickbreaker.engines import Interrupted
from stickbreaker.estimators import model_runs
from stickbreaker.saved import ModelDirectory
from stickbreaker.testing.estimators import contents
from stickbreaker.topics.evaluation.held_out import HeldOut
from stickbreaker.topics.runs import gibbs_runs

KINDS = {
    "batch": (),
    "learned eta": ("--eta", "learned"),
    "keep local": ("--keep-local",),
    "online": ("--schedule", "online", "--batch-size", 7, "--tau0", 1),
    "held out": ("--held-out", 0.2),
    "hybrid": ("--inference", "hybrid"),
    "hybrid, online": ("--inference", "hybrid", "--schedule", "online", "--batch-size", 7, "--tau0", 1),
    "gibbs": ("--inference", "gibbs", "--every", 2, "--eta", "learned"),
    "gibbs, chains, held out": ("--inference", "gibbs", "--every", 2, "--chains", 2, "--held-out", 0.2),
    "gibbs-delayed": ("--inference", "gibbs-delayed", "--every", 2, "--burn-in", 1),
    "online, held out": ("--schedule", "online", "--batch-size", 7, "--tau0", 1, "--held-out", 0.2),
}
PASSES = ("--iterations", 6, "--tol", 0)


def interrupted_fit(cli, monkeypatch, steps, *arguments, model="lda"):
    """`fit`, stopped as by Ctrl-C after `steps` steps."""
    with monkeypatch.context() as patched:
        patched.setattr("stickbreaker.console.running.watcher", lambda: StopAfter(steps))
        return cli("fit", model, *arguments, code=1)


@pytest.mark.parametrize("kind", sampled(KINDS, 4))
@pytest.mark.parametrize("every", sampled([0, 60], 1))
def test_an_interrupted_run_goes_on_alike(cli, planted, tmp_path, monkeypatch, kind, every):
    options = (planted, *SMALL, *PASSES, *KINDS[kind], "--checkpoint-every", every)
    goes_on_alike(cli, tmp_path, monkeypatch, options, every)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    ["batch", "keep local", "online", "held out", "hybrid", "gibbs", "gibbs, chains, held out"],
)
def test_an_interrupted_run_of_an_hdp(cli, planted, tmp_path, monkeypatch, kind):
    options = (planted, *SMALL, *PASSES, *KINDS[kind], "--checkpoint-every", 0)
    goes_on_alike(cli, tmp_path, monkeypatch, options, 0, model="hdp")


@pytest.mark.parametrize(
    "kind",
    sampled([kind for kind in KINDS if kind not in ("learned eta", "keep local") and "held" not in kind], 1),
)
def test_an_interrupted_run_on_two_languages_with_a_guide(cli, tmp_path_factory, tmp_path, monkeypatch, kind):
    place = tmp_path_factory.mktemp("languages")
    lines = write_lines(place / "lines.jsonl", with_german(planted_documents()))
    (place / "words.json").write_text('{"finance": ["bank", "loan"], "space": ["plan*"]}')
    guided = ("--text-field", "en=text,de=deutsch", "--guide", place / "words.json")
    options = [lines, *SMALL, *PASSES, *guided, *KINDS[kind]]
    if "--eta" in options:
        del options[options.index("--eta") :]
    goes_on_alike(cli, tmp_path, monkeypatch, (*options, "--checkpoint-every", 0), 0)


def goes_on_alike(cli, tmp_path, monkeypatch, options, every, model="lda"):
    """A run that is interrupted thrice ends with the files of one that was not."""
    cli("fit", model, *options, "--out", tmp_path / "whole")
    path = tmp_path / "model"
    told = interrupted_fit(cli, monkeypatch, 2, *options, "--out", path, model=model)
    assert f"stickbreaker resume {path}" in told.stderr
    assert (path / "corpus" / "corpus.json").exists()
    for steps in (1, 2):  # interrupted again, and again
        with pytest.raises(Interrupted):
            model_runs.resume(path, every=every, threads=2, watch=[watch := StopAfter(steps)])
        assert watch.left == 0
    assert ModelDirectory(path).manifest()["run"]["step"] == 5
    cli("resume", path, "--threads", 3)
    assert contents(path) == contents(tmp_path / "whole")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["model", "whole"]


def test_ctrl_c_while_held_out_documents_are_scored(cli, planted, tmp_path, monkeypatch):
    """The step is complete by then: its score and its line of the trace must not be lost."""
    options = (planted, *SMALL, *PASSES, "--held-out", 0.2)
    cli("fit", "lda", *options, "--out", tmp_path / "whole")
    real, calls = HeldOut.__call__, []

    def pressed(self, engine, model, params):
        calls.append(engine)
        if len(calls) == 2:
            engine.stop()
        return real(self, engine, model, params)

    with monkeypatch.context() as patched:
        patched.setattr(HeldOut, "__call__", pressed)
        cli("fit", "lda", *options, "--out", tmp_path / "model", code=1)
    assert ModelDirectory(tmp_path / "model").manifest()["run"]["step"] == 2
    cli("resume", tmp_path / "model")
    assert contents(tmp_path / "model") == contents(tmp_path / "whole")


@pytest.mark.parametrize("inference", ["mean-field", "hybrid", "gibbs", "gibbs-delayed"])
def test_every_checkpoint_is_a_model(cli, planted, tmp_path, monkeypatch, inference):
    path = tmp_path / "model"
    interrupted_fit(cli, monkeypatch, 2, planted, "--out", path, *SMALL, "--inference", inference)
    assert len(json.loads(cli("topics", path, "--json").stdout)["topics"]) == 3
    assert "still learning" in cli("report", path, "--out", tmp_path / "r.html", code=1).stderr


@pytest.mark.parametrize("model", sampled(["lda", "hdp"], 1))
def test_a_checkpoint_of_chains_holds_them_once_and_is_read_with_its_corpus(
    cli, planted, tmp_path, monkeypatch, model
):
    corpus, path = tmp_path / "corpus", tmp_path / "model"
    cli("corpus", "build", planted, "--out", corpus)
    options = (*SMALL, "--inference", "gibbs", "--every", 2, "--chains", 2)
    interrupted_fit(cli, monkeypatch, 3, corpus, "--out", path, *options, model=model)
    assert all(name.startswith("chain/") for name in ModelDirectory(path).read().arrays)
    reads = (LDA if model == "lda" else HDP).load(path)
    tokens = reads.components_.sum() - reads.eta_ * reads.components_.size
    assert tokens == pytest.approx(reads.corpus_["tokens"]), "the last state's, before the first sample"
    shutil.move(corpus, tmp_path / "elsewhere")
    assert f"{corpus}: no such corpus" in cli("topics", path, code=1).stderr
    shutil.move(tmp_path / "elsewhere", corpus)
    cli("resume", path)
    shutil.rmtree(corpus)
    cli("topics", path)


def test_a_run_of_chains_that_ends_while_it_is_read(cli, planted, tmp_path, monkeypatch):
    """Its corpus is cleared away then; the finished model does without."""
    path = tmp_path / "model"
    interrupted_fit(cli, monkeypatch, 2, planted, "--out", path, *SMALL, *PASSES, "--inference", "gibbs")
    look, ends = gibbs_runs.corpus_of, []

    def late(place, manifest):
        if not ends:
            ends.append(cli("resume", path))
        return look(place, manifest)

    with monkeypatch.context() as patched:
        patched.setattr(gibbs_runs, "corpus_of", late)
        assert LDA.load(path).n_iter_ == 6
    assert ends
    assert not (path / "corpus").exists()


def test_a_finished_run_says_so(cli, model):
    before = contents(model)
    assert "finished already" in cli("resume", model).stdout
    told = json.loads(cli("resume", model, "--json").stdout)
    assert told == {"model": str(model), "status": "done", "resumed": False}
    assert contents(model) == before


def test_what_a_user_puts_in_a_finished_model_stays(cli, model, tmp_path):
    path = shutil.copytree(model, tmp_path / "model")
    (path / "state-notes.txt").write_text("mine")
    (tmp_path / "other.txt").write_text("another corpus\nof two lines\n")
    cli("corpus", "build", tmp_path / "other.txt", "--out", path / "corpus")
    cli("resume", path)
    assert (path / "state-notes.txt").read_text() == "mine"
    assert (path / "corpus" / "corpus.json").exists()


def test_a_kill_after_the_last_checkpoint_leaves_nothing(cli, planted, model, tmp_path):
    path = shutil.copytree(model, tmp_path / "model")
    cli("corpus", "build", planted, "--out", path / "corpus")
    (path / ".corpus.leaving").mkdir()
    (path / "state-000003.safetensors").touch()
    (path / ".model.json.partial-x").touch()
    (path / ".tmpabc").touch()  # as safetensors names what it is writing
    (tmp_path / ".model.partial-xxxxxxxx").mkdir()
    (tmp_path / ".model.partial-xxxxxxxx" / "lock").touch()
    cli("resume", path)
    assert contents(path) == contents(model)
    assert [entry.name for entry in tmp_path.iterdir()] == ["model"]


@pytest.fixture
def running(cli, planted, tmp_path, monkeypatch):
    """A run of a corpus of its own, interrupted: the model's and the corpus's directory."""
    cli("corpus", "build", planted, "--out", tmp_path / "corpus")
    interrupted_fit(cli, monkeypatch, 2, tmp_path / "corpus", "--out", tmp_path / "model", *SMALL)
    return tmp_path / "model", tmp_path / "corpus"


def test_another_corpus_is_refused(cli, running):
    path, corpus = running
    assert not (path / "corpus").exists()
    other = write_lines(corpus.parent / "other.jsonl", planted_documents(seed=1))
    cli("corpus", "build", other, "--out", corpus, "--overwrite")
    told = cli("resume", path, code=1).stderr
    assert told == (
        f"stickbreaker: {corpus}: is not the corpus that the run began with; restore it, or fit again\n"
    )
    shutil.rmtree(corpus)
    assert "no such corpus" in cli("resume", path, code=1).stderr


def test_a_second_run_is_refused(cli, running, planted):
    path, corpus = running
    first = ModelDirectory(path)
    first.lock()
    with pytest.raises(UserError, match="another run is writing this model"):
        model_runs.resume(path, every=0, threads=1)
    told = cli("fit", "lda", corpus, "--out", path, "--overwrite", *SMALL, code=1).stderr
    assert "another run is writing this model" in told
    first.unlock()
    cli("resume", path)


def test_a_damaged_checkpoint_is_named(cli, running):
    path, _ = running
    state = next(path.glob("state-*.safetensors"))
    state.write_bytes(state.read_bytes()[:-8])
    assert f"{state}: is truncated or altered" in cli("resume", path, code=1).stderr


def test_a_failed_fit_leaves_nothing(cli, planted, tmp_path):
    broken = tmp_path / "broken.jsonl"
    broken.write_text(planted.read_text() + '{"text": 3}\n')
    for options in ((broken,), (planted, "--min-documents", 60), (planted, "--alpha", -1)):
        cli("fit", "lda", *options, "--out", tmp_path / "model", *SMALL, code=1)
    assert [entry.name for entry in tmp_path.iterdir()] == ["broken.jsonl"]


@pytest.mark.slow
@pytest.mark.faults
def test_ctrl_c_of_the_program(planted, program, cli, tmp_path):
    path = tmp_path / "model"
    options = [planted, *SMALL, "--iterations", 300, "--tol", 0]
    words = [PROGRAM, "fit", "lda", *map(str, options), "--out", path]
    child = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    while child.poll() is None and not (path / "trace.jsonl").exists():
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    _, stderr = child.communicate()
    assert child.returncode == 1
    assert "Traceback" not in stderr
    assert f"continue with: stickbreaker resume {path}" in stderr
    assert ModelDirectory(path).manifest()["run"]["step"] < 300
    program("resume", path)
    cli("fit", "lda", *options, "--out", tmp_path / "whole")
    assert contents(path) == contents(tmp_path / "whole")


# kill -9: a few times for every kind of inference, and many times in all

EVERY = ("--checkpoint-every", 0)
RUN = (*SMALL, *EVERY, "--iterations", 60, "--tol", 0)
KILLED = {  # kind of inference: kills (five at most in a sample), options
    "mean-field": (30, ("--schedule", "online", "--batch-size", 20)),
    "hybrid": (20, ("--inference", "hybrid", "--schedule", "online", "--batch-size", 20)),
    "gibbs": (20, ("--inference", "gibbs", "--every", 3)),
    "gibbs-delayed": (20, ("--inference", "gibbs-delayed", "--every", 3)),
}


def command(arguments: list[str]) -> None:
    """What the installed program does, in a child that has its imports behind it."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    main(arguments)


@pytest.fixture(scope="module")
def child():
    """Starts `stickbreaker` with some arguments, from a server that has imported it."""

    def start(*arguments):
        process = context.Process(target=command, args=([str(argument) for argument in arguments],))
        process.start()
        return process

    return start


def finished(path: Path) -> bool:
    """Whether a model is there and its run is over; reading it shows that it is whole."""
    return path.exists() and ModelDirectory(path).read().manifest["status"] == "done"


def size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def kill(process, trace: Path, draw: random.Random) -> bool:
    """Kill a child: somewhere on its way to the first step, or between that and the end of its run."""
    before = size(trace)
    early = draw.random() < 0.3
    while not early and process.is_alive() and size(trace) <= before:
        time.sleep(0.001)
    process.join(draw.uniform(0.0, 0.5) if early else draw.uniform(0.0, 0.1))
    if process.is_alive():
        os.kill(process.pid, signal.SIGKILL)
    process.join()
    return process.exitcode == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.faults
@pytest.mark.parametrize("kind", sampled(KILLED, 1))
def test_kills(child, planted, tmp_path, kind):
    many, options = KILLED[kind]
    wanted = many if EXHAUSTIVE else min(many, 5)
    run = (*RUN, *options)
    whole = tmp_path / "whole"
    child("fit", "lda", planted, "--out", whole, *run).join()
    draw = random.Random(SEED)
    kills, models, steps = 0, 0, set()
    while kills < wanted:
        models += 1
        path = tmp_path / f"model{models}"
        while not finished(path):
            fit = ("fit", "lda", planted, "--out", path, *run)
            process = child(*(("resume", path, *EVERY) if path.exists() else fit))
            if kills < wanted:
                kills += kill(process, path / "trace.jsonl", draw)
            process.join()
            if path.exists():
                steps.add(ModelDirectory(path).read().manifest["run"]["step"])
        child("resume", path).join()  # says that it is finished, and removes what a kill left
        assert contents(path) == contents(whole)
    assert len(steps) > max(1, wanted // 6)  # the kills came at different steps
    names = sorted(entry.name for entry in tmp_path.iterdir())
    assert names == sorted(["whole", *(f"model{n + 1}" for n in range(models))])


FRESH = {  # a quick fit of each kind
    "lda": SMALL,
    "hdp": (*SMALL, "--inference", "gibbs"),
    "ngram": ("--seed", 1),
    "grammar": ("--grammar", "unigram", "--seed", 1),
}


@pytest.mark.parametrize("kind", FRESH)
def test_json_says_whether_a_run_was_resumed(cli, planted, tmp_path, monkeypatch, kind):
    options = (planted, *FRESH[kind], "--iterations", 2)
    fresh = json.loads(cli("fit", kind, *options, "--out", tmp_path / "a", "--json").stdout)
    assert fresh["resumed"] is False
    interrupted_fit(cli, monkeypatch, 1, *options, "--out", tmp_path / "b", model=kind)
    again = json.loads(cli("resume", tmp_path / "b", "--json").stdout)
    assert again == {**fresh, "model": str(tmp_path / "b"), "resumed": True}
