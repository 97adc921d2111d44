"""Latent Dirichlet allocation, as users import it."""

from stickbreaker.estimators.scikit_learn import ScikitLearnTopics
from stickbreaker.topics.plain_lda import PlainLDA


class LDA(ScikitLearnTopics, PlainLDA):
    __doc__ = PlainLDA.__doc__
