"""What all benchmarks share: options, tables that are printed row by row and kept in files, and the
machine."""

import argparse
import json
import os
import platform
from collections.abc import Callable, Sequence
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from reproduce.pages import shown, table_head, table_row
from reproduce.parts import options_of
from reproduce.texts import missing

Row = dict[str, Any]

PACKAGES = ("scikit-learn", "gensim", "tomotopy", "vowpalwabbit", "pyspark", "numpy", "numba")


def options(
    description: str | None, other_size: str | None = None, flag: str = "full"
) -> argparse.ArgumentParser:
    """The options of every benchmark: --out, and a flag if it has another size."""
    return options_of(description, "bench-results", other_size, flag)


def run(
    name: str,
    title: str,
    parser: argparse.ArgumentParser,
    measure: Callable[["Report", argparse.Namespace], None],
) -> None:
    """Run a benchmark: its tables go to NAME.md and NAME.json in the folder of the option --out."""
    args = parser.parse_args()
    report = Report(args.out, name)
    report.say(f"# {title}\n\n{machine()}\n")
    measure(report, args)
    print(f"\nWritten: {args.out / name}.md and {name}.json")


def print_minutes(minutes: float) -> None:
    """Print how long the benchmark will take."""
    print(f"About {minutes:.0f} minutes on one idle core.", flush=True)


class Report:
    """The tables of a benchmark. Rows are printed as they come, and both files are rewritten after each, so
    that a run that is cut short leaves its rows."""

    def __init__(self, out: Path, name: str) -> None:
        self.out, self.name = out, name
        self.about = {"date": date.today().isoformat(), "machine": machine(), "versions": versions()}
        self.rows: dict[str, list[Row]] = {}
        self.text: list[str] = []
        out.mkdir(parents=True, exist_ok=True)

    def say(self, text: str) -> None:
        """Print a line or a paragraph and keep it."""
        print(text, flush=True)
        self.text.append(text)
        (self.out / f"{self.name}.md").write_text("\n".join(self.text) + "\n")
        content = {**self.about, "tables": self.rows}
        (self.out / f"{self.name}.json").write_text(json.dumps(content, indent=1, default=str))

    def has(self, *corpora: str) -> bool:
        """Whether the files of corpora exist; reports those that do not."""
        lines = missing(corpora)
        for line in lines:
            self.say(line)
        return not lines

    def section(self, title: str, text: str, columns: Sequence[str]) -> None:
        """Begin a table."""
        self.columns, self.title = columns, title
        self.rows[title] = []
        self.say(f"\n## {title}\n\n{text}\n\n{table_head(columns)}")

    def row(self, row: Row) -> None:
        """Add a row to the table; keys that are not columns are left out."""
        self.rows[self.title].append({name: row[name] for name in self.columns if name in row})
        self.say(table_row([row.get(name) for name in self.columns], four_digits))


def four_digits(value: Any) -> str:
    """A cell as text, numbers below a thousand with four significant digits.

    >>> four_digits(0.012345), four_digits(12345.6), four_digits(True), four_digits(None)
    ('0.01235', '12,346', 'yes', '–')
    """
    return f"{value:.4g}" if isinstance(value, float) and abs(value) < 1000 else str(shown(value))


def versions() -> dict[str, str]:
    """The versions of the packages that are measured or that measure."""
    found: dict[str, str] = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "missing"
    return found


def machine() -> str:
    """The processor, cores, Python and load, in a line."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "")
    return (
        f"{model or platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}, load {os.getloadavg()[0]:.1f} at the start."
    )
