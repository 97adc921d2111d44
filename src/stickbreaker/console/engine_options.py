"""The options that choose where a command runs: on this machine or on Spark."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stickbreaker.console.console import from_option, note, options_into
from stickbreaker.core.option_names import command_line

if TYPE_CHECKING:
    from stickbreaker.engines import Cluster

AGAIN = "nothing was saved; give the command again"


@dataclass(frozen=True)
class EngineChoice:
    """The options on where a command runs: on this machine or on Spark."""

    engine: str = from_option(
        choices=["local", "spark"],
        default="local",
        help="Run on this machine, or on Spark; then all its machines must see the corpus and the model.",
    )
    master: str | None = from_option(
        metavar="MASTER",
        help="Spark master: local[2], spark://HOST:PORT, yarn …  [default: spark-submit's, or local[*]]",
    )
    blocks: int | None = from_option(
        least=1,
        help="Spark: number of files for a new model's table, each with a reducer of its own.  "
        "[default: one for every 4 MB of it, at most 16]",
    )
    given: tuple[str, ...] = ()

    def refuse_spark_options(self) -> None:
        """Raise a usage error if options for Spark were given without --engine spark."""
        if self.engine == "local":
            for name in self.given:
                if name != "engine":
                    raise click.UsageError(f"--{name} needs --engine spark")

    @contextmanager
    def host(self, remedy: str = AGAIN) -> Iterator["Host"]:
        """A context that yields the `Host` of the command; on Spark, a session has been started for it.

        A failure of Spark becomes a UserError: one line with `remedy` and the name of a file with the traces;
        nothing else of Spark's is printed. Raises a usage error for options that need --engine spark,
        UserError if Spark is not available.
        """
        self.refuse_spark_options()
        if self.engine == "local":
            yield Host("local", remedy)
            return
        from stickbreaker.console.spark_log import reporting_spark_failures
        from stickbreaker.estimators.engine_choice import spark_cluster

        host = Host("spark", remedy)
        with reporting_spark_failures(lambda: host.remedy) as log:
            note("starting Spark")
            with log.launching():
                host.engine = spark_cluster(self.master, self.blocks)
            yield host


@dataclass
class Host:
    """Where a command runs: the `engine` for its estimator, and what to advise if Spark fails.

    A command may change `remedy` once something is saved.
    """

    engine: "str | Cluster"
    remedy: str


def resume_remedy(path: Path) -> str:
    """The advice if Spark fails during a run in the directory `path`: how to resume it."""
    again = command_line("resume", path, "--engine spark")
    return f"what was learned up to the last checkpoint is saved, continue with: {again}"


engine_options = options_into(EngineChoice, "where", "Machines")
