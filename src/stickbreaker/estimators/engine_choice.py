"""Makes the engine that a model's settings ask for."""

import atexit
import shutil
import tempfile
from pathlib import Path

from stickbreaker.contracts.contract import Model
from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus
from stickbreaker.engines import Cluster, Engine, LocalEngine
from stickbreaker.estimators.run_settings import RunSettings
from stickbreaker.estimators.setting_values import threads_of


def engine_of(
    settings: RunSettings, model: Model, *, keep_local: bool = False, folder: Path | None = None
) -> Engine:
    """Make the engine for a model's run, local or Spark. Raises UserError for Spark without a session.

    keep_local: whether documents' local results are carried from pass to pass; folder: where the engine may
    store files.
    """
    if settings.where == "local":
        return LocalEngine(threads_of(settings.n_jobs), keep_local=keep_local, folder=folder)
    return spark_of(settings).of(model, keep_local=keep_local, folder=folder)


def spark_of(settings: RunSettings) -> Cluster:
    """The machines that are the parameter `engine`. Raises UserError if that is a name, such as "spark"."""
    engine = settings.where
    if isinstance(engine, str):
        remedy = "give engine=SparkEngine(session)"
        raise UserError(
            "the model is learned on Spark, but there is no session", remedy=remedy, in_file=False
        )
    return engine


def spark_cluster(master: str | None, blocks: int | None) -> Cluster:
    """Start a session of Spark that only learns. master: of Spark, blocks: of tables; None: the defaults.

    Raises UserError if Spark is not available.
    """
    from stickbreaker.engines.spark import SparkEngine
    from stickbreaker.engines.spark.session import ONLY_LEARNING, start_session

    return SparkEngine(start_session(master, settings=ONLY_LEARNING), blocks=blocks)


def spark_problem(error: Exception) -> str | None:
    """One line about an error if Spark has failed or a disk is full; None for other errors."""
    from stickbreaker.engines.spark.session import problem_of

    return problem_of(error)


def readable(settings: RunSettings, corpus: Corpus) -> Corpus:
    """Return a corpus that the engine can read: for Spark, one that is in memory is first written to files.

    Their directory is temporary, and removed when the process ends. Any other corpus is returned as it is.
    """
    if settings.where == "local" or corpus.path is not None:
        return corpus
    folder = tempfile.mkdtemp(prefix="stickbreaker-corpus-", dir=spark_of(settings).folder)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return corpus.write(Path(folder) / "corpus")
