"""Latent Dirichlet allocation, as users import it."""

from stickbreaker.estimators.plain_lda import PlainLDA
from stickbreaker.estimators.scikit_learn import ScikitLearn


class LDA(ScikitLearn, PlainLDA):
    __doc__ = PlainLDA.__doc__
