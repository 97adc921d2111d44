"""Commands that score a stored corpus on Spark, with a model that executors read."""

from pathlib import Path
from typing import TYPE_CHECKING

from stickbreaker.console.inputs import warnings_as_notes
from stickbreaker.console.options import EngineChoice
from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject

if TYPE_CHECKING:
    from stickbreaker.corpus import Corpus
    from stickbreaker.topics.verbs.scores import CompletionScores


def stored_corpus(inputs: tuple[str, ...]) -> "Corpus":
    """The corpus that a command's inputs name. Raises UserError for anything but one stored corpus."""
    from stickbreaker.corpus import Corpus
    from stickbreaker.corpus.store import is_store

    if len(inputs) != 1 or not is_store(Path(inputs[0])):
        remedy = "build one: stickbreaker corpus build"
        raise UserError("scoring on Spark needs a corpus in a place that all machines see", remedy=remedy)
    return Corpus.open(inputs[0])


def shares_on_spark(
    model: Path, inputs: tuple[str, ...], out: Path, where: EngineChoice, overwrite: bool
) -> JsonObject:
    """Compute documents' topic shares on Spark, and write them to `out`, a directory of Parquet files.

    Returns the result of the command `transform`.
    """
    from stickbreaker.spark import SparkEngine, transform_corpus
    from stickbreaker.topics.learned import load_topics

    corpus = stored_corpus(inputs)
    topics = len(load_topics(model, "transform", in_place=True).alpha)
    with where.host() as host:
        assert isinstance(host.engine, SparkEngine)
        transform_corpus(model, host.engine.session, corpus, out, overwrite=overwrite)
    return {"out": str(out), "documents": corpus.n_documents, "topics": topics}


def completion_on_spark(
    model: Path, inputs: tuple[str, ...], share: float, where: EngineChoice
) -> "CompletionScores":
    """Score a model by document completion on Spark.

    share: how much of each document the model sees, to predict the rest.
    """
    from stickbreaker.estimators.document_scores import warn_if_all_unseen
    from stickbreaker.saved import ModelDirectory
    from stickbreaker.saved.own_corpus import share_of_own_corpus
    from stickbreaker.spark import SparkEngine
    from stickbreaker.spark.scoring import completion_on
    from stickbreaker.topics.verbs.evaluate import completion_figures
    from stickbreaker.topics.verbs.scores import CompletionScores

    corpus, manifest = stored_corpus(inputs), ModelDirectory(model).manifest()
    with where.host("give the command again") as host:
        assert isinstance(host.engine, SparkEngine)
        found = completion_on(model, host.engine.session, corpus, share)
    counts = found.documents, found.empty, found.unseen_share
    figures = completion_figures(share, found.scored, found.spelled, *counts)
    own = share_of_own_corpus(manifest["corpus"], float(manifest["held_out"]), corpus)
    with warnings_as_notes(UserWarning):
        warn_if_all_unseen(found.unseen_share)
    return CompletionScores(**figures, learned_from=own)
