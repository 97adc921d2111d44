"""Decides whether a run has converged, from the scores of its passes."""

from collections.abc import Sequence


def settled(scores: Sequence[float], tol: float) -> bool:
    """Whether the mean of the last three relative changes is below `tol`; False for fewer than four scores.

    >>> settled([-9.0, -8.0, -8.0, -8.0, -8.0], 1e-4)
    True
    """
    return len(scores) >= 4 and relative_change(scores) < tol


def evened_out(scores: Sequence[float], tol: float) -> bool:
    """Whether noisy scores have stopped rising, by the means of the last five passes and the five before.

    The relative rise from one mean to the other, per pass, must be below `tol`. False for fewer than ten
    scores, or `tol` 0.

    >>> evened_out([-9.0] * 5 + [-8.0, -8.1, -8.0, -8.1, -8.0] * 2, 1e-4)
    True
    """
    if len(scores) < 10 or tol <= 0.0:
        return False
    before, after = sum(scores[-10:-5]) / 5, sum(scores[-5:]) / 5
    return (after - before) / 5 < tol * abs(before)


CONVERGED = {"bound": settled, "estimate": evened_out}  # by the kind of score


def relative_change(scores: Sequence[float]) -> float:
    """The mean of the last three relative changes of the score; NaN for fewer than four scores."""
    if len(scores) < 4:
        return float("nan")
    pairs = zip(scores[-4:-1], scores[-3:], strict=True)
    return sum(abs(new - old) / max(abs(old), 1e-12) for old, new in pairs) / 3
