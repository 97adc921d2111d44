"""The README tells the truth: its `stickbreaker` lines run, in order, and so does its Python."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.docs_sessions import run_page

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A directory in which the README's session was run."""
    folder = tmp_path_factory.mktemp("readme")
    return folder, run_page(ROOT / "README.md", folder)


@pytest.mark.ci
def test_every_command_succeeds(place):
    _, done = place
    verbs = {step.text.split()[1] for step in done if step.kind == "console"}
    assert verbs >= {"demo", "fit", "topics", "transform", "report"}
    assert sum(step.kind == "python" for step in done) == 1


@pytest.mark.ci
def test_commands_make_what_the_text_says(place):
    folder, _ = place
    made = ("stickbreaker-demo/report.html", "my-model/model.json", "shares.csv", "my-report.html")
    assert all((folder / name).exists() for name in (*made, "my-second-model/model.json"))


def test_it_names_the_two_commands_and_nothing_that_is_missing():
    assert "make demo" in README
    assert "make test" in README
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", README)
    assert links
    for link in links:
        assert (ROOT / link).exists(), link


def test_it_is_short():
    assert len(README.split()) < 1000


def test_the_citation_names_the_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
