"""What the docs say of the code: sessions and imports work, files and folders that they name exist."""

import doctest
import re
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.docs_commands import ROOT, spans_of

PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
SESSIONS = [page for page in PAGES if "\n>>> " in page.read_text(encoding="utf-8")]
TEXTS = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in PAGES}
ROOMS = ("src", "tests", "examples", "benchmarks", "reproduce", "audit", "docs", "typings")
FILES = [path.relative_to(ROOT).as_posix() for room in ROOMS for path in (ROOT / room).rglob("*.*")]
FOLDERS = {
    folder.relative_to(ROOT).as_posix()
    for room in ROOMS
    for folder in (ROOT / room, *(ROOT / room).rglob("*"))
    if folder.is_dir()
}
FOLDER = re.compile(r"(?:[\w.-]+/)+[\w-]*")  # `topics/`, `tests/models`; not `a.b/c.py`
OF_READERS = {  # files and folders that a page has its readers write, or that programs make
    "docs/explanation/polylingual-measured.md: pages.py",
    "docs/explanation/reproductions.md: ../shared/data",
    "docs/explanation/reproductions.md: reproduce-results/",
    "docs/reference/evaluation.md: DIR/runs",
    "docs/reference/spark.md: lda-model/model",
    "docs/reference/spark.md: posts.model.offsets/documents",
    "docs/tutorials/on-spark.md: incoming/",
}
NOT_FOLDERS = {  # words with a stroke that are something else
    "docs/reference/formats.md: 5/6/2004",
    "docs/reference/formats.md: N/A",
    "docs/reference/glossary.md: nats/word",
}
MADE = (".venv/", "build/")  # by `make`


LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)")


@cache
def anchors_of(page: Path) -> set[str]:
    """What links into a page may name: its headings, as Markdown's renderers spell them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    kept = (re.sub(r"[^\w\- ]", "", re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading)) for heading in headings)
    return {heading.strip().lower().replace(" ", "-") for heading in kept}


@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_sessions_give_what_they_show(page):
    failed, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert tried > 0
    assert failed == 0


def test_the_tour_runs_one_step_by_hand(capsys):
    tour = (ROOT / "docs" / "explanation" / "tour.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", tour, re.DOTALL)
    exec(program, {})
    scores = [float(line) for line in capsys.readouterr().out.split()]
    assert len(scores) == 3
    assert scores == sorted(scores)


def test_imports_that_pages_show_work():
    wrong = []
    for page, text in TEXTS.items():
        blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        lines = [
            line for block in blocks for line in re.findall(r"^from stickbreaker.*", block, re.MULTILINE)
        ]
        if any("spark" in line for line in lines) and find_spec("pyspark") is None:
            continue
        for line in lines:
            try:
                exec(line, {})
            except Exception as error:
                wrong.append(f"{page}: {line}: {error!r}")
    assert wrong == []


def test_python_files_that_pages_name_exist():
    named = {
        f"{page}: {name}": name
        for page, text in TEXTS.items()
        for span in re.findall(r"`([^`\n]+)`", text)
        for name in re.findall(r"[\w/]*\w\.py\b", span)
    }
    assert len(named) > 100
    missing = [
        line for line, name in named.items() if not any(f"/{path}".endswith(f"/{name}") for path in FILES)
    ]
    assert sorted(set(missing) - OF_READERS) == []


def test_folders_that_pages_name_exist():
    named = {
        f"{page}: {name}": name.rstrip("/")
        for page, text in TEXTS.items()
        for span in spans_of(text)
        for name in span.split()
        if FOLDER.fullmatch(name) and not name.startswith(MADE)
    }
    assert len(named) > 100
    missing = {
        line
        for line, name in named.items()
        if not (ROOT / name).exists() and not any(f"/{path}".endswith(f"/{name}") for path in FOLDERS)
    }
    assert sorted(missing - OF_READERS - NOT_FOLDERS) == []


def test_links_of_pages_lead_somewhere():
    wrong = []
    for page in PAGES:
        text = re.sub(r"^```\w*\n.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        for path, anchor in LINK.findall(text):
            target = (page.parent / path).resolve() if path else page
            if not target.exists() or (
                anchor and target.suffix == ".md" and anchor not in anchors_of(target)
            ):
                wrong.append(f"{page.relative_to(ROOT).as_posix()}: {path}#{anchor}")
    assert wrong == []


def test_descriptions_of_pictures_are_on_one_line():
    # Sphinx joins the lines of others without a space.
    found = [f"{page}: {line}" for page, text in TEXTS.items() for line in re.findall(r"!\[[^\]\n]*\n", text)]
    assert found == []


def test_pictures_of_models_are_those_that_the_program_draws(tmp_path):
    program = ROOT / "docs" / "make_pictures.py"
    subprocess.run([sys.executable, str(program), str(tmp_path)], check=True)
    drawn = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert drawn == {path.name: path.read_bytes() for path in (ROOT / "docs" / "images").glob("*.svg")}


def test_model_pages_are_short_and_have_a_picture():
    pages = {path: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "models").glob("*.md")}
    for path, text in pages.items():
        assert text.count(f"](../images/{path.stem}.svg)") == 1, path.name
        assert len(text.split()) < 900, path.name


def test_questions_of_newcomers_have_answers():
    text = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")
    questions = re.findall(r"^\d+\. (.*?)(?=^\d+\. |^\*\*|\Z)", text, re.DOTALL | re.MULTILINE)
    assert len(questions) >= 20
    assert all(len(LINK.findall(question)) == 1 for question in questions)


def test_pages_that_the_code_names_exist():
    named = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in (ROOT / "src").rglob("*.py")
        for name in re.findall(r"\bdocs/[\w/-]+\.md\b", path.read_text(encoding="utf-8"))
        if not (ROOT / name).exists()
    }
    assert named == set()


def test_everything_that_is_public_has_a_page_of_reference():
    import stickbreaker

    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs/reference/api").glob("*.md"))
    missing = [name for name in stickbreaker.__all__ if f":: stickbreaker.{name}\n" not in pages]
    assert missing == []
