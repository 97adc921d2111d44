"""What the docs say of the code: sessions and imports work, files that they name exist."""

import doctest
import re
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
OF_READERS = {"docs/models/polylingual.md: pages.py"}  # files that a page has its readers write


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
