"""Part `flips`: bits turned, bytes cut off, zeroed, appended, files deleted, in all that is saved."""

import random
from pathlib import Path

from audit.materials import KINDS, subject
from audit.parts import Part
from audit.results import Decision, worst

WAYS = ("bit", "bit", "bit", "bit", "bit", "cut", "zero", "append", "delete", "byte", "swap")


def alter(file: Path, way: str, draw: random.Random) -> str:
    """Damage a file. Returns what was done to it."""
    content = bytearray(file.read_bytes())
    if way == "delete":
        file.unlink()
        return "deleted"
    if way == "append" or not content:
        file.write_bytes(bytes(content) + draw.randbytes(draw.choice((1, 7, 4096))))
        return "bytes appended"
    at = draw.randrange(len(content))
    if way == "cut":
        del content[at:]
    elif way == "zero":
        content[at : at + 64] = bytes(len(content[at : at + 64]))
    elif way == "byte":
        content[at] = draw.randrange(256)
    elif way == "swap":
        other = draw.randrange(len(content))
        content[at], content[other] = content[other], content[at]
    else:
        content[at] ^= 1 << draw.randrange(8)
    file.write_bytes(bytes(content))
    return f"{way} at byte {at}"


class Flips(Part):
    name = "flips"
    weight = 2.0
    sample = 20

    def kinds(self) -> tuple[str, ...]:
        return KINDS

    def attempt(self, kind: str, number: int, draw: random.Random, place: Path) -> Decision:
        name = subject(kind)
        self.comparison.known(kind)
        self.materials.copy(kind, place)
        files = sorted(file for file in (place / name).rglob("*") if file.is_file() and file.name != "lock")
        file = draw.choice(files)
        what = f"{file.relative_to(place)}: {alter(file, draw.choice(WAYS), draw)}"
        verdict = worst(self.comparison.judge(kind, place, (f"{name}/", f"{name}: ")))
        return Decision(verdict.outcome, f"{what}; {verdict.message}")
