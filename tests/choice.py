"""What `.ci/run` tests of a change, by the import contract: `python -m tests.choice` prints it, and why.

A change reaches a room if it is in the room, in its tests or in a room below it. The tests of such a room run
with all their cases, those of others with a sample. Changes count from the last commit on which the part
`tests` of `make test-all` passed (docs/reference/last-whole-run.md). Without git's history of it, all rooms
count as changed.
"""

import subprocess
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests import whole_run

ROOT = Path(__file__).parents[1]
EVERYWHERE = (
    "pyproject.toml",
    "Makefile",
    ".ci/",
    "tests/golden/packages.txt",
    "src/stickbreaker/__init__.py",
)
OF_SPARK = ("engines", "spark", "contracts", "learning", "core", "kernels")  # rooms that Spark's laws test


class Choice(NamedTuple):
    """Rooms whose tests run with all cases; `laws` or `smoke` of Spark; the reasons, a line each."""

    whole: frozenset[str]
    spark: str
    reasons: tuple[str, ...]


def layers() -> list[frozenset[str]]:
    """The rooms by the import contract, the highest first."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    contracts = tools["importlinter"]["contracts"]
    (contract,) = (each for each in contracts if each["type"] == "layers" and "containers" not in each)
    return [
        frozenset(room.strip().removeprefix("stickbreaker.") for room in layer.split("|"))
        for layer in contract["layers"]
    ]


def reached(room: str, contract: Sequence[frozenset[str]]) -> frozenset[str]:
    """A room and all that may import it."""
    (place,) = (number for number, layer in enumerate(contract) if room in layer)
    return frozenset({room}).union(*contract[:place])


def changed_since(commit: str) -> list[str] | None:
    """The files that differ from those of a commit; None where git does not know it."""
    try:
        done = subprocess.run(
            ["git", "diff", "--name-only", commit, "--"], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.splitlines()


def choice_of(files: Sequence[str] | None, contract: Sequence[frozenset[str]]) -> Choice:
    """What a change of these files needs; None: it is not known what changed."""
    rooms = frozenset[str]().union(*contract)
    if files is None:
        return Choice(rooms, "laws", ("all rooms: no history since a whole run",))
    everywhere = sorted(file for file in files if file.startswith(EVERYWHERE) or _is_shared(file))
    if everywhere:
        return Choice(rooms, "laws", (f"all rooms: {everywhere[0]} changed",))
    changed = {room: file for file in sorted(files, reverse=True) if (room := room_of(file)) in rooms}
    reasons: dict[str, str] = {}
    for room in sorted(rooms):
        causes = sorted(each for each in changed if room in reached(each, contract))
        if room in changed:
            reasons[room] = f"{room}: {changed[room]} changed"
        elif causes:
            reasons[room] = f"{room}: may use {causes[0]} ({changed[causes[0]]} changed)"
    laws = [room for room in OF_SPARK if room in changed]
    of_spark = (
        f"Spark's laws: {changed[laws[0]]} changed" if laws else "Spark: a batch, an online, a stream run"
    )
    return Choice(frozenset(reasons), "laws" if laws else "smoke", (*reasons.values(), of_spark))


def _is_shared(file: str) -> bool:
    """Whether a file is one that the tests of several rooms use."""
    parts = file.split("/")
    return parts[0] == "tests" and (
        (len(parts) == 2 and not parts[1].startswith("test_")) or parts[1] == "oracle"
    )


def room_of(file: str) -> str:
    """The room whose code or tests a file is, or a test of pytest: `topics`; an empty word: none's."""
    parts = file.partition("::")[0].removeprefix("src/stickbreaker/").removeprefix("tests/").split("/")
    return parts[0] if len(parts) > 1 and file.startswith(("src/stickbreaker/", "tests/")) else ""


def chosen() -> Choice:
    """What the checkout at hand needs."""
    commit = whole_run.commit_of("tests")
    files = changed_since(commit) if commit else None
    return choice_of(files, layers())


if __name__ == "__main__":
    print("\n".join(chosen().reasons))
