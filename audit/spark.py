"""Part `spark`: the driver, the JVM, an executor or a Python worker is killed; what resumes ends the same."""

import os
import random
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from tests.running import PROGRAM
from tests.spark.processes import below, executors, workers

from audit.compare import steps_of
from audit.materials import Materials, write_inputs
from audit.parts import Part
from audit.programs import IDLE, computed
from audit.results import REFUSED, SAME, SILENT, SKIPPED, UNCLEAR, Decision, Done, going_on, refusal, said

MASTER = ("--engine", "spark", "--master", "local-cluster[2,1,1100]")
RUN = "--topics 4 --seed 1 --threads 1 --tol 0 --checkpoint-every 0 --blocks 3"
KINDS = {
    "lda batch": f"fit lda ready --out model {RUN} --iterations 6",
    "lda online": f"fit lda ready --out model {RUN} --iterations 3 --schedule online --batch-size 20",
    "hdp": f"fit hdp ready --out model {RUN} --iterations 4 --batch-size 30",
    "lda open": f"fit lda ready --out model {RUN} --iterations 3 --words open --batch-size 20 "
    "--schedule online",
}
LIMIT = 300.0
VICTIMS = ("driver", "jvm", "executor", "worker")


class Spark(Part):
    name = "spark"
    weight = 2.0
    sample = 1

    def __init__(self, materials: Materials) -> None:
        super().__init__(materials)
        self._known: dict[str, tuple[object, object]] = {}

    def kinds(self) -> tuple[str, ...]:
        return tuple(f"{victim} of {kind}" for kind in KINDS for victim in VICTIMS)

    def attempt(self, kind: str, number: int, draw: random.Random, place: Path) -> Decision:
        if shutil.which("java") is None:
            return Decision(SKIPPED, "there is no Java")
        victim, _, name = kind.partition(" of ")
        with self.materials.lock("spark"):  # one at a time: memory
            known = self._undisturbed(name)
            self._begin(place)
            done, when = self._killed(victim, KINDS[name], place, draw)
            verdict = self._go_on(name, done, place)
        if verdict is None:
            found = outcome(place)
            verdict = Decision(SAME) if found == known else Decision(SILENT, "another model or trace")
        return Decision(verdict.outcome, f"{when}; {verdict.message}")

    def _begin(self, place: Path) -> None:
        place.mkdir(parents=True)
        write_inputs(place)
        shutil.copytree(self.materials.of("text corpus") / "corpus", place / "ready")

    def _undisturbed(self, name: str) -> tuple[object, object]:
        if name not in self._known:
            place = self.materials.place / f"spark-{name.replace(' ', '-')}"
            shutil.rmtree(place, ignore_errors=True)
            self._begin(place)
            with Command(KINDS[name], place) as command:
                done = command.wait()
            if done.code != 0:
                raise RuntimeError(said(done))
            self._known[name] = outcome(place)
        return self._known[name]

    def _killed(self, victim: str, words: str, place: Path, draw: random.Random) -> tuple[Done, str]:
        """A run of which a process is killed some steps after its start."""
        steps = draw.randrange(3)
        with Command(words, place) as command:
            while command.alive() and len(steps_in(place)) < steps:
                time.sleep(0.02)
            time.sleep(draw.uniform(0, 0.5))
            hit = victims(victim, command.pid)
            for process in hit[:1]:
                os.kill(process, signal.SIGKILL)
            when = f"{victim} killed after {len(steps_in(place))} steps" if hit else f"no {victim} was there"
            return command.wait(), when

    def _go_on(self, name: str, done: Done, place: Path) -> Decision | None:
        """Resume what was killed; None if the run has ended."""
        if done.code == 0:
            return None
        if done.code != -signal.SIGKILL:  # if something other than the driver dies, one line reports it
            verdict = refusal(done)
            if verdict.outcome == REFUSED and "\n\tat " in done.err:
                verdict = Decision(UNCLEAR, f"Java's stack on standard error: {said(done)}")
            if verdict.outcome != REFUSED:
                return verdict
        words = "resume model --threads 1 --checkpoint-every 0" if (place / "model").exists() else KINDS[name]
        with Command(words, place) as command:
            done = command.wait()
        return None if done.code == 0 else going_on(done)


class Command:
    """The program on Spark, in a session of its own, all of which is gone at the end."""

    def __init__(self, words: str, place: Path) -> None:
        self.words = (*words.split(), *MASTER)
        self.log = place.with_name(f"{place.name}.logs") / "spark"
        self.log.parent.mkdir(exist_ok=True)
        environment = {key: value for key, value in os.environ.items() if key != "SPARK_HOME"}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [PROGRAM, *self.words], cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=log, env=environment, start_new_session=True,
            )  # fmt: skip
        self.pid = self.process.pid

    def __enter__(self) -> "Command":
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()

    def alive(self) -> bool:
        return self.process.poll() is None

    def wait(self) -> Done:
        code: int | None = None
        slow = False
        try:
            code = self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            before = computed(self.pid)
            with suppress(subprocess.TimeoutExpired):
                code = self.process.wait(IDLE)
            slow = code is None and computed(self.pid) - before > 0.02 * IDLE
        return Done(self.words, code, "", self.log.read_text(errors="replace"), slow)


def victims(victim: str, driver: int) -> list[int]:
    """The processes of a kind that a driver has."""
    if victim == "driver":
        return [driver]
    if victim == "jvm":
        return sorted(child for child, words in below(driver).items() if "SparkSubmit" in words)
    found = executors(driver)
    return found if victim == "executor" else [worker for each in found for worker in workers(each)]


def steps_in(place: Path) -> list[str]:
    """The lines of a run's trace."""
    file = place / "model" / "trace.jsonl"
    return file.read_text(errors="replace").splitlines() if file.is_file() else []


def outcome(place: Path) -> tuple[object, object]:
    """A model's topics, and its trace without times."""
    words = [PROGRAM, "topics", "model", "--top", "50", "--json"]
    topics = subprocess.run(words, cwd=place, capture_output=True, text=True, check=False).stdout
    return topics, steps_of((place / "model" / "trace.jsonl").read_bytes())
