"""The settings of split and merge moves of topics."""

from stickbreaker.core.parameter_fields import with_parameter_section
from stickbreaker.topics.parameters import SplitMergeParameters


@with_parameter_section
class SplitMerge(SplitMergeParameters):
    """Topics split and merge while a run continues (Bryant & Sudderth 2012, section 3).

    >>> SplitMerge(accept="halves").splits
    12
    """

    __slots__ = ()
