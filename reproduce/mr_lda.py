"""Chapter 3 of the thesis (Mr. LDA) once more: its tables and its figure, beside the paper's.

`make reproduce-mr-lda` runs all parts and says first how long that takes; `FULL=1` (or --full) takes more
seeds and the whole of 20 Newsgroups. The results are printed as they come and kept in reproduce-results/ as
mr-lda.json, mr-lda.md and mr-lda.html after each part, so that a run cut short leaves what it had.
"""

import argparse
import json
import os
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import curves
import features
import guided
import likelihood
import mr_lda_spark
import polylingual
from texts import missing

from pages import Section, markdown, page
from stickbreaker.core.files import write_atomic

TITLE = "Mr. LDA, reproduced"


class Part(NamedTuple):
    """What a part needs, its minutes on two idle cores (short, full), and how it is measured and told."""

    needs: tuple[str, ...]
    minutes: tuple[float, float]
    measure: Callable[[bool], Any]
    section: Callable[[Any], Section]


PARTS = {
    "features": Part((), (0, 0), features.measure, features.section),
    "guided": Part(("AP", "blogs", "lexicon"), (1, 1), guided.measure, guided.section),
    "polylingual": Part(
        ("LibreOffice", "manuals", "GIMP"), (7, 12), polylingual.measure, polylingual.section
    ),
    "likelihood": Part(("AP", "20 Newsgroups, whole"), (8, 30), curves.measure, likelihood.section),
    "combining": Part(("20 Newsgroups",), (5, 15), mr_lda_spark.measure, mr_lda_spark.section),
}


def main() -> None:
    args = arguments()
    parts = {name: part for name, part in PARTS.items() if not args.only or name in args.only}
    for name, part in list(parts.items()):
        lines = missing(part.needs)
        if lines:
            print("\n".join([*lines, f"left out: {name}"]))
            del parts[name]
    if not parts:
        raise SystemExit("nothing to do")
    minutes = sum(part.minutes[args.full] for part in parts.values())
    print(f"{', '.join(parts)}: about {minutes:.0f} minutes on two idle cores.", flush=True)
    results = read(args.out)
    for name, part in parts.items():
        results["parts"][name] = json.loads(json.dumps(part.measure(args.full)))
        results["dates"][name] = date.today().isoformat()
        write(args.out, results)
    print(f"\nWritten: {args.out}/mr-lda.md, .html and .json")


def arguments() -> argparse.Namespace:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    full = os.environ.get("FULL", "") not in ("", "0")
    options.add_argument(
        "--full", action="store_true", default=full, help="more seeds, whole corpora (FULL=1)"
    )
    options.add_argument(
        "--only", nargs="+", choices=tuple(PARTS), help="only these parts; others stay as they were"
    )
    options.add_argument(
        "--out", type=Path, default=Path("reproduce-results"), help="default: reproduce-results"
    )
    return options.parse_args()


def read(out: Path) -> dict[str, Any]:
    """What earlier runs measured."""
    kept = out / "mr-lda.json"
    if kept.exists():
        return json.loads(kept.read_text(encoding="utf-8"))
    return {"dates": {}, "parts": {}}


def write(out: Path, results: dict[str, Any]) -> None:
    """All three files, from what was measured so far."""
    out.mkdir(parents=True, exist_ok=True)
    done = [name for name in PARTS if name in results["parts"]]
    sections = [PARTS[name].section(results["parts"][name]) for name in done]
    dates = ", ".join(sorted({results["dates"][name] for name in done}))
    told = [
        "K. Zhai, Models, Inference, and Implementation for Scalable Probabilistic Models of Text "
        "(University of Maryland, 2014), chapter 3: its tables and its figure, measured again. TREC, the "
        "Wikipedia pairs and LIWC may not be passed on, and a cluster was not at hand: the corpora are "
        "smaller ones of the same kind, on one machine. What contradicts the thesis is printed as it came.",
        f"Measured {dates}.",
    ]
    files = {
        "json": json.dumps(results, indent=1),
        "md": markdown(TITLE, told, sections),
        "html": page(TITLE, told, sections),
    }
    for kind, text in files.items():
        write_atomic(out / f"mr-lda.{kind}", text.encode("utf-8"))


if __name__ == "__main__":
    main()
