"""Which cells the benchmark of HDPs runs: the settings to choose from and the steps."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from benchmarks.contest import TRIES, Cell, Settings, settings_text

ALL_PROGRAMS = ("memoised-SM", "oHDP-SM", "oHDP", "CGS", "gensim HDP", "tomotopy HDP")
PEERS = ("gensim HDP", "tomotopy HDP")
SAMPLERS = ("CGS", "tomotopy HDP")
PASSES = (1, 2, 3, 4, 6, 8, 11, 15, 20, 27, 36, 48, 64)
SWEEPS = (10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1100, 1500)
START = {"gensim HDP": 150, "tomotopy HDP": 2}  # topics that they start from by default; ours from 50
TRY_PASSES, TRY_SWEEPS = 20, 300  # the longest try
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

    def grid_cell(self, program: str, settings: Settings) -> Cell:
        """One try: AP, seed 0, scored on the dev split."""
        cell = self.cell(program, settings, "AP", 0)
        most = TRY_SWEEPS if program in SAMPLERS else TRY_PASSES
        return replace(cell, part="dev", at=tuple(step for step in cell.at if step <= most))

    def cell(self, program: str, settings: Settings, corpus: str, seed: int) -> Cell:
        """A program's run at its default ({}) or another setting, until its score is flat."""
        start = settings.get("start", START.get(program, 50))
        given = {name: value for name, value in settings.items() if name != "start"}
        at = SWEEPS if program in SAMPLERS else PASSES
        return Cell(program, start, at, settings_text(given), given, corpus, seed, until_flat=True)

    def program_cells(self, best: dict[str, Settings]) -> Iterator[Cell]:
        """The table of programs, in order, at their best setting and, on AP with seed 0, at their default."""
        for corpus in self.corpora:
            for seed in self.seeds:
                for program in self.programs:
                    if best[program] and (corpus, seed) == (self.corpora[0], self.seeds[0]):
                        yield self.cell(program, {}, corpus, seed)
                    yield self.cell(program, best[program], corpus, seed)


def short_plan() -> Plan:
    """AP and NIPS, one seed."""
    return Plan(ALL_PROGRAMS, ("AP", "NIPS"), (0,), MINUTES[0])


def full_plan() -> Plan:
    """The same with three seeds."""
    return Plan(ALL_PROGRAMS, ("AP", "NIPS"), (0, 1, 2), MINUTES[1])
