"""The tutorial tells the truth: its commands and its Python run, in order, in an empty folder."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

TUTORIAL = (Path(__file__).parent.parent / "docs" / "tutorial.md").read_text(encoding="utf-8")
PROGRAM = Path(sys.executable).parent / "stickbreaker"
FENCED = re.findall(r"^```(\w+)\n(.*?)^```$", TUTORIAL, flags=re.DOTALL | re.MULTILINE)


def steps() -> list[list[str]]:
    """What the reader runs, in order: the program's lines and the snippets of Python."""
    found: list[list[str]] = []
    for language, block in FENCED:
        if language == "python":
            found.append([sys.executable, "-c", block])
        elif language == "console":
            lines = [line for line in block.splitlines() if line.startswith("$ stickbreaker ")]
            found.extend([str(PROGRAM), *shlex.split(line)[2:]] for line in lines)
    return found


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """Every step with what it printed; the first text block is the reader's file of questions."""
    place = tmp_path_factory.mktemp("tutorial")
    questions = next(block for language, block in FENCED if language == "text")
    (place / "questions.txt").write_text(questions, encoding="utf-8")
    done = []
    for step in steps():
        done.append((step, subprocess.run(step, cwd=place, capture_output=True, text=True, check=False)))
    return place, done


def test_every_step_succeeds(session):
    _, done = session
    assert len(done) >= 12
    for step, ended in done:
        assert ended.returncode == 0, f"{step}\n{ended.stderr}"


def test_what_the_text_says_is_made(session):
    place, _ = session
    made = ("manual.corpus", "manual.model", "manual.html", "questions.csv", "shares.parquet", "keys.txt")
    assert all((place / name).exists() for name in made)
