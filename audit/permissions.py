"""Part `permissions`: what commands write, and what they have half written, is for whom the umask says."""

import os
import random
import stat
import time
from contextlib import suppress
from pathlib import Path

from audit.compare import differing, product
from audit.parts import Part
from audit.programs import Program
from audit.results import LOST, SAME, SILENT, Decision, going_on
from audit.work import WORK

UMASKS = (0o077, 0o027, 0o002, 0o022)
PRIVATE = 0o700  # of what is there before, and is replaced


class Permissions(Part):
    name = "permissions"
    weight = 0.5
    sample = 8

    def kinds(self) -> tuple[str, ...]:
        return tuple(kind for kind in WORK if "bloom" not in kind)

    def attempt(self, kind: str, number: int, draw: random.Random, place: Path) -> Decision:
        whole, seconds = self.works.whole(kind)
        umask, work = draw.choice(UMASKS), self.works.begin(kind, place)
        before = set(place.rglob("*"))
        replaced = [path for path in (place / work.out, *(place / work.out).rglob("*")) if path.exists()]
        for path in replaced:
            path.chmod(stat.S_IMODE(path.stat().st_mode) & PRIVATE)
        stdin = self.works.stdin(work, place)
        program = Program(work.words.split(), place, stdin=stdin, before=(os.umask, umask))
        wrong: set[str] = set()
        for moment in sorted(draw.uniform(0, seconds) for _ in range(8)):  # also what is half written
            time.sleep(moment / 8)
            wrong |= open_to_others(place, before, umask)
        done = program.wait()
        if done.code != 0:
            return going_on(done)
        wrong |= open_to_others(place, before, umask)
        wrong |= {f"{path.name} (replaced)" for path in replaced if path.exists() and is_open(path, place)}
        if wrong:
            return Decision(LOST, f"umask {umask:03o}: {', '.join(sorted(wrong)[:4])}")
        if names := differing(product(place / work.out), whole):
            return Decision(SILENT, f"differs in {', '.join(names[:4])}")
        return Decision(SAME, f"umask {umask:03o}")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def is_open(path: Path, place: Path) -> bool:
    """Whether others reach a path: neither it nor a directory on the way from `place` is private."""
    way = [path, *path.parents[: len(path.relative_to(place).parts) - 1]]
    return all(mode(each) & ~PRIVATE for each in way)


def open_to_others(place: Path, before: set[Path], umask: int) -> set[str]:
    """What is new in a folder and has permissions that the umask takes away."""
    found: set[str] = set()
    for folder, folders, files in os.walk(place):  # which passes over what is half written and goes
        for path in (Path(folder, name) for name in (*folders, *files)):
            with suppress(FileNotFoundError):
                if path not in before and mode(path) & umask:
                    found.add(f"{path.name} has {mode(path):03o}")
    return found
