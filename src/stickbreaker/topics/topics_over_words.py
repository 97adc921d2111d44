"""Topics as distributions over single words, for use in other kinds of models: see
`estimators/unigram_topics.py`.
"""

from stickbreaker.core.errors import UserError
from stickbreaker.estimators.unigram_topics import UnigramTopics
from stickbreaker.topics.learned import TopicsLearned


def topics_over_words(learned: TopicsLearned) -> UnigramTopics:
    """Learned topics as distributions over single words, for other kinds of models that use
    topics.

    Raises UserError if the vocabulary is hashed (several words share a row), or has several languages.
    """
    vocabulary = learned.vocabulary
    if vocabulary.languages:
        raise UserError("the topics are in several languages", remedy="learn topics of one language")
    if vocabulary.hashed:
        raise UserError("the topics are over words that share rows", remedy="leave out --hash")
    return UnigramTopics(vocabulary.words, learned.topic_word, learned.alpha, learned.topic_shares)
