"""`stickbreaker nearest`: the documents whose topics are most like those of other documents."""

from pathlib import Path

import click

from stickbreaker.console.console import command, inputs_argument, model_argument
from stickbreaker.console.faces import result_for, show, verb_options
from stickbreaker.console.inputs import GivenFiles, ReadingChoice, reading_options


@click.command(epilog="Example: stickbreaker nearest model pages.corpus --from en --to de")
@model_argument
@inputs_argument
@verb_options("nearest", ids={"multiple": True, "default": ()})
@reading_options
@command
def nearest(
    model: Path, inputs: tuple[str, ...], reading: ReadingChoice, as_json: bool, **options: object
) -> None:
    """Find the documents whose topic shares are most like those of each query.

    With a polylingual model, across languages: --from and --to take one side of each document. Affinity is
    1 for equal shares and 0 for shares without a common topic; documents without a known word are left out.
    """
    from stickbreaker.corpus import Corpus

    among = options["among"]
    more = {} if among is None else {"among": Corpus.open(str(among))}
    show(result_for("nearest", model, options, GivenFiles(inputs, reading), **more), as_json)
