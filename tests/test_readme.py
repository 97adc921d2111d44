"""The README tells the truth: its `stickbreaker` lines run, in order, and so does its Python."""

import re
import shlex
from pathlib import Path

import pytest

from tests.children import run_program, run_script

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The contents of the README's fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.DOTALL | re.MULTILINE)


def lines() -> list[str]:
    """Its command lines, without the prompt."""
    return [
        line.removeprefix("$ ")
        for block in blocks("console")
        for line in block.splitlines()
        if line.startswith("$ stickbreaker")
    ]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A directory with the README's file of posts, where its session is run."""
    path = tmp_path_factory.mktemp("readme")
    [posts] = blocks("json")
    (path / "posts.jsonl").write_text(posts, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def session(place):
    """Every command line of the README, run in order: the line, and how it ended."""
    return [(line, run_program(shlex.split(line)[1:], place)) for line in lines()]


@pytest.mark.slow
def test_every_command_succeeds(session):
    verbs = {line.split()[1] for line, _ in session}
    assert verbs >= {"demo", "corpus", "fit", "topics", "transform", "evaluate", "report"}
    for line, ended in session:
        assert ended.returncode == 0, f"{line}\n{ended.stderr}"
        assert "Traceback" not in ended.stderr, line


def test_commands_make_what_the_text_says(session, place):
    for made in ("stickbreaker-demo/report.html", "my-model/model.json", "shares.csv", "my-report.html"):
        assert (place / made).exists(), made


def test_the_python_runs(session, place):
    [snippet] = blocks("python")
    ended = run_script(snippet, place)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout


def test_it_names_the_two_commands_and_nothing_that_is_missing():
    assert "make demo" in README
    assert "make test" in README
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", README)
    assert links
    for link in links:
        assert (ROOT / link).exists(), link
