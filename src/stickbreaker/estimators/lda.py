"""Latent Dirichlet allocation, as users import it."""

from stickbreaker.estimators.plain_lda import PlainLDA
from stickbreaker.estimators.scikit_learn import ScikitLearnTopics


class LDA(ScikitLearnTopics, PlainLDA):
    __doc__ = PlainLDA.__doc__
