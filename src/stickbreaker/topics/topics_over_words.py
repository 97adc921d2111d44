"""What other kinds of models take of topics: see `estimators/unigram_topics.py`."""

from stickbreaker.core.errors import UserError
from stickbreaker.estimators.unigram_topics import UnigramTopics
from stickbreaker.topics.learned_topics import LearnedTopics


def topics_over_words(estimator: LearnedTopics) -> UnigramTopics:
    """The topics of a fitted estimator. Raises UserError if there are none, and for words without a
    spelling of their own or in several languages."""
    if "topic_ids_" not in vars(estimator):
        raise UserError("there are no topics", remedy="call fit first")
    vocabulary = estimator.vocabulary_
    if vocabulary.languages:
        raise UserError("topics in several languages", remedy="learn topics of one language")
    if vocabulary.hashed:
        raise UserError("topics over words that share rows", remedy="leave --hash out")
    return UnigramTopics(vocabulary.words, estimator.topic_word_, estimator.alpha_, estimator.topic_shares_)
