"""The audit: tries of many kinds, a table of what became of them, and how to repeat those that failed.

`python -m audit --minutes 60 --seed 0 --parts "kills flips"`; `make audit` runs it.
"""

import argparse
import sys
from pathlib import Path

from audit.run import PARTS, Audit


def arguments() -> argparse.Namespace:
    options = argparse.ArgumentParser(
        "python -m audit", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--parts", default=" ".join(PARTS), help=f"some of: {', '.join(PARTS)}")
    options.add_argument("--minutes", type=float, default=60.0, help="default: 60")
    options.add_argument("--seed", type=int, default=0, help="default: 0")
    options.add_argument("--jobs", type=int, default=2, help="tries side by side; default: 2")
    options.add_argument("--sample", action="store_true", help="a few tries of each part, as tests make them")
    options.add_argument("--kinds", help="only these kinds, comma-separated")
    options.add_argument("--number", type=int, help="only the try of this number; what it does is kept")
    options.add_argument("--place", type=Path, help="a folder for what tries make; default: a temporary one")
    given = options.parse_args()
    given.parts = given.parts.replace(",", " ").split()
    if unknown := set(given.parts) - set(PARTS):
        options.error(f"there are no parts {', '.join(sorted(unknown))}; there are: {', '.join(PARTS)}")
    return given


def main() -> int:
    given = arguments()
    sys.stdout.reconfigure(errors="backslashreplace")  # pyright: ignore[reportAttributeAccessIssue]
    kinds = None if given.kinds is None else [kind.strip() for kind in given.kinds.split(",")]
    audit = Audit(given.seed, given.jobs, place=given.place, progress=lambda line: print(line, flush=True))
    with audit:
        for part, seconds in audit.shares(given.parts, given.minutes * 60):
            limit = None if given.sample or given.number is not None else seconds
            audit.run(part, seconds=limit, kinds=kinds, number=given.number)
        print(audit.table())
        return 1 if audit.failures() else 0


if __name__ == "__main__":
    sys.exit(main())
