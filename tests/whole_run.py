"""All tests, one part after another, and the record of the last run of each part that passed.

`python -m tests.whole_run [PART ...]` (`make test-all PARTS="..."`) runs all parts, or these: `tests` (every
test with every case), `kernels` (those of kernels as plain Python), `baseline` (what computes floats, with
the instructions of the oldest processors), `mutations`, `audit` (MINUTES of it). What a part prints is shown;
if it passes, docs/reference/last-whole-run.md says so. The exit status is 1 if a part failed.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "docs" / "reference" / "last-whole-run.md"
HEAD = """# The last whole run of the tests

`make test-all` writes this page: for each part the last commit on which it passed. `tests` is every test with
all its cases, `kernels` the tests of kernels as plain Python, `baseline` those of what computes floats with
the instructions of the oldest processors, `mutations` changes of the code that tests must notice, `audit`
kills, altered files and full disks.

| part | commit | date | minutes | figures |
|---|---|---|---|---|
"""
WORKERS = ("-n", os.environ.get("WORKERS", "logical"), "--maxprocesses", "4", "--dist", "loadgroup")
PYTEST = ("-m", "pytest", *WORKERS, "--no-loadscope-reorder")
BASELINE = (
    *("tests/kernels", "tests/engines", "tests/learning", "tests/topics/kernels", "tests/topics/model"),
    *("tests/topics/evaluation", "tests/ngrams/model", "tests/ngrams/test_ngram.py", "tests/grammars/model"),
    *("tests/grammars/test_grammars.py", "tests/syntax/kernels", "tests/syntax/model", "tests/translation"),
    "tests/estimators/test_conventions.py",
    *(path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "tests/topics").glob("test_*.py"))),
)
# laws compare runs of one process
NO_LAWS = ("-k", "not TestLaws", "-m", "not slow and not spark and not browser")
PARTS = {  # name: what Python is called with, and what its environment has besides
    "tests": (PYTEST, {"STICKBREAKER_TIER": "all", "STICKBREAKER_GOLDEN": "required"}),
    "kernels": (("-m", "pytest", "-m", "kernels", "-p", "no:cacheprovider"), {"NUMBA_DISABLE_JIT": "1"}),
    "baseline": (("-m", "tests.baseline", *PYTEST, *NO_LAWS, *BASELINE), {"STICKBREAKER_TIER": "all"}),
    "mutations": (("-m", "tests.mutations"), {}),
    "audit": (("-m", "audit", "--minutes", os.environ.get("MINUTES", "60")), {}),
}
_ROW = re.compile(r"^\| (\w+) \| `(\w+)` \| ([\d-]+) \| (\d+) \| (.*) \|$", re.MULTILINE)
_FIGURES = re.compile(r"\d+ passed.*? in |\d+ of \d+ changes were noticed|\d+ tries, seed .*")


class Passed(NamedTuple):
    """A run of a part, in which nothing failed."""

    commit: str
    date: str
    minutes: int
    figures: str


def record() -> dict[str, Passed]:
    """The last runs that passed, by part."""
    text = RECORD.read_text("utf-8") if RECORD.exists() else ""
    return {name: Passed(commit, day, int(took), of) for name, commit, day, took, of in _ROW.findall(text)}


def commit_of(part: str) -> str:
    """The last commit on which a part passed; an empty word: none is known."""
    of = record().get(part)
    return of.commit if of else ""


def page_of(passed: Mapping[str, Passed]) -> str:
    """The page of docs that says so, which `record` reads."""
    rows = (
        f"| {name} | `{of.commit}` | {of.date} | {of.minutes} | {of.figures} |" for name, of in passed.items()
    )
    return HEAD + "\n".join(rows) + "\n"


def figures_of(printed: str) -> str:
    """The figures that a part ended with: `12 passed, 1 skipped`; the last of several."""
    found = _FIGURES.findall(printed)
    return found[-1].removesuffix(" in ") if found else ""


def commit_at_hand() -> str:
    """The commit that is checked out; an empty word where files differ from it."""
    but_the_record = f":(exclude){RECORD.relative_to(ROOT).as_posix()}"
    asked = ("rev-parse --short=12 HEAD", f"status --porcelain -- . {but_the_record}")
    commit, changes = (
        subprocess.run(["git", *words.split()], cwd=ROOT, capture_output=True, text=True).stdout.strip()
        for words in asked
    )
    return "" if changes else commit


def run(name: str) -> tuple[int, str]:
    """Run a part, and show what it prints; returns its exit status and that."""
    words, variables = PARTS[name]
    print(f"== {name}", flush=True)
    printed: list[str] = []
    with subprocess.Popen(
        [sys.executable, *words],
        cwd=ROOT,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            printed.append(line)
    return process.returncode, "".join(printed)


def main(names: list[str]) -> int:
    """Run these parts, or all; returns the exit status."""
    if unknown := set(names) - set(PARTS):
        print(
            f"there are no parts {', '.join(sorted(unknown))}; there are: {', '.join(PARTS)}", file=sys.stderr
        )
        return 2
    passed = record()
    failed: list[str] = []
    for name in names or PARTS:
        commit, began = commit_at_hand(), time.monotonic()
        code, printed = run(name)
        if code:
            failed.append(name)
        elif commit:
            minutes = round((time.monotonic() - began) / 60)
            passed[name] = Passed(commit, date.today().isoformat(), minutes, figures_of(printed))
            RECORD.write_text(page_of({part: passed[part] for part in PARTS if part in passed}), "utf-8")
        else:
            print(f"{name} passed; not recorded, since files differ from the last commit", flush=True)
    print(f"failed: {', '.join(failed)}" if failed else "all passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
