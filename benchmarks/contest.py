"""Programs that compete: cells (one program with one setting on one corpus), their results, the choice of
each program's best setting, the table of programs, and a summary of where ours loses."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.harness import Report, Row
from benchmarks.processes import Result

from stickbreaker.core.files import write_atomic

Settings = dict[str, Any]

TRIES = 5  # of every program: its default and the other settings of its grid


@dataclass(frozen=True)
class Cell:
    """A run. `at`: the steps after which the topics are scored; the last ends the run.

    `until_flat`: the run ends earlier if the score on the dev split is flat. `where`: a master of Spark, or
    "1 thread", "2 threads".
    """

    program: str
    topics: int
    at: tuple[int, ...]
    label: str = "default"
    settings: Settings = field(default_factory=dict)
    corpus: str = "AP"
    seed: int = 0
    part: str = "test"
    threads: int = 1
    mallet: str | None = None
    until_flat: bool = False
    where: str = "1 thread"

    @property
    def key(self) -> str:
        """The cell as JSON."""
        return json.dumps(asdict(self), sort_keys=True)


class Runs:
    """Results of cells. Each cell runs once, so that several sections can use its result.

    After `open`, results are kept in a file too, and a benchmark that was cut short continues from it. There
    they are known by the cell and by the code that it depends on, so that a change of the code runs it again.
    Errors are not kept in the file.
    """

    def __init__(
        self, measure: Callable[[Cell], Result], code_of: Callable[[Cell], str] = lambda _: ""
    ) -> None:
        self.measure, self.code_of = measure, code_of
        self.path: Path | None = None
        self.results: dict[str, Result] = {}

    def open(self, path: Path) -> int:
        """Continue from a file, if it exists, and add to it; returns how many results it has."""
        self.path = path
        self.results = json.loads(path.read_text()) if path.exists() else {}
        return len(self.results)

    def __call__(self, cell: Cell) -> Result:
        """The cell's result, or {"error": why it failed}."""
        key = json.dumps([cell.key, self.code_of(cell)])
        if key not in self.results:
            self.results[key] = {**self.measure(cell), "at": datetime.now().isoformat(" ", "minutes")}
            if self.path is not None:
                done = {key: result for key, result in self.results.items() if "error" not in result}
                write_atomic(self.path, json.dumps(done).encode())
        return self.results[key]


@cache
def digest(*files: Path) -> str:
    """A digest of the files' contents."""
    return hashlib.blake2b(b"".join(file.read_bytes() for file in files), digest_size=8).hexdigest()


def settings_text(settings: Settings) -> str:
    """Settings in words; the number of topics at the start has a column of its own.

    >>> settings_text({"start": 100, "eta": 0.1}), settings_text({})
    ('eta=0.1', 'default')
    """
    return ", ".join(f"{name}={value}" for name, value in settings.items() if name != "start") or "default"


def in_numbers(settings: Settings, n_topics: int) -> Settings:
    """Settings with "10/K" and the like as numbers.

    >>> in_numbers({"alpha": "10/K", "eta": 0.1}, 20)
    {'alpha': 0.5, 'eta': 0.1}
    """
    return {
        key: float(value[:-2]) / n_topics if isinstance(value, str) and value.endswith("/K") else value
        for key, value in settings.items()
    }


def best_settings(
    report: Report,
    grids: Mapping[str, Sequence[Settings]],
    cell_of: Callable[[str, Settings], Cell],
    runs: Runs,
) -> dict[str, Settings]:
    """The setting of each program with the best score on the dev split, its default ({}) among them; a row
    for each try."""
    best: dict[str, Settings] = {}
    for program, grid in grids.items():
        tries: list[tuple[float, Settings, Row]] = []
        for settings in ({}, *grid):
            cell = cell_of(program, settings)
            result, score = runs(cell), float("-inf")
            row = {"program": program, "start": cell.topics, "setting": settings_text(settings)}
            if "error" in result:
                row |= {"steps": cell.at[-1], "dev score": f"did not run: {result['error'][:100]}"}
            else:
                end = result["points"][-1]
                score = end["score"]
                row |= {**point_row(end), "dev score": f"{score:.3f}"}
            tries.append((score, settings, row))
        chosen = max(tries, key=lambda one: one[0])
        best[program] = chosen[1]
        for one in tries:
            report.row({**one[2], "chosen": one is chosen and one[0] > float("-inf")})
    return best


def point_row(point: Row) -> Row:
    """The columns of a point at which a run was scored."""
    row = {"steps": point["step"], "topics": point["topics"], "score": f"{point['score']:.3f}"}
    return {**row, "CPU s": point["cpu_s"], "wall s": point["wall_s"]}


def program_table(report: Report, cells: Iterable[Cell], runs: Runs) -> None:
    """A row for each cell, or one that says why there is none; before the first of a corpus one for the score
    of word frequencies."""
    corpora: set[str] = set()
    for cell in cells:
        result = runs(cell)
        corpus = result.get("corpus", cell.corpus)
        if "unigram" in result and corpus not in corpora:
            corpora.add(corpus)
            report.row({"corpus": corpus, "program": "unigram", "score": f"{result['unigram']:.3f}"})
        row: Row = {"corpus": corpus, "K": cell.topics, "start": cell.topics, "seed": cell.seed}
        row |= {"program": cell.program, "setting": cell.label}
        if "error" in result:
            report.row({**row, "steps": f"did not run: {result['error'][:100]}"})
            continue
        own, seconds = result["own_score"], result["step_cpu_s"]
        row |= {**point_row(result["points"][-1]), "own inference": None if own is None else f"{own:.3f}"}
        row |= {"CPU s/step": seconds, "tokens/s": result["tokens"] / seconds, "peak MB": result["peak_mb"]}
        report.row(row)


def losses(report: Report, ours: Sequence[str], places: Sequence[str]) -> str:
    """Where ours is behind: in comparisons, and in the table of programs by score in rows with equal
    `places`."""
    found = [
        f"- {row['what']}, K = {row['K']}: {row['ratio']} ({row['note']})"
        for rows in report.rows.values()
        for row in rows
        if "loses" in str(row.get("ratio"))
    ]
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in report.rows["Programs"]:
        if "score" in row and row["program"] != "unigram":
            groups.setdefault(tuple(row[name] for name in places), []).append(row)
    for place, rows in sorted(groups.items()):
        rows.sort(key=lambda row: -float(row["score"]))
        own = [row for row in rows if row["program"] in ours]
        if own and own[0] is not rows[0]:
            where = ", ".join(f"{name} {value}" for name, value in zip(places, place, strict=True))
            found.append(
                f"- score on {where}: {rows[0]['program']} ({rows[0]['setting']}) {rows[0]['score']}, "
                f"our best {own[0]['program']} {own[0]['score']}"
            )
    return "\n## Where ours loses\n\n" + ("\n".join(found) if found else "In no row above.")
