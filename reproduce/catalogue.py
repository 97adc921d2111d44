"""The names by which benchmarks and reproductions are run: what each does, and which packages it needs."""

import argparse
import os
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

ROOT = Path(__file__).parents[1]
BENCH = ".[dev,bench]"  # the project with the programs that ours are compared with
LIST = "list"  # the name that prints all others


class Entry(NamedTuple):
    """A module with a name.

    sentence: what it does and how long it takes. packages: what pip installs for it in addition to the
    development packages. options: its options whose value an environment variable may hold; for --py-cfg that
    is PY_CFG.
    """

    name: str
    module: str
    sentence: str
    packages: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


def main(room: str, entries: Sequence[Entry], default: Sequence[str] = ()) -> None:
    """Run what the command line names, with the arguments after the name.

    Options before the name are those of this function. room: the package, as `python -m` knows it. default:
    the names that are run if none is given; without them the list is printed.
    """
    words = sys.argv[1:]
    n_options = next((n for n, word in enumerate(words) if not word.startswith("-")), len(words))
    options = _parser(room, entries).parse_args(words[:n_options])
    names = words[n_options : n_options + 1] or list(default) or [LIST]
    if names == [LIST]:
        print(listing(entries))
        return
    known = {entry.name: entry for entry in entries}
    for name in names:
        if name not in known:
            sys.exit(f"there is no {name!r} in {room}; the names are {', '.join(known)}")
    chosen = [known[name] for name in names]
    if options.install:
        install(chosen)
    run(chosen, words[n_options + 1 :])


def _parser(room: str, entries: Sequence[Entry]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        f"python -m {room}",
        usage="%(prog)s [-h] [--install] [WHAT [ARGUMENT ...]]",
        epilog=f"WHAT is {LIST}, or a name, whose arguments are shown by `python -m {room} WHAT --help`:\n\n"
        f"{listing(entries)}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--install", action="store_true", help="first install the packages that it needs")
    return parser


def listing(entries: Sequence[Entry]) -> str:
    """The names with their sentences, one below the other.

    >>> print(listing([Entry("lda", "benchmarks.lda", "An hour"), Entry("hdp", "reproduce.hdp", "A day")]))
    lda  An hour
    hdp  A day
    """
    indent = 2 + max(len(entry.name) for entry in entries)
    wrapper = textwrap.TextWrapper(100, subsequent_indent=" " * indent, break_on_hyphens=False)
    return "\n".join(wrapper.fill(f"{entry.name:{indent}}{entry.sentence}") for entry in entries)


def install(entries: Sequence[Entry]) -> None:
    """Install the packages that entries need, each by itself; one that cannot be installed is reported."""
    for package in dict.fromkeys(package for entry in entries for package in entry.packages):
        target = ["--editable", package] if package == BENCH else [package]
        if subprocess.call([sys.executable, "-m", "pip", "install", "--quiet", *target], cwd=ROOT):
            print(f"pip did not install {package}; going without it", file=sys.stderr, flush=True)


def run(entries: Sequence[Entry], arguments: Sequence[str]) -> NoReturn:
    """Run modules one after another, each in its own process, until one fails; ends with its exit status."""
    commands = [
        [sys.executable, "-m", entry.module, *_from_environment(entry), *arguments] for entry in entries
    ]
    for command in commands[:-1]:
        if status := _wait(command):
            sys.exit(status)
    os.execv(sys.executable, commands[-1])  # the same process, so that a signal reaches the last


def _from_environment(entry: Entry) -> list[str]:
    """The options of an entry whose environment variables are set, with their values."""
    variables = {option: option.removeprefix("--").replace("-", "_").upper() for option in entry.options}
    set_ones = {option: os.environ.get(variable) for option, variable in variables.items()}
    return [word for option, value in set_ones.items() if value for word in (option, value)]


def _wait(command: Sequence[str]) -> int:
    """Run a command; returns its exit status. After Ctrl-C, which it gets too, waits while it cleans up."""
    with subprocess.Popen(command) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            return process.wait() or 130
