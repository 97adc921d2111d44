"""Estimators as evaluation takes them."""

from collections.abc import Sequence

from stickbreaker.core.records import Array
from stickbreaker.estimators.topics import TopicEstimator
from stickbreaker.evaluation.documents import Topics
from stickbreaker.evaluation.spelled import OpenTopics
from stickbreaker.models.topics import OpenWords


def topics_of(estimator: TopicEstimator) -> Topics:
    """A fitted estimator's topics."""
    return Topics(estimator.topic_word_, estimator.alpha_, estimator.vocabulary_, estimator._theta)


def open_topics_of(estimator: TopicEstimator) -> OpenTopics:
    """Topics of a fitted estimator of an open vocabulary, over all strings, spelled by its own characters."""
    words = estimator._model().words
    assert isinstance(words, OpenWords)

    def log_spelling(spelled: Sequence[str]) -> Array:
        return words.log_spelling(estimator._small, spelled)

    return OpenTopics(topics_of(estimator), estimator.rest_, log_spelling)
