"""Part `meanwhile`: two commands for one place at once, and things that come and go there meanwhile."""

import random
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from audit.compare import differing, product
from audit.materials import expect
from audit.parts import Part
from audit.programs import Program, run
from audit.results import (
    LEFT,
    LOST,
    REFUSED,
    SAME,
    SILENT,
    STUCK,
    Decision,
    files_below,
    going_on,
    refusal,
    said,
    worst,
)  # fmt: skip
from audit.work import FITS, WORK, Work, hidden_beside, step_of
from stickbreaker.topics.names.names_file import read_names

TWICE = ("corpus build", "corpus overwrite", "lda batch", "lda overwrite", "hdp memoised", "stream of files",
         "transform", "report", "export", "corpus export", "search-k")  # fmt: skip
COMES = ("corpus build", "corpus overwrite", "lda batch", "lda overwrite", "stream of files", "search-k",
         "transform", "report", "export", "corpus export")  # fmt: skip
EXCHANGED = (*(kind for kind, work in FITS.items() if "bloom" not in kind and not work.earlier), "search-k")
NAMERS = 6  # commands that name topics at once
AWAY = "moved away"  # the folder into which things go
OWN = "the user's own words\n"


class Meanwhile(Part):
    name = "meanwhile"
    weight = 1.5
    sample = 12

    def kinds(self) -> tuple[str, ...]:
        return (
            *(f"two of {kind}" for kind in TWICE),
            *(f"comes during {kind}" for kind in COMES),
            *(f"goes during {kind}" for kind in COMES if WORK[kind].earlier),
            *(f"exchanged during {kind}" for kind in EXCHANGED),
            "names at once",
            "two resumes",
            "resume and overwrite",
        )

    def attempt(self, kind: str, number: int, draw: random.Random, place: Path) -> Decision:
        if kind == "two resumes":
            return self._resumes(draw, place, "resume model --threads 1")
        if kind == "resume and overwrite":
            return self._resumes(draw, place, WORK["lda overwrite"].words)
        if kind == "names at once":
            return self._names(draw, place)
        way, _, name = kind.partition(" of " if kind.startswith("two") else " during ")
        whole, seconds = self.works.whole(name)
        work = self.works.begin(name, place)
        if (
            way == "comes" and (place / work.out).is_file()
        ):  # which --overwrite would replace, whoever wrote it
            (place / work.out).unlink()
            work = replace(work, earlier=False)
        if way == "two":
            return self._two(work, place, whole, draw)
        if way == "exchanged":
            return self._exchanged(work, place, whole, draw, seconds)
        return self._disturbed(way, work, place, whole, draw.uniform(0, seconds))

    def _start(self, work: Work, place: Path, log: str) -> Program:
        return Program(work.words.split(), place, stdin=self.works.stdin(work, place), log=log)

    def _two(self, work: Work, place: Path, whole: dict[str, object], draw: random.Random) -> Decision:
        """The same command twice at once: one reports success; both only if the second may replace."""
        first = self._start(work, place, "first")
        time.sleep(draw.choice((0.0, draw.uniform(0, 0.3))))
        ends = [program.wait() for program in (self._start(work, place, "second"), first)]
        verdicts = [refusal(done, (work.out,)) for done in ends if done.code != 0]
        successes = sum(done.code == 0 for done in ends)
        again = work.earlier or work.out == "search"
        if successes == 0 or (successes == 2 and not again):
            verdicts.append(Decision(SILENT, f"{successes} report success: {' | '.join(map(said, ends))}"))
        if names := differing(product(place / work.out), whole):
            verdicts.append(
                Decision(SILENT, f"differs in {', '.join(names[:4])}: {' | '.join(map(said, ends))}")
            )
        return self._left(place, verdicts)

    def _disturbed(
        self, way: str, work: Work, place: Path, whole: dict[str, object], moment: float
    ) -> Decision:
        """Something of the user's comes to the place, or goes from it, while a command runs."""
        out = place / work.out
        program = self._start(work, place, "first")
        away = place / AWAY
        away.mkdir()
        time.sleep(moment)
        if way == "goes":
            if out.exists():
                out.rename(away / out.name)
            own: dict[str, bytes | None] = {}
        else:
            own = self._come(out, place, program)
        done = program.wait()
        verdicts = [refusal(done, (work.out,))] if done.code != 0 else []
        lost = [
            name for name, content in own.items() if content is not None and not kept(place, name, content)
        ]
        if lost:
            verdicts.append(
                Decision(LOST, f"{way} after {moment:.3f} s: {', '.join(lost)} is lost: {said(done)}")
            )
        made = [product(path) for path in (out, place / AWAY / out.name)]
        names = min((differing(each, whole) for each in made), key=len)
        if way == "goes":  # moved between its end and its tidying up, it has its corpus still
            names = [name for name in names if name.split("/")[0] not in ("corpus", ".corpus.leaving")]
        if done.code == 0 and names and not own:  # else the letter may have taken the place of what was done
            verdicts.append(
                Decision(SILENT, f"{way} after {moment:.3f} s: differs in {', '.join(names[:4])}")
            )
        return self._left(place, verdicts)

    def _exchanged(
        self, work: Work, place: Path, whole: dict[str, object], draw: random.Random, seconds: float
    ) -> Decision:
        """A run's directory goes, and another finished one comes to its path and stays as it is; the run
        continues where it is now."""
        out, other, moved = place / work.out, place / "another", place / AWAY / work.out
        if work.out == "search":
            expect(run(work.words.replace("--out search", "--out another"), place, log="another"))
        else:
            shutil.copytree(place / "other", other)
        before = files_below(other)
        program = self._start(work, place, "first")
        (place / AWAY).mkdir()
        wait_until(lambda: out.exists() or not program.alive())
        time.sleep(draw.uniform(0, seconds / 2))
        try:
            out.rename(moved)
            time.sleep(draw.choice((0.0, 0.0, draw.uniform(0, 0.1))))
            other.rename(out)
        except OSError:
            program.wait()
            return Decision(SAME, "it did not come to be, or came again at once")
        step = step_of(moved)
        done = program.wait()
        told = f"exchanged at {step}: {said(done)}"
        verdicts = [refusal(done, (work.out,))] if done.code != 0 else []
        if files_below(out) != before:
            verdicts.append(Decision(LOST, f"another at its path was changed: {told}"))
        out.rename(other)
        moved.rename(out)
        if done.code == 0 and differing(without_corpus(product(out)), without_corpus(whole)):
            verdicts.append(Decision(SILENT, f"reports success: {told}"))
        again = run(work.resume or work.words, place, stdin=self.works.stdin(work, place), log="again")
        if again.code != 0:
            verdicts.append(going_on(again))
        elif names := differing(product(out), whole):
            verdicts.append(Decision(SILENT, f"differs in {', '.join(names[:4])} afterwards: {told}"))
        return self._left(place, verdicts)

    def _names(self, draw: random.Random, place: Path) -> Decision:
        """Several name topics at once: all names that they report as given stay."""
        self.works.begin("report", place)
        given = {str(k): f"name {k}" for k in range(3)}
        turns = [draw.choice(list(given)) for _ in range(NAMERS - len(given))] + list(given)
        draw.shuffle(turns)
        programs: list[Program] = []
        for number, topic in enumerate(turns):
            words = ["name", "other", "--topic", f"{topic}={given[topic]}"]
            programs.append(Program(words, place, log=str(number)))
            time.sleep(draw.choice((0.0, draw.uniform(0, 0.1))))
        ends = [program.wait() for program in programs]
        verdicts = [refusal(done, ("other",)) for done in ends if done.code != 0]
        verdicts += [Decision(STUCK, said(done)) for done in ends if done.code != 0]
        names = set(read_names(place / "other").values())
        if lost := set(given.values()) - names:
            verdicts.append(Decision(LOST, f"{sorted(lost)} of {len(turns)} commands at once"))
        if (place / "other" / "names.lock").exists():
            verdicts.append(Decision(LEFT, "names.lock stays"))
        return self._left(place, verdicts)

    def _come(self, out: Path, place: Path, program: Program) -> dict[str, bytes | None]:
        """Put a letter where the command writes; what was there goes aside. Nothing where it is done."""
        if not program.alive():
            return {}
        arriving = place / "arriving"
        if "." in out.name:
            arriving.write_text(OWN)
        else:
            arriving.mkdir()
            (arriving / "letter.txt").write_text(OWN)
        try:
            if out.is_dir():
                out.rename(place / AWAY / out.name)
            if out.exists() or not program.alive():  # the command was quicker
                return {}
            arriving.rename(out)
        except OSError:
            return {}
        return {f"{out.name}/letter.txt" if out.is_dir() else out.name: OWN.encode()}

    def _resumes(self, draw: random.Random, place: Path, second: str) -> Decision:
        """A run is resumed twice at once, or replaced meanwhile: one command gets it."""
        self.materials.copy("hdp under way", place)
        programs = [Program(["resume", "model", "--threads", "1"], place, log="first")]
        time.sleep(draw.uniform(0, 0.2))
        programs.append(Program(second.split(), place, log="second"))
        ends = [program.wait() for program in programs]
        verdicts = [refusal(done, ("model",)) for done in ends if done.code != 0]
        if all(done.code != 0 for done in ends):
            verdicts.append(Decision(SILENT, "nobody succeeded"))
        done = run("topics model", place)
        if done.code != 0:
            verdicts.append(Decision(LOST, f"{said(done)} after {' | '.join(map(said, ends))}"))
        return self._left(place, verdicts)

    def _left(self, place: Path, verdicts: list[Decision]) -> Decision:
        if left := [name for name in hidden_beside(place) if not name.startswith(AWAY)]:
            verdicts.append(Decision(LEFT, f"{', '.join(left[:4])} stays"))
        return worst([Decision(SAME), *[one for one in verdicts if one.outcome != REFUSED]])


def wait_until(over: Callable[[], bool]) -> None:
    """Wait until something is so."""
    while not over():
        time.sleep(0.0005)


def without_corpus(made: dict[str, object]) -> dict[str, object]:
    """A product without the corpus that is removed at the very end."""
    return {
        name: held for name, held in made.items() if name.split("/")[0] not in ("corpus", ".corpus.leaving")
    }


def kept(place: Path, name: str, content: bytes) -> bool:
    """Whether a file of the user's is where it was, or somewhere else beside."""
    return files_below(place).get(name) == content or content in files_below(place).values()
