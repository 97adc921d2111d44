"""Fixtures for tests of the program, of estimators and of saved models."""

import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import settings

from tests import tiers
from tests.running import PROGRAM, SMALL, Run, planted_documents, write_lines
from tests.tiers import EXHAUSTIVE

# An example may take long where others work beside it. They are the same every time, so that no change fails
# by chance; `make test-all` draws others, and more.
settings.register_profile(
    "same", deadline=None, derandomize=not EXHAUSTIVE, max_examples=100 if EXHAUSTIVE else 25
)
settings.load_profile("same")

pytest_plugins = ["tests.pages.chromium", "tests.times"]

collect_ignore = ["warm.py", "compile.py"]  # they work when they are imported

SPARK = Path(__file__).parent / "spark"
FAULTS = (  # those of Spark
    "test_faults.py",
    "test_when_java_dies.py",
    "test_streaming_program.py",
    "test_killed_streams.py",
    "test_clusters.py",
)
LAWS = ("test_engine", "test_equality", "test_ml", "test_scoring", "test_settings", "test_toys")  # of Spark's
LONG = ("spark", "browser", "faults", "slow")
TESTS_IN_A_LONG_ONE = 20


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not of this tier; where workers share the tests, group them, long ones first."""
    for item in items:
        if SPARK in item.path.parents:
            item.add_marker("spark")
            if item.path.name in FAULTS:
                item.add_marker("faults")
            if item.path.stem not in LAWS and not item.get_closest_marker("smoke"):
                item.add_marker("slow")
    tiers.leave_out(config, items)
    if hasattr(config, "workerinput"):
        groups = {item: group_of(item) for item in items}
        for item, group in groups.items():
            item.add_marker(pytest.mark.xdist_group(group))
        longest_first(items, groups)


def group_of(item: pytest.Item) -> str:
    """What stays with one worker: all tests in the session of Spark; of others those of a file or class."""
    if "spark" in getattr(item, "fixturenames", ()):
        return "spark"
    return item.nodeid.rpartition("::")[0]


def longest_first(items: list[pytest.Item], groups: Mapping[pytest.Item, str]) -> None:
    """Put first the groups that take longest, so that no worker ends with one of them."""
    weights = Counter[str]()
    for item in items:
        long = any(mark.name in LONG for mark in item.iter_markers())
        weights[groups[item]] += TESTS_IN_A_LONG_ONE if long else 1
    items.sort(key=lambda item: -weights[groups[item]])


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
def reproduction(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reproductions learn in the tests' process: other processes see no monkeypatch."""
    from reproduce import parts

    monkeypatch.setattr(parts, "WORKERS", 1)


@pytest.fixture
def wrapping_integers() -> Iterator[None]:
    """64-bit integers wrap around without NumPy's warning, which comes if kernels are not compiled."""
    with np.errstate(over="ignore"):
        yield
