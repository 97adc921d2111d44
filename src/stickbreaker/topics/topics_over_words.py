"""Topics as distributions over single words, for use in other kinds of models: see
`estimators/unigram_topics.py`.
"""

from stickbreaker.core.errors import UserError
from stickbreaker.estimators.unigram_topics import UnigramTopics
from stickbreaker.topics.learned_topics import LearnedTopics


def topics_over_words(estimator: LearnedTopics) -> UnigramTopics:
    """The topics of a fitted estimator as distributions over single words, for other kinds of models that use
    topics.

    Raises UserError if the estimator is not fitted, if its vocabulary is hashed (several words share a row),
    or if it has several languages.
    """
    if "topic_ids_" not in vars(estimator):
        raise UserError("there are no topics", remedy="call fit first")
    vocabulary = estimator.vocabulary_
    if vocabulary.languages:
        raise UserError("the topics are in several languages", remedy="learn topics of one language")
    if vocabulary.hashed:
        raise UserError("the topics are over words that share rows", remedy="leave out --hash")
    return UnigramTopics(vocabulary.words, estimator.topic_word_, estimator.alpha_, estimator.topic_shares_)
