"""`stickbreaker topics --at`: the topics of a snapshot."""

import json
import shutil
from pathlib import Path

import pytest
from tests.running import SMALL, with_evolution

from stickbreaker.learning.observers import Observer
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.evolution import Evolution

HOSTILE = ("\x1b[31mred", "x\ny", "a\u202eb", "[bold]")


@pytest.fixture
def stream(model: Path, tmp_path: Path) -> Path:
    """A model with three snapshots."""
    path = shutil.copytree(model, tmp_path / "stream")
    run = Evolution()
    for step, date in ((1, "1993-04-05"), (40, None), (1200, "1993-06-01")):
        words = [(f"word{rank}at{step}", 0.5 / rank) for rank in range(1, 60)]
        new = [(9659, f"late{step}", 0.0001)]
        run = run.add(step, 155 * step, date, {12: words, 3: words[::-1]}, {12: new})
    return with_evolution(path, run)


def test_the_topics_of_a_snapshot(cli, stream):
    assert cli("topics", stream, "--at", "1993-05", "--top", 2).stdout.splitlines() == [
        "step 1: 155 documents read, 1993-04-05",
        "topic  words",
        "    3  word59at1 word58at1",
        "   12  word1at1 word2at1",
    ]
    assert cli("topics", stream, "--at", 41, "--top", 1).stdout.splitlines() == [
        "step 40: 6,200 documents read",
        "topic  words",
        "    3  word59at40",
        "   12  word1at40",
    ]
    for when in ("step:1200", "1993-06", "1993"):
        assert "word1at1200" in cli("topics", stream, "--at", when).stdout


def test_as_json(cli, stream):
    assert (
        "as early as 1200" in cli("topics", stream, "--at", 1200, code=1).stderr
    )  # a year, for there are dates
    told = json.loads(cli("topics", stream, "--at", "step:1200", "--top", 70, "--json").stdout)
    assert (told["model"], told["step"], told["documents"], told["date"]) == (
        str(stream),
        1200,
        186_000,
        "1993-06-01",
    )
    assert [topic["topic"] for topic in told["topics"]] == [3, 12]
    assert [len(topic["words"]) for topic in told["topics"]] == [50, 50]
    assert told["topics"][1]["probabilities"][:2] == [0.5, 0.25]
    assert [topic["entered"] for topic in told["topics"]] == [[], ["late1200"]]


def test_without_it_the_topics_are_those_of_the_end(cli, stream, model):
    assert cli("topics", stream).stdout == cli("topics", model).stdout


class StopAtOnce(Observer):
    """Asks the run to stop after a step, as Ctrl-C does."""

    def step(self, job, state, record):
        job.stop()
        return False


def test_a_model_may_be_asked_while_it_learns(cli, stream, planted, tmp_path, monkeypatch):
    path = tmp_path / "learning"
    monkeypatch.setattr("stickbreaker.console.running.watcher", StopAtOnce)
    cli("fit", "lda", planted, "--out", path, *SMALL, code=1)
    assert ModelDirectory(path).manifest()["status"] == "running"
    with_evolution(path, ModelDirectory(stream).evolution())
    assert "word1at40" in cli("topics", path, "--at", 41).stdout


def test_what_is_not_there_is_told_in_one_line(cli, model, stream, tmp_path):
    def told(*arguments: object) -> str:
        said = cli("topics", *arguments, code=1).stderr
        assert said.count("\n") == 1
        return said

    assert "there are no snapshots of its topics; leave out --at" in told(model, "--at", "1993")
    assert "there is no such model" in told(tmp_path / "none", "--at", 1)
    assert "no snapshot as early as 1992; there are snapshots of steps 1 to 1200" in told(
        stream, "--at", "1992"
    )
    assert "'yesterday' is neither a date" in told(stream, "--at", "yesterday")
    (stream / "evolution.parquet").write_bytes(b"PAR1")
    assert "evolution.parquet: is truncated or altered" in told(stream, "--at", 1)


def test_hostile_words_stay_on_their_line(cli, stream):
    with_evolution(stream, Evolution().add(1, 1, None, {0: [(word, 0.1) for word in HOSTILE]}, {}))
    told = cli("topics", stream, "--at", 1).stdout
    assert told.splitlines()[2] == "    0  [31mred x y ab [bold]"
    words = json.loads(cli("topics", stream, "--at", 1, "--json").stdout)["topics"][0]["words"]
    assert tuple(words) == HOSTILE
