"""`stickbreaker segment`, `parse` and `rules`: sentences cut and parsed by a grammar, and its subtrees."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from stickbreaker.console.console import (
    INPUT,
    PATH,
    command,
    emit,
    model_argument,
    note,
    option,
    refuse_written,
    say,
)
from stickbreaker.console.faces import call_for, result_for, show, verb_options
from stickbreaker.console.inputs import GivenFiles, ReadingChoice, reading_options, warnings_as_notes
from stickbreaker.core.errors import noun_for
from stickbreaker.core.files import atomic_file, refuse_file

files_argument = click.argument("inputs", nargs=-1, required=True, metavar="FILE...", type=INPUT)
out_option = option("--out", type=PATH, help="File to write.  [default: standard output]")
overwrite_option = option("--overwrite", is_flag=True, help="Replace the file at --out.")


@click.command(epilog="Example: stickbreaker segment model sentences.txt --nonterminal Word --out words.txt")
@model_argument
@files_argument
@verb_options("segment")
@out_option
@overwrite_option
@reading_options
@command
def segment(
    model: Path,
    inputs: tuple[str, ...],
    out: Path | None,
    overwrite: bool,
    reading: ReadingChoice,
    as_json: bool,
    **options: object,
) -> None:
    """Cut texts into pieces, by a symbol of a grammar: a line for each, spaces between pieces.

    A sentence is cut where more than half of its trees have a cut. If the model has learned from the
    sentence, these are the trees of the run, otherwise they are drawn from the model. Symbols that the
    model has not learned are cut around, and counted on standard error. With --json, pieces are lists, with
    the text's id. --format counts reads a text and its count per line, and writes the count after the pieces.
    """
    _refuse_out(out, overwrite)
    found: Any = result_for("segment", model, options, GivenFiles(inputs, reading))
    if out is None:
        show(found, as_json)
    else:
        _write(found.lines, out, overwrite, found.figures if as_json else None)


@click.command(epilog="Example: stickbreaker parse model sentences.txt --how samples --trees 5")
@model_argument
@files_argument
@verb_options("parse")
@out_option
@overwrite_option
@reading_options
@command
def parse(
    model: Path,
    inputs: tuple[str, ...],
    out: Path | None,
    overwrite: bool,
    reading: ReadingChoice,
    as_json: bool,
    **options: object,
) -> None:
    """Write the tree of each text in brackets, as treebanks have them, on a line of its own.

    With --trees 5, each text has five lines. An empty text is an empty line, a sentence that cannot be parsed
    "()", and round brackets of the text are -LRB- and -RRB-. Symbols that the model has not learned are
    counted on standard error. With --json, each text is one line: its id, log p in nats (null: there is no
    tree), how many of its symbols are new, and its trees with log p of each.
    """
    if options["how"] != "samples":
        refuse_written(("trees",), "needs --how samples")
    _refuse_out(out, overwrite)
    arguments = call_for("parse", model, options, GivenFiles(inputs, reading)).arguments
    from stickbreaker.grammars.verbs.parse import parsed_texts

    with warnings_as_notes(UserWarning):
        texts = parsed_texts(*arguments)  # one by one: they need not fit into memory
        lines = (line for one in texts for line in ([json.dumps(one.as_json())] if as_json else one.lines))
        _write(lines, out, overwrite)


@click.command(epilog="Example: stickbreaker rules model --nonterminal Word --top 20")
@model_argument
@verb_options("rules")
@command
def rules(model: Path, as_json: bool, **options: object) -> None:
    """Print the subtrees that a grammar remembers, most used first, and how often its rules are used."""
    show(result_for("rules", model, options), as_json)


def _refuse_out(out: Path | None, overwrite: bool) -> None:
    """Raise UserError if the file `out` may not be written; a usage error for `overwrite` without `out`."""
    if out is not None:
        refuse_file(out, overwrite)
    elif overwrite:
        raise click.UsageError("--overwrite needs --out")


def _write(
    lines: Iterable[str], out: Path | None, overwrite: bool, figures: Mapping[str, object] | None = None
) -> None:
    """Write lines to the file `out`, completely or not at all, and report their number.

    If `out` is None, the lines are printed, without a report. figures: the report is JSON, with these, in
    place of a note on standard error.
    """
    if out is None:
        for line in lines:
            say(line)
        return
    number = 0
    with (
        atomic_file(out, overwrite=overwrite) as partial,
        partial.open("w", encoding="utf-8", newline="\n") as file,
    ):
        for line in lines:
            file.write(f"{line}\n")
            number += 1
    if figures is not None:
        emit({"out": str(out), "lines": number, **figures}, True, str)
    else:
        note(f"{out}: {number:,} {noun_for(number, 'line')}")
