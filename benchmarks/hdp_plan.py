"""What runs in the benchmark of HDPs: settings to choose from, steps, and the cells."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cell import Cell
from settings import Settings

ALL_PROGRAMS = ("memoised-SM", "oHDP-SM", "oHDP", "CGS", "gensim HDP", "tomotopy HDP")
PEERS = ("gensim HDP", "tomotopy HDP")
SAMPLERS = ("CGS", "tomotopy HDP")
PASSES = (1, 2, 3, 4, 6, 8, 11, 15, 20, 27, 36, 48, 64)
SWEEPS = (10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1100, 1500)
START = {"gensim HDP": 150, "tomotopy HDP": 2}  # what they begin with when told nothing; ours with 50
TRIES = 5
TRY_PASSES, TRY_SWEEPS = 20, 300  # a try is no longer
MINUTES = (130.0, 330.0)  # short and full, on one idle core

# "start": the number of topics in the beginning, of gensim the truncation
GRIDS: dict[str, list[Settings]] = {
    "memoised-SM": [{"start": 100}, {"eta": 0.1}, {"start": 100, "eta": 0.1}, {"start": 200, "eta": 0.1}],
    "oHDP-SM": [
        {"eta": 0.1},
        {"start": 100, "eta": 0.1},
        {"start": 200, "eta": 0.1},
        {"start": 100, "eta": 0.1, "batch_size": 128, "kappa": 0.7},
    ],
    "oHDP": [
        {"eta": 0.1},
        {"start": 200, "eta": 0.1},
        {"start": 300, "eta": 0.1},
        {"start": 200, "eta": 0.1, "batch_size": 128, "kappa": 0.7},
    ],
    "CGS": [{"start": 100}, {"eta": 0.1}, {"start": 100, "eta": 0.1}, {"start": 2, "eta": 0.1}],
    "gensim HDP": [
        {"kappa": 0.7, "tau": 1.0},
        {"kappa": 0.7, "tau": 1.0, "eta": 0.1},
        {"start": 300, "K": 30, "kappa": 0.7, "tau": 1.0, "eta": 0.1},
        {"kappa": 0.5, "tau": 1.0, "eta": 0.1, "chunksize": 128},
    ],
    "tomotopy HDP": [
        {"start": 100},
        {"eta": 0.1},
        {"start": 100, "eta": 0.1},
        {"start": 100, "eta": 0.1, "alpha": 1.0, "gamma": 1.0},
    ],
}
assert {len(grid) for grid in GRIDS.values()} == {TRIES - 1}


@dataclass(frozen=True)
class Plan:
    """The programs and where they run."""

    programs: tuple[str, ...]
    corpora: tuple[str, ...]
    seeds: tuple[int, ...]
    minutes: float

    def only(self, programs: Sequence[str]) -> "Plan":
        """The plan for some programs."""
        return replace(self, programs=tuple(programs), minutes=self.minutes * len(programs) / 6)

    def tried(self, program: str, settings: Settings) -> Cell:
        """One try: AP, seed 0, scored on the dev split."""
        cell = self.cell(program, settings, "AP", 0)
        most = TRY_SWEEPS if program in SAMPLERS else TRY_PASSES
        return replace(cell, part="dev", at=tuple(step for step in cell.at if step <= most))

    def cell(self, program: str, settings: Settings, corpus: str, seed: int) -> Cell:
        """A program's run at its default ({}) or another setting, until its score is flat."""
        settings = dict(settings)
        start = settings.pop("start", START.get(program, 50))
        at = SWEEPS if program in SAMPLERS else PASSES
        label = ", ".join(f"{name}={value}" for name, value in settings.items()) or "default"
        return Cell(program, start, at, label, settings, corpus, seed, until_flat=True)


def short_plan() -> Plan:
    """AP and NIPS, one seed."""
    return Plan(ALL_PROGRAMS, ("AP", "NIPS"), (0,), MINUTES[0])


def full_plan() -> Plan:
    """The same with three seeds."""
    return Plan(ALL_PROGRAMS, ("AP", "NIPS"), (0, 1, 2), MINUTES[1])
