"""`stickbreaker docs`, and the pages that the help of commands names."""

import json
from pathlib import Path

import pytest
from tests.commands import every_command

from stickbreaker.console import doc_pages

ROOT = Path(__file__).parents[2]


def test_every_command_has_a_page_that_exists():
    names = [name for name, _ in every_command()]
    assert set(doc_pages.PAGES) == {"", *names}
    assert all((ROOT / "docs" / page).is_file() for page in doc_pages.PAGES.values())


def test_every_command_has_a_page_of_reference():
    folder = ROOT / "docs" / "reference" / "commands"
    index = (folder / "index.md").read_text(encoding="utf-8")
    for name, _ in every_command():
        if name in ("corpus", "fit", "stream", "translate"):
            continue
        page = folder / f"{name.replace(' ', '-')}.md"
        assert f"{{stickbreaker}} {name}\n" in page.read_text(encoding="utf-8")
        assert f"({page.name})" in index


@pytest.mark.parametrize("words", ["transform", "fit lda"])
def test_help_names_the_page(cli, words):
    page = doc_pages.page_of(words)
    assert f"More: docs/{page} (stickbreaker docs {words})" in cli(*words.split(), "--help").stdout


def test_it_prints_the_page_of_a_command(cli):
    said = json.loads(cli("docs", "resume", "--json").stdout)
    assert Path(said["page"]) == ROOT / "docs" / "howto" / "resume.md"
    assert cli("docs").stdout.splitlines()[0] == str(ROOT / "docs" / "index.md")


def test_what_is_no_command_is_refused(cli):
    said = cli("docs", "transfrm", code=1).stderr
    assert said.startswith("stickbreaker: no command 'transfrm'; did you mean 'transform'")


def test_an_installed_package_brings_the_pages(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "stickbreaker"
    (package / "docs").mkdir(parents=True)
    (package / "docs" / "index.md").touch()
    monkeypatch.setattr(doc_pages, "PACKAGE", package)
    assert doc_pages.folder() == package / "docs"
    (package / "docs" / "index.md").unlink()
    with pytest.raises(FileNotFoundError):
        doc_pages.folder()
