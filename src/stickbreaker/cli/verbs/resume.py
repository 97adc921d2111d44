"""`stickbreaker resume`."""

from pathlib import Path

import click

from stickbreaker.console.console import (
    changed_model_argument,
    command,
    option,
    refuse_written,
    threads_option,
)
from stickbreaker.console.options import EngineChoice, checkpoint_option, engine_options, resume_remedy
from stickbreaker.console.running import began_on_spark, continue_run
from stickbreaker.core.errors import UserError
from stickbreaker.estimators.kinds import refuse_system
from stickbreaker.topics.cli.streams import is_stream, resume_stream


@click.command(epilog="Example: stickbreaker resume model")
@changed_model_argument
@engine_options
@threads_option
@checkpoint_option
@option(
    "--on-error",
    choices=["fail", "skip"],
    help="What to do with a document of a stream that cannot be read.  [default: as at the run's start]",
)
@command
def resume(
    model: Path,
    where: EngineChoice,
    threads: int | None,
    checkpoint_every: float,
    on_error: str | None,
    as_json: bool,
) -> None:
    """Continue a run that was interrupted: the result is the same as without the interruption.

    A stream is given again, from its beginning: documents that were learned from are skipped. A run on Spark
    is continued with --engine spark.
    """
    refuse_system(model, "resume")
    if is_stream(model):
        refuse_written(("checkpoint_every",), "does not apply to a stream")
        resume_stream(model, threads, on_error, as_json)
        return
    if on_error is not None:
        raise click.UsageError("--on-error is for a run over a stream")
    where.refuse_spark_options()
    if where.engine == "spark" and not began_on_spark(model):  # before Spark is started
        raise UserError(
            "the run began on one machine", where=model, remedy="resume it without --engine spark"
        )
    with where.host(resume_remedy(model)) as host:
        continue_run(model, checkpoint_every, threads, as_json, host.engine, resumed=True)
