"""`stickbreaker update`: learns from new documents, such as next month's."""

import time
from datetime import date as day
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import (
    PATH,
    NumberRange,
    ProgressLine,
    changed_model_argument,
    command,
    emit,
    fail,
    inputs_argument,
    note,
    option,
    stop_signals,
    tell_of_compiling,
    threads_option,
)
from stickbreaker.console.inputs import ReadingChoice, open_documents_for, reading_options
from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.option_names import command_line

if TYPE_CHECKING:
    from stickbreaker.estimators.updating import Updating


@click.command(epilog="Example: stickbreaker update model december.jsonl --out newer")
@changed_model_argument
@inputs_argument
@option("--out", type=PATH, help="Directory for the updated model.  [default: the same directory]")
@option("--batch-size", least=1, help="Documents per step.  [default: as the model learned, or 256]")
@option("--date", metavar="YYYY-MM-DD", help="Date of the update in the report.  [default: today]")
@option(
    "--checkpoint-every",
    default=60.0,
    type=NumberRange(0.0),
    help="Seconds between checkpoints; 0: after every step.",
)
@option("--overwrite", is_flag=True, help="Replace an existing model at --out.")
@threads_option
@reading_options
@command
def update(
    model: Path,
    inputs: tuple[str, ...],
    out: Path | None,
    batch_size: int | None,
    date: str | None,
    checkpoint_every: float,
    overwrite: bool,
    threads: int | None,
    reading: ReadingChoice,
    as_json: bool,
) -> None:
    """Update a finished model with more documents, in their order, one step per minibatch.

    Each step is what `partial_fit` does in Python: what was learned fades a little, and the new documents are
    added. Words that the model does not know are left out, unless its vocabulary is open. This is how topic
    models and grammars are updated; a language model is learned again, from the counts of old and new texts,
    with the words it already knows.

    Ctrl-C saves what was learned; give the same command again to continue. For an endless flow of documents,
    see `fit --stream` and `stream`.
    """
    from stickbreaker.estimators.updating import Updating, interrupted_update, load_to_update
    from stickbreaker.saved.directory import refuse_existing

    target = model if out is None else out
    goes_on = interrupted_update(target)
    if not goes_on and out is not None:
        refuse_existing(out, overwrite)
    tell_of_compiling()
    learned = load_to_update(target if goes_on else model, threads)
    documents = open_documents_for(learned, inputs, reading)
    if not documents.n_documents:
        raise UserError("there is no document", where=", ".join(inputs), remedy="give documents with text")
    under_way = Updating(learned, documents, target, _day(date))
    if goes_on:
        note(f"continuing after {under_way.update.documents:,} documents, which were learned from before")
    size = batch_size or learned.learner.minibatch(learned.facts.settings)
    _learn(under_way, size, checkpoint_every, overwrite=overwrite or goes_on or out is None)
    result = {"model": str(target), "status": "done", **_figures(under_way)}
    emit(result, as_json, _as_text)


def _day(given: str | None) -> str:
    """The date of an update in ISO 8601; today if None. Raises a usage error if it is not such a date."""
    if given is None:
        return day.today().isoformat()
    try:
        return day.fromisoformat(given).isoformat()
    except ValueError:
        raise click.UsageError(f"--date {given!r} is not a day; give it as 2026-11-30") from None


def _learn(under_way: "Updating", size: int, every: float, *, overwrite: bool) -> None:
    """Make the remaining steps of an update, of `size` documents each.

    The model is saved every `every` seconds and at the end. On Ctrl-C, it is saved and the program exits with
    status 1.
    """
    line, stopped, saved = ProgressLine(changes=0.25, lines=5.0), list[bool](), time.monotonic()
    with stop_signals(lambda: stopped.append(True)):
        for _ in under_way.steps(size):
            done = under_way.update
            text = f"{done.documents:,} of {counted(done.total, 'document')} learned from"
            line.show(text, last=done.documents == done.total)
            if done.documents < done.total and (stopped or time.monotonic() - saved >= every):
                under_way.save(overwrite=overwrite)
                overwrite, saved = True, time.monotonic()
                if stopped:
                    fail("interrupted; what was learned is saved, give the same command again to continue")
        under_way.save(overwrite=overwrite)


def _figures(under_way: "Updating") -> JsonObject:
    """The numbers in the result of `update`, such as documents and topics, as JSON values."""
    learned, update = under_way.learned, under_way.update
    facts = learned.facts
    unseen = under_way.corpus.unseen_share if update.unseen_share is None else update.unseen_share
    return {
        **learned.sizes(),
        "documents": update.total,
        "documents_in_all": facts.corpus["documents"],
        "unseen_share": unseen,
        "open_words": learned.learner.is_open(facts.settings),
        "updates": len(facts.updates),
    }


def _as_text(result: JsonObject) -> str:
    documents, whole = counted(result["documents"], "document"), result["documents_in_all"]
    words = "were new to it" if result["open_words"] else "are not known"
    return (
        f"{result['model']}: learned from {documents} more, {whole:,} in all; "
        f"{100 * result['unseen_share']:.1f} % of the words {words}\n"
        f"Next: {command_line('report', result['model'])}"
    )
