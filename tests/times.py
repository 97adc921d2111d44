"""What tests take: worker-seconds by room, the longest tests, kernels that a test had to compile.

They are told at the end of a run that has more than a few tests. STICKBREAKER_TIMES=file.json: the seconds of
every test are written there too.
"""

import json
import os
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest
from numba.core import event

from tests.tiers import TIER

FEWEST = 500  # tests of a run whose times are told
TOLD = 10  # the longest tests
LONG = 3.0  # seconds above which a test of `make test` needs the mark `long`, which says why


class Times:
    """Adds up what each test takes, with its fixtures."""

    def __init__(self) -> None:
        self.seconds = Counter[str]()
        self.compiled: dict[str, str] = {}
        self.explained = set[str]()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a part of a test; workers send theirs to the process that started them."""
        name = report.nodeid.partition("@")[0]  # workers add the test's group
        self.seconds[name] += report.duration
        for key, value in report.user_properties:
            if key == "compiled":
                self.compiled[name] = str(value)
            elif key == "long":
                self.explained.add(name)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the sums, and write all if that was asked for."""
        place = os.environ.get("STICKBREAKER_TIMES")
        if place:
            Path(place).write_text(json.dumps(dict(self.seconds.most_common()), indent=0), "utf-8")
        if len(self.seconds) >= FEWEST:
            terminalreporter.write_line("\n".join(told(self.seconds, self.compiled, self.explained)))


class Compilations(event.Listener):
    """Notes the kernels that tests had to compile: they belong into tests/compile.py."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def on_start(self, event: event.Event) -> None:
        """Note what is compiled, if it is the package's."""
        function = event.data["dispatcher"].py_func
        if function.__module__.startswith("stickbreaker."):
            self.names.append(function.__name__)

    def on_end(self, event: event.Event) -> None:
        """Nothing."""

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        """Have the report of a test say what it compiled, and whether its length is explained."""
        if self.names:
            item.user_properties.append(("compiled", " ".join(self.names)))
            self.names = []
        if (
            item.get_closest_marker("long")
            or getattr(getattr(item, "function", None), "about", "") == "draws"
        ):
            item.user_properties.append(("long", True))


def told(seconds: Mapping[str, float], compiled: Mapping[str, str], explained: Collection[str]) -> list[str]:
    """The lines of a summary: all of it, by room, the longest tests, and what should not be."""
    rooms = Counter[str]()
    tests = Counter[str]()
    for test, taken in seconds.items():
        rooms[room_of(test)] += taken
        tests[room_of(test)] += 1
    lines = [f"{sum(seconds.values()):.0f} worker-seconds in {len(seconds)} tests, by room:"]
    lines += [f"  {taken:7.1f}  {room} ({tests[room]})" for room, taken in rooms.most_common()]
    lines.append("the longest tests:")
    lines += [f"  {taken:7.1f}  {test}" for test, taken in Counter(seconds).most_common(TOLD)]
    unexplained = [test for test, taken in seconds.items() if taken > LONG and test not in explained]
    if unexplained and TIER == "first":
        lines.append(f"above {LONG:.0f} s without the mark `long`, which says why: {len(unexplained)}")
        lines += [f"  {test}" for test in sorted(unexplained)]
    if compiled:
        lines.append("kernels that tests compiled (tests/compile.py does that beforehand):")
        lines += [f"  {test}: {names}" for test, names in sorted(compiled.items())]
    return lines


def room_of(test: str) -> str:
    """The folder of a test: `tests/topics`; `src/stickbreaker/core` for the examples in docstrings."""
    parts = test.partition("::")[0].split("/")
    return "/".join(parts[: 3 if parts[0] == "src" else 2][: max(1, len(parts) - 1)])


def pytest_configure(config: pytest.Config) -> None:
    """Begin: sums where all reports arrive, notes of compilations where tests run."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Times(), "times")
    compilations = Compilations()
    event.register("numba:compile", compilations)
    config.pluginmanager.register(compilations, "compilations")
