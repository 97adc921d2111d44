"""Claims of papers next to our results, and numbers of several runs in words."""

from collections.abc import Iterable, Sequence
from statistics import mean

from reproduce.pages import Table

Claim = tuple[str, str, str, bool | str]  # whose, the claim, our result, whether it holds


def claims(rows: Sequence[Claim]) -> list[str | Table]:
    """A table of claims and its heading."""
    return ["Claims and aims, and whether they hold here:", Table(("who", "claim", "here", "holds"), rows)]


def verdict(each: Iterable[bool]) -> bool | str:
    """For several runs: yes, no, or in how many.

    >>> verdict([True, False]), verdict([True])
    ('in 1 of 2', True)
    """
    listed = list(each)
    return all(listed) if len(set(listed)) < 2 else f"in {sum(listed)} of {len(listed)}"


def spread(values: Iterable[float], form: str = ".3f") -> str:
    """The mean, and the least and the greatest if there are several.

    >>> spread([0.5, 0.7]), spread([0.5])
    ('0.600 (0.500 to 0.700)', '0.500')
    """
    listed = list(values)
    shown = f"{mean(listed):{form}}"
    return shown if len(listed) == 1 else f"{shown} ({min(listed):{form}} to {max(listed):{form}})"


def span(values: Iterable[float], form: str = ".1f") -> str:
    """The least and the greatest.

    >>> span([2.0, 1.0]), span([1.0])
    ('1.0 to 2.0', '1.0')
    """
    listed = list(values)
    least, most = f"{min(listed):{form}}", f"{max(listed):{form}}"
    return least if least == most else f"{least} to {most}"
