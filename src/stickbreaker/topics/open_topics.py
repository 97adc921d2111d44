"""Learned topics in the form that evaluation takes."""

from functools import partial

from stickbreaker.corpus import Corpus
from stickbreaker.topics.evaluation.corpus_scores import BlockPrior, Topics
from stickbreaker.topics.evaluation.open_vocabulary import LogSpelling, OpenTopics
from stickbreaker.topics.learned import TopicsLearned
from stickbreaker.topics.model.priors.prevalence_terms import alphas_of


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
        prior_of=None if learned.model.covariates is None else partial(_prior_of, learned),
    )


def _prior_of(learned: TopicsLearned, corpus: Corpus, block: int) -> BlockPrior | None:
    rows = learned.covariates(corpus, block)
    coefficients = learned.model.documents.coefficients(learned.params)
    if rows is None or coefficients is None:
        return None
    return BlockPrior(rows, alphas_of(rows, coefficients, learned.alpha))


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
