"""`stickbreaker fit lda` and `stickbreaker fit hdp`."""

from pathlib import Path

import click

from stickbreaker.console.console import PATH, command, inputs_argument, note, option
from stickbreaker.console.inputs import analysis_options, open_documents_for
from stickbreaker.console.options import (
    EngineChoice,
    NewRun,
    option_table,
    options_of,
    resume_remedy,
    run_options,
)
from stickbreaker.console.running import continue_run
from stickbreaker.console.table_files import refuse_table, write_tables
from stickbreaker.core.errors import counted
from stickbreaker.core.option_names import ParameterValues
from stickbreaker.topics.cli.fit_options import HELD_OUT, params_from_options
from stickbreaker.topics.cli.guide import GuideChoice, guide_options
from stickbreaker.topics.cli.new_run import begin
from stickbreaker.topics.cli.streams import StreamChoice, fit_stream, refuse_spark, stream_options
from stickbreaker.topics.cli.word_options import OpenChoice, open_options
from stickbreaker.topics.settings import HDPSettings, LDASettings

MOVES = {"choices": ["split-merge", "exact", "halves", "paper", "births", "none"]}
shares_option = option(
    "--shares",
    type=PATH,
    metavar="FILE",
    help="Write the topic shares of the documents as a table too, as `transform` does.",
)


@click.command(epilog="Example: stickbreaker fit lda news.jsonl --out model --topics 50")
@inputs_argument
@options_of({"--out": {}, **option_table(LDASettings, without=("words",), held_out=HELD_OUT)})
@open_options
@stream_options
@guide_options
@shares_option
@run_options
@analysis_options
@command
def lda(guide: GuideChoice, **options: object) -> None:
    """Learn topics by latent Dirichlet allocation.

    The input is a corpus (see `stickbreaker corpus build`) or raw files, from which one is built and kept
    inside the model until the run is done. Ctrl-C saves a checkpoint; `stickbreaker resume` continues.

    With --words open, the vocabulary grows as documents bring new words, and the input may be a stream:
    standard input (-) or files (--stream). Each document of a stream is learned from once, and the model is
    saved from time to time. With --concepts, words of a concept rise and fall together, also across
    languages.
    """
    options["guide"] = guide.build()
    _fit(LDASettings, options)


@click.command(epilog="Example: stickbreaker fit hdp news.jsonl --out model")
@inputs_argument
@options_of({"--out": {}, **option_table(HDPSettings, without=("words",), held_out=HELD_OUT, moves=MOVES)})
@open_options
@stream_options
@shares_option
@run_options
@analysis_options
@command
def hdp(**options: object) -> None:
    """Learn topics and their number by a hierarchical Dirichlet process.

    Short runs from many topics, from half as many and so on, show where two runs to the end begin; the better
    one is the model. Topics split and merge while a run continues (not with --words open). The input is a
    corpus, raw files or a stream, as for `fit lda`; `stickbreaker resume` continues a run that Ctrl-C ended.

    With --moves births topics of a stream open for new subjects, and close when these are gone.
    """
    from stickbreaker.topics.model.moves.split_merge_settings import SplitMerge

    moves = options["moves"]
    if moves not in ("split-merge", "births"):
        options["moves"] = None if moves == "none" else SplitMerge(str(moves))
    _fit(HDPSettings, options)


def _fit(kind: type[LDASettings | HDPSettings], options: ParameterValues) -> None:
    """Fit an LDA or HDP as the options of the command line say, from documents or from a stream, until it
    ends. With --shares, the documents' topic shares are written too.

    Raises a usage error for options that do not go together.
    """
    run = NewRun.take_from(options)
    opened: OpenChoice = options.pop("opened")
    streamed: StreamChoice = options.pop("streamed")
    where: EngineChoice = options.pop("where")
    on = streamed.is_on(run.inputs, opened, options)
    if options.get("moves") == "births" and not on:
        raise click.UsageError("--moves births is for streams: give --stream and --words open")
    shares: Path | None = options.pop("shares")
    if shares is not None:
        if on or "-" in run.inputs:
            raise click.UsageError("--shares needs documents that can be read again; a stream cannot")
        if where.engine != "local":
            raise click.UsageError(f"--shares is for one machine; then transform --engine {where.engine}")
        refuse_table(shares, run.overwrite)
    params = params_from_options(kind, options, opened=opened.is_open)
    with where.host() as host:
        settings = kind(**params, words=opened.build(), engine=host.engine)
        if on:
            refuse_spark(settings)
            fit_stream(settings, streamed.settings(run.inputs, run.reading), run, opened)
            return
        directory = begin(settings, run, opened)
        host.remedy = resume_remedy(run.out)
        continue_run(directory, run.checkpoint_every, run.threads, run.as_json, settings.engine)
    if shares is not None:
        from stickbreaker.estimators.document_tables import DocumentTable
        from stickbreaker.topics.learned import load_topics

        learned = load_topics(run.out, "transform", run.threads)
        corpus = open_documents_for(learned, run.inputs, run.reading)
        table = DocumentTable(learned, corpus)
        write_tables(table, table.schema, shares, overwrite=run.overwrite)
        note(f"{shares}: topic shares of {counted(corpus.n_documents, 'document')}")
