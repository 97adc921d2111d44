"""Chooses where a run happens, from an estimator's `engine`."""

import atexit
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from stickbreaker.contracts.contract import Model
from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus
from stickbreaker.engines import Engine, LocalEngine
from stickbreaker.estimators.estimator import Estimator
from stickbreaker.estimators.settings import threads_of

if TYPE_CHECKING:
    from stickbreaker.engines.spark import SparkEngine


def engine_of(
    estimator: Estimator, model: Model, *, keep_local: bool = False, folder: Path | None = None
) -> Engine:
    """An engine for a run; its files are in `folder`.

    Raises UserError for a run on Spark without a session.
    """
    if estimator.engine == "local":
        return LocalEngine(threads_of(estimator.n_jobs), keep_local=keep_local, folder=folder)
    return spark_of(estimator).of(model, keep_local=keep_local, folder=folder)


def spark_of(estimator: Estimator) -> "SparkEngine":
    """The Spark engine of an estimator. Raises UserError if it has none."""
    if isinstance(estimator.engine, str):
        remedy = "give engine=SparkEngine(session)"
        raise UserError(
            "the model is learned on Spark, but there is no session", remedy=remedy, in_file=False
        )
    return estimator.engine


def readable(estimator: Estimator, corpus: Corpus) -> Corpus:
    """The corpus at a place that the estimator's engine can read.

    For Spark, a corpus in memory is written to a temporary directory, removed when the process ends.
    """
    if estimator.engine == "local" or corpus.path is not None:
        return corpus
    folder = tempfile.mkdtemp(prefix="stickbreaker-corpus-", dir=spark_of(estimator).folder)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return corpus.write(Path(folder) / "corpus")
