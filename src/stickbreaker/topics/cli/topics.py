"""What commands about the topics of documents begin with: a model and the documents, read for it."""

from pathlib import Path
from typing import TYPE_CHECKING

from stickbreaker.console.console import tell_of_compiling
from stickbreaker.console.inputs import ReadingChoice, open_documents

if TYPE_CHECKING:
    from stickbreaker.corpus import Corpus
    from stickbreaker.topics.topic_estimator import TopicEstimator


def open_model(
    model: Path, verb: str, inputs: tuple[str, ...], reading: ReadingChoice, threads: int | None
) -> "tuple[TopicEstimator, Corpus]":
    """Open a topic model and the documents to which a command applies it; these are read with the model's
    vocabulary. `verb`: the command, for error messages.
    """
    from stickbreaker.topics.topic_estimator import load_topics

    tell_of_compiling()
    estimator = load_topics(model, verb, threads)
    return estimator, open_documents(estimator, inputs, reading)
