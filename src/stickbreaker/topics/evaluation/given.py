"""What functions of evaluation are given: topics or a model that has them, a corpus or documents for one."""

from typing import TYPE_CHECKING, Any

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus
from stickbreaker.estimators.given_documents import as_corpus, corpus_by
from stickbreaker.estimators.given_models import learned_in, loaded_model

if TYPE_CHECKING:
    from stickbreaker.topics.evaluation.corpus_scores import Topics
    from stickbreaker.topics.evaluation.open_vocabulary import OpenTopics
    from stickbreaker.topics.learned import TopicsLearned


def topics_in_model(model: object) -> "TopicsLearned | None":
    """The fitted topic model that an estimator, a result or the path of a saved one is; None for others.

    Raises UserError for a model of another kind, and for one that is not fitted.
    """
    import os

    from stickbreaker.topics.learned import topics_in

    learned = loaded_model(model) if isinstance(model, str | os.PathLike) else learned_in(model)
    return None if learned is None else topics_in(learned, "this score")


def as_topics(given: "Topics | object") -> "Topics":
    """Topics as they are, or those of a model. Raises UserError for anything else."""
    from stickbreaker.topics.evaluation.corpus_scores import Topics
    from stickbreaker.topics.open_topics import scored_topics

    if isinstance(given, Topics):
        return given
    model = topics_in_model(given)
    if model is None:
        problem = f"an object of the class {type(given).__name__} was given instead of topics"
        raise UserError(problem, remedy="give a fitted model of topics, the path of one, or Topics(...)")
    return scored_topics(model)


def as_open_topics(given: "OpenTopics | object") -> "OpenTopics":
    """Topics over all strings as they are, or those of a model with an open vocabulary. Raises UserError for
    anything else."""
    from stickbreaker.topics.evaluation.open_vocabulary import OpenTopics
    from stickbreaker.topics.open_topics import open_topics_of

    if isinstance(given, OpenTopics):
        return given
    model = topics_in_model(given)
    if model is None or not model.is_open:
        what = (
            "a model of known words"
            if model is not None
            else f"an object of the class {type(given).__name__}"
        )
        remedy = "give a model with an open vocabulary, or OpenTopics"
        raise UserError(f"{what} was given instead of topics over all strings", remedy=remedy)
    return open_topics_of(model)


def as_read_for(model: "Topics | object", documents: Any) -> Corpus:
    """Documents as a corpus with the words of the topics, which may be those of a model."""
    from stickbreaker.topics.evaluation.corpus_scores import Topics

    if isinstance(documents, Corpus) and isinstance(model, Topics):
        return documents
    if isinstance(model, Topics):
        return as_corpus(documents).with_vocabulary(model.vocabulary)
    found = topics_in_model(model)
    assert found is not None, "it was refused before"
    return corpus_by(documents, found.facts.analysis, found.vocabulary, is_open=found.is_open)
