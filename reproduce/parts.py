"""A study of several parts: what each needs and how long it takes, and the files that its results go to."""

import argparse
import json
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from datetime import date
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from reproduce.pages import Section, markdown, page
from reproduce.texts import missing

from stickbreaker.core.files import write_atomic

WORKERS = 2  # runs side by side

Plan = TypeVar("Plan")
Run = TypeVar("Run")


class Part(NamedTuple):
    """A part of a study: the corpora it needs, its minutes on two idle cores (short, full), the function that
    measures it (given whether the size is the full one), and the function that makes its section.

    If its minutes are None, it runs with FULL=1 only.
    """

    needs: tuple[str, ...]
    minutes: tuple[float | None, float]
    measure: Callable[[bool], Any]
    section: Callable[[Any], Section]


class Study(NamedTuple):
    """The name of its files, its title, its introduction (a function of the dates), and its parts."""

    name: str
    title: str
    introduction: Callable[[str], list[str]]
    parts: dict[str, Part]


def main(study: Study, description: str) -> None:
    """Run the parts that the command line asks for, and write the files after each."""
    args = arguments(study, description)
    parts = {name: part for name, part in study.parts.items() if not args.parts or name in args.parts}
    for name, part in list(parts.items()):
        lines = missing(part.needs)
        if part.minutes[args.full] is None:
            print(f"left out: {name}, which runs with FULL=1 only")
            del parts[name]
        elif lines:
            print("\n".join([*lines, f"left out: {name}"]))
            del parts[name]
    if not parts:
        raise SystemExit("nothing to do")
    minutes = sum(part.minutes[args.full] or 0.0 for part in parts.values())
    long = f"{minutes:.0f} minutes" if minutes < 120 else f"{minutes / 60:.0f} hours"
    print(f"{', '.join(parts)}: about {long} on two idle cores.", flush=True)
    results = read(study, args.out)
    for name, part in parts.items():
        results["parts"][name] = json.loads(json.dumps(part.measure(args.full)))
        results["dates"][name] = date.today().isoformat()
        write(study, args.out, results)
        print(markdown(study.title, (), [part.section(results["parts"][name])]), flush=True)
    print(f"\nWritten: {args.out}/{study.name}.md, .html and .json")


def side_by_side(
    plans: Iterable[Plan], learn: Callable[[Plan], Run], summary: Callable[[Run], str]
) -> list[Run]:
    """All runs, two at a time in processes of their own; a line is printed as each ends.

    If WORKERS is 1, they run in this process. learn: a function of a module.
    """
    plans = list(plans)
    if WORKERS == 1:
        runs = []
        for plan in plans:
            runs.append(learn(plan))
            print(summary(runs[-1]), flush=True)
        return runs
    with ProcessPoolExecutor(WORKERS, get_context("spawn")) as pool:
        started = [pool.submit(learn, plan) for plan in plans]
        for ended in as_completed(started):
            print(summary(ended.result()), flush=True)
        return [one.result() for one in started]


def arguments(study: Study, description: str) -> argparse.Namespace:
    """The parts to run, the size, and the folder of the files."""
    options = options_of(description, "reproduce-results", "the paper's sizes")
    options.add_argument(
        "parts", nargs="*", metavar="PART", help=f"{', '.join(study.parts)}; others stay as they were"
    )
    args = options.parse_args()
    for name in args.parts:
        if name not in study.parts:
            options.error(f"there is no part {name!r}; the parts are {', '.join(study.parts)}")
    return args


def options_of(
    description: str | None, out: str, other_size: str | None = None, flag: str = "full"
) -> argparse.ArgumentParser:
    """A parser with --out, whose default is `out`, and a flag for another size, described by `other_size`.

    The flag's name in capitals is an environment variable that sets it too (FULL=1).
    """
    options = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--out", type=Path, default=Path(out), help=f"default: {out}")
    if other_size is not None:
        variable = flag.upper()
        is_on = os.environ.get(variable, "") not in ("", "0")
        options.add_argument(
            f"--{flag}", action="store_true", default=is_on, help=f"{other_size} ({variable}=1)"
        )
    return options


def read(study: Study, out: Path) -> dict[str, Any]:
    """The results of earlier runs."""
    kept = out / f"{study.name}.json"
    if kept.exists():
        return json.loads(kept.read_text(encoding="utf-8"))
    return {"dates": {}, "parts": {}}


def write(study: Study, out: Path, results: dict[str, Any]) -> None:
    """Write all three files from the results so far."""
    out.mkdir(parents=True, exist_ok=True)
    done = [name for name in study.parts if name in results["parts"]]
    sections = [study.parts[name].section(results["parts"][name]) for name in done]
    introduction = study.introduction(", ".join(sorted({results["dates"][name] for name in done})))
    files = {
        "json": json.dumps(results, indent=1),
        "md": markdown(study.title, introduction, sections),
        "html": page(study.title, introduction, sections),
    }
    for kind, text in files.items():
        write_atomic(out / f"{study.name}.{kind}", text.encode("utf-8"))
