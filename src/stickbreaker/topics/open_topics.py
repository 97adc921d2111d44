"""The topics of fitted estimators in the form that evaluation takes."""

from functools import partial

from stickbreaker.corpus import Corpus
from stickbreaker.topics.evaluation.corpus_scores import BlockPrior, Topics
from stickbreaker.topics.evaluation.open_vocabulary import LogSpelling, OpenTopics
from stickbreaker.topics.learned_topics import LearnedTopics
from stickbreaker.topics.model.priors.prevalence_terms import alphas_of


def scored_topics(estimator: LearnedTopics) -> Topics:
    """The topics of a fitted estimator as a `Topics` record, which the functions of `evaluation` take."""
    return Topics(
        estimator.topic_word_,
        estimator.alpha_,
        estimator.vocabulary_,
        estimator._infer_shares,
        estimator.topic_shares_,
        estimator.word_documents_,
        counts_words=not estimator._is_open,
        prior_of=None if estimator._model.covariates is None else partial(_prior_of, estimator),
    )


def _prior_of(estimator: LearnedTopics, corpus: Corpus, block: int) -> BlockPrior | None:
    rows, coefficients = (
        estimator._covariates(corpus, block),
        estimator._model.documents.coefficients(estimator.params_),
    )
    if rows is None or coefficients is None:
        return None
    return BlockPrior(rows, alphas_of(rows, coefficients, estimator.alpha_))


def open_topics_of(estimator: LearnedTopics) -> OpenTopics:
    """The topics of a fitted estimator with an open vocabulary, as the record that evaluation takes. They
    have a probability for every string, from its characters if no topic has the word.
    """
    return OpenTopics(scored_topics(estimator), estimator.rest_, spelling_of(estimator))


def spelling_of(estimator: LearnedTopics) -> LogSpelling:
    """A function from words to log G0 in nats, the log probability of their spelling, as a fitted estimator
    with an open vocabulary has learned it.
    """
    return partial(estimator._model.words.log_spelling, estimator.params_)
