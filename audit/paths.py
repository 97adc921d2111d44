"""Part `paths`: folders that may only be read, and a path of another kind in the place of every argument."""

import ctypes
import os
import random
import shutil
import stat
from pathlib import Path

from audit.materials import CORPORA, KINDS, stdin_of, subject
from audit.parts import Part
from audit.programs import run
from audit.results import LOST, REFUSED, SAME, SILENT, Decision, files_below, refusal, said, worst
from audit.work import WORK

PASSES_OVER = (1, 2, 3)  # Linux's rights of root to pass over permissions: CAP_DAC_OVERRIDE and the next two
WRITES = 0o222
ANOTHER = "another"  # the folder with what is put in the place of an argument
OTHERS = ("missing", "empty folder", "text", "bytes", "below a file", "folder of texts", "")


class Paths(Part):
    name = "paths"
    weight = 1.5
    sample = 16

    def kinds(self) -> tuple[str, ...]:
        return (
            *(f"exchanged of {kind}" for kind in KINDS),
            *(f"read-only {kind}" for kind in KINDS),
            *(f"read-only place of {kind}" for kind in WORK),
        )

    def attempt(self, kind: str, number: int, draw: random.Random, place: Path) -> Decision:
        try:
            if kind.startswith("exchanged"):
                return self._exchanged(kind.removeprefix("exchanged of "), draw, place)
            if kind.startswith("read-only place"):
                return self._place(kind.removeprefix("read-only place of "), place)
            return self._read_only(kind.removeprefix("read-only "), place)
        finally:
            set_writable(place, True)

    def _exchanged(self, kind: str, draw: random.Random, place: Path) -> Decision:
        """A command gets something else in the place of one of its paths. It refuses that in one line, and
        changes nothing; or it is something that may stand there."""
        self.materials.copy(kind, place)
        verb = draw.choice(self.materials.verbs(kind)).split()
        paths = paths_in(verb, place)
        names = (ANOTHER, *(verb[each] for each in paths), "--out", "is empty")
        at = draw.choice(paths)
        other = draw.choice((*KINDS, *OTHERS))
        given = self._other(other, place)
        exchanged, verb[at] = verb[at], given
        before = files_below(place)
        stdin = stdin_of(kind, place) if verb[0] == "resume" else None
        done = run(verb, place, stdin=stdin)
        told = f"{other or 'an empty name'} for {exchanged}"
        out = at > 0 and verb[at - 1] == "--out"
        verdicts = [refusal(done, names)] if done.code != 0 else []
        subject_itself = exchanged == subject(kind) and kind not in CORPORA and not out
        if done.code == 0 and subject_itself and other in OTHERS:
            verdicts.append(Decision(SILENT, f"accepted: {said(done)}"))
        after = files_below(place)
        changed = [name for name in before if not name.endswith("lock") and after.get(name) != before[name]]
        own = () if done.code != 0 else (f"{subject(kind)}/", f"{given}/")
        if lost := [name for name in changed if not name.startswith(own)]:
            verdicts.append(Decision(LOST, f"{', '.join(lost[:4])} changed: {said(done)}"))
        verdict = worst(verdicts)
        return Decision(verdict.outcome, f"{told}; {verdict.message}")

    def _other(self, other: str, place: Path) -> str:
        """Make what stands in the place of an argument. Returns its path."""
        made = place / ANOTHER
        if other in KINDS:
            shutil.copytree(self.materials.of(other) / subject(other), made)
        elif other == "empty folder":
            made.mkdir()
        elif other == "folder of texts":
            made.mkdir()
            (made / "a.txt").write_text("a boat on the river\n")
        elif other == "text":
            made.write_text("a boat on the river\n")
        elif other == "bytes":
            made.write_bytes(bytes(range(256)) * 4)
        elif other == "below a file":
            made.write_text("a boat\n")
            return f"{ANOTHER}/inside"
        elif other == "":
            return ""
        return ANOTHER

    def _read_only(self, kind: str, place: Path) -> Decision:
        """A model, lexicon or corpus of a folder that may only be read is read, or refused in one line."""
        self.comparison.known(kind)
        self.materials.copy(kind, place)
        set_writable(place / subject(kind), False)
        name = subject(kind)
        return worst(
            self.comparison.judge(kind, place, (f"{name}/", f"{name}: "), before=(keep_to_permissions,))
        )

    def _place(self, kind: str, place: Path) -> Decision:
        """A command that writes into a folder that may only be read says so in one line."""
        work = self.works.begin(kind, place)
        before = files_below(place)
        set_writable(place, False)
        stdin = self.works.stdin(work, place)
        done = run(work.words, place, stdin=stdin, before=(keep_to_permissions,))
        if done.code == 0:
            return Decision(SILENT, f"reports success: {said(done)}")
        if files_below(place) != before:
            return Decision(LOST, f"something is there, or changed: {said(done)}")
        verdict = refusal(done, (work.out, "lines.jsonl"))
        return verdict if verdict.outcome != REFUSED else Decision(SAME, verdict.message)


def paths_in(verb: list[str], place: Path) -> list[int]:
    """The numbers of a command's words that are paths: of something that is there, or that it will write."""
    return [at for at, word in enumerate(verb) if verb[at - 1] == "--out" or (place / word).exists()]


def set_writable(place: Path, writable: bool) -> None:
    """Let everything in a folder be written, or only be read."""
    for path in (place, *place.rglob("*")) if place.exists() else ():
        if not path.is_symlink():
            mode = stat.S_IMODE(path.stat().st_mode)
            path.chmod(mode | 0o200 if writable else mode & ~WRITES)


def keep_to_permissions() -> None:
    """In a child: permissions hold for root, too (Linux)."""
    if os.name == "posix" and os.geteuid() == 0:
        words = (ctypes.c_uint32 * 6)()
        head = (ctypes.c_uint32 * 2)(0x20080522, 0)  # version 3 of the system call, of this process
        libc = ctypes.CDLL(None, use_errno=True)
        libc.capget(head, words)
        for number in PASSES_OVER:
            words[0] &= ~(1 << number)  # effective
        if libc.capset(head, words) != 0:
            raise OSError(ctypes.get_errno(), "capset")
