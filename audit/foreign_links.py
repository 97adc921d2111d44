"""Links and pipes in place of files and folders."""

import os
import random
import shutil
from pathlib import Path

OUTSIDE = "outside"  # the folder with the user's own files


def entries(place: Path, name: str) -> list[Path]:
    """The files and folders of a model or corpus."""
    return sorted((place / name).rglob("*"))


def link_out(place: Path, name: str, draw: random.Random) -> tuple[str, Path]:
    """Put a link in place of a file or folder; it leads to one of the user's, of the same content."""
    entry = draw.choice(entries(place, name))
    outside = place.with_name(f"{place.name}.{OUTSIDE}")
    shutil.rmtree(outside, ignore_errors=True)
    outside.mkdir()
    target = outside / entry.name
    shutil.move(entry, target)
    entry.symlink_to(target)
    age(outside)
    return f"{entry.relative_to(place)} is a link", outside


def pipe(place: Path, name: str, draw: random.Random) -> str:
    """Put a pipe in place of a file; nobody writes to it."""
    entry = draw.choice([entry for entry in entries(place, name) if entry.is_file()])
    entry.unlink()
    os.mkfifo(entry)
    return f"{entry.relative_to(place)} is a pipe"


def age(folder: Path) -> None:
    """Make files look as if they had last been read long ago, so that a read shows."""
    for file in folder.rglob("*"):
        os.utime(file, (1_000_000_000, 1_100_000_000))


def times(outside: Path) -> dict[str, int]:
    """When each file was last read."""
    return {str(file): file.stat().st_atime_ns for file in sorted(outside.rglob("*")) if file.is_file()}
