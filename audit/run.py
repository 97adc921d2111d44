"""Makes tries side by side until time is up, and counts what became of them."""

import random
import shutil
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from pathlib import Path

from audit.disks import Disks
from audit.extremes import Extremes
from audit.flips import Flips
from audit.foreign import Foreign
from audit.fuzz import Fuzz
from audit.kills import Kills, Signals
from audit.materials import Materials
from audit.meanwhile import Meanwhile
from audit.parts import Part
from audit.paths import Paths
from audit.permissions import Permissions
from audit.processes import Processes
from audit.results import HELD, SILENT, SLOW, TRACEBACK, Decision, Result
from audit.spark import Spark
from audit.threads import Threads

KINDS_OF_FAULT: tuple[type[Part], ...] = (
    Kills,
    Signals,
    Paths,
    Processes,
    Flips,
    Foreign,
    Disks,
    Meanwhile,
    Fuzz,
    Extremes,
    Threads,
    Permissions,
    Spark,
)
PARTS = {part.name: part for part in KINDS_OF_FAULT}
SHOWN = 40  # failures of a kind and outcome in full
MOST_BROKEN = 20  # tries that the audit itself could not make
EVERY = 30.0  # seconds from one line of progress to the next


class Audit:
    """Tries of parts, with what they need in a folder of its own."""

    def __init__(
        self,
        seed: int = 0,
        jobs: int = 2,
        place: Path | None = None,
        progress: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.seed = seed
        self.jobs = jobs
        self.progress = progress
        self.results: list[Result] = []
        self.broken = 0
        self._kept = place
        self._parts: dict[str, Part] = {}

    def __enter__(self) -> "Audit":
        made = self._kept or Path(tempfile.mkdtemp(prefix="audit-"))
        made.mkdir(parents=True, exist_ok=True)
        self.place = made.resolve()
        self.materials = Materials(self.place / "materials")
        return self

    def __exit__(self, *_: object) -> None:
        if self._kept is None:
            shutil.rmtree(self.place, ignore_errors=True)

    def part(self, name: str) -> Part:
        """A part, with its materials."""
        if name not in self._parts:
            self._parts[name] = PARTS[name](self.materials)
        return self._parts[name]

    def shares(self, names: Sequence[str], seconds: float) -> Iterator[tuple[str, float]]:
        """The time of each part; what one leaves goes to those after it."""
        end = time.monotonic() + seconds
        for position, name in enumerate(names):
            rest = sum(PARTS[other].weight for other in names[position:])
            yield name, max(0.0, end - time.monotonic()) * PARTS[name].weight / rest

    def run(
        self,
        name: str,
        *,
        seconds: float | None = None,
        kinds: Sequence[str] | None = None,
        number: int | None = None,
        sample: int | None = None,
    ) -> list[Result]:
        """Tries of a part: for a number of seconds, or one number, or a sample of each kind."""
        part = self.part(name)
        wanted = [kind for kind in part.kinds() if kinds is None or kind in kinds]
        if number is not None:
            work = iter([(kind, number) for kind in wanted])
        else:
            most = (sample or part.sample) if seconds is None else None
            work = self._numbers(part, wanted, most)
        begun = time.monotonic()
        before, shown = len(self.results), begun
        self.progress(f"{name}: {len(wanted)} kinds" + ("" if seconds is None else f", {seconds:.0f} s"))
        with ThreadPoolExecutor(self.jobs) as pool:
            under_way: set[Future[Result]] = set()
            going = True
            while going or under_way:
                while going and len(under_way) < self.jobs:
                    over = seconds is not None and time.monotonic() - begun > seconds
                    following = None if over else next(work, None)
                    going = following is not None
                    if following is not None:
                        under_way.add(pool.submit(self._try, part, *following))
                done, under_way = wait_for(under_way, return_when="FIRST_COMPLETED", timeout=EVERY)
                for future in done:
                    self._note(future.result())
                if time.monotonic() - shown > EVERY:
                    shown = time.monotonic()
                    self.progress(self._line(name, before, shown - begun))
        self.progress(self._line(name, before, time.monotonic() - begun))
        return self.results[before:]

    def _numbers(self, part: Part, kinds: Sequence[str], most: int | None) -> Iterator[tuple[str, int]]:
        """Kinds in turn, in an order by the seed: the first try of each, then the second, and so on; or a
        sample of `most`."""
        draw = random.Random(f"{self.seed}/{part.name}")
        kinds = shuffled = draw.sample(kinds, len(kinds))
        if most is not None:
            for number in range(most):
                kind = shuffled[number % len(kinds)]
                yield kind, draw.randrange(part.size(kind) or 1_000)
            return
        number = 0
        while kinds:
            sizes = {kind: part.size(kind) for kind in kinds}
            kinds = [kind for kind in kinds if sizes[kind] is None or number < (sizes[kind] or 0)]
            yield from ((kind, number) for kind in kinds)
            number += 1

    def _try(self, part: Part, kind: str, number: int) -> Result:
        draw = random.Random(f"{self.seed}/{part.name}/{kind}/{number}")
        place = self.place / "tries" / f"{part.name}-{kind.replace(' ', '-').replace('/', '-')}-{number}"
        place.parent.mkdir(exist_ok=True)
        for folder in (place, place.with_name(f"{place.name}.logs")):
            shutil.rmtree(folder, ignore_errors=True)
        try:
            verdict = part.attempt(kind, number, draw, place)
        except Exception:  # of the audit itself: it must not pass for a try that held
            self.broken += 1
            if self.broken > MOST_BROKEN:
                raise
            verdict = Decision(TRACEBACK, f"the audit failed: {traceback.format_exc()[-1500:]}")
        result = Result(part.name, kind, number, self.seed, *verdict)
        if result.held or self._kept is None:
            for folder in (place, place.with_name(f"{place.name}.logs")):
                shutil.rmtree(folder, ignore_errors=True)
        return result

    def _note(self, result: Result) -> None:
        self.results.append(result)
        if result.failed:
            self.progress(f"{result.outcome.upper()}: {result.message}\n    again: {result.repeat}")

    def _line(self, name: str, before: int, seconds: float) -> str:
        results = self.results[before:]
        outcomes = Counter(result.outcome for result in results)
        told = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
        return f"{name}: {len(results)} tries in {seconds:.0f} s: {told}"

    def failures(self) -> list[Result]:
        """The tries that did not hold."""
        return [result for result in self.results if result.failed]

    def table(self) -> str:
        """Part, kind, tries, held, silent, traceback, other, and the failures with what repeats them."""
        counts: dict[tuple[str, str], Counter[str]] = {}
        for result in self.results:
            counts.setdefault((result.part, result.kind), Counter())[result.outcome] += 1
        head = f"{'part':10} {'kind':32} {'tries':>6} {'held':>6} {'silent':>6} {'traceback':>9}  other"
        lines = ["", head]
        for (part, kind), outcomes in counts.items():
            held = sum(outcomes[outcome] for outcome in HELD)
            rest = {name: n for name, n in outcomes.items() if name not in (*HELD, SILENT, TRACEBACK)}
            other = ", ".join(f"{n} {name}" for name, n in rest.items())
            lines.append(
                f"{part:10} {kind[:32]:32} {outcomes.total():6} {held:6} {outcomes[SILENT]:6} "
                f"{outcomes[TRACEBACK]:9}  {other}"
            )
        failures = self.failures()
        slow = sum(result.outcome == SLOW for result in self.results)
        lines += ["", f"{len(self.results)} tries, seed {self.seed}; {len(failures)} failed, {slow} {SLOW}"]
        shown: Counter[tuple[str, str, str]] = Counter()
        for result in failures:
            shown[result.part, result.kind, result.outcome] += 1
            if shown[result.part, result.kind, result.outcome] <= SHOWN:
                lines.append(f"{result.outcome}: {result.message}\n    again: {result.repeat}")
        return "\n".join(lines)
