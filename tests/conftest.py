"""Fixtures for tests of the program, of estimators and of saved models."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.running import PROGRAM, SMALL, Run, planted_documents, write_lines


@pytest.fixture(scope="session")
def texts() -> list[str]:
    """The texts of the planted corpus."""
    return [document["text"] for document in planted_documents()]


@pytest.fixture(scope="session")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The planted corpus as JSON Lines."""
    return write_lines(tmp_path_factory.mktemp("planted") / "planted.jsonl", planted_documents())


@pytest.fixture(scope="session")
def program() -> Run:
    """Runs the installed program in a process of its own; `code` is the exit status that must come."""

    def call(*arguments: object, code: int = 0, stdin: str = "") -> "subprocess.CompletedProcess[str]":
        words = [str(argument) for argument in arguments]
        done = subprocess.run([PROGRAM, *words], input=stdin, capture_output=True, text=True, check=False)
        assert done.returncode == code, f"{words} gave {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        return done

    return call


@pytest.fixture(scope="session")
def cli() -> Run:
    """Runs the program within the tests' process: the same arguments as `program`, and much quicker."""

    def call(*arguments: object, code: int = 0, stdin: str = "") -> object:
        from stickbreaker.cli import main

        words = [str(argument) for argument in arguments]
        done = CliRunner().invoke(main, words, input=stdin)
        told = f"{words} gave {done.exit_code}, {done.exception!r}\n{done.output}"
        assert done.exit_code == code, told
        assert done.exception is None or isinstance(done.exception, SystemExit), told
        return done

    return call


@pytest.fixture(scope="session")
def model(planted: Path, cli: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished model of the planted corpus. Tests must not change it."""
    path = tmp_path_factory.mktemp("model") / "model"
    cli("fit", "lda", planted, "--out", path, *SMALL)
    return path


@pytest.fixture
def reproduction(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The scripts of the reproductions can be imported, and are forgotten after the test.

    Their names are plain words.
    """
    scripts = Path(__file__).parents[1] / "reproduce"
    before = set(sys.modules)
    monkeypatch.syspath_prepend(scripts)
    yield
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "").parent == scripts:
            del sys.modules[name]
