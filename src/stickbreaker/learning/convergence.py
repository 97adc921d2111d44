"""Decides whether a run has converged, from the scores of its passes."""

from collections.abc import Sequence
from itertools import pairwise


def settled(scores: Sequence[float], tol: float) -> bool:
    """Whether the mean of the last three relative changes is below `tol`; False for fewer than four scores.

    >>> settled([-9.0, -8.0, -8.0, -8.0, -8.0], 1e-4)
    True
    """
    return len(scores) >= 4 and relative_change(scores) < tol


def evened_out(scores: Sequence[float], tol: float) -> bool:
    """Whether noisy scores have stopped rising, by the means of the last passes and of as many before.

    Each mean is of five passes, or of a quarter of all if that is more. The relative rise from one mean to
    the other, per pass, plus two standard errors must be below `tol`; the noise of a score is estimated from
    the differences between consecutive passes. False for fewer than ten scores, or `tol` 0.

    >>> evened_out([-9.0] * 5 + [-8.0, -8.001, -8.0, -8.001, -8.0] * 2, 1e-4)
    True
    >>> evened_out([-9.0] * 5 + [-8.0, -8.1, -8.0, -8.1, -8.0] * 2, 1e-4)
    False
    """
    n = max(5, len(scores) // 4)
    if len(scores) < 2 * n or tol <= 0.0:
        return False
    recent = scores[-2 * n :]
    before, after = sum(recent[:n]) / n, sum(recent[n:]) / n
    noise = sum((new - old) ** 2 for old, new in pairwise(recent)) / (2 * (2 * n - 1))  # variance of a score
    error = (2.0 * noise / n) ** 0.5
    return (after - before + 2.0 * error) / n < tol * abs(before)


CONVERGED = {"bound": settled, "estimate": evened_out}  # by the kind of score


def relative_change(scores: Sequence[float]) -> float:
    """The mean of the last three relative changes of the score; NaN for fewer than four scores."""
    if len(scores) < 4:
        return float("nan")
    pairs = zip(scores[-4:-1], scores[-3:], strict=True)
    return sum(abs(new - old) / max(abs(old), 1e-12) for old, new in pairs) / 3
