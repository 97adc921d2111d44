"""The settings of learning on Spark."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stickbreaker.core.errors import UserError, is_whole

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class SparkSettings:
    """A Spark session to learn on, and how the work is shared.

    `folder`: where tables and records are stored during runs of a model without a directory of its own: a
    directory that driver and executors see under the same name (None: the system's directory for temporary
    files). `blocks`: number of files that a table's rows are cut into, each with a reducer of its own (None:
    one for every 4 MB of the initial table, at most 16). `portion`: documents per task. `task_bytes`: bytes
    of documents that a task reads at once, of table rows that it views for them, and of reports that it holds
    before it sends them (0: sends each separately). None of these changes what is learned, except for the
    last digits of sums.

    Raises UserError for values out of range, and for a missing folder.
    """

    session: "SparkSession"
    folder: str | Path | None = None
    blocks: int | None = None
    portion: int = 32_768
    task_bytes: int = 1 << 28

    def __post_init__(self) -> None:
        for name, least in (("blocks", 1), ("portion", 1), ("task_bytes", 0)):
            value = getattr(self, name)
            if not is_whole(value, least) and (name, value) != ("blocks", None):
                problem = f"SparkEngine({name}={value!r}) is out of range"
                raise UserError(problem, remedy=f"{name} is a whole number from {least}")
        if self.folder is not None and not Path(self.folder).is_dir():
            raise UserError(
                "no such directory", where=self.folder, remedy="make it where all machines see it"
            )
