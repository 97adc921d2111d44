"""The public class of latent Dirichlet allocation, `LDA`."""

from stickbreaker.topics.plain_lda import PlainLDA
from stickbreaker.topics.scikit_learn import ScikitLearnTopics


class LDA(ScikitLearnTopics, PlainLDA):
    __doc__ = PlainLDA.__doc__
