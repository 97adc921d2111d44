"""The hierarchical Dirichlet process, as users import it."""

from stickbreaker.estimators.plain_hdp import PlainHDP
from stickbreaker.estimators.scikit_learn import ScikitLearn


class HDP(ScikitLearn, PlainHDP):
    __doc__ = PlainHDP.__doc__
