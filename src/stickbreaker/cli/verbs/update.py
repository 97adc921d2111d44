"""`stickbreaker update`: learns from new documents, such as next month's."""

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import (
    PATH,
    NumberRange,
    ProgressLine,
    changed_model_argument,
    command,
    fail,
    inputs_argument,
    note,
    option,
    stop_signals,
)
from stickbreaker.console.faces import call_for, show, verb_options
from stickbreaker.console.inputs import GivenFiles, ReadingChoice, reading_options
from stickbreaker.core.errors import Interrupted, counted

if TYPE_CHECKING:
    from stickbreaker.estimators.learned import Update


@click.command(epilog="Example: stickbreaker update model december.jsonl --out newer")
@changed_model_argument
@inputs_argument
@option("--out", type=PATH, help="Directory for the updated model.  [default: the same directory]")
@verb_options("update")
@option(
    "--checkpoint-every",
    default=60.0,
    type=NumberRange(0.0),
    help="Seconds between checkpoints; 0: after every step.",
)
@option("--overwrite", is_flag=True, help="Replace an existing model at --out.")
@reading_options
@command
def update(
    model: Path,
    inputs: tuple[str, ...],
    out: Path | None,
    checkpoint_every: float,
    overwrite: bool,
    reading: ReadingChoice,
    as_json: bool,
    **options: object,
) -> None:
    """Update a finished model with more documents, in their order, one step per minibatch.

    Each step is what `partial_fit` does in Python: what was learned fades a little, and the new documents are
    added. Words that the model does not know are left out, unless its vocabulary is open. This is how topic
    models and grammars are updated; a language model is learned again, from the counts of old and new texts,
    with the words it already knows.

    Ctrl-C saves what was learned; give the same command again to continue. For an endless flow of documents,
    see `fit --stream` and `stream`.
    """
    from stickbreaker.estimators.updating import interrupted_update
    from stickbreaker.saved.directory import refuse_existing

    _refuse_no_day(options["date"])
    target = model if out is None else out
    continues = interrupted_update(target)
    if not continues and out is not None:
        refuse_existing(out, overwrite)
    source = target if continues else model
    call = call_for("update", source, options, GivenFiles(inputs, reading))
    watch = ShownUpdate()
    with stop_signals(watch.stop):
        try:
            found = call.function(
                *call.arguments,
                path=target,
                checkpoint_every=checkpoint_every,
                overwrite=overwrite or out is None,
                watch=watch,
            )
        except Interrupted:
            fail("interrupted; what was learned is saved, give the same command again to continue")
    show(found, as_json)


class ShownUpdate:
    """Shows the progress of an update on standard error, and stops it when asked to."""

    def __init__(self) -> None:
        self.line = ProgressLine(changes=0.25, lines=5.0)
        self.begun = self.stopped = False

    def stop(self) -> None:
        """Let the update end after the present step."""
        self.stopped = True

    def __call__(self, done: "Update") -> bool:
        """Called at the beginning and after each step; returns whether to stop."""
        if not self.begun and done.documents:
            note(f"continuing after {done.documents:,} documents, which were learned from before")
        elif self.begun:
            text = f"{done.documents:,} of {counted(done.total, 'document')} learned from"
            self.line.show(text, last=done.is_done)
        self.begun = True
        return self.stopped


def _refuse_no_day(given: object) -> None:
    """Raise a usage error if --date is given, and is not a day in ISO 8601."""
    try:
        if given is not None:
            date.fromisoformat(str(given))
    except ValueError:
        raise click.UsageError(f"--date {given!r} is not a day; give it as 2026-11-30") from None
