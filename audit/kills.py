"""Parts `kills` and `signals`: commands are ended at any moment, and continue to the same bytes."""

import random
import signal
import time
from pathlib import Path

from audit.compare import differing, product
from audit.parts import Part
from audit.programs import Program, run
from audit.results import LEFT, SAME, SILENT, Decision, Done, files_below, going_on
from audit.work import WORK, Work, hidden_beside, step_of

MOST = 5  # kills of a try
READERS = {"corpus": "corpus info corpus", "lexicon": "translate terms lexicon", "newer": "topics newer"}
STOPPED = (
    1,
    128 + signal.SIGINT,
    128 + signal.SIGTERM,
    -signal.SIGINT,
    -signal.SIGTERM,
)  # status of a command


class Kills(Part):
    name = "kills"
    weight = 3.0
    sample = 14

    def kinds(self) -> tuple[str, ...]:
        return tuple(WORK)

    def attempt(self, kind: str, number: int, draw: random.Random, place: Path) -> Decision:
        whole, seconds = self.works.whole(kind)
        work = self.works.begin(kind, place)
        before = files_below(place / work.out) if (place / work.out).is_dir() else None
        said: list[str] = []
        for remaining in range(draw.randint(1, MOST), -1, -1):
            command = self._next(work, place, before)
            if command is None:
                break
            program = Program(command.split(), place, stdin=self.works.stdin(work, place))
            if remaining:
                said.append(self._kill(program, work, place, seconds, draw))
            done = program.wait()
            if done.code == 0 or (said and "already exists" in done.err and not work.earlier):
                break  # the last kill came when all was done
            if not (remaining and self._ended(done)):
                return going_on(done)
            verdict = self._readable(work, place)
            if verdict is not None:
                return Decision(verdict.outcome, f"after {', '.join(said)}: {verdict.message}")
        return self._judge(work, place, whole, said)

    def _next(self, work: Work, place: Path, before: dict[str, bytes | None] | None) -> str | None:
        """The command to give now: the same, or `resume` once there is something to resume."""
        step = step_of(place / work.out)
        if work.resume is None or step is None:
            return work.words
        if before is not None and files_below(place / work.out) == before:  # the model that is to be replaced
            return work.words
        return None if isinstance(step, tuple) and step[0] == "done" else work.resume

    def _kill(self, program: Program, work: Work, place: Path, seconds: float, draw: random.Random) -> str:
        """Kill a command early, on its way, or near its end. Returns when."""
        moments = (draw.uniform(0, 0.03), draw.uniform(0, seconds), draw.uniform(0.6, 1.1) * seconds)
        if work.resume is not None and draw.random() < 0.5:  # wait for its next step
            before = step_of(place / work.out)
            while program.alive() and step_of(place / work.out) == before:
                time.sleep(0.0005)
            moments = (draw.uniform(0, 0.05),)
        moment = draw.choice(moments)
        end = time.monotonic() + moment
        while program.alive() and time.monotonic() < end:
            time.sleep(0.0005)
        return f"{self._end(program, draw)} after {moment:.3f} s at {step_of(place / work.out)}"

    def _end(self, program: Program, draw: random.Random) -> str:
        """End a command. Returns how."""
        program.kill()
        return "killed"

    def _ended(self, done: Done) -> bool:
        """Whether a command was ended, and did not fail by itself."""
        return done.code == -signal.SIGKILL

    def _readable(self, work: Work, place: Path) -> Decision | None:
        """None if what a kill left at the place is whole: nothing, what was there, or what is new."""
        out = place / work.out
        there = work.earlier or work.changes is not None
        reading = READERS.get(work.out, work.reader if work.out == "model" else None)
        if reading is None or not (there or out.exists()):
            if there and not out.exists():
                return Decision(SILENT, f"{work.out} is gone")
            return None
        done = run(reading, place, log="read")
        return None if done.code == 0 else going_on(done)

    def _judge(self, work: Work, place: Path, whole: dict[str, object], said: list[str]) -> Decision:
        told = ", ".join(said)
        if work.resume is not None:  # says that it is finished, and removes what a kill left
            done: Done = run("resume model", place, log="last")
            if done.code != 0:
                return going_on(done)
        if names := differing(product(place / work.out), whole):
            return Decision(SILENT, f"{told}: differs in {', '.join(names[:4])}")
        if left := hidden_beside(place):
            return Decision(LEFT, f"{told}: {', '.join(left[:4])} stays")
        return Decision(SAME, told)


class Signals(Kills):
    """Ctrl-C and SIGTERM, once or twice: a command says in a line that it was stopped, or ends at once."""

    name = "signals"
    weight = 1.5
    sample = 8

    def _end(self, program: Program, draw: random.Random) -> str:
        while program.alive() and not program.begins():
            time.sleep(0.0005)
        time.sleep(draw.choice((0.02, 0.1)))
        sent = [draw.choice((signal.SIGINT, signal.SIGTERM))]
        program.kill(sent[0])
        if draw.random() < 0.3:
            time.sleep(draw.uniform(0, 0.05))
            sent.append(draw.choice((signal.SIGINT, signal.SIGTERM)))
            program.kill(sent[1])
        return " and ".join(one.name for one in sent)

    def _ended(self, done: Done) -> bool:
        lines = done.err.strip().splitlines()
        told = not lines or "interrupted" in lines[-1] or lines[-1] == "Aborted!"
        return done.code in STOPPED and "Traceback" not in done.err and (done.code != 1 or told)
