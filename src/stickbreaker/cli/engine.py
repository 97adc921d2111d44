"""The options that choose where a command runs."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from stickbreaker.cli.console import gathering, note

if TYPE_CHECKING:
    from stickbreaker.engines.spark import SparkEngine

OPTIONS = (
    click.option(
        "--engine",
        type=click.Choice(["local", "spark"]),
        default="local",
        show_default=True,
        help="Run on this machine, or on Spark: corpus and model lie where all its machines see them.",
    ),
    click.option(
        "--master",
        metavar="MASTER",
        help="Spark: local[2], spark://HOST:PORT, yarn …  [default: spark-submit's, or all cores here]",
    ),
    click.option(
        "--blocks",
        type=click.IntRange(1),
        help="Spark: files that a new model's table is cut into, each with a reducer of its own.  "
        "[default: one for every 4 MB of it, at most 16]",
    ),
)


@dataclass(frozen=True)
class EngineChoice:
    """The engine's options of a command line."""

    engine: str
    master: str | None
    blocks: int | None
    given: tuple[str, ...]

    def made(self) -> "str | SparkEngine":
        """An estimator's `engine`; of Spark with a session that has started.

        Raises a usage error for options without --engine spark, UserError where Spark cannot be had.
        """
        if self.engine == "local":
            for name in self.given:
                if name != "engine":
                    raise click.UsageError(f"--{name} needs --engine spark")
            return "local"
        from stickbreaker.engines.spark import SparkEngine
        from stickbreaker.spark.session import ONLY_LEARNING, start_session

        note("starting Spark")
        return SparkEngine(start_session(self.master, settings=ONLY_LEARNING), blocks=self.blocks)


engine_options = gathering(OPTIONS, EngineChoice, "where")
