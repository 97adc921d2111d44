"""`stickbreaker evaluate`: scores a saved model on documents that it has not seen."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stickbreaker.console.console import (
    MODEL,
    PATH,
    NumberRange,
    command,
    inputs_argument,
    model_argument,
    note,
    option,
    refuse_written,
)
from stickbreaker.console.faces import result_for, show, verb_options
from stickbreaker.console.inputs import GivenFiles, ReadingChoice, reading_options
from stickbreaker.console.options import EngineChoice, engine_options
from stickbreaker.console.table_files import refuse_table, write_tables
from stickbreaker.core.errors import counted
from stickbreaker.core.parameter_fields import declared
from stickbreaker.estimators.kinds import kind_at

if TYPE_CHECKING:
    from stickbreaker.estimators.verb_results import VerbResult

ALONE = (  # not available on Spark
    *("left_to_right", "particles", "bound", "diagnostics", "reference", "by", "labels"),
    *("unseen", "spelling_of", "rescale", "exponent"),
    *("interpolate", "weight", "tune_on"),
    "alignments",
)
NEEDS = {  # options that need another
    "particles": "left_to_right",
    "exponent": "rescale",
    "weight": "interpolate",
    "tune_on": "interpolate",
}
EXCLUSIVE = (  # an option, another that it does not go with, and why
    ("interpolate", "rescale", "does not go with --rescale"),
    ("weight", "tune_on", "and --tune-on both say the share; leave one out"),
)


@click.command(epilog="Example: stickbreaker evaluate model test.jsonl")
@model_argument
@inputs_argument
@verb_options(
    "evaluate",
    completion={"type": NumberRange(0.0, 1.0, max_open=True)},
    spelling_of={"type": PATH},
    rescale={"type": MODEL},
    alignments={"type": PATH},
)
@option(
    "--diagnostics",
    type=PATH,
    metavar="FILE",
    help="Also write a table with one row per topic, like MALLET's diagnostics: .csv, .parquet or .xlsx.",
)
@option("--overwrite", is_flag=True, help="Replace the file at --diagnostics.")
@engine_options
@reading_options
@command
def evaluate(
    model: Path,
    inputs: tuple[str, ...],
    where: EngineChoice,
    reading: ReadingChoice,
    as_json: bool,
    **options: object,
) -> None:
    """Score a model on documents that it has not seen, by document completion.

    Topics of a document are inferred from one part of its words and predict the rest. The result is compared
    with the unigram model, which uses word frequencies and no topics: a good model scores well above it.
    Also: do the top words of each topic occur together (coherence), and do topics differ (diversity)?

    For syntactic topics: the perplexity of even-numbered sentences given the odd-numbered ones of their
    document, also by part of speech.

    For a language model: the perplexity of words and ends of sentences, of all words and of the known ones;
    with --rescale also that of unigram rescaling, normalised at every word. Topics, if it has any, adapt to
    the words of a document so far. The model may be a file in the ARPA format.

    For a grammar: how well its segmentation agrees with the words of sentences that are separated by spaces
    (two spaces, if single spaces separate symbols), and log p of sentences.

    For a lexicon by topic (translate learn): nats per linked word in other pairs of sentences, with and
    without topics, in both directions and by domain; for one with phrases, also BLEU, TER and chrF.

    If the model has learned from some of the documents, the output says so.

    On Spark (--engine spark), executors score a corpus, by completion only.
    """
    files = GivenFiles(inputs, reading)
    if where.engine == "spark":
        show(_on_spark(model, inputs, options, where), as_json)
        return
    where.refuse_spark_options()
    table, overwrite = options.pop("diagnostics"), options.pop("overwrite")
    assert table is None or isinstance(table, Path)
    show(_here(model, files, options, table, overwrite=bool(overwrite)), as_json)


def _on_spark(
    model: Path, inputs: tuple[str, ...], options: Mapping[str, object], where: EngineChoice
) -> "VerbResult":
    from stickbreaker.cli.spark_scoring import completion_on_spark

    refuse_written(ALONE, "does not go with --engine spark")
    if "completion" not in declared(kind_at(model, "evaluate").function("evaluate").settings_class()):
        raise click.UsageError("--engine spark only scores models of topics: leave it out")
    share = options["completion"]
    assert isinstance(share, float)
    return completion_on_spark(model, inputs, share, where)


def _here(
    model: Path, files: GivenFiles, options: Mapping[str, object], table: Path | None, *, overwrite: bool
) -> "VerbResult":
    """Score a model on this machine; table: the file for diagnostics, if they were asked for."""
    for name, needed in NEEDS.items():
        if not options[needed]:
            refuse_written((name,), f"needs --{needed.replace('_', '-')}")
    for one, other, problem in EXCLUSIVE:
        if options[other] is not None:
            refuse_written((one,), problem)
    kind = kind_at(model, "evaluate")
    if "diagnostics" not in declared(kind.function("evaluate").settings_class()):
        refuse_written(("diagnostics", "overwrite"), f"does not apply to a {kind.noun}")
    if options["left_to_right"]:
        note(f"scoring documents left to right, by {counted(float(str(options['particles'])), 'particle')}")
    files, more = _with_references(files, options)
    if table is None:
        return result_for("evaluate", model, options, files, **more)
    refuse_table(table, overwrite)
    found: Any = result_for("evaluate", model, options, files, **more, diagnostics=True)
    topics = found.diagnostics
    write_tables([topics], topics.schema, table, overwrite=overwrite)
    note(f"{table}: diagnostics of {counted(topics.num_rows, 'topic')}")
    return found


def _with_references(
    files: GivenFiles, options: Mapping[str, object]
) -> tuple[GivenFiles, dict[str, object]]:
    """The documents to score, and the settings that are documents too, which are read by the same options.

    If the reference of coherence is raw files, options for reading may be for these, and are not refused if
    the documents to score are a built corpus; nor if the reference is one.
    """
    from stickbreaker.corpus.store import is_store

    more: dict[str, object] = {}
    reference, tune_on = options["reference"], options["tune_on"]
    if reference is not None:
        place = (str(reference),)
        unrefused = GivenFiles(files.paths, replace(files.reading, given=()))
        more["reference"] = GivenFiles(
            place, unrefused.reading if is_store(Path(place[0])) else files.reading
        )
        files = files if is_store(Path(place[0])) else unrefused
    if tune_on is not None:
        more["tune_on"] = GivenFiles((str(tune_on),), files.reading)
    return files, more
