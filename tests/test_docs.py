"""What the docs say of the code: sessions and imports work, files that they name exist."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
SESSIONS = [page for page in PAGES if "\n>>> " in page.read_text(encoding="utf-8")]
FILES = [
    path.relative_to(ROOT).as_posix()
    for room in ("src", "tests", "examples", "benchmarks", "reproduce", "audit", "docs")
    for path in (ROOT / room).rglob("*.*")
]
OF_READERS = {"docs/explanation/polylingual-measured.md: pages.py"}  # files that a page has its readers write


LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)")


def anchors_of(page: Path) -> set[str]:
    """What links into a page may name: its headings, as Markdown's renderers spell them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    kept = (re.sub(r"[^\w\- ]", "", re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading)) for heading in headings)
    return {heading.strip().lower().replace(" ", "-") for heading in kept}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", SESSIONS, ids=name_of)
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


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_imports_that_a_page_shows_work(page):
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line for block in blocks for line in re.findall(r"^from stickbreaker.*", block, re.MULTILINE)]
    if any("spark" in line for line in lines):
        pytest.importorskip("pyspark")
    for line in lines:
        exec(line, {})


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_python_files_that_a_page_names_exist(page):
    spans = re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8"))
    named = {name for span in spans for name in re.findall(r"[\w/]*\w\.py\b", span)}
    missing = [name for name in named if not any(f"/{path}".endswith(f"/{name}") for path in FILES)]
    assert [name for name in missing if f"{name_of(page)}: {name}" not in OF_READERS] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_of_a_page_lead_somewhere(page):
    text = re.sub(r"^```\w*\n.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    wrong = []
    for path, anchor in LINK.findall(text):
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors_of(target)):
            wrong.append(f"{path}#{anchor}")
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_descriptions_of_pictures_are_on_one_line(page):
    # Sphinx joins the lines of others without a space.
    assert re.findall(r"!\[[^\]\n]*\n", page.read_text(encoding="utf-8")) == []


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
