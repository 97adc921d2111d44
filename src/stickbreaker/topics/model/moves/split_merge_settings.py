"""The settings of split and merge moves of topics."""

from stickbreaker.core.parameter_fields import with_parameter_section
from stickbreaker.topics.settings import SplitMergeParameters


@with_parameter_section
class SplitMerge(SplitMergeParameters):
    """Settings of the moves that split and merge topics during a run (Bryant & Sudderth 2012, section 3).

    >>> SplitMerge(accept="halves").splits  # that are tried at once, at most: the default
    12
    """

    __slots__ = ()
