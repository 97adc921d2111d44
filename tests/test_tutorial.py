"""The tutorial tells the truth: its commands and its Python run, in order, in an empty folder."""

import re
import shlex
from pathlib import Path

import pytest

from tests.children import run_program, run_script

TUTORIAL = (Path(__file__).parent.parent / "docs" / "tutorials" / "first-topics.md").read_text(encoding="utf-8")
FENCED = re.findall(r"^```(\w+)\n(.*?)^```$", TUTORIAL, flags=re.DOTALL | re.MULTILINE)


def steps() -> list[str | list[str]]:
    """What the reader runs, in order: snippets of Python, and the words of the program's lines."""
    found: list[str | list[str]] = []
    for language, block in FENCED:
        if language == "python":
            found.append(block)
        elif language == "console":
            lines = [line for line in block.splitlines() if line.startswith("$ stickbreaker ")]
            found.extend(shlex.split(line)[2:] for line in lines)
    return found


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """Every step with what it printed; the first text block is the reader's file of questions."""
    place = tmp_path_factory.mktemp("tutorial")
    questions = next(block for language, block in FENCED if language == "text")
    (place / "questions.txt").write_text(questions, encoding="utf-8")
    done = []
    for step in steps():
        run = run_script if isinstance(step, str) else run_program
        done.append((step, run(step, place)))
    return place, done


@pytest.mark.slow
def test_every_step_succeeds(session):
    _, done = session
    assert len(done) >= 12
    for step, ended in done:
        assert ended.returncode == 0, f"{step}\n{ended.stderr}"


def test_what_the_text_says_is_made(session):
    place, _ = session
    made = ("manual.corpus", "manual.model", "manual.html", "questions.csv", "shares.parquet", "keys.txt")
    assert all((place / name).exists() for name in made)
