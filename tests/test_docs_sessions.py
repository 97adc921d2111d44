"""The how-to pages, the tutorials and the examples of commands tell the truth: all that they show runs."""

import re
import shutil

import click
import pytest

from tests.commands import taken
from tests.docs_sessions import DOCS, one_way, run_page, steps, ways_of

HOW_TO = sorted(page for page in (DOCS / "howto").glob("*.md") if page.stem != "index")
OF_HOW_TO = [(page, way) for page in HOW_TO for way in ways_of(page)]
TUTORIALS = sorted(page for page in (DOCS / "tutorials").glob("*.md") if page.stem != "index")
NOT_RUN = {"on-spark"}  # has a test of its own
OF_TUTORIALS = [(page, way) for page in TUTORIALS if page.stem not in NOT_RUN for way in ways_of(page)]
MADE = {
    "first-topics": (
        "manual.corpus",
        "manual.model",
        "manual.html",
        "questions.csv",
        "shares.parquet",
        "keys.txt",
    ),
    "topic-of-each-document": ("topics.csv",),
    "update-a-model": ("posts-new.model/model.json",),
    "figures": ("figures", "posts-page.html"),
    "from-mallet": ("keys.txt", "doc-topics.txt"),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files that all how-to pages begin with, made as their index says."""
    folder = tmp_path_factory.mktemp("howto")
    run_page(DOCS / "howto" / "index.md", folder, "console")
    return folder


def test_commands_and_programs_that_pages_show_are_understood():
    wrong: dict[str, str] = {}
    for page in (*HOW_TO, *TUTORIALS):
        for step in steps(page):
            try:
                if step.kind == "console" and not step.text.startswith("stickbreaker --"):
                    taken(step.text.partition(" > ")[0])
                elif step.kind == "python":
                    compile(step.text, page.name, "exec")
            except (click.ClickException, LookupError, SyntaxError) as error:
                wrong[f"{page.name}: {step.text}"] = str(error)
    assert wrong == {}


@pytest.mark.slow
@pytest.mark.parametrize(("page", "way"), OF_HOW_TO, ids=lambda one: getattr(one, "stem", one))
def test_a_how_to_page_runs(page, way, files, tmp_path):
    folder = shutil.copytree(files, tmp_path / "here")
    done = run_page(page, folder, way)
    assert page.stem == "migration" or any(step.kind != "file" for step in done), f"{page.name} runs nothing"
    assert all((folder / name).exists() for name in MADE.get(page.stem, ()))


@pytest.mark.slow
@pytest.mark.parametrize(("page", "way"), OF_TUTORIALS, ids=lambda one: getattr(one, "stem", one))
def test_a_tutorial_runs(page, way, tmp_path):
    assert len(run_page(page, tmp_path, way)) >= 4
    assert all((tmp_path / name).exists() for name in MADE.get(page.stem, ()))


def test_no_command_of_how_to_pages_is_left_out():
    left_out: list[str] = []
    for page in HOW_TO:
        text = page.read_text(encoding="utf-8")
        shown = re.findall(r"^ *(?:\$ )?(stickbreaker .*)", text.replace("\\\n", " "), re.MULTILINE)
        commands = [step.text for step in steps(page) if step.kind == "console"]
        left_out += [f"{page.name}: {line}" for line in shown if line not in commands]
    assert left_out == []


def test_how_to_pages_are_short():
    words = {page.stem: len(one_way(page.read_text(encoding="utf-8"), "console").split()) for page in HOW_TO}
    of_names = [name for name in words if name.startswith("from-") or name == "migration"]  # tables
    assert {name: n for name, n in words.items() if n >= 500 and name not in of_names} == {}


def test_pages_write_files_before_they_read_them():
    page = DOCS / "howto" / "segment-new-text.md"
    assert [step.name for step in steps(page) if step.kind == "file"] == ["lines.txt", "unseen.txt"]


def test_every_page_of_a_part_is_in_its_index():
    for part in ("howto", "tutorials"):
        index = (DOCS / part / "index.md").read_text(encoding="utf-8")
        for page in (DOCS / part).glob("*.md"):
            assert page.stem == "index" or f"({page.name})" in index, f"{part}: {page.name}"


@pytest.mark.spark
@pytest.mark.slow
def test_the_tutorial_on_spark_runs(tmp_path):
    pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("Java is missing")
    assert len(run_page(DOCS / "tutorials" / "on-spark.md", tmp_path)) >= 4
