"""Which cells the benchmark of LDA runs, short and full, and about how long they take."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from benchmarks.contest import TRIES, Cell, Settings
from benchmarks.settings import GRIDS, OURS

ALL_PROGRAMS = (*OURS, "scikit-learn", "gensim", "tomotopy", "vowpal wabbit", "mallet")
SAMPLERS = ("gibbs", "gibbs-delayed", "tomotopy", "mallet")  # a step is a sweep
WHOLE_RUNS = ("vowpal wabbit", "mallet")  # every point is a run of its own
SLOW = ("scikit-learn", "gensim", "vowpal wabbit")  # fewer passes at K above 100
# largest K of the short plan, if it is not the largest of all
SHORT_LIMITS = {"mean-field online": 100, "gensim": 100, "vowpal wabbit": 100, "scikit-learn": 500}
GRID_K = 100
PASSES = (1, 2, 3, 4, 6, 10, 20)
SWEEPS = (25, 50, 100, 200, 300)
MORE_SWEEPS = (400, 600, 800, 1000)
TOKENS = {"AP": 0.35, "NIPS": 1.55}  # millions in the training part
# CPU seconds of a step for a million tokens at K = 100, and the power of K that it grows with
RATES = {
    "mean-field": (0.9, 1.0),
    "mean-field online": (1.0, 1.0),
    "hybrid": (1.0, 0.8),
    "gibbs": (0.08, 0.5),
    "gibbs-delayed": (0.05, 0.1),
    "scikit-learn": (5.5, 1.0),
    "gensim": (10.0, 0.7),
    "tomotopy": (0.18, 0.87),
    "vowpal wabbit": (9.0, 1.0),
    "mallet": (0.12, 0.3),
}


@dataclass(frozen=True)
class Plan:
    """The programs and where they run."""

    programs: tuple[str, ...]
    topics: tuple[int, ...]
    seeds: tuple[int, ...]
    corpora: tuple[str, ...]
    full: bool
    mallet: str | None

    def grid_cell(self, program: str, settings: Settings) -> Cell:
        """One try."""
        steps = 100 if program in SAMPLERS else 5 if program in SLOW else 10
        label = "try" if settings else "default"
        return Cell(program, GRID_K, (steps,), label, settings, part="dev", mallet=self.mallet)

    def points(self, program: str, topics: int) -> tuple[int, ...]:
        """After which steps a program is scored; the last ends its run."""
        if program in SAMPLERS:
            sweeps = (*SWEEPS, *MORE_SWEEPS) if self.full else SWEEPS
            if program == "gibbs-delayed":  # its sweeps are quick, and it needs more of them
                return (*sweeps, 2 * sweeps[-1])
            if program == "gibbs" and topics > 500 and not self.full:
                return (25, 40, 50, 100, 300)
            if program == "gibbs" and topics >= 500:  # a short way to a peer's score after 50
                return (25, 40, *sweeps[1:])
            return (1, 50, sweeps[-1]) if program == "mallet" else sweeps
        if program == "vowpal wabbit":
            return (1, 10) if self.full and topics <= GRID_K else (1, 5)
        if topics > GRID_K:
            return (5,) if program in SLOW else (10, 20) if self.full else (10,)
        if program == "gensim" and not self.full:
            return PASSES[:-1]
        return PASSES

    def cell(self, program: str, topics: int, settings: Settings, corpus: str = "AP", seed: int = 0) -> Cell:
        """A program's run at its default ({}) or best setting."""
        label = "best of the tries" if settings else "default"
        return Cell(
            program, topics, self.points(program, topics), label, settings, corpus, seed, mallet=self.mallet
        )

    def program_cells(self, best: dict[str, Settings]) -> Iterator[Cell]:
        """The table of programs, in order. Defaults run at K = 100 only (one row if a default won); slow
        programs run one seed above it, and in the short plan not the largest K (SHORT_LIMITS)."""
        for corpus in self.corpora:
            for topics in self.topics:
                for seed in self.seeds:
                    for program in self.programs:
                        if not self.full and topics > SHORT_LIMITS.get(program, topics):
                            continue
                        if topics > GRID_K and program in SLOW and seed != self.seeds[0]:
                            continue
                        tries = [best.get(program, {})]
                        if tries[0] and topics == GRID_K:
                            tries = [{}, *tries]
                        for settings in tries:
                            yield self.cell(program, topics, settings, corpus, seed)

    def only(self, programs: Sequence[str], topics: Sequence[int] | None) -> "Plan":
        """The plan for some programs and some K."""
        return replace(self, programs=tuple(programs), topics=tuple(topics or self.topics))

    def minutes(self) -> float:
        """About how long it takes, comparisons included."""
        total = sum(TRIES * estimate(self.grid_cell(name, {})) for name in self.programs)
        longest = {name: GRIDS[name][0] for name in self.programs}
        total += sum(estimate(cell) for cell in self.program_cells(longest))
        return 1.1 * total / 60 + COMPARISON_MINUTES


COMPARISON_MINUTES = 6  # those runs that only a comparison needs


def estimate(cell: Cell) -> float:
    """Seconds of a cell: its steps, a start, and a score for each point."""
    rate, power = RATES[cell.program]
    again = cell.program in OURS or cell.program in WHOLE_RUNS
    steps = sum(cell.at) if again else cell.at[-1]
    scores = len(cell.at) * (0.3 + cell.topics / 400)
    return 5 + scores + steps * rate * TOKENS[cell.corpus] * (cell.topics / 100) ** power


def short_plan(mallet: str | None) -> Plan:
    """AP, one seed, K = 100, 500, 1000."""
    return Plan(ALL_PROGRAMS, (100, 500, 1000), (0,), ("AP",), False, mallet)


def full_plan(mallet: str | None) -> Plan:
    """Everything: AP and NIPS, K = 50 to 1000, three seeds. About twenty hours of a core."""
    return Plan(ALL_PROGRAMS, (50, 100, 200, 500, 1000), (0, 1, 2), ("AP", "NIPS"), True, mallet)
