"""Part `disks`: disks that are full at any moment; with space again, all continue to the same bytes."""

import random
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from audit.compare import differing, product
from audit.parts import Part
from audit.programs import run
from audit.results import LEFT, SAME, SILENT, SKIPPED, TRACEBACK, Decision, going_on, refusal, worst
from audit.work import WORK, Work, hidden_beside, step_of

SIZE = 4 << 20  # bytes of the disk
FULL = "/dev/full"
SAYS = (
    "corpus info ready", "topics other", "topics other --json", "compare other other",
    "evaluate other ready --threads 1", "fit lda ready --out new --topics 2 --iterations 2 --threads 1",
    "corpus build lines.jsonl --out new", "--help", "fit lda --help", "report other --out new.html",
)  # fmt: skip


@contextmanager
def small_disk(place: Path) -> Iterator[bool]:
    """A file system of a few megabytes at a place; False if this user cannot make one."""
    place.mkdir(parents=True)
    words = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(place)]
    try:
        made = subprocess.run(words, capture_output=True, check=False).returncode == 0
    except OSError:
        made = False
    try:
        yield made
    finally:
        if made:
            subprocess.run(["umount", "-l", str(place)], check=True)


def fill(disk: Path, free: int) -> None:
    """Fill a disk until `free` bytes are left."""
    with (disk / "filler").open("wb") as file:
        try:
            while (space := shutil.disk_usage(disk).free) > free:
                file.write(bytes(min(space - free, 1 << 16)))
                file.flush()
        except OSError:
            return


class Disks(Part):
    name = "disks"
    weight = 1.5
    sample = 10

    def kinds(self) -> tuple[str, ...]:
        return (*(kind for kind in WORK if "bloom" not in kind), "standard output")  # a filter is large

    def size(self, kind: str) -> int | None:
        return len(SAYS) if kind == "standard output" else None

    def attempt(self, kind: str, number: int, draw: random.Random, place: Path) -> Decision:
        if kind == "standard output":
            return self._standard_output(number, place)
        whole, _ = self.works.whole(kind)
        free = draw.choice((draw.randrange(1 << 14), draw.randrange(1 << 16), draw.randrange(1 << 19)))
        with small_disk(place) as made:
            if not made:
                return Decision(SKIPPED, "only root can make a small file system")
            work = self.works.begin(kind, place / "work")
            fill(place, free)
            verdict = self._fill_and_go_on(work, place, whole)
        return Decision(verdict.outcome, f"{free} bytes free; {verdict.message}")

    def _fill_and_go_on(self, work: Work, disk: Path, whole: dict[str, object]) -> Decision:
        """A command on a full disk, and again with space."""
        place = disk / "work"
        stdin = self.works.stdin(work, place)
        verdicts: list[Decision] = []
        before = hidden_beside(place)
        logs = disk.with_name(f"{disk.name}.logs")
        done = run(work.words, place, stdin=stdin, log="full", logs=logs)
        if done.code != 0:
            verdicts.append(refusal(done, (work.out,)))
            if left := [name for name in hidden_beside(place) if name not in before]:
                verdicts.append(Decision(LEFT, f"{', '.join(left[:4])} stays: {verdicts[0].message}"))
        (disk / "filler").unlink()
        if done.code != 0:
            step = step_of(place / work.out)
            goes_on = work.resume is not None and step is not None and not work.earlier
            command = work.resume if goes_on else work.words
            assert command is not None
            done = run(command, place, stdin=stdin, log="again", logs=logs)
            if done.code != 0:
                verdicts.append(going_on(done))
        names = differing(product(place / work.out), whole)
        if done.code == 0 and names:
            verdicts.append(Decision(SILENT, f"differs in {', '.join(names[:4])}"))
        return worst([Decision(SAME), *verdicts])

    def _standard_output(self, number: int, place: Path) -> Decision:
        """A command whose output has nowhere to go says so in one line."""
        self.works.begin("report", place)
        done = run(SAYS[number % len(SAYS)], place, stdout=FULL)
        if done.code == 0:
            return Decision(SILENT, f"reports success: {' '.join(done.words)}")
        verdict = refusal(done)
        outcome = TRACEBACK if "Exception ignored" in done.err else verdict.outcome
        return Decision(outcome, verdict.message)
