"""The topics of fitted estimators in the form that evaluation takes."""

from functools import partial

from stickbreaker.topics.evaluation.corpus_scores import Topics
from stickbreaker.topics.evaluation.open_vocabulary import LogSpelling, OpenTopics
from stickbreaker.topics.learned_topics import LearnedTopics


def scored_topics(estimator: LearnedTopics) -> Topics:
    """The topics of a fitted estimator in the form that evaluation takes, independent of estimators."""
    return Topics(
        estimator.topic_word_,
        estimator.alpha_,
        estimator.vocabulary_,
        estimator._infer_shares,
        estimator.topic_shares_,
        estimator.word_documents_,
        counts_words=not estimator._is_open,
    )


def open_topics_of(estimator: LearnedTopics) -> OpenTopics:
    """The topics of a fitted estimator with an open vocabulary, in the form that evaluation takes: with a
    probability for every string, from its characters if the word is unknown.
    """
    return OpenTopics(scored_topics(estimator), estimator.rest_, spelling_of(estimator))


def spelling_of(estimator: LearnedTopics) -> LogSpelling:
    """A function that returns log G0 of words in nats, the log probability of their spelling; for a fitted
    estimator with an open vocabulary.
    """
    return partial(estimator._model.words.log_spelling, estimator.params_)
