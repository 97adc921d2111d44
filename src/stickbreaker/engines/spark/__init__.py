"""Runs on a Spark cluster: executors learn; the table is cut into blocks of rows, or sent to all of them."""

import tempfile
from pathlib import Path

from stickbreaker.contracts.contract import Model
from stickbreaker.engines.engine import Cluster, Engine
from stickbreaker.engines.spark.replicated import ReplicatedEngine
from stickbreaker.engines.spark.sharded import ShardedEngine
from stickbreaker.engines.spark.spark_settings import SparkSettings


class SparkEngine(SparkSettings, Cluster):
    """A Spark session to learn on, and settings for sharing the work: see `SparkSettings`.

    >>> SparkEngine(session, blocks=64)                                   # doctest: +SKIP
    """

    name = "spark"

    def of(self, model: Model, *, keep_local: bool = False, folder: Path | None = None) -> Engine:
        """An engine for a model's run: a `ReplicatedEngine` if rows have keys, otherwise a `ShardedEngine`.

        folder: for its files (None: a new temporary one).
        """
        kind = ReplicatedEngine if model.table.keyed else ShardedEngine
        if folder is not None:
            return kind(self, folder=folder.resolve(), keep_local=keep_local)
        made = tempfile.TemporaryDirectory(prefix="stickbreaker-", dir=self.folder)
        engine = kind(self, folder=Path(made.name).resolve(), keep_local=keep_local)
        engine.keeper = made
        return engine


__all__ = ["ReplicatedEngine", "ShardedEngine", "SparkEngine"]
