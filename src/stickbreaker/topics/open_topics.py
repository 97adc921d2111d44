"""Learned topics in the form that evaluation takes."""

from functools import partial

from stickbreaker.topics.evaluation.corpus_scores import Topics
from stickbreaker.topics.evaluation.open_vocabulary import LogSpelling, OpenTopics
from stickbreaker.topics.learned import TopicsLearned


def scored_topics(learned: TopicsLearned) -> Topics:
    """Learned topics as a `Topics` record, which the functions of `evaluation` take."""
    return Topics(
        learned.topic_word,
        learned.alpha,
        learned.vocabulary,
        learned.shares_of_bags,
        learned.topic_shares,
        learned.word_documents,
        counts_words=not learned.is_open,
    )


def open_topics_of(learned: TopicsLearned) -> OpenTopics:
    """Learned topics with an open vocabulary, as the record that evaluation takes. They
    have a probability for every string, from its characters if no topic has the word.
    """
    return OpenTopics(scored_topics(learned), learned.rest, spelling_of(learned))


def spelling_of(learned: TopicsLearned) -> LogSpelling:
    """A function from words to log G0 in nats, the log probability of their spelling, as a model with an
    open vocabulary has learned it.
    """
    return partial(learned.model.words.log_spelling, learned.params)
