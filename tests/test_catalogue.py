"""Benchmarks and reproductions are run by name: the names lead to modules, and pages use no others."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from benchmarks.__main__ import BENCHMARKS, DEFAULT
from reproduce.__main__ import REPRODUCTIONS
from reproduce.catalogue import BENCH, LIST, Entry, main

ROOT = Path(__file__).parents[1]
ENTRIES = {"bench": BENCHMARKS, "reproduce": REPRODUCTIONS}
PAGES = [
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "benchmarks").glob("*.py")),
    *sorted((ROOT / "reproduce").glob("*.py")),
]


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What would have been run, without the interpreter; nothing is."""
    found: list[list[str]] = []

    class Process(subprocess.Popen):
        def __init__(self, command, **_):
            found.append(command[1:])
            self.returncode, self.stdin, self.stdout, self.stderr = 0, None, None, None

        def wait(self, timeout=None):
            return 1 if "kenlm" in found[-1] else 0

    monkeypatch.setattr(subprocess, "Popen", Process)
    monkeypatch.setattr(os, "execv", lambda _, command: found.append(command[1:]))
    for name in ("MALLET", "KENLM", "PY_CFG"):
        monkeypatch.delenv(name, raising=False)
    return found


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch):
    def call(room: str, *arguments: str, default: tuple[str, ...] = ()) -> None:
        monkeypatch.setattr(sys, "argv", ["__main__.py", *arguments])
        main(room, ENTRIES[room], default)

    return call


@pytest.mark.parametrize("entry", [*BENCHMARKS, *REPRODUCTIONS], ids=lambda entry: entry.module)
def test_each_name_is_that_of_a_module_with_such_options(entry: Entry):
    spec = find_spec(entry.module)
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).read_text(encoding="utf-8")
    assert 'if __name__ == "__main__":' in source
    assert [option for option in entry.options if f'"{option}"' not in source] == []
    assert entry.sentence.endswith(".")


@pytest.mark.parametrize("room", ENTRIES)
def test_names_and_modules_occur_once(room):
    names = [entry.name for entry in ENTRIES[room]]
    assert len({entry.module for entry in ENTRIES[room]}) == len(set(names)) == len(names)
    assert LIST not in names
    assert set(DEFAULT) <= {entry.name for entry in BENCHMARKS}


def test_pages_use_names_that_exist():
    named = [
        (page.name, room, name)
        for page in PAGES
        for room, name in re.findall(
            r"\bmake\s+(bench|reproduce)\s+WHAT=([\w-]+)", page.read_text(encoding="utf-8")
        )
    ]
    known = {room: {LIST, *(entry.name for entry in entries)} for room, entries in ENTRIES.items()}
    assert len(named) > 50
    assert [each for each in named if each[2] not in known[each[1]]] == []


def test_pages_name_targets_that_exist():
    named = [
        (page.name, target)
        for page in PAGES
        for target in re.findall(r"`make\s+([a-z][\w-]*)(?![\w/-])", page.read_text(encoding="utf-8"))
    ]
    assert [each for each in named if each[1] not in targets()] == []


def targets() -> list[str]:
    """The targets of the Makefile that are not files."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    return [name for line in re.findall(r"^\.PHONY:(.*)", makefile, re.MULTILINE) for name in line.split()]


def test_the_makefile_has_few_targets():
    assert len(targets()) <= 15


@pytest.mark.parametrize("room", ENTRIES)
def test_an_unknown_name_is_refused_in_one_line(room, start, commands):
    with pytest.raises(SystemExit) as refused:
        start(room, "--install", "nothing")
    assert "\n" not in str(refused.value)
    assert str(refused.value).startswith(
        f"there is no 'nothing' in {room}; the names are {ENTRIES[room][0].name}, "
    )
    assert commands == []


@pytest.mark.parametrize("arguments", [(), (LIST,), ("--install",), ("--install", LIST)])
def test_the_list_has_all_names(arguments, start, commands, capsys):
    start("reproduce", *arguments)
    printed = capsys.readouterr().out
    assert re.findall(r"^\S+", printed, re.MULTILINE) == [entry.name for entry in REPRODUCTIONS]
    assert max(map(len, printed.splitlines())) <= 100
    assert commands == []


def test_arguments_after_the_name_and_variables_reach_the_module(start, commands, monkeypatch):
    start("reproduce", "hdp", "bars", "--full")
    monkeypatch.setenv("PY_CFG", "a place/py-cfg")
    start("bench", "grammars", "--help")
    start("bench", "lda")
    assert commands == [
        ["-m", "reproduce.hdp", "bars", "--full"],
        ["-m", "benchmarks.grammars", "--py-cfg", "a place/py-cfg", "--help"],
        ["-m", "benchmarks.lda"],
    ]


def test_a_package_that_cannot_be_installed_stops_nothing(start, commands, capfd):
    start("bench", "--install", "queries")
    pip = ["-m", "pip", "install", "--quiet"]
    assert commands == [[*pip, "--editable", BENCH], [*pip, "kenlm"], ["-m", "benchmarks.queries"]]
    assert capfd.readouterr().err == "pip did not install kenlm; going without it\n"


def test_without_a_name_the_usual_benchmarks_run_in_turn(start, commands):
    start("bench", default=DEFAULT)
    modules = ["lda", "coherence", "raw_texts", "starts", "queries"]
    assert commands == [["-m", f"benchmarks.{name}"] for name in modules]


def test_a_benchmark_that_fails_ends_the_others(start, commands, monkeypatch):
    monkeypatch.setattr(subprocess.Popen, "wait", lambda self, timeout=None: 3)
    with pytest.raises(SystemExit) as ended:
        start("bench", default=DEFAULT)
    assert ended.value.code == 3
    assert commands == [["-m", "benchmarks.lda"]]
