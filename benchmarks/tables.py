"""From results to rows: the table of programs, the comparisons, Markdown and JSON."""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]

PROGRAMS = (
    "corpus", "K", "seed", "program", "setting", "steps", "CPU s", "CPU s/step", "tokens/s", "peak MB",
    "score", "own inference",
)  # fmt: skip
COMPARISONS = ("what", "K", "ours", "theirs", "ratio", "note")


def line(row: Row, columns: Sequence[str]) -> str:
    """A Markdown row."""
    return "| " + " | ".join(_shown(row.get(name)) for name in columns) + " |"


def head(columns: Sequence[str]) -> str:
    return line({name: name for name in columns}, columns) + "\n|" + "---|" * len(columns)


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return str(value)


def program_row(cell: Any, result: Row) -> Row:
    """One row of the table of programs, or one that says why there is none."""
    row: Row = {"corpus": result.get("corpus", cell.corpus), "K": cell.topics, "seed": cell.seed}
    row |= {"program": cell.program, "setting": cell.label}
    if "error" in result:
        return {**row, "steps": f"did not run: {result['error'][:100]}"}
    end = result["points"][-1]
    return {
        **row,
        "steps": end["step"],
        "CPU s": end["cpu_s"],
        "CPU s/step": result["step_cpu_s"],
        "tokens/s": result["tokens"] / result["step_cpu_s"],
        "peak MB": result["peak_mb"],
        "score": f"{end['score']:.3f}",
        "own inference": None if result["own_score"] is None else f"{result['own_score']:.3f}",
    }


def rate(what: str, topics: int, ours: float, theirs: float, note: str = "") -> Row:
    """A comparison where more is better: tokens a second and the like."""
    return _compared(what, topics, f"{_shown(ours)}/s", f"{_shown(theirs)}/s", ours / theirs, note)


def seconds(what: str, topics: int, ours: float, theirs: float, note: str = "") -> Row:
    """A comparison where less is better."""
    return _compared(what, topics, f"{ours:.3g} s", f"{theirs:.3g} s", theirs / ours, note)


def alone(what: str, topics: int, ours: str, note: str = "") -> Row:
    """A figure of ours that has no peer."""
    return {"what": what, "K": topics, "ours": ours, "theirs": None, "ratio": None, "note": note}


def nothing(what: str, topics: int, why: str) -> Row:
    """A comparison that could not be made, and why."""
    return {
        "what": what,
        "K": topics,
        "ours": None,
        "theirs": None,
        "ratio": None,
        "note": f"not made: {why}",
    }


def to_score(
    what: str, topics: int, ours: Row, theirs: Row, step: int | None = None, start_off: bool = False
) -> Row:
    """CPU seconds to the peer's score: after its step `step`, or its best (`step` None) and when it had that.

    Ours is the first point at or above it, so up to one interval of points too late. `start_off` takes the
    seconds of the peer's first point off its own: what it needs before it learns anything.
    """
    for side, result in (("ours", ours), ("theirs", theirs)):
        if "error" in result:
            return nothing(what, topics, f"{side} did not run ({result['error'][:80]})")
    points = theirs["points"]
    if step is None:
        target = max(points, key=lambda point: point["score"])
    else:
        target = next(point for point in points if point["step"] == step)
    told = f"to {target['score']:.3f} (theirs, step {target['step']})"
    start = points[0]["cpu_s"] if start_off else 0.0
    needed = max(target["cpu_s"] - start, 1e-9)
    if start_off:
        told += f", its first {start:.3g} s, one sweep and the start of Java, not counted"
    reached = next((point for point in ours["points"] if point["score"] >= target["score"]), None)
    if reached is None:
        best = max(ours["points"], key=lambda point: point["score"])
        told += f"; ours got to {best['score']:.3f} in {best['cpu_s']:.3g} s and no further"
        return {
            "what": what, "K": topics, "ours": "not reached", "theirs": f"{needed:.3g} s",
            "ratio": "ours loses", "note": told,
        }  # fmt: skip
    return seconds(what, topics, reached["cpu_s"], needed, f"{told}; ours at step {reached['step']}")


def _compared(what: str, topics: int, ours: str, theirs: str, ratio: float, note: str) -> Row:
    shown = f"{ratio:.2f}×" + ("" if ratio >= 1 else ", ours loses")
    return {"what": what, "K": topics, "ours": ours, "theirs": theirs, "ratio": shown, "note": note}


def options_of(description: str | None, told: str, size: str = "full") -> argparse.ArgumentParser:
    """The options that benchmarks have: a flag for their other `size`, `told` in its help, which the
    environment sets too (FULL=1), and where the tables go."""
    options, name = out_option(description), size.upper()
    on = os.environ.get(name, "") not in ("", "0")
    options.add_argument(f"--{size}", action="store_true", default=on, help=f"{told} ({name}=1)")
    return options


def out_option(description: str | None) -> argparse.ArgumentParser:
    """The option that every benchmark has: where its tables are written."""
    options = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--out", type=Path, default=Path("bench-results"), help="default: bench-results")
    return options


class Report:
    """Prints rows as they come, and keeps both files up to date, so that a run cut short leaves its rows."""

    def __init__(self, out: Path, name: str, about: Row) -> None:
        self.out, self.name = out, name
        self.about = about
        self.rows: dict[str, list[Row]] = {}
        self.text: list[str] = []
        out.mkdir(parents=True, exist_ok=True)

    def say(self, text: str) -> None:
        """A line or paragraph of text."""
        print(text, flush=True)
        self.text.append(text)
        self._write()

    def section(self, title: str, told: str, columns: Sequence[str]) -> None:
        """Begin a table."""
        self.columns, self.title = columns, title
        self.rows[title] = []
        self.say(f"\n## {title}\n\n{told}\n\n{head(columns)}")

    def row(self, row: Row) -> None:
        self.rows[self.title].append(row)
        self.say(line(row, self.columns))

    def _write(self) -> None:
        (self.out / f"{self.name}.md").write_text("\n".join(self.text) + "\n")
        content = {**self.about, "tables": self.rows}
        (self.out / f"{self.name}.json").write_text(json.dumps(content, indent=1, default=str))
