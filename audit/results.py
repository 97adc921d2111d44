"""What became of a try, and whether what a command printed is a proper refusal."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

SAME = "same"  # exactly what an undisturbed one gives, or what is allowed here
REFUSED = "refused"  # one line that names the file
SILENT = "silent"  # accepted, and the outcome differs
TRACEBACK = "traceback"  # or a crash
HANG = "hang"
LOST = "lost"  # a file of the user's was changed or removed
LEFT = "left"  # half-written things stay
UNCLEAR = "unclear"  # a refusal that is long, of several lines, or names no file
STUCK = "stuck"  # what was disturbed could not continue
HELD = (SAME, REFUSED)
SKIPPED = "skipped"  # this machine cannot try it
SLOW = "too slow to judge"  # it was still computing when it had to be stopped
UNJUDGED = (SKIPPED, SLOW)  # neither held nor failed
FRAME = re.compile(r'File "[^"]*stickbreaker/([^"]+)", line (\d+)')
LONGEST = 2_000  # characters of a refusal


class Decision(NamedTuple):
    """An outcome and what there is to say of it."""

    outcome: str
    message: str = ""


class Done(NamedTuple):
    """How a command ended. `code` is negative for a signal, None if it had to be stopped; `slow`: while it
    computed, and had not computed for much longer than commands do."""

    words: tuple[str, ...]
    code: int | None
    out: str
    err: str
    slow: bool = False


@dataclass(frozen=True)
class Result:
    """One try: which one it was, and its outcome."""

    part: str
    kind: str
    number: int
    seed: int
    outcome: str
    message: str = ""

    @property
    def held(self) -> bool:
        return self.outcome in HELD

    @property
    def failed(self) -> bool:
        return not self.held and self.outcome not in UNJUDGED

    @property
    def repeat(self) -> str:
        """The command that makes this try again."""
        return (
            f"python -m audit --seed {self.seed} --parts {self.part} --kinds '{self.kind}' "
            f"--number {self.number}"
        )


def worst(verdicts: list[Decision]) -> Decision:
    """The gravest of several verdicts."""
    order = (SILENT, LOST, TRACEBACK, HANG, STUCK, LEFT, UNCLEAR, SLOW, SKIPPED, REFUSED, SAME)
    return min(verdicts, key=lambda verdict: order.index(verdict.outcome), default=Decision(SAME))


def said(done: Done) -> str:
    """A command and the end of what it printed, for a report; for a traceback, the place and the error."""
    last = done.err.strip()[-300:] or done.out.strip()[-300:]
    if frames := FRAME.findall(done.err):
        file, line = frames[-1]
        last = f"{done.err.strip().splitlines()[-1][:200]} (at {file}:{line})"
    words = " ".join(word if len(word) < 80 else word[:80] + "…" for word in done.words)
    return f"stickbreaker {words} → {done.code}: {last}"


def refusal(done: Done, names: tuple[str, ...] = ()) -> Decision:
    """Judge a command that failed: REFUSED for one short line that has one of the names."""
    if done.code is None:
        return Decision(SLOW if done.slow else HANG, said(done))
    lines = done.err.strip().splitlines()
    if done.code < 0 or "Traceback (most recent" in done.err or done.code not in (1, 2):
        return Decision(TRACEBACK, said(done))
    if "Traceback (most recent" in done.out or "Fatal Python error" in done.err:
        return Decision(TRACEBACK, said(done))
    own = [line for line in lines if line.startswith("stickbreaker: ")]
    if len(own) != 1 or lines[-1:] != own:
        return Decision(UNCLEAR, f"not one line: {said(done)}")
    if len(own[0]) > LONGEST:
        return Decision(UNCLEAR, f"{len(own[0])} characters: {own[0][:300]}…")
    if names and not any(name in own[0] for name in names):
        return Decision(UNCLEAR, f"names no file: {said(done)}")
    return Decision(REFUSED, own[0])


def going_on(done: Done) -> Decision:
    """Judge a command that should have continued, and did not."""
    verdict = refusal(done)
    return Decision(STUCK, said(done)) if verdict.outcome in (REFUSED, UNCLEAR) else verdict


def files_below(place: Path) -> dict[str, bytes | None]:
    """Name and content of all that is in a folder; None for folders, links as what they point to."""
    found: dict[str, bytes | None] = {}
    for entry in sorted(place.rglob("*")):
        name = str(entry.relative_to(place))
        if entry.is_symlink():
            found[name] = b"-> " + str(entry.readlink()).encode()
        elif entry.is_file():
            found[name] = entry.read_bytes()
        else:
            found[name] = None
    return found
