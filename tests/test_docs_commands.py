"""Shell commands that pages, CI and workflows show or run could be run: what they name exists."""

import pytest

from tests.docs_commands import (
    ROOT,
    STICKBREAKER,
    commands_of,
    faults_of,
    is_command,
    is_read,
    names_of_tests,
)
from tests.test_docs import TEXTS

CI = [ROOT / ".ci" / "run", *sorted((ROOT / ".github" / "workflows").glob("*.yml"))]


def test_commands_of_pages_can_be_run():
    wrong = {
        f"{page}: {command}: {fault}"
        for page, text in TEXTS.items()
        for command in commands_of(text)
        for fault in faults_of(command)
    }
    assert sorted(wrong) == []


def test_commands_of_ci_can_be_run():
    lines = {
        path: [line.strip().removeprefix("run: ") for line in path.read_text("utf-8").splitlines()]
        for path in CI
    }
    commands = {path: [line for line in each if is_command(line)] for path, each in lines.items()}
    assert all(commands.values())
    wrong = [
        f"{path.name}: {line}: {fault}" for path in CI for line in commands[path] for fault in faults_of(line)
    ]
    assert wrong == []


def test_variables_that_pages_name_are_read():
    named = {(page, name) for page, text in TEXTS.items() for name in STICKBREAKER.findall(text)}
    assert named
    assert sorted(f"{page}: {name}" for page, name in named if not is_read(name)) == []


def test_contributing_has_commands_of_all_sorts():
    commands = commands_of(TEXTS["CONTRIBUTING.md"])
    for beginning in (
        "make test",
        "make test-all",
        "make audit",
        ".venv/bin/ruff",
        ".venv/bin/python -m pytest",
    ):
        assert any(command.startswith(beginning) for command in commands), beginning


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("make tset", "make has no target tset"),
        ("make test WOKRERS=0", "make knows no WOKRERS"),
        ("make test KIND=alpha", "tests/alpha does not exist"),
        ("make test TIER=second", "second is none of first, changed, all"),
        ("make test TESTS='-m \"not sprak\"'", "sprak is not a marker"),
        (
            "make test-all PARTS='tests kernel'",
            "kernel is none of tests, kernels, baseline, mutations, audit",
        ),
        ("STICKBREAKER_SED=2 make test", "nothing reads STICKBREAKER_SED"),
        (".venv/bin/python -m pytest tests/models -k alpha", "tests/models has no tests"),
        ("pytest tests/saved -k alpha", "no test matches -k alpha"),
        ("pytest tests/saved -k 'resume and'", "-k resume and is not an expression"),
        ("pytest tests/test_docs.py::test_nothing", "tests/test_docs.py::test_nothing has no tests"),
        ("python -m tests.gold --compare", "there is no module tests.gold"),
        ("python -m no_such_package", "there is no module no_such_package"),
        ("python -m tests.golden.runs --comparison", "tests.golden.runs has no --comparison"),
        ("python examples/no_such.py", "examples/no_such.py does not exist"),
        (".venv/bin/ruff format src test", "test does not exist"),
        (".venv/bin/ruf format src", "ruf is not installed"),
    ],
)
def test_a_wrong_command_is_found(command, fault):
    assert is_command(command)
    assert fault in faults_of(command)


@pytest.mark.parametrize(
    "command",
    [
        "make check test  # a comment",
        "STICKBREAKER_SEED=2 make test TESTS='tests/saved -x -k \"resume and not kill\"'",
        "pytest tests/test_docs_commands.py::test_a_wrong_command_is_found -m 'not (spark or slow)'",
        "python -m audit --seed 0 --parts flips",
        "python -m http.server",
    ],
)
def test_a_right_command_has_no_faults(command):
    assert faults_of(command) == []


def test_commands_are_found_in_blocks_and_spans():
    text = "Run `make\ntest` or `` python -m `x` `` or `make`."
    blocks = ("```\nmake check  # x\nno command\n```", "```json\nmake golden\n```")
    page = "\n\n".join([text, *blocks]) + "\n"
    assert commands_of(page) == ["make check  # x", "make test", "python -m `x`"]


def test_names_of_tests_have_their_class():
    assert any("::TestLaws::" in f"{name}::" for name in names_of_tests("tests/topics/test_laws.py"))
